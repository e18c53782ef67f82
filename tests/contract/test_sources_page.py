"""The page about sources runs against a PostgreSQL, a Spark and files of each kind, which hold what it is about."""

from __future__ import annotations

import json
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import deltalake
import numpy as np
import openpyxl
import pyarrow as pa
import pytest

from docs_site.__main__ import DOCS
from docs_site.running import reader, run_page
from tests.postgres_server import MASTER, Server
from tests.spark_session import Spark


def test_the_page_of_sources_runs_with_postgres_and_spark(
    postgres: Server, spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = np.random.default_rng(1)
    rows = pa.table(
        {
            "patient": dice.integers(0, 200, 600),
            "age": dice.integers(0, 100, 600),
            "ward": dice.choice(list("ABC"), 600),
        }
    )
    monkeypatch.setenv("PGPORT", str(postgres.port))
    monkeypatch.setenv("PGPASSWORD", "...")  # as the page has it
    with reader(tmp_path), clinic(postgres, rows) as administer, in_catalog(spark, rows):
        in_files(rows)
        page = (DOCS / "sources.md").read_text(encoding="utf-8")
        assert run_page(page, "sources", ways={"sql": administer, "toml": tomllib.loads}) == 9
    assert len(list((tmp_path / "shared" / "by-age").glob("*.parquet"))) >= 16


@contextmanager
def clinic(postgres: Server, rows: pa.Table) -> Iterator[Callable[[str], object]]:
    """A database with visits; gives what its owner may run there."""
    import psycopg

    postgres.run("CREATE DATABASE clinic")
    owner = psycopg.connect(postgres.address("master", MASTER, "clinic"), autocommit=True)
    try:
        Server(postgres.port, owner, postgres.process).make("visits", rows)
        yield owner.execute
    finally:
        owner.execute("DROP OWNED BY clinic_reader")
        owner.close()
        postgres.run("DROP DATABASE clinic WITH (FORCE)", "DROP ROLE clinic_reader")


@contextmanager
def in_catalog(spark: Spark, rows: pa.Table) -> Iterator[None]:
    spark.classic.sql("CREATE DATABASE clinic")
    try:
        spark.rows(rows).write.saveAsTable("clinic.visits")
        yield
    finally:
        spark.classic.sql("DROP DATABASE clinic CASCADE")


def in_files(rows: pa.Table) -> None:
    """The same visits in SQLite, as JSON lines, in Excel and as a Delta table."""
    lines = rows.to_pylist()
    file = sqlite3.connect("clinic.sqlite")
    file.execute("CREATE TABLE visits (patient INTEGER, age INTEGER, ward TEXT)")
    file.executemany("INSERT INTO visits VALUES (:patient, :age, :ward)", lines)
    file.commit()
    file.close()
    Path("visits.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    book = openpyxl.Workbook()
    book.active.title = "2024"
    for line in (rows.column_names, *(list(line.values()) for line in lines)):
        book.active.append(line)
    book.save("visits.xlsx")
    deltalake.write_deltalake("lake/visits", rows)
