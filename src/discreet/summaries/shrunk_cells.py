"""Cells after thresholding, and before it: the former answer, the latter carry the interval. See `shrunk`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.privacy import exact
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers
from discreet.summaries.coefficients import Floats, read_column
from discreet.summaries.restored_cells import RestoredCells
from discreet.summaries.shrunk import widened
from discreet.transforms import Axis, axis_of


class ShrunkCells(RestoredCells):
    """Two columns: `count` after thresholding, `count_before` as restored from all coefficients."""

    shape = "shrunk-cells"
    before_column = "count_before"

    def __init__(self, schema: Schema, axes: Sequence[Axis], values: Floats, before: Floats, scale: Fraction) -> None:
        super().__init__(schema, axes, values, scale)
        self.before = RestoredCells(schema, axes, before, scale)

    def answer(self, questions: Questions, level: float) -> Answers:
        before = self.before.answer(questions, level)
        return widened(before, self._sums(self._running, questions))

    def stored(self) -> Any:
        import pyarrow as pa

        return pa.table({self.column: self.cells.reshape(-1), self.before_column: self.before.cells.reshape(-1)})

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> ShrunkCells:
        axes = [axis_of(schema[name], facts["axes"][name]) for name in schema]
        after, before = (
            read_column(parquet, name, schema.sizes, np.float64) for name in (cls.column, cls.before_column)
        )
        return cls(schema, axes, after, before, exact(facts["scale"], "scale"))
