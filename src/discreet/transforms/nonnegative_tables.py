"""Tables that agree, made non-negative: one-way counts first, then each table with these as its margins.

Of one attribute v becomes max(v - t, 0), with the one t at which the total is right. A table becomes the nearest one
without negative cells that has those one-way counts, max(y - u_i - v_j - ..., 0), solved for one attribute at a time;
a last scaling of rows and columns takes what is left. So all tables agree in the counts of single attributes. Tables of
three or more attributes need not agree in those of two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.transforms.axis import Floats

#: the attributes of a table, by their places in the schema, and its counts
PlacedTable = tuple[tuple[int, ...], Floats]

_ROUNDS = 100
_SCALINGS = 20
#: of the total: what a table may be off before it is scaled
_NEAR = 1e-4


def nonnegative_tables(tables: Sequence[PlacedTable]) -> list[PlacedTable]:
    """The same tables without negative counts; those given agree. All zero if there is nothing but noise."""
    total = max(float(tables[0][1].sum()), 0.0) if tables else 0.0
    single: dict[int, Floats] = {}
    for places, table in tables:
        for axis, place in enumerate(places):
            if place not in single:
                single[place] = _sums(table, axis)
    margins = {place: _lowered(counts[None], np.array([total]))[0] for place, counts in single.items()}
    return [(places, with_margins(table, [margins[place] for place in places])) for places, table in tables]


def with_margins(table: Floats, margins: Sequence[Floats]) -> Floats:
    """The nearest non-negative table that has these sums along its axes; they have one total."""
    total = float(margins[0].sum())
    if total <= 0:
        return np.zeros_like(table)
    if table.ndim == 1:
        return margins[0].copy()
    moved, shifts = table.copy(), [np.zeros(size) for size in table.shape]
    for _ in range(_ROUNDS):
        for axis, margin in enumerate(margins):
            lines = np.moveaxis(moved, axis, 0).reshape(margin.size, -1)
            levels = _levels(lines, margin)
            moved -= _along(levels, axis, table.ndim)
            shifts[axis] += levels
        found = np.maximum(moved, 0.0)
        off = max(float(np.abs(_sums(found, axis) - margin).sum()) for axis, margin in enumerate(margins))
        if off <= _NEAR * total:
            break
    return _scaled(found, margins)


def _scaled(table: Floats, margins: Sequence[Floats]) -> Floats:
    """Each line times what it lacks, in turn; a line that should have something and is empty gets it evenly."""
    total = float(margins[0].sum())
    even = np.ones_like(table)
    for axis, margin in enumerate(margins):
        even *= _along(margin / total, axis, table.ndim)
    table = table + _NEAR * total * even
    for _ in range(_SCALINGS):
        for axis, margin in enumerate(margins):
            sums = _sums(table, axis)
            table *= _along(np.divide(margin, sums, out=np.zeros_like(sums), where=sums > 0), axis, table.ndim)
    return table


def _levels(lines: Floats, totals: Floats) -> Floats:
    """For each line the t at which max(v - t, 0) adds up to its total; where that is zero, above its largest."""
    falling = -np.sort(-lines, axis=1)
    levels = (np.cumsum(falling, axis=1) - totals[:, None]) / np.arange(1, lines.shape[1] + 1)
    last = np.maximum(np.sum(falling > levels, axis=1) - 1, 0)
    found = levels[np.arange(len(lines)), last]
    return np.where(totals > 0, found, falling[:, 0])


def _lowered(lines: Floats, totals: Floats) -> Floats:
    return np.maximum(lines - _levels(lines, totals)[:, None], 0.0)


def _sums(table: Floats, axis: int) -> Floats:
    return np.asarray(table.sum(axis=tuple(other for other in range(table.ndim) if other != axis)))


def _along(values: Floats, axis: int, ways: int) -> Floats:
    return values.reshape([-1 if other == axis else 1 for other in range(ways)])
