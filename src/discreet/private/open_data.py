"""Private data, opened: rows wherever they are, or ready counts, with the account that releases are charged to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.ledger import Ledger
from discreet.privacy import Number, Unit, exact
from discreet.private.bounded import ReadyCounts
from discreet.private.counts import Counts
from discreet.private.publish import Data
from discreet.private.rows import Rows
from discreet.schema import Periods, Schema


def open_data(
    source: Any,
    schema: Schema,
    *,
    unit: Unit | None = None,
    ledger: str | Path | Ledger | None = None,
    budget: Number | None = None,
    dataset: str = "data",
    periods: Periods | None = None,
    about: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    remote: bool = False,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Data:
    """Private data, to publish from: `discreet.open("people.csv", schema, ledger="people.ledger", budget=2)`.

    `source` is a path (CSV, Parquet, Arrow, JSON lines, globs, lists of them, a folder of Parquet files or of a Delta
    table), a sheet (people.xlsx::visits), a table in a database (people.duckdb::visits, people.sqlite::visits,
    postgresql://host/db::public.visits), a pandas, polars or Arrow table, a DuckDB relation, a Spark DataFrame, an ibis
    table; with `remote=True` also files at s3://, gs:// and https://, which are copied to this machine while in use.
    `schema` says what its columns may hold, `unit` whom to protect: one row, if it is left out.

    `ledger` is the file that keeps what was spent, `budget` how much that may be, all releases together, and `dataset`
    the name of the data in it. Without a ledger file the account lives in memory, and the releases say so. `delimiter`
    (a comma, or a tab for .tsv) and `encoding` (UTF-8) are for CSV files. With `periods`, `data.during("2026-10")` has
    the rows of one period only. `about` says who stands behind the releases and why, for those who sign them off:
    `{"organisation": "Town"}`. Counting may use so many `threads`, and so much memory (`memory_limit="4GB"`).
    """
    from discreet.private.engines.opening import open_source
    from discreet.private.engines.session import Limits

    opened = open_source(source, delimiter=delimiter, encoding=encoding, remote=remote)
    rows = Rows(opened, Limits(threads, memory_limit))
    return Data(schema, unit or Unit(), _account(ledger, dataset, budget), rows, periods, about=about or {})


open_data.__name__ = open_data.__qualname__ = "open"  # as people call it, in `help` and in errors


def from_counts(
    schema: Schema,
    codes: Any,
    counts: Any,
    *,
    unit: Unit | None = None,
    ledger: str | Path | Ledger | None = None,
    budget: Number | None = None,
    dataset: str = "data",
    about: Mapping[str, str] | None = None,
) -> Data:
    """Ready aggregates: integer codes (cells x attributes) and a count for each.

    The unit's bounds cannot be enforced on aggregates: whoever made them must have.
    """
    ready = ReadyCounts(schema, Counts.from_arrays(schema.sizes, codes, counts))
    return Data(schema, unit or Unit(), _account(ledger, dataset, budget), ready, about=about or {})


def _account(ledger: str | Path | Ledger | None, dataset: str, budget: Number | None) -> Ledger:
    if isinstance(ledger, Ledger):
        return ledger
    return Ledger.open(ledger, dataset, None if budget is None else exact(budget, "budget"))
