"""Many marginals in one scan are the marginals of one count of all attributes, whatever the source and the unit."""

from __future__ import annotations

import itertools
import math
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import write_csv

import discreet
from discreet.errors import SourceError
from discreet.kernels.counting import _BLOCK
from discreet.noise import ZeroNoise
from discreet.privacy import Unit
from discreet.private.counts import Counts, word_slices
from discreet.private.engines.counting_query import count, count_sets
from discreet.schema import Nominal, Ordinal, Schema

SALT = b"a salt for tests"
ROWS = 2 * _BLOCK + 77
SCHEMA = Schema(
    age=Ordinal(20, 59, 10),
    income=Ordinal(0.0, 1.0, 0.25, outside="drop", null="other"),
    sex=Nominal(["M", "F"], outside="other"),
    town=Nominal([f"t{i}" for i in range(7)], null="other"),
)
UNITS = [Unit(), Unit("who", max_rows=3), Unit("who", max_rows=5, max_rows_per_cell=2), Unit("who", max_rows=10**6)]
by_unit = pytest.mark.parametrize("unit", UNITS, ids=["row", "3", "5-2", "all"])
SETS = [s for ways in (1, 2, 3, 4) for s in itertools.combinations(SCHEMA.names, ways)] + [("town", "age")]


def people(rows: int = ROWS, seed: int = 1) -> pa.Table:
    """Values in and outside the domain, missing ones in every column, users with one row and with very many."""
    dice = np.random.default_rng(seed)

    def holed(values: Any) -> list[Any]:
        return [None if hole else value for hole, value in zip(dice.random(rows) < 0.05, values, strict=True)]

    columns = {
        "age": holed(dice.integers(10, 70, rows).tolist()),
        "income": holed(dice.uniform(-0.1, 1.2, rows).tolist()),
        "sex": holed(np.array(["M", "F", "X"])[dice.choice(3, rows, p=[0.45, 0.45, 0.1])].tolist()),
        "town": holed([f"t{i}" for i in dice.integers(0, 9, rows)]),
        "who": holed((dice.random(rows) ** 4 * rows / 3).astype(int).tolist()),
    }
    return pa.table(columns)


def marginals(whole: Counts, schema: Schema, sets: list[tuple[str, ...]]) -> list[Counts]:
    return [whole.marginal([schema.names.index(name) for name in names]) for names in sets]


@by_unit
def test_the_marginals_of_one_count(unit: Unit) -> None:
    table = people()
    whole = count(table, SCHEMA, unit, salt=SALT)
    found = count_sets(table, SCHEMA, SETS, unit, salt=SALT)
    assert found == marginals(whole, SCHEMA, SETS)
    totals = {int(counts.counts.sum()) for counts in found}
    assert totals == {int(whole.counts.sum())}  # every row that counts is in every table, once
    assert 0 < totals.pop() < ROWS


def test_by_hand() -> None:
    table = pa.table({"a": [0, 0, 1, 5, None], "b": ["x", "y", "y", "y", "x"]})
    schema = Schema(a=Ordinal(0, 2), b=Nominal(["x", "y"]))
    pair, alone, turned = count_sets(table, schema, [("a", "b"), ("b",), ("b", "a")], Unit(), salt=SALT)
    assert pair.dense().tolist() == [[1, 1], [0, 1], [0, 1]]  # 5 is clamped to 2, the row without an a is dropped
    assert alone.dense().tolist() == [1, 3]
    assert turned.dense().tolist() == np.transpose(pair.dense()).tolist()


@by_unit
def test_the_bound_of_a_user_holds_over_all_tables_together(unit: Unit) -> None:
    """The rows that count are the same ones in every table."""
    table = people()
    a, b = count_sets(table, SCHEMA, [("age", "sex"), ("sex", "town")], unit, salt=SALT)
    assert a.marginal([1]) == b.marginal([0])
    other = count_sets(table, SCHEMA, [("age", "sex")], unit, salt=b"another")[0]
    assert (other != a) == (unit in UNITS[1:3])


def sources(folder: Path) -> dict[str, Any]:
    table = people()
    halves = [table.slice(0, 1500), table.slice(1500)]
    pq.write_table(table, folder / "all.parquet")
    for number, half in enumerate(halves):
        pq.write_table(half, folder / f"part{number}.parquet")
        write_csv(half, folder / f"part{number}.csv")
    return {
        "arrow": table,
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "parquet": folder / "all.parquet",
        "files": [folder / "part0.parquet", folder / "part1.parquet"],
        "glob": str(folder / "part*.parquet"),
        "csv": [folder / "part0.csv", folder / "part1.csv"],
        "duckdb": _duckdb(table),
        "relation": duckdb.from_arrow(table),
        "sqlite": _sqlite(folder / "people.db", table),
    }


def _duckdb(table: pa.Table) -> Any:
    backend = ibis.duckdb.connect()
    backend.con.register("given", table)
    backend.raw_sql("CREATE TABLE people AS SELECT * FROM given")
    return backend.table("people")


