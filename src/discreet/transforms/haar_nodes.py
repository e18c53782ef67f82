"""Haar coefficients of an ordinal attribute, in arithmetic alone: the total, and left minus right sum of every node.

They are those of `wavelets.Haar`, in another order: node 0 is the total, then come the nodes of a binary tree level by
level. The one whose right half starts at code p is as wide as twice the lowest bit of p; a node whose right half would
be padding does not exist. A code counts in the total and in at most one node per level: the weight is depth + 1.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from discreet.kernels import covers
from discreet.transforms.axis import Integers
from discreet.transforms.node_axis import Cover, NodeAxis


class HaarNodes(NodeAxis):
    """A sum over any range needs the total and at most two coefficients per level."""

    kind = "haar-nodes"
    plain = False

    def __init__(self, size: int) -> None:
        self.size = self.length = size
        self.depth = (size - 1).bit_length()
        self.weight = self.depth + 1
        halves = [1 << (self.depth - level) for level in range(1, self.depth + 1)]
        counts = [1, *((size + half - 1) // (2 * half) for half in halves)]
        #: the number of the first node of each level; level 0 is the total
        self._offsets = np.cumsum([0, *counts])[:-1].astype(np.int64)

    def places(self, level: int, keys: Integers) -> Integers:
        if level == 0:
            return np.zeros_like(keys)
        half = self.depth - level
        index = keys >> 1
        return np.where((2 * index + 1) << half < self.size, index + self._offsets[level], -1)

    def signs(self, level: int, keys: Integers) -> Integers | None:
        return 1 - 2 * (keys & 1) if level else None

    def above(self, level: int, keys: Integers) -> Integers:
        return keys >> 1

    def cover(self, first: Integers, end: Integers) -> Cover:
        return Cover.of(first.size, partial(covers.haar_cover, first, end, self.size, self._offsets))

    @property
    def most_needed(self) -> int:
        return 2 * self.depth + 1

    def middles(self, nodes: Integers) -> Integers:
        """The code at which each node's right half starts; 0 for the total, which has no halves."""
        levels = np.searchsorted(self._offsets, nodes, side="right") - 1
        index, half = nodes - self._offsets[levels], np.int64(1) << (self.depth - levels)
        return np.where(levels > 0, (2 * index + 1) * half, 0)

    def ends(self, nodes: Integers) -> tuple[Integers, Integers]:
        middles = self.middles(nodes)
        half = middles & -middles
        first = np.where(middles > 0, middles - half, 0)
        return first, np.where(middles > 0, np.minimum(middles + half, self.size), self.size) - 1

    def numbers_of_middles(self, middles: Integers) -> Integers:
        """The node whose right half starts at each code, or the total for code 0."""
        half = np.maximum(middles & -middles, 1)
        bits = np.frexp(half.astype(np.float64))[1].astype(np.int64) - 1
        return np.where(middles > 0, self._offsets[self.depth - bits] + (middles >> (bits + 1)), 0)
