"""Counts of all nodes of a tree, made consistent by least squares: a node's estimate is the sum of its children's.

Source: dyadic ranges, section 5.2 of sparse-summaries; the estimates of Hay, Rastogi, Miklau and Suciu, for any tree.
Every node has noise of one scale; a record counts in each node above it. For several attributes the least-squares
estimate is that of one axis after the other, since the map is a product.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from discreet.kernels import tree_paths, tree_shapes, tree_sums
from discreet.transforms.axis import Axis, Floats, Integers
from discreet.transforms.tree import Tree


class AgreeingTree(Axis):
    """Tree counts at all levels, for ranges and hierarchy nodes alike."""

    kind = "tree"

    def __init__(self, tree: Tree, base: int = 2) -> None:
        self.tree, self.base = tree, base
        self.size, self.length = tree.size, tree.nodes
        self.weight = 1 + tree.depth
        self.runs = ((slice(0, tree.nodes), 1),)
        self.levels = tree.levels

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "base": self.base}

    def places(self, codes: Integers) -> Integers:
        return self.tree.leaves[codes]

    def forward(self, lines: Integers) -> None:
        tree_sums.sum_up(lines, self.tree.child, self.tree.fanout)

    def restore(self, lines: Floats) -> None:
        tree_sums.agree(lines, self.tree.child, self.tree.fanout, self._spreads[0])
        self.tree.to_front(lines)

    @cached_property
    def _spreads(self) -> tuple[Floats, Floats]:
        """The variance of each node's sum, as its subtree estimates it, and that of the siblings before it together."""
        found = np.empty(self.tree.nodes), np.empty(self.tree.nodes)
        tree_shapes.spreads(self.tree.child, self.tree.fanout, *found)
        return found

    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        out = np.empty((one.size, 1))
        tree_paths.agreed_covariance(one, other, self.tree.arrays, *self._spreads, self.tree.depth + 1, out[:, 0])
        return out

    def fourth(self, first: Integers, end: Integers) -> Floats:
        """An upper bound, as if one coefficient had all the weight."""
        return np.asarray(self.covariance((first, end), (first, end)) ** 2)
