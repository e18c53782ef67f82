"""Rows of codes against tables: whole numbers with given margins, and rows changed until they fit all tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel

#: of a longer attribute so many values side by side are looked at for one change
WINDOW = 256
#: takes each row of a long attribute to a window of its own
_STRIDE = 40_503


@kernel
def place_missing(parts: Floats, rows: Ints, columns: Ints, whole: Ints) -> None:
    """Adds the units that `rows` and `columns` still lack to `whole`, first where rounding down took most.

    `parts` is what it took. Units for which no such cell is left go wherever a row and a column both lack one.
    """
    order = np.argsort(-parts.reshape(-1))
    width = columns.size
    for k in range(order.size):
        i, j = order[k] // width, order[k] % width
        if parts[i, j] <= 0.0:
            break
        if rows[i] > 0 and columns[j] > 0:
            whole[i, j] += 1
            rows[i] -= 1
            columns[j] -= 1
    j = 0
    for i in range(rows.size):
        while rows[i] > 0 and j < width:
            some = min(rows[i], columns[j])
            whole[i, j] += some
            rows[i] -= some
            columns[j] -= some
            if columns[j] == 0:
                j += 1


@kernel
def give_values(parents: Any, order: Ints, counts: Ints, values: Any) -> None:
    """Of the rows whose parent has the code a, counts[a, b] get the value b; which of them, `order` decides."""
    ends = np.cumsum(counts.sum(axis=1))
    place = ends - counts.sum(axis=1)
    start = place.copy()
    grouped = np.empty(order.size, np.int64)
    for k in range(order.size):
        row = order[k]
        grouped[place[parents[row]]] = row
        place[parents[row]] += 1
    for a in range(counts.shape[0]):
        k = start[a]
        for b in range(counts.shape[1]):
            for _ in range(counts[a, b]):
                values[grouped[k]] = b
                k += 1


@kernel
def count_rows(codes: Any, members: Ints, strides: Ints, out: Floats) -> None:
    """out[cell] += 1 for the cell of every row."""
    for row in range(codes.shape[0]):
        out[_cell(codes, row, members, strides)] += 1.0


@kernel
def _cell(codes: Any, row: int, members: Ints, strides: Ints) -> int:
    cell = 0
    for k in range(members.size):
        if members[k] >= 0:
            cell += codes[row, members[k]] * strides[k]
    return cell


@kernel
def _count_in(step: float, codes: Any, row: int, views: Ints, shape: Any, excess: Floats) -> None:
    """Moves the excess of a row's cells, in every view of the tables that these views belong to."""
    table_of, offsets, members, strides, weights, twins = shape
    for v in range(views.size):
        table = table_of[views[v]]
        for t in range(twins.shape[1]):
            view = twins[table, t]
            if view >= 0:
                excess[offsets[view] + _cell(codes, row, members[table], strides[view])] += step * weights[table]


@kernel
def improve(codes: Any, begin: int, attribute: int, size: int, views: Ints, shape: Any, excess: Floats) -> None:
    """Gives each row, from `begin` on, the value of one attribute that fits best.

    A view is a table with one attribute last, so that its values lie side by side; `views` are those of the attribute.
    `shape` has, of each view, its table, where it begins in `excess` and its strides; of each table its members, its
    weight and all its views. `excess` is the rows in a cell less those wanted, times the weight. Looked at are rows
    whose cells have too many on the whole.
    """
    table_of, offsets, members, strides, weights, _ = shape
    width, step = min(size, WINDOW), 0.0
    for v in range(views.size):
        step += weights[table_of[views[v]]]
    score, bases = np.empty(width), np.empty(views.size, np.int64)
    for k in range(codes.shape[0]):
        row = (begin + k) % codes.shape[0]
        old = codes[row, attribute]
        mine = 0.0
        for v in range(views.size):
            view = views[v]
            bases[v] = offsets[view] + _cell(codes, row, members[table_of[view]], strides[view]) - old
            mine += excess[bases[v] + old]
        if mine <= 0.0:
            continue
        first = (begin + _STRIDE * row) % (size - width + 1)
        score[:] = 0.0
        for v in range(views.size):
            values = excess[bases[v] + first : bases[v] + first + width]
            for b in range(width):
                score[b] += values[b]
        best = np.argmin(score)
        if score[best] + step < mine and first + best != old:
            _count_in(-1.0, codes, row, views, shape, excess)
            codes[row, attribute] = first + best
            _count_in(1.0, codes, row, views, shape, excess)
