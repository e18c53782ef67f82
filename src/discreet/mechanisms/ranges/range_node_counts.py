"""Exact counts to the entries of a product of node axes that may be other than zero: all other entries are zero.

One axis after the other: with the rows sorted so that this axis comes last, its keys stay sorted from level to level,
and rows that come to have the same node stand side by side. So a row is only ever added to its neighbour, few rows
are left where levels are coarse, and one ordinal attribute needs no sorting at all. A Haar coefficient whose halves
hold the same is kept as a zero: noise on it has the law that it would have as an empty one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.sorted_rows import merge_runs
from discreet.numbers.cell_numbers import CellNumbers
from discreet.private.counts import Counts, word_slices
from discreet.transforms.node_axis import NodeAxis

Integers = NDArray[np.int64]

_ONE_RUN = np.empty(0, np.int64)


@dataclass
class _Rows:
    """Values by run (what the other axes say; empty: all the same) and by key or node on the axis at work."""

    runs: Integers
    keys: Integers
    values: Integers

    def merged(self, keys: Integers) -> _Rows:
        """With other keys, in which neighbours that now agree are one row."""
        to = np.empty_like(self.runs), np.empty_like(keys), np.empty_like(self.values)
        left = merge_runs(self.runs, keys, self.values, *to)
        return _Rows(*(column[:left] for column in to))


def node_counts(counts: Counts, axes: Sequence[NodeAxis]) -> tuple[NDArray[Any], Integers]:
    """Their numbers, rising, and their values."""
    columns = [counts.codes[:, i] for i in range(len(axes))]
    sizes, values = [axis.size for axis in axes], counts.counts
    for place in reversed(range(len(axes))):
        others = [i for i in range(len(axes)) if i != place]
        if place < len(axes) - 1:  # the counts come sorted with the last attribute last
            order = _order(columns, sizes, [*others, place])
            columns, values = [column[order] for column in columns], values[order]
        starts, runs = _runs([columns[i] for i in others], len(values))
        spread = _levels(axes[place], _Rows(runs, columns[place], values))
        rows = np.concatenate([starts[level.runs] for level in spread]) if others else _ONE_RUN
        columns = [
            np.concatenate([level.keys for level in spread]) if i == place else column[rows]
            for i, column in enumerate(columns)
        ]
        values = np.concatenate([level.values for level in spread])
        del spread
        sizes[place] = axes[place].length
    if len(axes) > 1 or np.any(columns[0][1:] < columns[0][:-1]):  # a hierarchy's nodes are not in order of their codes
        order = _order(columns, sizes, range(len(axes)))
        columns, values = [column[order] for column in columns], values[order]
    return CellNumbers(tuple(sizes)).encode(np.stack(columns, axis=1)) if len(axes) > 1 else columns[0], values


def _levels(axis: NodeAxis, rows: _Rows) -> list[_Rows]:
    """The nodes of all levels, root first, each once in every run."""
    found = []
    for level in range(axis.depth, -1, -1):
        nodes, signs = axis.places(level, rows.keys), axis.signs(level, rows.keys)
        placed = _Rows(rows.runs, nodes, rows.values if signs is None else rows.values * signs)
        if nodes.size and nodes.min() < 0:
            there = nodes >= 0
            placed = _Rows(rows.runs[there] if rows.runs.size else _ONE_RUN, nodes[there], placed.values[there])
        found.append(placed if signs is None else placed.merged(placed.keys))
        if level:
            rows = rows.merged(axis.above(level, rows.keys))
    return found[::-1]


def _runs(others: list[Integers], rows: int) -> tuple[Integers, Integers]:
    """Where rows begin that agree on all other axes, and the number of its run for each row."""
    if not others:
        return _ONE_RUN, _ONE_RUN
    fresh = np.zeros(rows, np.bool_)
    fresh[:1] = True
    for column in others:
        fresh[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(fresh), np.cumsum(fresh) - 1


def _order(columns: list[Integers], sizes: Sequence[int], by: Sequence[int]) -> Integers:
    """What sorts rows by these columns, the first of them first."""
    words = []
    for part in word_slices([sizes[i] for i in by]):
        word = np.zeros(len(columns[0]), np.int64)
        for i in by[part]:
            word *= sizes[i]
            word += columns[i]
        words.append(word)
    return np.argsort(words[0]) if len(words) == 1 else np.lexsort(tuple(reversed(words)))
