"""Which kinds of nodes an attribute may have, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.schema import Attribute, Nominal
from discreet.transforms.branches import Branches
from discreet.transforms.haar_nodes import HaarNodes
from discreet.transforms.node_axis import NodeAxis, TreeAxis
from discreet.transforms.parts import Parts


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
        return Parts(attribute.size, int(fields["base"]))
    if fields["kind"] == Branches.kind and isinstance(attribute, Nominal):
        return Branches(attribute)
    raise ValueError(f"there are no nodes of kind {fields['kind']!r}")
