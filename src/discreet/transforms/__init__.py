"""Linear maps on count tables as products of axes, one per attribute. Nothing here sees counts or draws noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.numbers import written
from discreet.schema import Attribute, Nominal
from discreet.transforms.agreeing import AgreeingTree
from discreet.transforms.axis import Axis, Direct
from discreet.transforms.haar_nodes import HaarNodes
from discreet.transforms.node_axis import NodeAxis
from discreet.transforms.tree import Tree
from discreet.transforms.tree_nodes import Branches, Parts, TreeAxis
from discreet.transforms.wavelets import Haar, NominalWavelet

__all__ = [
    "AgreeingTree",
    "Axis",
    "Direct",
    "Haar",
    "NominalWavelet",
    "Tree",
    "axis_of",
    "node_axis_of",
    "tree_axis",
    "wavelet_axis",
]


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
        base = written.whole(fields, "base", 2)
        return AgreeingTree(Tree.of(attribute, base), base)
    raise ValueError(f"there is no axis of kind {kind!r}")


def tree_axis(attribute: Attribute, base: int) -> TreeAxis:
    return Branches(attribute) if isinstance(attribute, Nominal) else Parts(attribute.size, base)


def wavelet_axis(attribute: Attribute) -> NodeAxis:
    """Haar coefficients of what has an order, node counts of what has a hierarchy."""
    return Branches(attribute) if isinstance(attribute, Nominal) else HaarNodes(attribute.size)


def node_axis_of(attribute: Attribute, fields: Mapping[str, Any]) -> NodeAxis:
    """The axis that `fields`, as an axis wrote them, describe for this attribute."""
    if fields["kind"] == HaarNodes.kind:
        return HaarNodes(attribute.size)
    if fields["kind"] == Parts.kind:
        return Parts(attribute.size, written.whole(fields, "base", 2, 1 << 31))
    if fields["kind"] == Branches.kind and isinstance(attribute, Nominal):
        return Branches(attribute)
    raise ValueError(f"there are no nodes of kind {fields['kind']!r}")