def _sqlite(path: Path, table: pa.Table) -> Any:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE people (age BIGINT, income DOUBLE, sex TEXT, town TEXT, who BIGINT)")
        rows = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
        database.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
    return ibis.sqlite.connect(path).table("people")


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # ibis, when asked for a table's columns
@pytest.mark.parametrize("unit", UNITS[:2], ids=["row", "3"])
def test_every_kind_of_source(tmp_path: Path, unit: Unit) -> None:
    sets = SETS[:6]
    expected = marginals(count(people(), SCHEMA, unit, salt=SALT), SCHEMA, sets)
    for name, source in sources(tmp_path).items():
        assert count_sets(source, SCHEMA, sets, unit, salt=SALT) == expected, name


@pytest.mark.parametrize("unit", UNITS[:3], ids=["row", "3", "5-2"])
def test_a_domain_beyond_64_bits(unit: Unit) -> None:
    """Cells of all attributes together take three words; tables are small."""
    dice, rows = np.random.default_rng(2), 5000
    sizes = [2**20, 5, 2**20, 3, 2**20, 2**20, 7, 2**20, 2**20]
    schema = Schema({f"a{i}": Ordinal(0, size - 1) for i, size in enumerate(sizes)})
    assert schema.cells > 2**100
    assert len(word_slices(schema.sizes)) == 3
    columns = {f"a{i}": (dice.random(rows) ** 6 * size).astype(int) for i, size in enumerate(sizes)}
    table = pa.table({**columns, "who": dice.integers(0, 1500, rows)})
    sets = [("a0",), ("a8",), ("a1", "a3", "a6"), ("a2", "a3"), ("a6", "a7"), ("a3", "a6")]
    whole = count(table, schema, unit, salt=SALT)
    assert count_sets(table, schema, sets, unit, salt=SALT) == marginals(whole, schema, sets)


@pytest.mark.parametrize("rows", [0, _BLOCK, _BLOCK + 1])
def test_any_number_of_rows(rows: int) -> None:
    table = people(rows)
    schema = pa.schema([("age", pa.int64()), ("income", pa.float64()), ("sex", pa.string()), ("town", pa.string())])
    for unit in (Unit(), Unit("who", max_rows=2)):
        typed = table.select(schema.names).cast(schema).append_column("who", table["who"].cast(pa.int64()))
        whole = count(typed, SCHEMA, unit, salt=SALT)
        assert count_sets(typed, SCHEMA, SETS, unit, salt=SALT) == marginals(whole, SCHEMA, SETS)


def test_one_table_of_all_attributes_is_the_count() -> None:
    table = people()
    assert count_sets(table, SCHEMA, [SCHEMA.names], Unit(), salt=SALT) == [count(table, SCHEMA, Unit(), salt=SALT)]


def test_a_missing_column_is_named() -> None:
    with pytest.raises(SourceError, match="town"):
        count_sets(people().drop_columns(["town"]), SCHEMA, SETS, Unit(), salt=SALT)


@pytest.mark.parametrize("unit", UNITS[:2], ids=["row", "3"])
def test_ready_counts_take_the_same_path(unit: Unit) -> None:
    """Published without noise: from rows by one scan, and from ready counts by adding them up."""
    table = people()
    whole = count(table, SCHEMA, unit, salt=SALT)
    ready = discreet.from_counts(SCHEMA, whole.codes, whole.counts, unit=unit)
    places = [[SCHEMA.names.index(name) for name in names] for names in SETS]
    by_hand = ready.origin.bounded(SCHEMA, unit, SALT).tables(places)
    assert by_hand == count_sets(table, SCHEMA, SETS, unit, salt=SALT)
    task = discreet.Marginals([["age", "sex"], ["town"]], method="equal")
    rows = discreet.open(table, SCHEMA).publish(task, 1, noise=ZeroNoise())
    expected = count(table, SCHEMA.select(["age", "sex", "town"]), Unit(), salt=SALT)
    for age, sex in itertools.product(SCHEMA["age"].labels, SCHEMA["sex"].labels):
        code = (SCHEMA["age"].code(age), SCHEMA["sex"].code(sex))
        assert rows.count({"age": age, "sex": sex}).value == expected.marginal([0, 1]).dense()[code]
    assert rows.count({"town": "t3"}).value == expected.marginal([2]).dense()[3]


def test_bare_sql_agrees() -> None:
    """All pairs at once, by the grouping sets of DuckDB, on codes without holes."""
    dice, sizes = np.random.default_rng(3), (11, 2, 5, 26)
    columns = {
        f"a{i}": np.minimum((dice.random(3000) ** 3 * size).astype(int), size - 1) for i, size in enumerate(sizes)
    }
    frame = pd.DataFrame(columns)
    schema = Schema({f"a{i}": Ordinal(0, size - 1) for i, size in enumerate(sizes)})
    sets = list(itertools.combinations(schema.names, 2))
    clauses = ", ".join(f"({', '.join(names)})" for names in sets)
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        grouped = connection.sql(
            f"SELECT {', '.join(schema)}, count(*) AS n FROM frame GROUP BY GROUPING SETS ({clauses})"
        ).df()
    for names, found in zip(sets, count_sets(frame, schema, sets, Unit(), salt=SALT), strict=True):
        absent = [name for name in schema if name not in names]
        mine = grouped[grouped[absent].isna().all(axis=1) & grouped[list(names)].notna().all(axis=1)]
        cells = {(int(a), int(b)): int(n) for a, b, n in mine[[*names, "n"]].itertuples(index=False)}
        assert cells == {(int(a), int(b)): int(n) for (a, b), n in zip(found.codes, found.counts, strict=True)}
    assert math.comb(4, 2) == len(sets)
