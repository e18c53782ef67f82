"""Rows that fit several tables: drawn along the forest of the strongest pairs, then changed until all tables fit.

Along the forest the tables of pairs come out in whole rows that add up to the one-way counts. Then, attribute by
attribute, rows whose cells have too many rows get the value for which the sum of squared differences from all tables
falls most; this is done again until it brings rows hardly nearer to the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels import row_fit
from discreet.numbers.presentable import adding_up
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.effects import Placed
from discreet.transforms.forests import mutual_information, parents_first, strongest_forest

Codes = NDArray[np.int32]

#: passes over all rows, at most; and by what part a pass must bring rows nearer to the tables if one is to follow. More
#: passes bring them nearer to the noise in the tables rather than to the truth
_PASSES, _WORTH = 10, 0.02
#: targets are rounded to so many digits after the point, so that the last bits of a sum decide nothing
_DIGITS = 6
#: how many times as much one-way counts weigh in a last pass
_AT_THE_END = 1000.0


def rows_of_tables(
    sizes: Sequence[int],
    tables: Sequence[Placed],
    n: int,
    random: Any,
    progress: Callable[[str], None] = lambda stage: None,
) -> Codes:
    """n rows of codes. The tables are non-negative and each has something; what no table has is spread evenly."""
    wanted = [(places, np.round(table * (n / table.sum()), _DIGITS)) for places, table in tables]
    progress("drawing rows along the strongest pairs")
    codes = _along_forest(sizes, wanted, n, random)
    _Fit(sizes, wanted, codes).improve(random, progress)
    return codes


def _along_forest(sizes: Sequence[int], tables: Sequence[Placed], n: int, random: Any) -> Codes:
    single, pairs = _margins(tables)
    counts_of = (single.get(place, np.full(size, n / size)) for place, size in enumerate(sizes))
    whole = [adding_up(counts, np.ones_like(counts), n) for counts in counts_of]
    strengths = {pair: mutual_information(table) for pair, table in pairs.items()}
    codes = np.empty((n, len(sizes)), np.int32)
    forest = strongest_forest({pair: strength for pair, strength in strengths.items() if strength > 0})
    for parent, child in parents_first(len(sizes), forest):
        if parent is None:
            codes[:, child] = np.repeat(np.arange(sizes[child]), whole[child])[random.permutation(n)]
        else:
            table = pairs[parent, child] if parent < child else pairs[child, parent].T
            counts = _whole_table(table, whole[parent], whole[child])
            row_fit.give_values(codes[:, parent], random.permutation(n), counts, codes[:, child])
    return codes


def _margins(tables: Sequence[Placed]) -> tuple[dict[int, Floats], dict[tuple[int, int], Floats]]:
    """The one-way counts, and the table of every pair that some table has; from the smallest table that has it."""
    single: dict[int, Floats] = {}
    pairs: dict[tuple[int, int], Floats] = {}
    for places, table in sorted(tables, key=lambda one: one[1].size):
        for axis, place in enumerate(places):
            if place not in single:
                single[place] = table.sum(axis=tuple(other for other in range(len(places)) if other != axis))
        for one, other in combinations(range(len(places)), 2):
            pair = places[one], places[other]
            if pair not in pairs and pair[::-1] not in pairs:
                found = table.sum(axis=tuple(axis for axis in range(len(places)) if axis not in (one, other)))
                pairs[min(pair), max(pair)] = found if pair[0] < pair[1] else found.T
    return single, pairs


def _whole_table(table: Floats, rows: Integers, columns: Integers) -> Integers:
    """Whole numbers with these margins, nearly all of them the table's rounded down or up."""
    sums = table.sum(axis=1, keepdims=True)
    share = np.divide(table, sums, out=np.broadcast_to(columns / columns.sum(), table.shape).copy(), where=sums > 0)
    parts = np.round(share * rows[:, None], _DIGITS)
    whole: Integers = np.floor(parts).astype(np.int64)
    for excess in np.flatnonzero(whole.sum(axis=0) > columns):  # rounding of the margins may have made a column shorter
        line = whole[:, excess]
        line -= _taken(line, int(line.sum() - columns[excess]))
    missing = rows - whole.sum(axis=1), columns - whole.sum(axis=0)
    row_fit.place_missing(parts - whole, *missing, whole)
    return whole


