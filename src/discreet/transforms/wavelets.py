"""The wavelets of privelet on whole numbers: Haar for what has an order, nominal for what has a hierarchy.

Source: sections 4 and 5 of privelet, times weights and fan-outs (errata), so that coefficients are whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet.kernels import haar, tree_paths, tree_sums
from discreet.transforms.axis import Axis, Floats, Integers
from discreet.transforms.tree import Tree


class Haar(Axis):
    """The total, and left sum minus right sum of every node of a binary tree; a range touches two per level.

    On this lattice all noise has one scale. The tree is that of the domain padded to a power of two with cells that are
    always empty, without the nodes whose right half is padding only: those would repeat the sum of their left half. So
    there are as many coefficients as codes, and no published number stands for padding. The node whose right half
    starts at code p has its coefficient at place p, the total is at place 0, and the transform works in place:
    (a, b) -> (a + b, a - b).
    """

    kind = "haar"

    def __init__(self, size: int) -> None:
        self.size = self.length = size
        depth = (size - 1).bit_length()
        self.weight = 1 + depth
        self.runs = ((slice(0, size), 1),)
        halves = [1 << level for level in reversed(range(depth))]
        self.levels = (slice(0, 1), *(slice(half, size, 2 * half) for half in halves))

    def forward(self, lines: Integers) -> None:
        haar.forward(lines)

    def restore(self, lines: Floats) -> None:
        haar.restore(lines)

    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        out = np.empty((one.size, 1))
        haar.prefix_covariance(self.size, one, other, out[:, 0])
        return out

    def fourth(self, first: Integers, end: Integers) -> Floats:
        out = np.empty((first.size, 1))
        haar.fourth(self.size, first, end, out[:, 0])
        return out


class NominalWavelet(Axis):
    """The total, and f times a node's sum minus its parent's, f being its fan-out.

    The variance of a node's sum does not grow with the tree. A record moves its own node's coefficient by f - 1 and
    each of its f - 1 siblings' by 1, so with noise of relative scale 2f - 2 every level weighs 1. Sums are restored
    after the mean of every group of siblings was taken off. A node that is its parent's only child would have the
    coefficient 0 always: the tree has no such nodes.
    """

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
        self.tree.to_front(lines)

    @cached_property
    def _columns(self) -> Integers:
        """For each node, the column of the factor of its children."""
        return np.searchsorted(np.array(self.factors), 2 * self.tree.fanout - 2).astype(np.int64)

    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        return self._by_factor(tree_paths.nominal_covariance, one, other)

    def fourth(self, first: Integers, end: Integers) -> Floats:
        return self._by_factor(tree_paths.nominal_fourth, first, end)

    def _by_factor(self, kernel: Callable[..., None], one: Integers, other: Integers) -> Floats:
        out = np.zeros((one.size, len(self.factors)))
        kernel(one, other, self.tree.arrays, self._columns, self.tree.depth + 1, out)
        return out
