"""Every cell of the table, each with its own independent noise of one scale."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.prefix import box_sums, prefix_sums
from discreet.numbers import written
from discreet.numbers.cell_numbers import CellNumbers
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import Alpha
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Moments, Summary, per_question
from discreet.summaries.base import box_sums as float_box_sums
from discreet.summaries.columns import arrow_table, cell_labels, read_column
from discreet.summaries.labels import labels_of
from discreet.summaries.linear_laws import LinearLaw, common_cells
from discreet.transforms import Direct
from discreet.transforms.lines import running_sums

#: larger tables are written as counts alone, in the schema's order
MOST_LABELLED = 10**7


class DenseCells(Summary):
    """Noisy counts of all cells, in the schema's order. An answer adds up its cells, so its noise does too."""

    shape = "dense-cells"

    def __init__(self, schema: Schema, values: NDArray[np.int64], alpha: Alpha) -> None:
        self.schema, self.alpha = schema, alpha
        self.values = values.reshape(schema.sizes)

    def answer(self, questions: Questions, level: float) -> Answers:
        return Answers.of_draws(*self._sums(questions), self.alpha, level)

    @property
    def noise_of_parts(self) -> Literal["independent"]:
        return "independent"

    def moments_of(self, questions: Questions) -> Moments:
        return Moments.of_draws(*self._sums(questions), self.alpha)

    def _sums(self, questions: Questions) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Noisy counts, and of how many cells each is."""
        sums = self._box_sums(questions)
        cells = np.prod(questions.last - questions.first + 1, axis=1, dtype=np.int64)
        return per_question(questions, sums), per_question(questions, cells)

    def linear_law(self, boxes: Boxes) -> LinearLaw:
        law = DiscreteLaplace(self.alpha)
        return LinearLaw(
            lambda some: np.asarray(self._box_sums(some), np.float64),
            lambda some, one, other: law.variance * common_cells(some, one, other),
            law.fourth_cumulant / law.variance**2,
            float(1 / law.rate),
            heaviest=math.sqrt(law.variance),
            apart=True,
        )

    def _box_sums(self, boxes: Boxes) -> NDArray[Any]:
        return box_sums(*self._prefix, boxes.first, boxes.last) if self._fits else self._float_sums(boxes)

    @cached_property
    def _fits(self) -> bool:
        """Whether no sum of cells can pass the end of 64 bits."""
        return float(np.abs(self.values).sum(dtype=np.float64)) < 2.0**62

    def _float_sums(self, questions: Boxes) -> NDArray[np.float64]:
        axes = [Direct(size) for size in self.schema.sizes]
        return float_box_sums(questions, running_sums(axes, self.values.astype(np.float64)))

    @cached_property
    def _prefix(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        prefix = prefix_sums(self.values)
        return prefix.reshape(-1), np.array(prefix.strides, np.int64) // 8

    def to_arrow(self) -> Any:
        return arrow_table({**cell_labels(self.schema, self.schema.names), "count": self.values.reshape(-1)})

    def stored(self) -> Any:
        """With labels, as people like to open it; without them where they would be most of a large file."""
        return self.to_arrow() if self.values.size <= MOST_LABELLED else arrow_table({"count": self.values.reshape(-1)})

    def facts(self) -> dict[str, Any]:
        return dense_facts(self.alpha)

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> DenseCells:
        expected = f"the schema has {schema.cells} cells"
        values = read_column(parquet, "count", schema.cells, expected, np.int64)
        return cls(schema, values, written.alpha(facts))


def dense_facts(alpha: Alpha) -> dict[str, Any]:
    return {"alpha": str(alpha.numerator)}


def rows_of(schema: Schema, first: int, values: NDArray[np.int64]) -> Any:
    """What `stored` has of consecutive cells, from the first one's number on."""
    labels: dict[str, Any] = {}
    if schema.cells <= MOST_LABELLED:
        codes = CellNumbers(schema.sizes).decode(np.arange(first, first + values.size), "F")
        labels = {name: labels_of(schema[name], codes[:, place]) for place, name in enumerate(schema)}
    return arrow_table({**labels, "count": values})
