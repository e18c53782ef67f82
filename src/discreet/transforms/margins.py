"""Non-negative tables with given margins, as numbers and as whole numbers; and their likeliest common extension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.roundings import raise_some
from discreet.kernels.siblings import cut_small, share_out
from discreet.kernels.transport import nearest, rake
from discreet.transforms.axis import Floats

Integers = NDArray[np.int64]

_SWEEPS = 100
#: how far margins may be off before raking makes them fit, relative to the total
_OFF = 1e-7
_RAKES = 2
_EXTENSIONS = 30
#: relative to a number, more than floats get wrong in each step of a sum
_NOTHING = 2.0**-51


def onto_total(values: Floats, variance: float, total: float) -> Floats:
    """Numbers of at least zero that add up to the total: half way between the nearest ones, which take a little from
    all, and those that leave the smallest out."""
    if total <= 0:
        return np.zeros_like(values)
    variances = np.full(values.size, max(variance, 1e-12))
    soft, hard = np.empty(values.size), np.empty(values.size)
    share_out(0, values, variances, total, soft)
    cut_small(0, values, variances, total, hard)
    found = 0.5 * (soft + hard)
    return np.asarray(found * (total / found.sum()))


def onto_margins(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """The nearest table of at least zero that has these margins, which add up to the same.

    It is max(table - u_i - v_j, 0) for some u and v; what is left of the margins after so many rounds is raked.
    """
    found = np.empty_like(table)
    total = float(rows.sum())
    if total <= 0:
        return np.zeros_like(table)
    nearest(np.ascontiguousarray(table), rows, columns, _SWEEPS, _OFF * total, found)
    rake(found, rows, columns, _RAKES)
    return found


def independent(margins: Sequence[Floats], total: float) -> Floats:
    """The table in which attributes of these margins have nothing to do with each other."""
    table = np.array(total)
    for margin in margins:
        table = np.multiply.outer(table, margin / total if total > 0 else np.zeros_like(margin))
    return table


def extended(start: Floats, parts: Sequence[tuple[tuple[int, ...], Floats]]) -> Floats:
    """`start` scaled in turn to tables over some of its axes: the likeliest table that has them, nearly."""
    table = start.copy()
    for _ in range(_EXTENSIONS):
        off = 0.0
        for axes, part in parts:
            gone = tuple(axis for axis in range(table.ndim) if axis not in axes)
            sums = table.sum(axis=gone)
            off = max(off, float(np.abs(sums - part).max()))
            factors = np.divide(part, sums, out=np.zeros_like(part), where=sums > 0)
            table *= np.expand_dims(factors, gone)
        if off <= _OFF * float(start.sum()):
            break
    return table


def whole_parts(values: Floats, total: int) -> Integers:
    """Whole numbers with this sum: all rounded down, and those that lost most get one more."""
    scaled = values * (total / values.sum()) if values.sum() > 0 else np.full(values.size, total / values.size)
    whole = np.floor(scaled * (1 - values.size * _NOTHING)).astype(np.int64)
    missing = total - int(whole.sum())
    each, some = divmod(missing, values.size)  # of very large numbers floats have no parts of one left
    whole += each
    whole[np.argsort(whole - scaled, kind="stable")[:some]] += 1
    return whole


def whole_table(table: Floats, rows: Integers, columns: Integers) -> Integers:
    """Whole numbers next to the table's, with exactly these margins, which add up to the same."""
    near = table.copy()
    rake(near, rows.astype(np.float64), columns.astype(np.float64), _RAKES)
    near *= _no_more(near.sum(axis=1), rows)[:, None]  # so that no line is above its margin
    near *= _no_more(near.sum(axis=0), columns)
    whole: Integers = np.floor(near * (1 - max(table.shape) * _NOTHING)).astype(np.int64)
    left = [rows - whole.sum(axis=1), columns - whole.sum(axis=0)]
    given = [np.minimum(side, lines) for side, lines in zip(left, table.shape[::-1], strict=True)]
    raised = np.zeros(table.shape, np.bool_)
    parts = near - whole
    raise_some(parts, np.argsort(-parts, axis=None, kind="stable"), given[0], given[1], raised)
    whole += raised
    _spread(whole, rows - whole.sum(axis=1), columns - whole.sum(axis=0))
    return whole


def _no_more(sums: Floats, most: Integers) -> Floats:
    """Factors of at most 1 that bring sums down to these."""
    return np.asarray(np.minimum(np.divide(most, sums, out=np.ones_like(sums), where=sums > 0), 1.0))


def _spread(whole: Integers, rows: Integers, columns: Integers) -> None:
    """Adds what lines still lack: nothing, unless numbers are so large that floats have no parts of one left."""
    i = j = 0
    while rows.any() and i < rows.size and j < columns.size:
        more = min(rows[i], columns[j])
        whole[i, j] += more
        rows[i] -= more
        columns[j] -= more
        i, j = (i + 1, j) if rows[i] == 0 else (i, j + 1)
