"""A tree over the codes of an ordinal attribute, in arithmetic alone: 2**40 codes take no memory.

Level k consists of parts of base**(depth - k) codes, the last of which may be shorter. A part that is as long as the
one above it would repeat its count, so it does not exist; only the last part of a level can be such. Code 0 counts in
a node of every level, and no code in more: the weight is depth + 1.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from discreet.kernels import covers
from discreet.transforms.node_axis import Cover, Integers, TreeAxis


class Parts(TreeAxis):
    """Equal parts of equal parts, down to single codes."""

    kind = "parts"

    def __init__(self, size: int, base: int = 2) -> None:
        self.size, self.base = size, base
        widths = [1]
        while widths[0] < size:
            widths.insert(0, widths[0] * base)
        self.depth = len(widths) - 1
        self.weight = self.depth + 1
        self._widths = [min(width, size) for width in widths]
        counts = [-(-size // width) for width in self._widths]
        self._counts = [count - (level > 0 and count % base == 1) for level, count in enumerate(counts)]
        self._offsets = [sum(self._counts[:level]) for level in range(len(counts))]
        self.length = sum(self._counts)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "base": self.base}

    def places(self, level: int, keys: Integers) -> Integers:
        nodes = keys + self._offsets[level]
        if self._counts[level] * self._widths[level] < self.size:
            nodes[keys == self._counts[level]] = -1
        return nodes

    def above(self, level: int, keys: Integers) -> Integers:
        return keys >> 1 if self.base == 2 else keys // self.base

    def cover(self, first: Integers, end: Integers) -> Cover:
        levels = (self._levels[:, 0], self._levels[:, 1], self._levels[:, 2])
        return Cover.of(first.size, partial(covers.part_cover, first, end, self.size, *levels))

    @property
    def most_needed(self) -> int:
        return min(self.length, 2 * self.depth * self.base + 1)

    @cached_property
    def _levels(self) -> Integers:
        """Per level: how many codes a part has, how many parts there are, the number of the first."""
        return np.array([self._widths, self._counts, self._offsets], np.int64).T.copy()

    def _placed(self, nodes: Integers) -> tuple[Integers, Integers]:
        """Level of each node, and its index there."""
        levels = np.searchsorted(self._levels[:, 2], nodes, side="right") - 1
        return levels, nodes - self._levels[levels, 2]

    def ends(self, nodes: Integers) -> tuple[Integers, Integers]:
        levels, index = self._placed(nodes)
        first = index * self._levels[levels, 0]
        return first, np.minimum(first + self._levels[levels, 0], self.size) - 1

    def parents(self, nodes: Integers) -> Integers:
        levels, index = self._placed(nodes)
        found = np.full(nodes.size, -1, np.int64)
        searching = levels > 0
        while searching.any():
            levels, index = levels - 1, index // self.base
            exists = searching & (index < self._levels[levels, 1])
            found[exists] = (index + self._levels[levels, 2])[exists]
            searching &= ~exists
        return found

    def numbers(self, first: Integers, last: Integers) -> Integers:
        found = np.full(first.size, -1, np.int64)
        for width, count, offset in self._levels[::-1].tolist():
            index = first // width
            fits = (index * width == first) & (np.minimum(first + width, self.size) - 1 == last) & (index < count)
            found[fits] = index[fits] + offset
        return found
