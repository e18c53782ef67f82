"""Cells with their labels, beside a table of something else: so every release opens as rows that people can read."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries import Summary
from discreet.summaries.columns import cell_labels

CELLS = "cells.parquet"
#: more would take longer than the release itself
MOST_CELLS = 1 << 16
LEVEL = 0.95


def has_labels(columns: list[str], schema: Schema) -> bool:
    """Whether rows name a value of every attribute, or a predicate; blocks and nodes have ends of ranges instead."""
    return set(schema) <= set(columns) or "where" in columns


def about_cells(schema: Schema) -> dict[str, Any]:
    """What release.json says of the file, or of why there is none."""
    if schema.cells > MOST_CELLS:
        many = f"{schema.cells:,} cells are more than {MOST_CELLS:,}"
        return {"file": None, "why": f"{many}: load the release with discreet, and ask it for tables"}
    use = "a row for each cell with its best estimate and interval; the error of a sum is less than theirs together"
    return {"file": CELLS, "level": LEVEL, "use": use}


def cells_table(summary: Summary) -> Any:
    """A row for each cell: labels, best estimate, and the ends of its interval."""
    import pyarrow as pa

    schema = summary.schema
    codes = np.indices(schema.sizes).reshape(len(schema), -1).T
    found = summary.answer(Questions(codes, codes, len(codes), np.arange(len(codes))), LEVEL).of_counts()
    numbers = {"count": found.value, "low": found.low, "high": found.high}
    return pa.table({**cell_labels(schema, schema.names), **numbers})
