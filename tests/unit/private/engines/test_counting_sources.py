"""The counting expression against plain Python, over every kind of source."""

from __future__ import annotations

import gzip
import json
import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import deltalake
import duckdb
import ibis
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.feather import write_feather

import discreet
from discreet.errors import SourceError
from discreet.privacy import Unit
from discreet.private.draft import draft_spec
from discreet.private.engines.counting_query import count
from discreet.private.engines.opening import open_source
from discreet.schema import Ordinal, Schema
from tests.unit.private.engines.plain_counting import (
    ROW,
    SALT,
    SCHEMA,
    Rows,
    csv,
    csv_text,
    frame,
    made_rows,
    reference,
    reference_text,
)


def packed_csv(rows: Rows, folder: Path) -> Any:
    (folder / "rows.csv.gz").write_bytes(gzip.compress(csv_text(rows).encode()))
    return folder / "rows.csv.gz"


def tsv_files(rows: Rows, folder: Path) -> Any:
    half = len(rows) // 2
    turned = [dict(reversed(row.items())) for row in rows[half:]]  # columns in another order
    (folder / "1.tsv").write_text(csv_text(rows[:half], "\t"))
    (folder / "2.tsv").write_text(csv_text(turned, "\t"))
    return [folder / "1.tsv", folder / "2.tsv"]


def parquet(rows: Rows, folder: Path) -> Any:
    pq.write_table(frame(rows), folder / "rows.parquet", row_group_size=7)
    return folder / "rows.parquet"


def parquet_pattern(rows: Rows, folder: Path) -> Any:
    """Two files with other types and another order of columns."""
    half = len(rows) // 2
    second = frame(rows[half:])
    second = second.set_column(0, "age", second["age"].cast(pa.string()))
    second = second.set_column(5, "user", second["user"].cast(pa.float64()))
    (folder / "o'dd [name]").mkdir()
    pq.write_table(frame(rows[:half]), folder / "o'dd [name]" / "1.parquet")
    pq.write_table(second.select(second.column_names[::-1]), folder / "o'dd [name]" / "2.parquet")
    return str(folder / "o'dd [[]name]" / "*.parquet")


def zstd_csv(rows: Rows, folder: Path) -> Any:
    with pa.CompressedOutputStream(str(folder / "rows.csv.zst"), "zstd") as file:
        file.write(csv_text(rows).encode())
    return folder / "rows.csv.zst"


def parquet_folder(rows: Rows, folder: Path) -> Any:
    """Two columns are in the names of folders only, missing values among them."""
    pq.write_to_dataset(frame(rows), folder / "rows", partition_cols=["sex", "age"])
    (folder / "rows" / "_metadata.parquet").write_text("what other programs leave there")
    return folder / "rows"


def feather(rows: Rows, folder: Path) -> Any:
    write_feather(frame(rows), str(folder / "rows.feather"), chunksize=7)
    return folder / "rows.feather"


def json_lines(rows: Rows, folder: Path) -> Any:
    """Two files, one packed; in the second, fields without a value are left out and the others in another order."""
    texts = [json.dumps({name: _json(value) for name, value in row.items()}) for row in rows[:9]]
    short = [{name: _json(value) for name, value in reversed(row.items()) if value is not None} for row in rows[9:]]
    (folder / "1.jsonl").write_text("\n".join(texts))
    lines = "\r\n\r\n".join(map(json.dumps, short))
    (folder / "2.ndjson.gz").write_bytes(gzip.compress(lines.encode()))
    return [folder / "1.jsonl", folder / "2.ndjson.gz"]


