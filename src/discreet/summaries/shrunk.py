"""Noisy coefficients of which answers use only what stands out of the noise.

The coefficients are kept as measured; thresholds follow from them. Thresholding lowers the error of most answers but
biases them, by an amount nobody knows. So the interval is that of the coefficients before thresholding, which
covers as stated; it is widened where the answer itself lies outside. `stderr` is that of the noise before, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers
from discreet.summaries.coefficients import Coefficients, Floats, restored, running_sums
from discreet.transforms import Axis

if TYPE_CHECKING:
    from discreet.summaries.shrunk_cells import ShrunkCells


class Shrunk(Coefficients):
    """`soft` takes the threshold off what is left, hard thresholding does not."""

    shape = "shrunk-coefficients"

    def __init__(
        self, schema: Schema, axes: Sequence[Axis], values: NDArray[np.int64], scale: Fraction, *, soft: bool = True
    ) -> None:
        super().__init__(schema, axes, values, scale)
        self.soft = soft

    def answer(self, questions: Questions, level: float) -> Answers:
        before = super().answer(questions, level)
        return widened(before, self._sums(self._shrunk_running, questions))

    @property
    def coefficients(self) -> Floats:
        """The coefficients after thresholding."""
        from discreet.transforms.shrinkage import shrunk

        return shrunk(self.axes, self.values, self.scale, soft=self.soft)

    @cached_property
    def _shrunk_running(self) -> Floats:
        return running_sums(self.axes, self.coefficients)

    @property
    def cells(self) -> Floats:
        return restored(self.axes, self.coefficients)

    def as_cells(self) -> ShrunkCells:
        from discreet.summaries.shrunk_cells import ShrunkCells

        return ShrunkCells(self.schema, self.axes, self.cells, super().cells, self.scale)

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "threshold": "soft" if self.soft else "hard"}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Shrunk:
        measured = super().read(schema, facts, parquet)
        return cls(schema, measured.axes, measured.values, measured.scale, soft=facts["threshold"] == "soft")


def widened(before: Answers, value: Floats) -> Answers:
    """Answers with these values, and the intervals from before thresholding, as wide as it takes to hold them."""
    low, high = np.minimum(before.low, value), np.maximum(before.high, value)
    return Answers(value, before.stderr, low, high, before.bias)
