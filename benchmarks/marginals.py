"""Marginals in ireduct's own setting: nine attributes of the Brazil sizes, 10^7 people, all tables of one and of two.

lambda_max = |T| / 10, lambda_Delta = |T| / 10^6, replace-one neighbours. What is timed is `measure`, the counts being
given; and counting all 36 two-attribute tables of 10^7 rows, against DuckDB's bare GROUPING SETS over the same file.
"""

from __future__ import annotations

import itertools
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from benchmarks.accuracy.people import made_up
from benchmarks.measure import Report, seconds, yardstick
from discreet.mechanisms import Request, mechanism_for, registry
from discreet.noise import Noise
from discreet.private.counts import Counts
from discreet.private.engines.counting_query import count_sets
from discreet.schema import Ordinal, Schema
from experiments.shared.bounded import OnlyTables

SIZES = (101, 2, 4, 26, 29, 5, 5, 512, 4)
ROWS = 10**7


def methods(rows: int) -> dict[str, dict[str, Any]]:
    paper: dict[str, Any] = {"records": rows, "sanity": rows // 10_000}
    return {
        "equal": {},
        "agreed": {},
        "two-phase": paper,
        "iresamp": paper | {"start": rows // 10},
        "ireduct": paper | {"start": rows // 10, "step": rows // 10**6},
    }


def run(quick: bool) -> Report:
    rows = ROWS // 10 if quick else ROWS
    report = Report(f"marginals: nine attributes, {rows:,} rows, two cores", quick)
    length, runs = yardstick(), 2 if quick else 3
    report.note("L in seconds", length)
    schema = Schema({f"a{place}": Ordinal(0, size - 1) for place, size in enumerate(SIZES)})
    columns = people(rows)
    for ways in (1, 2):
        tables = [marginal(columns, places) for places in itertools.combinations(range(len(SIZES)), ways)]
        for method, parameters in methods(rows).items():
            limit = 10.0 if (method, ways) == ("ireduct", 2) else 1.0
            for epsilon in ("0.1",) if quick else ("0.01", "0.1"):
                unit = discreet.Unit(neighbours="replace")
                request = Request(schema, unit, Fraction(epsilon), {"ways": ways, **parameters})
                made = registry()["marginals", method](request)
                taken = seconds(lambda made=made, tables=tables: made.measure(OnlyTables(tables), Noise()), runs)  # type: ignore[misc]
                report.at_most(f"{method}, {ways}-way, epsilon {epsilon}: time / L", taken / length, limit)
    _agreeing(report, length, runs)
    _counting(report, schema, columns)
    return report


def _agreeing(report: Report, length: float, runs: int) -> None:
    """All pairs of 20 attributes, 10^7 records: what `agreed` does after the noise, and all of it beside `equal`."""
    many = made_up()
    tables = OnlyTables([many.table(pair, times=ROWS // len(many.codes)) for pair in many.pairs])

    def measured(method: str, epsilon: str) -> Any:
        task = discreet.Marginals(ways=2, method=method)
        return mechanism_for(task, Request.of(task, many.schema, discreet.Unit(), epsilon)).measure(tables, Noise())

    for epsilon in ("0.001", "1"):
        whole, others = (
            seconds(lambda method=method, epsilon=epsilon: measured(method, epsilon).stored(), runs)  # type: ignore[misc]
            for method in ("agreed", "equal")
        )
        after = min(seconds(measured("agreed", epsilon).tables, 1) for _ in range(runs))
        what = f"agreed, 20 attributes, 2-way, epsilon {epsilon}"
        report.at_most(f"{what}: time after the noise / L", after / length, 5.0)
        report.at_most(f"{what}: noise and table / those of equal", whole / others, 3.0)


def people(rows: int = ROWS) -> list[np.ndarray[Any, Any]]:
    """Skewed, independent columns."""
    dice = np.random.default_rng(1)
    return [np.minimum((dice.random(rows) ** 3 * size).astype(np.int32), size - 1) for size in SIZES]


def marginal(columns: list[np.ndarray[Any, Any]], places: tuple[int, ...]) -> Counts:
    shape = tuple(SIZES[place] for place in places)
    numbers = np.zeros(columns[0].size, np.int64)
    for place in places:
        numbers = numbers * SIZES[place] + columns[place]
    dense = np.bincount(numbers, minlength=int(np.prod(shape)))
    occupied = np.flatnonzero(dense)
    return Counts(shape, np.stack(np.unravel_index(occupied, shape), axis=1), dense[occupied])


def _counting(report: Report, schema: Schema, columns: list[np.ndarray[Any, Any]]) -> None:
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    sets = list(itertools.combinations(schema.names, 2))
    grouping = ", ".join(f"({', '.join(names)})" for names in sets)
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "people.parquet"
        pq.write_table(pa.table(dict(zip(schema.names, columns, strict=True))), file)
        query = f"SELECT {', '.join(schema.names)}, count(*) FROM '{file}' GROUP BY GROUPING SETS ({grouping})"
        connection = duckdb.connect()
        bare = seconds(lambda: connection.sql(query).fetchnumpy(), 2)
        ours = seconds(lambda: count_sets(str(file), schema, sets, discreet.Unit(), salt=b"benchmark"), 3)
    report.at_most("counting all 36 two-way marginals: time / DuckDB's GROUPING SETS", ours / bare, 1)
