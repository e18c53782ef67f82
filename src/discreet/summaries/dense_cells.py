"""Every cell of the table, each with its own independent noise of one scale."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.laws import DiscreteLaplace, half_widths
from discreet.privacy import Alpha
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary, per_question
from discreet.summaries.labels import labels_of

#: larger tables are written as counts alone, in the schema's order
MOST_LABELLED = 10**7


def labelled_cells(schema: Schema, values: NDArray[Any]) -> Any:
    """An Arrow table of all cells: a label column for each attribute, and `count`."""
    import pyarrow as pa

    columns, sizes = {}, schema.sizes
    for place, name in enumerate(schema):
        repeat = math.prod(sizes[place + 1 :])
        codes = np.tile(np.repeat(np.arange(sizes[place]), repeat), math.prod(sizes[:place]))
        columns[name] = labels_of(schema[name], codes)
    return pa.table({**columns, "count": pa.array(values)})


class DenseCells(Summary):
    """Noisy counts of all cells, in the schema's order. An answer adds up its cells, so its noise does too."""

    shape = "dense-cells"

    def __init__(self, schema: Schema, values: NDArray[np.int64], alpha: Alpha) -> None:
        self.schema = schema
        self.values = values.reshape(schema.sizes)
        self.alpha = alpha

    def answer(self, questions: Questions, level: float) -> Answers:
        from discreet.kernels.prefix import box_sums

        prefix, strides = self._prefix
        sums = box_sums(prefix, strides, questions.first, questions.last)
        cells = np.prod(questions.last - questions.first + 1, axis=1, dtype=np.int64)
        value, count = per_question(questions, sums), per_question(questions, cells)
        half = half_widths(self.alpha, count, level)
        stderr = np.sqrt(count * DiscreteLaplace(self.alpha).variance)
        return Answers(value, stderr, value - half, value + half, np.zeros(value.size))

    @cached_property
    def _prefix(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        from discreet.kernels.prefix import prefix_sums

        prefix = prefix_sums(self.values)
        return prefix.reshape(-1), np.array(prefix.strides, np.int64) // 8

    def to_arrow(self) -> Any:
        return labelled_cells(self.schema, self.values.reshape(-1))

    def stored(self) -> Any:
        """With labels, as people like to open it; without them where they would be most of a large file."""
        import pyarrow as pa

        return self.to_arrow() if self.values.size <= MOST_LABELLED else pa.table({"count": self.values.reshape(-1)})

    def facts(self) -> dict[str, Any]:
        return {"alpha": str(self.alpha.numerator)}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> DenseCells:
        import pyarrow.parquet as pq

        values = pq.read_table(parquet, columns=["count"])["count"].to_numpy()
        if values.size != schema.cells or values.dtype != np.int64:
            raise ValueError(f"the table has {values.size} rows where the schema has {schema.cells} cells")
        return cls(schema, values, Alpha(int(facts["alpha"])))