def _taken(line: Integers, some: int) -> Integers:
    """How much of each to take away, in proportion."""
    before = np.concatenate([[0], np.cumsum(line)])
    taken: Integers = np.diff(before * some // before[-1])
    return taken


class _Fit:
    """Tables as the kernel wants them: each once for each of its attributes, with that attribute last.

    One-way counts are tables of their own, which weigh as much as all others of their attribute together; at the end
    much more, so that they come out right.
    """

    def __init__(self, sizes: Sequence[int], tables: Sequence[Placed], codes: Codes) -> None:
        self.sizes, self.codes = sizes, codes
        single = [((place,), counts) for place, counts in _margins(tables)[0].items()]
        laid = [*(one for one in tables if len(one[0]) > 1), *single]
        most = max(len(places) for places, _ in laid)
        members, twins = np.full((2, len(laid), most), -1, np.int64)
        self.views: list[list[int]] = [[] for _ in sizes]
        table_of: list[int] = []
        strides: list[Integers] = []
        parts: list[Floats] = []
        for number, (places, table) in enumerate(laid):
            members[number, : len(places)] = places
            for axis, place in enumerate(places):
                twins[number, axis] = len(parts)
                self.views[place].append(len(parts))
                table_of.append(number)
                part, steps = _last(table, axis, most)
                row_fit.count_rows(codes, members[number], steps, part)
                parts.append(part)
                strides.append(steps)
        offsets = np.cumsum([0, *(part.size for part in parts[:-1])])
        self.weights = np.ones(len(laid))
        self.shape = np.array(table_of), offsets, members, np.array(strides), self.weights, twins
        self.excess = np.concatenate(parts)
        self.single = range(len(laid) - len(single), len(laid))
        for number in self.single:
            self._weigh(number, max(len(self.views[members[number, 0]]) - 1, 1))

    def _weigh(self, table: int, times: float) -> None:
        """A one-way table `times` as much as before."""
        view = self.shape[-1][table, 0]
        begin = self.shape[1][view]
        self.excess[begin : begin + self.sizes[self.shape[2][table, 0]]] *= times
        self.weights[table] *= times

    def improve(self, random: Any, progress: Callable[[str], None]) -> None:
        before = self._distance()
        for number in range(_PASSES):
            progress(f"fitting rows to all tables, pass {number + 1}")
            self._pass(random)
            after = self._distance()
            if after > (1 - _WORTH) * before:
                break
            before = after
        progress("fitting rows to the counts of single attributes")
        for table in self.single:
            self._weigh(table, _AT_THE_END)
        self._pass(random)

    def _distance(self) -> float:
        return float(np.sum(np.abs(self.excess)))

    def _pass(self, random: Any) -> None:
        """Every attribute of every row once."""
        for attribute in random.permutation(len(self.sizes)).tolist():
            views, begin = np.array(self.views[attribute], np.int64), int(random.integers(len(self.codes)))
            row_fit.improve(self.codes, begin, attribute, self.sizes[attribute], views, self.shape, self.excess)


def _last(table: Floats, axis: int, most: int) -> tuple[Floats, Integers]:
    """Less the table, flat, with one axis last; and the strides of its axes, in their old order."""
    order = [other for other in range(table.ndim) if other != axis] + [axis]
    turned = -np.ascontiguousarray(table.transpose(order))
    steps = np.zeros(most, np.int64)
    steps[order] = np.array(turned.strides) // turned.itemsize
    return turned.reshape(-1), steps
