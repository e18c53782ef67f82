"""Noisy coefficients of a linear map over the whole table; the cells restored from them; counts of tree nodes alone.

Coefficients are kept as they were measured, whole numbers in the order of the axes. An answer is the sum of the
restored cells it asks for, taken from running sums that are made once. Its noise is a weighted sum of the
coefficients' noise whose variance is known exactly; see `transforms.noise_moments`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.numbers import written
from discreet.privacy import Alpha, as_text
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Moments, Summary, box_sums, per_question
from discreet.summaries.columns import arrow_table, cell_labels, opened, read_column
from discreet.summaries.linear_laws import LinearLaw
from discreet.transforms import AgreeingTree, Axis, Direct, axis_of
from discreet.transforms.lines import restored, running_sums
from discreet.transforms.noise_moments import NoiseMoments


class Coefficients(Summary):
    """`values` has one entry for each product of coefficients of the axes; noise of `scale` times their factors."""

    shape = "coefficients"
    column = "coefficient"
    dtype: ClassVar[type] = np.int64

    def __init__(self, schema: Schema, axes: Sequence[Axis], values: NDArray[Any], scale: Fraction) -> None:
        self.schema, self.axes, self.scale = schema, tuple(axes), scale
        self.values = np.ascontiguousarray(values).reshape(self.lengths(axes))
        self._moments = NoiseMoments(self.axes, scale)

    @staticmethod
    def lengths(axes: Sequence[Axis]) -> list[int]:
        """How many values there are along each axis."""
        return [axis.length for axis in axes]

    def answer(self, questions: Questions, level: float) -> Answers:
        return Answers.of_moments(*self.moments_of(questions), level)

    @property
    def noise_of_parts(self) -> Literal["independent", "additive"] | None:
        return "additive"

    def moments_of(self, questions: Questions) -> Moments:
        value = per_question(questions, box_sums(questions, self._running))
        return Moments(value, *self._moments.of(questions), float(self.scale))

    def linear_law(self, boxes: Boxes) -> LinearLaw | None:
        return LinearLaw(
            lambda some: box_sums(some, self._running),
            self._moments.covariance,
            self._moments.largest_kurtosis,
            float(self.scale),
        )

    @cached_property
    def _running(self) -> Floats:
        return running_sums(self.axes, self.values.astype(np.float64))

    @property
    def cells(self) -> Floats:
        """The restored cells, in the schema's order."""
        return restored(self.axes, self.values.astype(np.float64))

    def as_cells(self) -> Summary:
        """The same estimates, written cell by cell."""
        return RestoredCells(self.schema, self.axes, self.cells, self.scale)

    def to_arrow(self) -> Any:
        return arrow_table({**cell_labels(self.schema, self.schema.names), "count": self.cells.reshape(-1)})

    def stored(self) -> Any:
        return arrow_table({self.column: self.values.reshape(-1)})

    def facts(self) -> dict[str, Any]:
        axes = {name: axis.to_dict() for name, axis in zip(self.schema, self.axes, strict=True)}
        return {"axes": axes, "lengths": [axis.length for axis in self.axes], "scale": as_text(self.scale)}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Self:
        with opened(parquet) as file:
            rows = file.metadata.num_rows
        if schema.cells > rows:  # before axes are made for a schema that may be of any size
            raise ValueError(f"the table has {rows} rows where the schema has {schema.cells} cells")
        axes = [axis_of(schema[name], facts["axes"][name]) for name in schema]
        lengths = cls.lengths(axes)
        expected = f"its axes have {lengths} coefficients"
        values = read_column(parquet, cls.column, math.prod(lengths), expected, cls.dtype)
        return cls(schema, axes, values, written.scale(facts["scale"]))


class RestoredCells(Coefficients):
    """`values` are the estimates of the cells; `axes` and `scale` say how they were measured.

    Cells share noise, so the error of a sum is not made of the errors of its cells: it is computed from the axes that
    the coefficients were measured on, as if they were still there.
    """

    shape = "restored-cells"
    column = "count"
    dtype = np.float64

    @staticmethod
    def lengths(axes: Sequence[Axis]) -> list[int]:
        return [axis.size for axis in axes]

    @property
    def cells(self) -> Floats:
        return self.values

    @cached_property
    def _running(self) -> Floats:
        return running_sums([Direct(axis.size) for axis in self.axes], self.values.copy())


class TreeCounts(Coefficients):
    """Counts of all nodes of a tree per attribute that are not made to agree; as few as cover a box answer it.

    No node is used for two boxes of a question, as boxes do not overlap: so the noise of an answer is a sum of as many
    independent draws as nodes were added up, and its quantiles are those of the exact law.
    """

    shape = "tree-counts"
    column = "node_count"

    def answer(self, questions: Questions, level: float) -> Answers:
        return Answers.of_draws(*self._sums(questions), Alpha.of(self.scale), level)

    @property
    def noise_of_parts(self) -> Literal["independent"]:
        """No node lies in two sets that have no cell in common."""
        return "independent"

    def moments_of(self, questions: Questions) -> Moments:
        return Moments.of_draws(*self._sums(questions), Alpha.of(self.scale))

    def _sums(self, questions: Questions) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Noisy counts, and of how many nodes each is."""
        from discreet.kernels.canonical import tree_box_sums

        sums, nodes = (np.empty(len(questions.first), np.int64) for _ in range(2))
        strides = np.array(self.values.strides, np.int64) // self.values.itemsize
        tree_box_sums(self.values.reshape(-1), strides, *self._trees, questions.first, questions.last + 1, sums, nodes)
        return per_question(questions, sums), per_question(questions, nodes)

    def linear_law(self, boxes: Boxes) -> None:
        """Counts of boxes do not add up: a box and its parts are made of different nodes."""

    @cached_property
    def _trees(self) -> tuple[Any, Any, int]:
        """The arrays of all trees, where each begins, and the room that a decomposition may need."""
        trees = [axis.tree for axis in self.axes if isinstance(axis, AgreeingTree)]
        offsets = np.cumsum([0, *(tree.nodes for tree in trees)])
        room = max(2 * (tree.depth + 1) * int(tree.fanout.max()) + 2 for tree in trees)
        arrays = zip(*(tree.arrays for tree in trees), strict=True)
        return tuple(np.concatenate(parts) for parts in arrays), offsets, room

    @property
    def cells(self) -> Floats:
        """The leaves' own counts."""
        return self.values[np.ix_(*(axis.places(np.arange(axis.size)) for axis in self.axes))].astype(np.float64)

    def as_cells(self) -> Summary:
        raise BadParameter("node counts that are not made to agree have no common cells: write coefficients")

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "use": "the largest nodes that make up a range, added up"}
