"""Noisy coefficients of which answers use only what stands out of the noise, or the cells restored from them.

The coefficients are kept as measured; thresholds follow from them. Thresholding lowers the error of most answers but
biases them, by an amount nobody knows. So the interval is that of the coefficients before thresholding, which
covers as stated; it is widened where the answer itself lies outside. `stderr` is that of the noise before, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, box_sums, per_question
from discreet.summaries.coefficients import Coefficients, RestoredCells
from discreet.summaries.columns import arrow_table
from discreet.summaries.linear_laws import LinearLaw
from discreet.transforms import Axis
from discreet.transforms.lines import restored, running_sums
from discreet.transforms.shrinkage import shrunk


class Shrunk(Coefficients):
    """`soft` takes the threshold off what is left, hard thresholding does not."""

    shape = "shrunk-coefficients"

    def __init__(
        self, schema: Schema, axes: Sequence[Axis], values: NDArray[np.int64], scale: Fraction, *, soft: bool = True
    ) -> None:
        super().__init__(schema, axes, values, scale)
        self.soft = soft

    @property
    def noise_of_parts(self) -> None:
        return None  # thresholding is not linear

    def answer(self, questions: Questions, level: float) -> Answers:
        return _widened(super().answer(questions, level), questions, self._shrunk_running)

    @property
    def coefficients(self) -> Floats:
        """The coefficients after thresholding."""
        return shrunk(self.axes, self.values, self.scale, soft=self.soft)

    @cached_property
    def _shrunk_running(self) -> Floats:
        return running_sums(self.axes, self.coefficients)

    @property
    def cells(self) -> Floats:
        return restored(self.axes, self.coefficients)

    def as_cells(self) -> ShrunkCells:
        return ShrunkCells(self.schema, self.axes, self.cells, super().cells, self.scale)

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "threshold": "soft" if self.soft else "hard"}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Self:
        measured = super().read(schema, facts, parquet)
        measured.soft = facts["threshold"] == "soft"
        return measured


class CellsBefore(RestoredCells):
    """As restored from all coefficients."""

    column = "count_before"


class ShrunkCells(RestoredCells):
    """Two columns: `count` after thresholding, which answers, and `count_before`, which carries the interval."""

    shape = "shrunk-cells"

    def __init__(self, schema: Schema, axes: Sequence[Axis], values: Floats, before: Floats, scale: Fraction) -> None:
        super().__init__(schema, axes, values, scale)
        self.before = CellsBefore(schema, axes, before, scale)

    @property
    def noise_of_parts(self) -> None:
        return None  # thresholding is not linear

    def answer(self, questions: Questions, level: float) -> Answers:
        return _widened(self.before.answer(questions, level), questions, self._running)

    def linear_law(self, boxes: Boxes) -> LinearLaw | None:
        return self.before.linear_law(boxes)

    def stored(self) -> Any:
        return arrow_table({summary.column: summary.values.reshape(-1) for summary in (self, self.before)})

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Self:
        after, before = (kind.read(schema, facts, parquet) for kind in (RestoredCells, CellsBefore))
        return cls(schema, after.axes, after.values, before.values, after.scale)


def _widened(before: Answers, questions: Questions, running: Floats) -> Answers:
    """Answers after thresholding, with the intervals from before it, as wide as it takes to hold them."""
    value = per_question(questions, box_sums(questions, running))
    return replace(before, value=value, low=np.minimum(before.low, value), high=np.maximum(before.high, value))
