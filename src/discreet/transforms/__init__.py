"""Linear maps on count tables as products of axes, one per attribute. Nothing here sees counts or draws noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.schema import Attribute
from discreet.transforms.agreeing import AgreeingTree
from discreet.transforms.axis import Axis
from discreet.transforms.direct import Direct
from discreet.transforms.haar import Haar
from discreet.transforms.nominal import NominalWavelet
from discreet.transforms.tree import Tree

__all__ = ["AgreeingTree", "Axis", "Direct", "Haar", "NominalWavelet", "Tree", "axis_of"]


def axis_of(attribute: Attribute, fields: Mapping[str, Any]) -> Axis:
    """The axis that `fields`, as an axis wrote them, describe for this attribute."""
    kind = fields["kind"]
    if kind == Direct.kind:
        return Direct(attribute.size)
    if kind == Haar.kind:
        return Haar(attribute.size)
    if kind == NominalWavelet.kind:
        return NominalWavelet(Tree.of(attribute))
    if kind == AgreeingTree.kind:
        return AgreeingTree(Tree.of(attribute, int(fields["base"])), int(fields["base"]))
    raise ValueError(f"there is no axis of kind {kind!r}")
