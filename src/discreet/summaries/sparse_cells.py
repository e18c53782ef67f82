"""Few of very many cells: a filter, a sample, or both. Every cell not here was below the filter or not drawn.

How a question is answered, and with which interval, is said in `sparse_law`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of
from discreet.kernels.cores import as_they_come, side_by_side, slices
from discreet.numbers.cell_numbers import CellNumbers, are_rising
from discreet.numbers.presentable import projected
from discreet.privacy import Alpha
from discreet.queries import Boxes, Questions
from discreet.schema import Nominal, Schema
from discreet.summaries.base import Answers, cells_asked, per_question
from discreet.summaries.columns import checked_counts, pieces
from discreet.summaries.labels import codes_of, labels_of
from discreet.summaries.mass_boxes import MassBoxes
from discreet.summaries.remainders import Surroundings, Totals, with_remainder
from discreet.summaries.sparse_law import SparseEntries, Sums, WeightPowers, rule_of

#: of what is added up; then, of groups, the number of cells and the total
_COLUMNS, _CELLS, _TOTAL = 8, 8, 9
#: so many boxes are worth a look at which attribute tells them apart
_MANY_BOXES = 64
#: rows that are read at a time, and how often the labels of an attribute are to come among them
_PIECE, _OFTEN = 1 << 16, 4
#: how many rows are worth a thread
_WORTH = 1 << 16
Integers = NDArray[np.int64]


class SparseCells(SparseEntries):
    """Numbers of the kept cells (rising), their noisy counts, and the public rule by which they were kept.

    `totals` may tell how much all cells hold together, those that are not here included.
    """

    shape = "sparse-cells"

    def __init__(
        self,
        schema: Schema,
        numbers: NDArray[Any],
        values: NDArray[np.int64],
        rule: dict[str, Any],
        totals: Sequence[Totals] = (),
    ) -> None:
        super().__init__(schema, values, rule)
        self.numbers, self.totals = numbers, tuple(totals)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """A row of codes for each cell; four times as large as its number, so only made where it is asked for."""
        return CellNumbers(self.schema.sizes).decode(self.numbers)

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        """What is added up over boxes: value, weight, 1 - p and p < 1 above and below zero, 1 / p, and one."""
        columns, weights = np.empty((self.values.size, _COLUMNS)), self.weights
        side_by_side(
            lambda part: self._fill(columns[part], self.values[part], weights[part]), slices(len(columns), _WORTH)
        )
        return columns

    def _fill(self, columns: NDArray[np.float64], values: Integers, weights: NDArray[np.float64]) -> None:
        sizes, tau = np.abs(values), self.law.tau
        missed = 1 - np.minimum(sizes / tau, 1.0) if tau else np.zeros(sizes.size)
        inverse = np.maximum(tau / np.maximum(sizes, 1), 1.0)
        sides = [column * side for column in (missed, missed > 0) for side in (values > 0, values < 0)]
        for place, column in enumerate((values, weights, *sides, inverse, 1.0)):
            columns[:, place] = column

    def answer(self, questions: Questions, level: float) -> Answers:
        held = np.stack([per_question(questions, column) for column in self._box_columns(questions).T])
        sums = _sums(held, cells_asked(questions))
        if self.totals:
            return with_remainder(self.law, sums, self._around(questions), level)
        found = self.law.interval(sums, level)
        # an upper end is kept back where absent cells could hold more than there seems to be at all
        useless = (sums.needed > 1) & self.law.filters & (self.law.unseen(sums) > self._seen)
        return self.law.with_end(found, np.where(useless, np.inf, found.high), ~sums.complete)

    def _box_columns(self, boxes: Boxes) -> NDArray[np.float64]:
        """Sums of the columns over boxes. Rows are looked through by the attribute that most narrows boxes down."""
        from discreet.kernels.sorted_rows import sparse_box_sums

        codes, columns, first, last = self.codes, self._columns, boxes.first, boxes.last
        if len(first) >= _MANY_BOXES and codes.size:
            shares = ((last - first + 1.0) / np.array(self.schema.sizes)).mean(axis=0)
            leading = int(shares.argmin())
            if shares[leading] < shares[0]:
                narrow = np.min_scalar_type(self.schema.sizes[leading] - 1)  # short codes are sorted sooner
                order = np.argsort(codes[:, leading].astype(narrow), kind="stable")
                places = [leading, *(place for place in range(codes.shape[1]) if place != leading)]
                codes, columns = np.ascontiguousarray(codes[order][:, places]), columns[order]
                first, last = (np.ascontiguousarray(side[:, places]) for side in (first, last))
        sums = np.zeros((len(first), _COLUMNS))
        sparse_box_sums(codes, columns, first, last, sums)
        return sums

    @cached_property
    def _seen(self) -> float:
        return max(float(np.abs(self.weights).sum()), 10.0 * self.law.theta)

    @cached_property
    def _running(self) -> list[NDArray[np.float64]]:
        """For each of the totals, the sums of the columns and the numbers of cells up to each group."""
        found = []
        for totals in self.totals:
            sums = np.zeros((totals.starts.size + 1, _COLUMNS + 2))
            np.add.at(sums, totals.groups(self.schema, self.codes) + 1, np.pad(self._columns, ((0, 0), (0, 2))))
            sums[1:, _CELLS], sums[1:, _TOTAL] = totals.cells(self.schema), totals.counts
            found.append(np.cumsum(sums, axis=0))
        return found

    def _around(self, questions: Questions) -> Surroundings:
        """By those totals that have the fewest cells around a question; the first are of everything."""
        best = np.full((_COLUMNS + 3, questions.count), np.inf)
        law = np.zeros(questions.count, np.int64)
        for number, (totals, running) in enumerate(zip(self.totals, self._running, strict=True)):
            first, last = totals.runs(self.schema, questions)
            found = np.vstack([(running[last + 1] - running[first]).T, last - first + 1.0])
            fewer = found[_CELLS] < best[_CELLS]
            best[:, fewer], law[fewer] = found[:, fewer], number
        alphas = [Alpha.of(totals.scale) for totals in self.totals]
        sums = _sums(best[:_COLUMNS], best[_CELLS])
        return Surroundings(sums, best[_TOTAL], alphas, law, best[-1].astype(np.int64))

    def fitted_boxes(self, rows: int) -> MassBoxes:
        """The cells that are here; and, if totals were measured, their groups with what the absent cells hold."""
        weights = np.maximum(self.weights, 0.0)
        if not self.totals:
            total = max(float(self.weights.sum()), 0.0)
            return MassBoxes(self.codes, self.codes, projected(weights, np.ones_like(weights), total))
        totals = max(self.totals, key=lambda one: one.starts.size)
        groups, sizes = totals.groups(self.schema, self.codes), np.array(self.schema.sizes)
        first, last = np.zeros((totals.starts.size, sizes.size), np.int64), np.tile(sizes - 1, (totals.starts.size, 1))
        if totals.attribute is not None:
            place = self.schema.names.index(totals.attribute)
            first[:, place] = totals.starts
            last[:, place] = np.append(totals.starts[1:], sizes[place]) - 1
        counts = np.maximum(totals.counts, 0)
        rest = counts - np.bincount(groups, weights, totals.starts.size)
        order = np.argsort(groups, kind="stable")
        bounds = np.searchsorted(groups[order], np.arange(totals.starts.size + 1))
        for group in np.flatnonzero(rest < 0).tolist():
            mine = order[bounds[group] : bounds[group + 1]]
            weights[mine] = projected(weights[mine], np.ones(mine.size), float(counts[group]))
        first, last = (np.concatenate([self.codes, side]) for side in (first, last))
        return MassBoxes(first, last, np.concatenate([weights, np.maximum(rest, 0.0)]))

    def to_arrow(self) -> Any:
        codes = CellNumbers(self.schema.sizes).decode(self.numbers, "F")
        return self.with_values({name: labels_of(self.schema[name], codes[:, i]) for i, name in enumerate(self.schema)})

    def facts(self) -> dict[str, Any]:
        used = "cells one by one: `count`; sums: `weighted_count`" if self.tau is not None else "`count`"
        totals = {"totals": [one.to_dict() for one in self.totals]} if self.totals else {}
        return {**self.rule, **totals, "use": used}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SparseCells:
        return cls.read_all(schema, facts, [parquet])

    @classmethod
    def read_all(cls, schema: Schema, facts: dict[str, Any], parquets: Sequence[Any]) -> SparseCells:
        """From several files, one after the other."""
        nominal = {name: schema[name].size for name in schema if isinstance(schema[name], Nominal)}
        rows = max(_PIECE, _OFTEN * max(nominal.values(), default=0))  # labels of all are looked up for each piece
        found = as_they_come(
            partial(_read_piece, schema), chain.from_iterable(pieces(parquet, [*nominal], rows) for parquet in parquets)
        )
        codes, numbers, values = (np.concatenate(part) for part in zip(*found, strict=True))
        _check_order(numbers)
        totals = [Totals.read(schema, said) for said in facts.get("totals", [])]
        made = cls(schema, numbers, values, rule_of(facts), totals)
        made.codes = codes
        return made


def _read_piece(schema: Schema, piece: Any) -> tuple[Integers, NDArray[Any], Integers]:
    """Codes, numbers and values of some rows."""
    codes = np.empty((piece.num_rows, len(schema)), np.int64)
    for place, name in enumerate(schema):
        codes[:, place] = codes_of(schema[name], piece[name])
    numbers = CellNumbers(schema.sizes).encode(codes)
    _check_order(numbers)  # here, so that one row over and over is found before it fills memory
    return codes, numbers, checked_counts(array_of(piece["count"])).astype(np.int64)


def _check_order(numbers: NDArray[Any]) -> None:
    if not are_rising(numbers):
        raise ValueError("the table has a cell twice, or its cells are not in order")


def _sums(held: NDArray[np.float64], cells: NDArray[np.float64]) -> Sums:
    """From sums of the columns over what is here, and the number of all cells."""
    value, weighted, up, down, up_drawn, down_drawn, passed, here = held
    powers = (WeightPowers.of_count(count) for count in (cells, here, passed))
    drawn = up, down, up_drawn, down_drawn
    return Sums(value, weighted, *drawn, cells, here, cells, here, np.ones_like(cells), *powers)
