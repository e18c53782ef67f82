"""The nominal wavelet on whole numbers: the total, and f times a node's sum minus its parent's, f being its fan-out.

Source: section 5 of privelet, times the parent's fan-out (errata). A record moves its own node's coefficient by f - 1
and each of its f - 1 siblings' by 1, so with noise of relative scale 2f - 2 every level weighs 1. Sums are restored
after the mean of every group of siblings was taken off. A node that is its parent's only child would have the
coefficient 0 always: the tree has no such nodes.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet.kernels import tree_paths, tree_sums
from discreet.transforms.axis import Axis, Floats, Integers
from discreet.transforms.tree import Tree


class NominalWavelet(Axis):
    """For attributes with a hierarchy: the variance of a node's sum does not grow with the tree."""

    kind = "nominal"

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.size, self.length = tree.size, tree.nodes
        self.weight = 1 + tree.depth
        runs = [(slice(0, 1), 1)]
        for level in tree.levels[1:]:
            fanouts = tree.fanout[tree.parent[level]]
            cuts = [0, *(np.flatnonzero(np.diff(fanouts)) + 1).tolist(), fanouts.size]
            parts = [slice(level.start + a, level.start + b) for a, b in pairwise(cuts)]
            runs += [(part, 2 * int(tree.fanout[tree.parent[part.start]]) - 2) for part in parts]
        self.runs, self.levels = tuple(runs), tree.levels

    def places(self, codes: Integers) -> Integers:
        return self.tree.leaves[codes]

    def forward(self, lines: Integers) -> None:
        tree_sums.sum_up(lines, self.tree.child, self.tree.fanout)
        tree_sums.take_from_parents(lines, self.tree.child, self.tree.fanout)

    def restore(self, lines: Floats) -> None:
        tree_sums.give_back(lines, self.tree.child, self.tree.fanout)
        tree_sums.to_front(lines, self.tree.leaves)

    @cached_property
    def _columns(self) -> Integers:
        """For each node, the column of the factor of its children."""
        return np.searchsorted(np.array(self.factors), 2 * self.tree.fanout - 2).astype(np.int64)

    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        out = np.zeros((one.size, len(self.factors)))
        tree = self.tree
        shape = (tree.first, tree.end, tree.child, tree.fanout)
        tree_paths.nominal_covariance(one, other, shape, self._columns, tree.depth + 1, out)
        return out

    def fourth(self, first: Integers, end: Integers) -> Floats:
        out = np.zeros((first.size, len(self.factors)))
        tree = self.tree
        shape = (tree.first, tree.end, tree.child, tree.fanout)
        tree_paths.nominal_fourth(first, end, shape, self._columns, tree.depth + 1, out)
        return out
