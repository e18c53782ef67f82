"""The hierarchy of a nominal attribute as nodes that hold the count of the labels below them, the labels among them."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from discreet.kernels import covers
from discreet.schema import Nominal
from discreet.transforms.node_axis import Cover, Integers, TreeAxis
from discreet.transforms.tree import Tree


class Branches(TreeAxis):
    """A key is the first code that its node covers, so that keys are in the order of codes at every level."""

    kind = "branches"

    def __init__(self, attribute: Nominal) -> None:
        self.tree = Tree.of(attribute)
        self.size, self.length, self.depth = self.tree.size, self.tree.nodes, self.tree.depth
        self.weight = self.depth + 1

    @cached_property
    def _at(self) -> Integers:
        """For each level the node there that covers each code; -1 where the code's leaf is further up."""
        at = np.full((self.depth + 1, self.size), -1, np.int64)
        for level, nodes in enumerate(self.tree.levels):
            numbers = np.arange(nodes.start, nodes.stop)
            widths = self.tree.end[nodes] - self.tree.first[nodes]
            within = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths, widths)
            at[level, np.repeat(self.tree.first[nodes], widths) + within] = np.repeat(numbers, widths)
        return at

    def places(self, level: int, keys: Integers) -> Integers:
        return np.asarray(self._at[level, keys])

    def above(self, level: int, keys: Integers) -> Integers:
        nodes = self._at[level - 1, keys]
        return np.where(nodes >= 0, self.tree.first[nodes], keys)

    def cover(self, first: Integers, end: Integers) -> Cover:
        tree = self.tree
        shape = (tree.first, tree.end, tree.child, tree.fanout)
        return Cover.of(first.size, partial(covers.tree_cover, first, end, shape, self.depth))

    @property
    def most_needed(self) -> int:
        return min(self.length, 2 * self.depth * int(self.tree.fanout.max()) + 1)

    def ends(self, nodes: Integers) -> tuple[Integers, Integers]:
        return self.tree.first[nodes], self.tree.end[nodes] - 1

    def parents(self, nodes: Integers) -> Integers:
        return np.asarray(self.tree.parent[nodes])

    def numbers(self, first: Integers, last: Integers) -> Integers:
        covered = zip(self.tree.first.tolist(), self.tree.end.tolist(), strict=True)
        known = {ends: node for node, ends in enumerate(covered)}
        pairs = zip(first.tolist(), (last + 1).tolist(), strict=True)
        return np.fromiter((known.get(pair, -1) for pair in pairs), np.int64, first.size)
