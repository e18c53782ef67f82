"""How many blocks of each level the questions of a workload need: those inside of a question whose parent is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.queries import Questions
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.partitions import Partition

#: a level that no question needs still has its part of what is asked of it when blocks are divided
_LEAST_NEED = 0.1


def blocks_needed(levels: Sequence[tuple[Partition, ...]], asked: Questions) -> list[float]:
    """On average over the boxes of the workload, if every block were divided."""
    found, before = [], [(asked.first[:, axis], asked.first[:, axis] - 1) for axis in range(len(levels[0]))]
    for level in levels:
        inside = [_inside(part, asked.first[:, axis], asked.last[:, axis]) for axis, part in enumerate(level)]
        many = np.prod([_count(part, *ends) for part, ends in zip(level, inside, strict=True)], axis=0)
        known = np.prod([_count(part, *ends) for part, ends in zip(level, before, strict=True)], axis=0)
        found.append(max(float((many - known).mean()), _LEAST_NEED))
        before = inside
    return found


def _inside(part: Partition, first: Integers, last: Integers) -> tuple[Integers, Integers]:
    """The first and last code of the blocks that lie inside of ranges; of none, an end before its start."""
    low, high = part.rank(first), part.rank(last)
    low = low + (part.start(low) < first)
    high = high - (part.start(high + 1) - 1 > last)
    none = high < low
    start = np.where(none, first, part.start(np.where(none, 0, low)))
    return start, np.where(none, first - 1, part.start(np.where(none, 0, high) + 1) - 1)


def _count(part: Partition, first: Integers, last: Integers) -> Floats:
    """How many blocks make up ranges that are made up of blocks."""
    there = last >= first
    some = np.where(there, last, first)
    return np.where(there, part.rank(some) - part.rank(first) + 1.0, 0.0)
