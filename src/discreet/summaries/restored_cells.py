"""Cells restored from noisy coefficients, written one by one in the schema's order.

Cells share noise, so the error of a sum is not made of the errors of its cells: it is computed from the axes that
the coefficients were measured on, as if they were still there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.privacy import exact
from discreet.schema import Schema
from discreet.summaries.coefficients import Coefficients, Floats, read_column, running_sums
from discreet.transforms import Axis, Direct, axis_of


class RestoredCells(Coefficients):
    """`values` are the estimates of the cells; `axes` and `scale` say how they were measured."""

    shape = "restored-cells"
    column = "count"

    def __init__(self, schema: Schema, axes: Sequence[Axis], values: NDArray[np.float64], scale: Fraction) -> None:
        self.schema, self.axes, self.scale = schema, tuple(axes), scale
        self._cells = np.ascontiguousarray(values).reshape(schema.sizes)

    @property
    def cells(self) -> Floats:
        return self._cells

    @cached_property
    def _running(self) -> Floats:
        return running_sums([Direct(size) for size in self.schema.sizes], self._cells.copy())

    def stored(self) -> Any:
        import pyarrow as pa

        return pa.table({self.column: self._cells.reshape(-1)})

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> RestoredCells:
        axes = [axis_of(schema[name], facts["axes"][name]) for name in schema]
        values = read_column(parquet, cls.column, schema.sizes, np.float64)
        return cls(schema, axes, values, exact(facts["scale"], "scale"))
