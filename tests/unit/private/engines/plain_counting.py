"""Counting in plain Python, written without the engine, and the rows and the schema that both are given."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.private.engines.counting_query import count
from discreet.schema import Attribute, Nominal, Ordinal, Schema

ROW = Unit("row")
SALT = b"a salt for tests"
Rows = list[dict[str, Any]]

SCHEMA = Schema(
    age=Ordinal(20, 59, 10),
    income=Ordinal(0.0, 1.0, 0.1, outside="drop", null="other"),
    sex=Nominal(["M", "F"], outside="other"),
    day=Ordinal(date(2024, 1, 1), date(2024, 6, 30), "month", outside="other", null="drop"),
    flag=Nominal(["true", "false"], null="other"),
)


def reference_code(attribute: Attribute, value: Any) -> int | None:
    """The code of a Python value, or None where the row is dropped; written without the engine."""
    other = attribute.size - 1
    rule = {"drop": None, "other": other}
    if value is None or value != value or (isinstance(value, str) and value.strip().lower() in ("", "nan")):
        return rule[attribute.null]
    if isinstance(attribute, Nominal):
        labels = attribute.labels[: attribute.size - attribute.has_other]
        text = reference_text(value)
        return labels.index(text) if text in labels else rule[attribute.outside]
    odd = rule[attribute.null] if attribute.outside == "clamp" else rule.get(attribute.outside)
    try:
        if attribute.kind == "date":
            if isinstance(value, str):
                value = datetime.fromisoformat(value.strip())
            position: float = (value.date() if isinstance(value, datetime) else value).toordinal() - 719163
        else:
            position = value if isinstance(value, int) else float(value)
    except (ValueError, TypeError, AttributeError):
        return odd
    if position != position:
        return rule[attribute.null]
    edges = attribute.edges_array().tolist()
    if attribute.kind == "real" and position == edges[-1]:
        return attribute.bins - 1
    if edges[0] <= position < edges[-1]:
        return bisect_right(edges, position) - 1
    if attribute.outside == "clamp":
        return 0 if position < edges[0] else attribute.bins - 1
    return rule[attribute.outside]


def reference_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def reference_cells(schema: Schema, rows: Rows) -> list[tuple[int, ...] | None]:
    cells = []
    for row in rows:
        codes = [reference_code(attribute, row[name]) for name, attribute in schema.items()]
        cells.append(None if None in codes else tuple(codes))
    return cells  # type: ignore[return-value]


def as_counts(schema: Schema, cells: Counter[tuple[int, ...]]) -> Counts:
    return Counts.from_arrays(schema.sizes, [list(cell) for cell in cells], list(cells.values()))


def reference(schema: Schema, rows: Rows) -> Counts:
    return as_counts(schema, Counter(cell for cell in reference_cells(schema, rows) if cell is not None))


def shown(counts: Counts) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, counts.codes.tolist()), counts.counts.tolist(), strict=True))


def frame(rows: Rows) -> pa.Table:
    types = {
        "age": pa.int64(),
        "income": pa.float64(),
        "sex": pa.string(),
        "day": pa.date32(),
        "flag": pa.bool_(),
        "user": pa.int64(),
    }
    return pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in types.items()})


def csv_text(rows: Rows, delimiter: str = ",") -> str:
    def cell(value: Any) -> str:
        return "" if value is None else reference_text(value)

    lines = [list(rows[0])] + [[cell(value) for value in row.values()] for row in rows]
    return "\n".join(delimiter.join(line) for line in lines) + "\n"


def csv(rows: Rows, folder: Path) -> Any:
    (folder / "rows.csv").write_text(csv_text(rows))
    return str(folder / "rows.csv")


def made_rows(number: int, users: int = 12) -> Rows:
    choose = random.Random(7)
    edges = SCHEMA["income"].edges_array().tolist()  # type: ignore[union-attr]
    return [
        {
            "age": choose.choice([None, 19, 20, 29, 30, 59, 60, -(2**62), 2**62, 41]),
            "income": choose.choice(
                [None, float("nan"), -0.0, -0.01, 1.0, 1.01, *edges, *(edge - 1e-12 for edge in edges)]
            ),
            "sex": choose.choice([None, "M", "F", "m", "X,\"Y'"[:1]]),
            "day": choose.choice([None, *(date(2023, 12, 30) + timedelta(days=9 * k) for k in range(23))]),
            "flag": choose.choice([None, True, False]),
            "user": choose.choice([None, *range(users)]),
        }
        for _ in range(number)
    ]


def one_column(values: Any, attribute: Attribute, kind: pa.DataType | None = None) -> dict[Any, int]:
    table = pa.table({"x": pa.array(values, kind)})
    return shown(count(table, Schema(x=attribute), ROW, salt=SALT))
