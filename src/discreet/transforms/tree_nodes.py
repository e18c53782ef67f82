"""Nodes that hold the count of the codes below them: the hierarchy of a nominal attribute, parts of an ordinal one."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property, partial
from typing import Any

import numpy as np

from discreet.kernels import covers
from discreet.schema import Nominal
from discreet.transforms.axis import Integers
from discreet.transforms.node_axis import Cover, NodeAxis
from discreet.transforms.tree import Tree


class TreeAxis(NodeAxis):
    """Nodes that hold the count of the codes they cover; so none holds more than one that it lies in."""

    @abstractmethod
    def parents(self, nodes: Integers) -> Integers:
        """The node that each one lies in directly; -1 for the root."""

    @abstractmethod
    def numbers(self, first: Integers, last: Integers) -> Integers:
        """The node that covers each range of codes, both ends included; -1 if none covers just that."""


class Branches(TreeAxis):
    """A hierarchy, the labels among its nodes.

    A key is the first code that its node covers, so that keys are in the order of codes at every level.
    """

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
        return Cover.of(first.size, partial(covers.tree_cover, first, end, self.tree.arrays, self.depth))

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


class Parts(TreeAxis):
    """Equal parts of equal parts, down to single codes, in arithmetic alone: 2**40 codes take no memory.

    Level k consists of parts of base**(depth - k) codes, the last of which may be shorter. A part that is as long as
    the one above it would repeat its count, so it does not exist; only the last part of a level can be such. Code 0
    counts in a node of every level, and no code in more: the weight is depth + 1.
    """

    kind = "parts"

    def __init__(self, size: int, base: int = 2) -> None:
        self.size, self.base = size, base
        widths = [1]
        while widths[0] < size:
            widths.insert(0, widths[0] * base)
        self.depth = len(widths) - 1
        self.weight = self.depth + 1
        #: per level: how many codes a part has, how many parts there are, the number of the first
        self._widths = np.minimum(np.array(widths, object), size).astype(np.int64)
        self._counts = -(-size // self._widths)
        self._counts[1:] -= self._counts[1:] % base == 1
        self._offsets: Integers = np.cumsum(self._counts) - self._counts
        self.length = int(self._counts.sum())

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "base": self.base}

    def places(self, level: int, keys: Integers) -> Integers:
        nodes: Integers = keys + self._offsets[level]
        if self._counts[level] * self._widths[level] < self.size:
            nodes[keys == self._counts[level]] = -1
        return nodes

    def above(self, level: int, keys: Integers) -> Integers:
        return keys >> 1 if self.base == 2 else keys // self.base

    def cover(self, first: Integers, end: Integers) -> Cover:
        levels = (self._widths, self._counts, self._offsets)
        return Cover.of(first.size, partial(covers.part_cover, first, end, self.size, *levels))

    @property
    def most_needed(self) -> int:
        return min(self.length, 2 * self.depth * self.base + 1)

    def _placed(self, nodes: Integers) -> tuple[Integers, Integers]:
        """Level of each node, and its index there."""
        levels = np.searchsorted(self._offsets, nodes, side="right") - 1
        return levels, nodes - self._offsets[levels]

    def ends(self, nodes: Integers) -> tuple[Integers, Integers]:
        levels, index = self._placed(nodes)
        first = index * self._widths[levels]
        return first, np.minimum(first + self._widths[levels], self.size) - 1

    def parents(self, nodes: Integers) -> Integers:
        levels, index = self._placed(nodes)
        found = np.full(nodes.size, -1, np.int64)
        searching = levels > 0
        while searching.any():
            levels, index = levels - 1, index // self.base
            exists = searching & (index < self._counts[levels])
            found[exists] = (index + self._offsets[levels])[exists]
            searching &= ~exists
        return found

    def numbers(self, first: Integers, last: Integers) -> Integers:
        found = np.full(first.size, -1, np.int64)
        for width, count, offset in zip(self._widths[::-1], self._counts[::-1], self._offsets[::-1], strict=True):
            index = first // width
            fits = (index * width == first) & (np.minimum(first + width, self.size) - 1 == last) & (index < count)
            found[fits] = index[fits] + offset
        return found
