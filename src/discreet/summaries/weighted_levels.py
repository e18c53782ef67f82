"""Noisy counts of all blocks of nested levels, each level with noise of its own scale, and the cells fitted to them.

Counts are kept as they were measured, whole numbers, the coarsest level first. An answer is the sum of the cells of
least squares over all of them, taken from running sums that are made once; see `transforms.level_fit`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import written
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import as_text
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Moments, Summary, box_sums, per_question
from discreet.summaries.columns import arrow_table, cell_labels, read_column
from discreet.summaries.dense_cells import MOST_LABELLED
from discreet.summaries.linear_laws import LinearLaw
from discreet.transforms import Direct
from discreet.transforms.level_fit import LevelFit
from discreet.transforms.lines import running_sums
from discreet.transforms.nested_levels import NestedLevels


class FittedCells(Summary):
    """Cells that least squares over the counts of nested levels gave: their answers, and what is left of the noise."""

    def __init__(self, levels: NestedLevels, scales: Sequence[Fraction]) -> None:
        self.schema, self.levels, self.scales = levels.schema, levels, list(scales)
        self._fit = LevelFit(levels, [DiscreteLaplace.of(scale) for scale in scales])

    @property
    @abstractmethod
    def cells(self) -> Floats:
        """The estimate of every cell, in the schema's order, as an array of its own."""

    def answer(self, questions: Questions, level: float) -> Answers:
        return Answers.of_moments(*self.moments_of(questions), level)

    @property
    def noise_of_parts(self) -> Literal["additive"]:
        return "additive"

    def moments_of(self, questions: Questions) -> Moments:
        value = per_question(questions, box_sums(questions, self._running))
        return Moments(value, *self._fit.moments(questions), float(min(self.scales)))

    def linear_law(self, boxes: Boxes) -> LinearLaw:
        kurtosis = max(law.fourth_cumulant / law.variance**2 for law in self._fit.laws)
        return LinearLaw(
            lambda some: box_sums(some, self._running),
            self._fit.covariance,
            kurtosis,
            float(min(self.scales)),
            heaviest=self._fit.heaviest,
        )

    @cached_property
    def _running(self) -> Floats:
        return running_sums([Direct(size) for size in self.schema.sizes], np.ascontiguousarray(self.cells))

    def to_arrow(self) -> Any:
        return arrow_table({**cell_labels(self.schema, self.schema.names), "count": self.cells.reshape(-1)})

    def facts(self) -> dict[str, Any]:
        return {"levels": self.levels.cuts, "lengths": self.levels.lengths, "scales": list(map(as_text, self.scales))}

    @staticmethod
    def read_facts(schema: Schema, facts: dict[str, Any]) -> tuple[NestedLevels, list[Fraction]]:
        levels, scales = NestedLevels(schema, facts["levels"]), [written.scale(one) for one in facts["scales"]]
        if len(scales) != len(levels.cuts):
            raise ValueError(f"there are {len(scales)} scales for {len(levels.cuts)} levels")
        return levels, scales


class WeightedLevels(FittedCells):
    """`measured`: the noisy counts of each level's blocks."""

    shape = "weighted-levels"
    column = "node_count"

    def __init__(self, levels: NestedLevels, measured: Sequence[NDArray[np.int64]], scales: Sequence[Fraction]) -> None:
        super().__init__(levels, scales)
        self.measured = [table.reshape(shape) for table, shape in zip(measured, levels.shapes, strict=True)]

    @property
    def cells(self) -> Floats:
        return self._fit.cells(self.measured)

    def as_cells(self) -> WeightedCells:
        """The same estimates, written cell by cell."""
        return WeightedCells(self.levels, self.cells, self.scales)

    def stored(self) -> Any:
        return arrow_table({self.column: np.concatenate([table.reshape(-1) for table in self.measured])})

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Self:
        levels, scales = cls.read_facts(schema, facts)
        lengths = levels.lengths
        values = read_column(parquet, cls.column, sum(lengths), f"its levels have {lengths} blocks", np.int64)
        return cls(levels, np.split(values, np.cumsum(lengths)[:-1]), scales)


class WeightedCells(FittedCells):
    """`values` are the estimates of the cells; levels and scales say how the counts behind them were measured."""

    shape = "weighted-cells"
    column = "count"

    def __init__(self, levels: NestedLevels, values: Floats, scales: Sequence[Fraction]) -> None:
        super().__init__(levels, scales)
        self.values = np.ascontiguousarray(values).reshape(self.schema.sizes)

    @property
    def cells(self) -> Floats:
        return self.values.copy()

    def stored(self) -> Any:
        """With labels, as people like to open it; without them where they would be most of a large file."""
        if self.values.size <= MOST_LABELLED:
            return self.to_arrow()
        return arrow_table({self.column: self.values.reshape(-1)})

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Self:
        levels, scales = cls.read_facts(schema, facts)
        values = read_column(parquet, cls.column, schema.cells, f"the schema has {schema.cells} cells", np.float64)
        return cls(levels, values, scales)
