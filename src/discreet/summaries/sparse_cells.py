"""Few of very many cells: a filter, a sample, or both. Every cell not here was below the filter or not drawn.

How a question is answered, and with which interval, is said in `sparse_law`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.cell_numbers import CellNumbers
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, cells_asked, per_question
from discreet.summaries.columns import codes_of, labels_of
from discreet.summaries.sparse_law import SparseEntries, Sums, WeightPowers


class SparseCells(SparseEntries):
    """Numbers of the kept cells (rising), their noisy counts, and the public rule by which they were kept."""

    shape = "sparse-cells"

    def __init__(self, schema: Schema, numbers: NDArray[Any], values: NDArray[np.int64], rule: dict[str, Any]) -> None:
        super().__init__(schema, values, rule)
        self.numbers = numbers

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """A row of codes for each cell; four times as large as its number, so only made where it is asked for."""
        return CellNumbers(self.schema.sizes).decode(self.numbers)

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        """What is added up over boxes: value, weight, 1 - p above and below zero, 1 / p, and one."""
        sizes, tau = np.abs(self.values), self.law.tau
        missed = 1 - np.minimum(sizes / tau, 1.0) if tau else np.zeros(sizes.size)
        inverse = np.maximum(tau / np.maximum(sizes, 1), 1.0)
        up, down = missed * (self.values > 0), missed * (self.values < 0)
        return np.stack([self.values, self.weights, up, down, inverse, np.ones(sizes.size)], axis=1)

    def answer(self, questions: Questions, level: float) -> Answers:
        from discreet.kernels.sorted_rows import sparse_box_sums

        columns = np.zeros((len(questions.first), 6))
        sparse_box_sums(self.codes, self._columns, questions.first, questions.last, columns)
        value, weighted, up, down, passed, held = (per_question(questions, column) for column in columns.T)
        cells = cells_asked(questions)
        powers = (WeightPowers.of_count(count) for count in (cells, held, passed))
        sums = Sums(value, weighted, up, down, cells, held, cells, held, np.ones_like(cells), *powers)
        return replace(self.law.interval(sums, level), bias=self.law.bias(sums, level))

    def to_arrow(self) -> Any:
        codes = CellNumbers(self.schema.sizes).decode(self.numbers, "F")
        return self.with_values({name: labels_of(self.schema[name], codes[:, i]) for i, name in enumerate(self.schema)})

    def facts(self) -> dict[str, Any]:
        used = "cells one by one: `count`; sums: `weighted_count`" if self.tau is not None else "`count`"
        return {**self.rule, "use": used}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SparseCells:
        table, values, rule = cls.read_rows(facts, parquet)
        codes = np.stack([codes_of(schema[name], table[name]) for name in schema], axis=1)
        return cls(schema, CellNumbers(schema.sizes).encode(codes), values, rule)
