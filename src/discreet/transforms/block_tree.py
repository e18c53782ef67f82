"""Trees of blocks: boxes of cells that are divided level by level, but only where somebody decides so.

A plan says how each level divides the codes of every attribute. The children of a block are all combinations of the
parts that the next level cuts it into; a level that does not cut a block is skipped for it, so that its next look has
the shares of both. Blocks stand generation by generation, the children of one block side by side, the last attribute
running fastest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.transforms.axis import Floats, Integers
from discreet.transforms.partitions import Partition

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TreePlan:
    """How a tree divides the attributes at these `places` of a schema, and the share of epsilon of each level."""

    places: tuple[int, ...]
    sizes: tuple[int, ...]
    #: one partition per attribute for each level, each at least as fine as the one before
    levels: tuple[tuple[Partition, ...], ...]
    shares: tuple[Fraction, ...]

    @property
    def depth(self) -> int:
        return len(self.levels)

    def share(self, begin: int, end: int) -> Fraction:
        """Of a look that stands for the levels after `begin` up to `end`."""
        return sum(self.shares[begin:end], Fraction(0))


@dataclass(frozen=True, eq=False)
class Generation:
    """Blocks that were made together: box first..last (blocks x attributes), made by level `begin` + 1, and alike up
    to level `end`."""

    first: Integers
    last: Integers
    begin: Integers
    end: Integers

    @classmethod
    def root(cls, plan: TreePlan) -> Generation:
        first, last = np.zeros((1, len(plan.sizes)), np.int64), np.array([plan.sizes], np.int64) - 1
        return cls(first, last, np.zeros(1, np.int64), _unchanged(plan, first, last, np.zeros(1, np.int64)))

    @property
    def size(self) -> int:
        return len(self.first)

    def chosen(self, marks: Marks | Integers) -> Generation:
        return Generation(self.first[marks], self.last[marks], self.begin[marks], self.end[marks])


@dataclass(frozen=True, eq=False)
class Divided:
    """How blocks are divided: by attribute the rank of their first part and the number of parts."""

    ranks: Integers
    parts: Integers

    @property
    def children(self) -> Floats:
        """How many each block has; floats, for there may be more than an integer holds."""
        return np.asarray(np.prod(self.parts.astype(np.float64), axis=1))


def divided(plan: TreePlan, blocks: Generation) -> Divided:
    """By the level after the one up to which each is alike; blocks that no level cuts have one child."""
    ranks, parts = np.zeros_like(blocks.first), np.ones_like(blocks.first)
    for level in _all_of(blocks.end[blocks.end < plan.depth]):
        rows = blocks.end == level
        for axis, partition in enumerate(plan.levels[level]):
            ranks[rows, axis] = partition.rank(blocks.first[rows, axis])
            parts[rows, axis] = partition.rank(blocks.last[rows, axis]) - ranks[rows, axis] + 1
    return Divided(ranks, parts)


def _all_of(levels: Integers) -> list[int]:
    """The levels that occur, in order. (`np.unique` loads masked arrays to ask whether these are.)"""
    found: list[int] = np.flatnonzero(np.bincount(levels)).tolist()
    return found


def children(plan: TreePlan, blocks: Generation, how: Divided) -> Generation:
    """All children of these blocks."""
    fanout = np.prod(how.parts, axis=1)
    parent = np.repeat(np.arange(blocks.size), fanout)
    rest = np.arange(parent.size) - np.repeat(np.cumsum(fanout) - fanout, fanout)
    first, last, level = blocks.first[parent], blocks.last[parent], blocks.end[parent]
    levels = _all_of(level)
    for axis in reversed(range(first.shape[1])):
        rest, digit = np.divmod(rest, how.parts[parent, axis])
        rank = how.ranks[parent, axis] + digit
        for one in levels:
            rows = slice(None) if len(levels) == 1 else level == one
            partition = plan.levels[one][axis]
            first[rows, axis] = np.maximum(first[rows, axis], partition.start(rank[rows]))
            last[rows, axis] = np.minimum(last[rows, axis], partition.start(rank[rows] + 1) - 1)
    return Generation(first, last, level, _unchanged(plan, first, last, level + 1))


def child_of(plan: TreePlan, blocks: Generation, how: Divided, at: Integers, codes: Integers) -> Integers:
    """The number among all children of the one in which each cell lies, of those of the block `at` which it is."""
    fanout = np.prod(how.parts, axis=1)
    local, level = np.zeros(at.size, np.int64), blocks.end[at]
    levels = _all_of(level)
    for axis in range(codes.shape[1]):
        local *= how.parts[at, axis]
        for one in levels:
            rows = slice(None) if len(levels) == 1 else level == one
            local[rows] += plan.levels[one][axis].rank(codes[rows, axis]) - how.ranks[at[rows], axis]
    found: Integers = (np.cumsum(fanout) - fanout)[at] + local
    return found


def _unchanged(plan: TreePlan, first: Integers, last: Integers, level: Integers) -> Integers:
    """The last level, not before the given one, that does not cut each block."""
    found = level.copy()
    for following in range(int(level.min(initial=plan.depth)), plan.depth):
        here = np.flatnonzero(found == following)
        whole = np.ones(here.size, np.bool_)
        for axis, partition in enumerate(plan.levels[following]):
            whole &= partition.rank(first[here, axis]) == partition.rank(last[here, axis])
        found[here[whole]] += 1
    return found


@dataclass(frozen=True, eq=False)
class BlockTree:
    """All blocks of a tree, root first: their boxes, levels, and where the children of each stand (-1: none)."""

    plan: TreePlan
    blocks: Generation
    parts: Integers
    child: Integers
    #: where each generation starts, and the number of blocks
    starts: tuple[int, ...]

    @classmethod
    def of(cls, plan: TreePlan, generations: Sequence[Generation], refined: Sequence[Marks]) -> BlockTree:
        """From its generations, with those of each that were divided marked."""
        sizes = [generation.size for generation in generations]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        blocks = Generation(
            *(np.concatenate([getattr(one, name) for one in generations]) for name in ("first", "last", "begin", "end"))
        )
        marks = np.concatenate(refined)
        parts, child = np.ones_like(blocks.first), np.full(blocks.size, -1, np.int64)
        parts[marks] = divided(plan, blocks.chosen(marks)).parts
        fanout = np.prod(parts[marks], axis=1)
        child[marks] = 1 + np.cumsum(fanout) - fanout  # the children of all follow the root in the same order
        return cls(plan, blocks, parts, child, tuple(starts.tolist()))

    @classmethod
    def regrown(cls, plan: TreePlan, refined: Marks) -> BlockTree:
        """From the marks of all blocks in their order; a ValueError if they make no tree."""
        here, generations, marks, used = Generation.root(plan), [], [], 0
        while here.size:
            mine = refined[used : used + here.size]
            if mine.size < here.size or np.any(mine & (here.end == plan.depth)):
                raise ValueError("the rows of the table make no tree")
            used += here.size
            generations.append(here)
            marks.append(mine)
            chosen = here.chosen(mine)
            how = divided(plan, chosen)
            if float(how.children.sum()) > refined.size - used:
                raise ValueError("the rows of the table make no tree")
            here = children(plan, chosen, how)
        if used != refined.size:
            raise ValueError("the table has rows that belong to no tree")
        return cls.of(plan, generations, marks)

    @property
    def size(self) -> int:
        return self.blocks.size

    @property
    def refined(self) -> Marks:
        return self.child >= 0
