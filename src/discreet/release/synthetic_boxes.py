"""Rows from boxes of cells: as many in each box as its records call for, then anywhere inside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.summaries.mass_boxes import MassBoxes, Spread
from discreet.transforms.axis import Floats, Integers


def rows_of_boxes(boxes: MassBoxes, n: int, random: Any) -> Integers:
    """n rows of codes in random order; any run of boxes gets its share of rows, up to one row."""
    chosen = evenly(boxes.mass, n, random)[random.permutation(n)]
    codes = np.empty((n, boxes.first.shape[1]), np.int64)
    for place in range(codes.shape[1]):
        first, last = boxes.first[chosen, place], boxes.last[chosen, place]
        if place in boxes.spreads:
            first, last = _narrowed(boxes.spreads[place], first, last, random)
        codes[:, place] = random.integers(first, last, endpoint=True)
    return codes


def evenly(mass: Floats, n: int, random: Any) -> Integers:
    """The boxes that n points, all at the same distance from one another, fall into; their start is drawn."""
    ends = np.cumsum(mass)
    points = (np.arange(n) + random.random()) * (ends[-1] / n)
    last = int(np.flatnonzero(mass)[-1])
    found: Integers = np.minimum(np.searchsorted(ends, points, side="right"), last)
    return found


def _narrowed(spread: Spread, first: Integers, last: Integers, random: Any) -> tuple[Integers, Integers]:
    """Of each range one part of the spread, drawn by the records in it."""
    codes, before = spread
    low, high = (_records_before(spread, ends) for ends in (first, last + 1))
    drawn = low + random.random(first.size) * (high - low)
    part = np.clip(np.searchsorted(before, drawn, side="right") - 1, 0, codes.size - 2)
    inside = np.clip(codes[part], first, last), np.clip(codes[part + 1] - 1, first, last)
    return inside[0], np.maximum(*inside)


def _records_before(spread: Spread, ends: Integers) -> Floats:
    """The records below each code; by differences of whole numbers, for codes may be more than a float can tell."""
    codes, before = spread
    part = np.clip(np.searchsorted(codes, ends, side="right") - 1, 0, codes.size - 2)
    inside = (ends - codes[part]) / (codes[part + 1] - codes[part])
    found: Floats = before[part] + inside * (before[part + 1] - before[part])
    return found