def _json(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else reference_text(value)


def excel(rows: Rows, folder: Path) -> Any:
    """A second sheet, that starts further down and has an empty line."""
    book = openpyxl.Workbook()
    sheet = book.create_sheet("visits")
    for place, line in enumerate([list(rows[0]), *(map(_cell, row.values()) for row in rows)]):
        for column, cell in enumerate(line):
            sheet.cell(3 + place + (place > 4), 2 + column).value = cell
    book.save(folder / "rows.xlsx")
    return f"{folder}/rows.xlsx::visits"


def _cell(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def delta(rows: Rows, folder: Path) -> Any:
    """Rows that were removed are still in its files."""
    deltalake.write_deltalake(folder / "rows", frame(rows), partition_by=["sex"])
    deltalake.write_deltalake(folder / "rows", frame(rows), mode="overwrite")
    return folder / "rows"


def duckdb_file(rows: Rows, folder: Path) -> Any:
    with duckdb.connect(str(folder / "rows.duckdb")) as connection:
        connection.register("given", frame(rows))
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
    return f"{folder}/rows.duckdb::visits"


def sqlite_file(rows: Rows, folder: Path) -> Any:
    """Whatever a column is declared as, SQLite keeps values of all types in it."""
    with closing(sqlite3.connect(folder / "rows.sqlite")) as database, database:
        database.execute("CREATE TABLE visits (age BIGINT, income, sex BLOB, day DATE, flag, user)")
        texts = [[value if type(value) in (int, str) else _written(value) for value in row.values()] for row in rows]
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?)", texts)
    return f"{folder}/rows.sqlite::visits"


def _written(value: Any) -> Any:
    return value if value is None or isinstance(value, float) else reference_text(value)


def pandas_frame(rows: Rows, _: Path) -> Any:
    return frame(rows).to_pandas()


def pandas_objects(rows: Rows, _: Path) -> Any:
    mixed = pd.DataFrame(rows, dtype=object)
    mixed["age"] = [str(age) if index % 2 else age for index, age in enumerate(mixed["age"])]
    return mixed


def polars_frame(rows: Rows, _: Path) -> Any:
    return pl.from_arrow(frame(rows))


def polars_lazy(rows: Rows, _: Path) -> Any:
    made = pl.from_arrow(frame(rows))
    assert isinstance(made, pl.DataFrame)
    return made.with_columns(pl.col("sex").cast(pl.Categorical)).lazy()


def arrow(rows: Rows, _: Path) -> Any:
    return frame(rows)


def arrow_chunks(rows: Rows, _: Path) -> Any:
    whole = frame(rows)
    parts = [whole.slice(start, 5) for start in range(0, max(len(whole), 1), 5)]
    return pa.concat_tables(parts).set_column(2, "sex", pa.concat_tables(parts)["sex"].dictionary_encode())


def duckdb_relation(rows: Rows, _: Path) -> Any:
    connection = duckdb.connect()
    connection.register("rows", frame(rows))
    return connection.sql("SELECT *, 1 AS surplus FROM rows")


def ibis_duckdb(rows: Rows, _: Path) -> Any:
    backend = ibis.duckdb.connect()
    table = frame(rows)
    backend.con.register("given", table)
    backend.raw_sql("CREATE TABLE rows AS SELECT * FROM given")
    return backend.table("rows")


def ibis_memtable(rows: Rows, _: Path) -> Any:
    return ibis.memtable(frame(rows))


KINDS: list[Callable[[Rows, Path], Any]] = [
    csv, packed_csv, zstd_csv, tsv_files, parquet, parquet_pattern, parquet_folder, feather, json_lines, excel, delta,
    duckdb_file, sqlite_file, pandas_frame, pandas_objects, polars_frame, polars_lazy, arrow, arrow_chunks,
    duckdb_relation, ibis_duckdb, ibis_memtable,
]  # fmt: skip


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> Callable[[Rows, Path], Any]:
    return request.param  # type: ignore[no-any-return]


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # ibis.create_table, in the test itself
def test_every_kind_counts_like_plain_python(kind: Callable[[Rows, Path], Any], tmp_path: Path) -> None:
    rows = made_rows(400)
    assert count(kind(rows, tmp_path), SCHEMA, ROW, salt=SALT) == reference(SCHEMA, rows)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.parametrize("unit", [Unit("user", 7), Unit("user", 9, 2)], ids=["rows", "rows per cell"])
def test_every_kind_bounds_users_alike(kind: Callable[[Rows, Path], Any], unit: Unit, tmp_path: Path) -> None:
    rows = made_rows(300)
    schema = SCHEMA.select(["age", "sex"])
    assert count(kind(rows, tmp_path), schema, unit, salt=SALT) == count(frame(rows), schema, unit, salt=SALT)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
def test_another_engine_counts_like_plain_python(tmp_path: Path) -> None:
    rows = made_rows(200)
    with closing(sqlite3.connect(tmp_path / "rows.db")) as database, database:
        database.execute("CREATE TABLE rows (age BIGINT, sex TEXT, income DOUBLE)")
        database.executemany(
            "INSERT INTO rows VALUES (?, ?, ?)", [(row["age"], row["sex"], row["income"]) for row in rows]
        )
    backend = ibis.sqlite.connect(tmp_path / "rows.db")
    table = backend.table("rows")
    schema = SCHEMA.select(["age", "sex", "income"])
    assert count(table, schema, ROW, salt=SALT) == reference(schema, rows)
    text = table.mutate(age=table.age.cast("string"))
    assert count(text, schema, ROW, salt=SALT) == reference(schema, rows)
    unit = Unit("age", 1)  # users come to us
    assert count(table, schema.select(["sex"]), unit, salt=SALT) == count(
        frame(rows), schema.select(["sex"]), unit, salt=SALT
    )
    with pytest.raises(SourceError, match="turn the column into dates"):
        count(table, Schema(sex=Ordinal(date(2024, 1, 1), date(2024, 1, 2))), ROW, salt=SALT)
    backend.disconnect()


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.parametrize("users", [None, "user"], ids=["rows", "users"])
@pytest.mark.parametrize(
    "task",
    [discreet.Table("age"), discreet.Ranges("age"), discreet.Marginals(ways=2), discreet.Items("sex", method="sra")],
    ids=lambda task: task.name,
)
@pytest.mark.parametrize("engine", ["sqlite", "polars"])
def test_every_task_from_an_ibis_table_of_other_engines(
    engine: str, task: Any, users: str | None, tmp_path: Path
) -> None:
    """Where an engine lacks what bounding takes, users come to us; it must not show after the charge."""
    rows = made_rows(200, users=20)
    columns = pa.table({name: [row[name] for row in rows] for name in ("age", "sex", "user")})
    if engine == "polars":
        table = ibis.polars.connect({"rows": pl.from_arrow(columns)}).table("rows")
    else:
        with closing(sqlite3.connect(tmp_path / "rows.db")) as database, database:
            database.execute("CREATE TABLE rows (age BIGINT, sex TEXT, user BIGINT)")
            database.executemany("INSERT INTO rows VALUES (?, ?, ?)", zip(*columns.to_pydict().values(), strict=True))
        table = ibis.sqlite.connect(tmp_path / "rows.db").table("rows")
    unit = None if users is None else discreet.Unit(users, max_rows=3)
    if unit is None and task.name == "items":
        task = discreet.Items("sex", method="lpa")
    there, here = (discreet.open(source, SCHEMA.select(["age", "sex"]), unit=unit) for source in (table, columns))
    total = [data.publish(task, 10**6).count().value for data in (there, here)]
    assert total[0] == pytest.approx(total[1], abs=0.5)
    assert there.ledger.spent == 10**6


def test_no_rows() -> None:
    empty = frame(made_rows(1)).slice(0, 0)
    assert count(empty, SCHEMA, ROW, salt=SALT) == reference(SCHEMA, [])
    assert count(empty, SCHEMA, Unit("user", 3), salt=SALT) == reference(SCHEMA, [])


@pytest.mark.parametrize("ends", [",,", ", ,"])
def test_columns_without_a_name_do_not_matter(tmp_path: Path, ends: str) -> None:
    (tmp_path / "rows.csv").write_text(f"age,sex{ends}\n1,f,,\n2,m,x,y\n", encoding="utf-8")
    schema = discreet.Schema(age=discreet.Ordinal(1, 2))
    data = discreet.open(tmp_path / "rows.csv", schema, unit=discreet.Unit("sex", max_rows=1))
    assert data.publish(discreet.Table("age", method="geometric"), 1000).count().value == 2
    with pytest.raises(SourceError, match="no column ''"):
        open_source(tmp_path / "rows.csv").require(["", "age"])
    assert 'by = ["age", "sex"]' in draft_spec(tmp_path / "rows.csv")
