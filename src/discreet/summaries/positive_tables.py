"""Tables that agree, made non-negative: each the nearest one that has the counts of single attributes that all share.

First the counts of each attribute alone are projected on what is not below zero and adds up to the total. Then each
table y becomes max(0, y - u - v - ...), with a number for each value of each attribute such that its sums are those
counts; these numbers are found in turn, one attribute after the other. So tables agree on single attributes; on pairs
that two tables of three attributes share, they do so only up to what the projection moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: the attributes of a table, by index, and its values, with an axis for each
Placed = tuple[tuple[int, ...], NDArray[Any]]

_ROUNDS = 60
_CLOSE = 1e-9


def positive_tables(tables: Sequence[Placed]) -> list[Placed]:
    """`tables` must agree; the result is non-negative, and every table has the same total and one-attribute counts."""
    total = max(float(np.mean([values.sum() for _, values in tables])), 0.0)
    alone: dict[int, Floats] = {}
    for places, values in tables:
        for axis, place in enumerate(places):
            if place not in alone:
                rest = tuple(other for other in range(len(places)) if other != axis)
                alone[place] = _cut(values.sum(axis=rest)[None], np.array([total]))[0]
    return [(places, _with_sums(values, [alone[place] for place in places])) for places, values in tables]


def _with_sums(values: Floats, sums: Sequence[Floats]) -> Floats:
    """The nearest table that is not below zero and has these sums along each axis."""
    total = float(sums[0].sum())
    if total <= 0:
        return np.zeros(values.shape)
    shifts = [np.zeros(len(wanted)) for wanted in sums]
    table = np.asarray(values, np.float64)
    for _ in range(_ROUNDS):
        before = table
        for axis, wanted in enumerate(sums):
            others = [_along(shift, place, values.ndim) for place, shift in enumerate(shifts) if place != axis]
            rest = np.moveaxis(sum(others, np.asarray(values, np.float64)), axis, 0).reshape(len(wanted), -1)
            shifts[axis] = -_level(rest, wanted)
        moved = (_along(shift, place, values.ndim) for place, shift in enumerate(shifts))
        table = np.maximum(sum(moved, np.asarray(values, np.float64)), 0.0)
        if values.ndim == 1 or np.abs(table - before).sum() <= _CLOSE * total:
            break
    return raked(table, sums)


def raked(table: Floats, sums: Sequence[Floats]) -> Floats:
    """The table multiplied along each axis in turn until it has these sums; zero stays zero if anything else fits."""
    for axis, wanted in enumerate(sums):  # a line without anything in it is spread evenly
        rest = tuple(other for other in range(table.ndim) if other != axis)
        empty = (table.sum(axis=rest) <= 0) & (wanted > 0)
        if empty.any():
            table = table + _along(empty * wanted / (table.size / len(wanted)), axis, table.ndim)
    for _ in range(_ROUNDS):
        worst = 0.0
        for axis, wanted in enumerate(sums):
            rest = tuple(other for other in range(table.ndim) if other != axis)
            have = table.sum(axis=rest)
            worst = max(worst, float(np.abs(have - wanted).sum()))
            factors = np.divide(wanted, have, out=np.zeros(len(wanted)), where=have > 0)
            table = table * _along(factors, axis, table.ndim)
        if worst <= _CLOSE * float(sums[0].sum()):
            break
    return table


def _cut(values: Floats, sums: Floats) -> Floats:
    """Of each line, max(0, v - t) with the t at which it adds up."""
    return np.asarray(np.maximum(values - _level(values, sums)[:, None], 0.0))


def _level(lines: Floats, sums: Floats) -> Floats:
    """Of each line the t with sum of max(0, v - t) = its sum, which is at least zero."""
    falling = -np.sort(-lines, axis=1)
    levels = (np.cumsum(falling, axis=1) - sums[:, None]) / np.arange(1, lines.shape[1] + 1)
    kept = np.maximum(np.count_nonzero(falling > levels, axis=1), 1)
    return np.asarray(levels[np.arange(len(lines)), kept - 1])


def _along(line: NDArray[Any], axis: int, dimensions: int) -> NDArray[Any]:
    return line.reshape([-1 if other == axis else 1 for other in range(dimensions)])
