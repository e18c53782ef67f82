"""Noisy coefficients of a linear map over the whole table, from which any range is put together.

The numbers are kept as they were measured, whole numbers in the order of the axes. An answer is the sum of the
restored cells it asks for, taken from running sums that are made once. Its noise is a weighted sum of the
coefficients' noise whose variance is known exactly; see `transforms.noise_moments`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import spreads
from discreet.privacy import as_text, exact
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary, per_question
from discreet.summaries.dense_cells import labelled_cells
from discreet.transforms import Axis, axis_of
from discreet.transforms.noise_moments import NoiseMoments

Floats = NDArray[np.float64]


class Coefficients(Summary):
    """`values` has one entry for each product of coefficients of the axes; noise of `scale` times their factors."""

    shape = "coefficients"
    column = "coefficient"

    def __init__(self, schema: Schema, axes: Sequence[Axis], values: NDArray[np.int64], scale: Fraction) -> None:
        self.schema, self.axes, self.scale = schema, tuple(axes), scale
        self.values = values.reshape([axis.length for axis in axes])

    def answer(self, questions: Questions, level: float) -> Answers:
        value = self._sums(self._running, questions)
        variance, fourth = self._moments.of(questions)
        half = spreads.half_widths(variance, fourth, float(self.scale), level)
        return Answers(value, np.sqrt(variance), value - half, value + half, np.zeros(value.size))

    @cached_property
    def _moments(self) -> NoiseMoments:
        return NoiseMoments(self.axes, self.scale)

    @cached_property
    def _running(self) -> Floats:
        return running_sums(self.axes, self.values.astype(np.float64))

    @staticmethod
    def _sums(running: Floats, questions: Questions) -> Floats:
        from discreet.kernels.prefix import running_box_sums

        strides = np.array(running.strides, np.int64) // running.itemsize
        parts = np.empty(len(questions.first))
        running_box_sums(running.reshape(-1), strides, questions.first, questions.last, parts)
        return per_question(questions, parts)

    @property
    def cells(self) -> Floats:
        """The restored cells, in the schema's order."""
        return restored(self.axes, self.values.astype(np.float64))

    def as_cells(self) -> Summary:
        """The same estimates, written cell by cell."""
        from discreet.summaries.restored_cells import RestoredCells

        return RestoredCells(self.schema, self.axes, self.cells, self.scale)

    def to_arrow(self) -> Any:
        return labelled_cells(self.schema, self.cells.reshape(-1))

    def stored(self) -> Any:
        import pyarrow as pa

        return pa.table({self.column: self.values.reshape(-1)})

    def facts(self) -> dict[str, Any]:
        axes = {name: axis.to_dict() for name, axis in zip(self.schema, self.axes, strict=True)}
        lengths = [axis.length for axis in self.axes]
        return {"axes": axes, "lengths": lengths, "scale": as_text(self.scale)}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Coefficients:
        axes = [axis_of(schema[name], facts["axes"][name]) for name in schema]
        values = read_column(parquet, cls.column, [axis.length for axis in axes], np.int64)
        return cls(schema, axes, values, exact(facts["scale"], "scale"))


def read_column(parquet: Any, name: str, lengths: Sequence[int], dtype: Any) -> NDArray[Any]:
    """A stored column in the shape of the axes; a ValueError if it does not fit them."""
    import pyarrow.parquet as pq

    values: NDArray[Any] = pq.read_table(parquet, columns=[name])[name].to_numpy()
    if values.size != np.prod(lengths, dtype=object) or values.dtype != dtype:
        raise ValueError(f"the table has {values.size} rows where its axes have {list(lengths)} coefficients")
    return values.reshape(lengths)


def restored(axes: Sequence[Axis], table: Floats) -> Floats:
    """Cells from coefficients; `table` is used up."""
    from discreet.transforms.lines import through

    for place, axis in enumerate(axes):
        through(table, place, axis.restore)
    return table[tuple(slice(axis.size) for axis in axes)]


def running_sums(axes: Sequence[Axis], table: Floats) -> Floats:
    """Sums over all cells up to each one, in the first entries along every axis; `table` is used up."""
    from discreet.transforms.lines import through

    for place, axis in enumerate(axes):
        through(table, place, partial(_restore_and_run, axis))
    return table


def _restore_and_run(axis: Axis, lines: Floats) -> None:
    from discreet.kernels.lines import run_up

    axis.restore(lines)
    run_up(lines, axis.size)
