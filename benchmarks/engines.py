"""Counting with users bounded, in CPU seconds, as a ratio to what the same engine takes for the bare count.

DuckDB: 100 records for each user, bound 10, against counting the same Parquet file by cell. PostgreSQL: 20 records for
each user, bound 10, against its own GROUP BY of user and cell, on a server of the tests' own. Spark: the same, on the
tests' own session, of a Parquet file.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Report
from discreet.privacy import Unit
from discreet.private.engines.counting_query import count, count_sets
from discreet.private.engines.row_histories import histories
from discreet.schema import Ordinal, Schema
from tests import spark_session
from tests.postgres_server import NoPostgres, Server, running

ROWS = 10**7
BOUND = Unit("u", 10)
SCHEMA = Schema(a=Ordinal(0, 99), b=Ordinal(0, 49))
SALT = b"for benchmarks.."


def run(quick: bool) -> Report:
    rows = ROWS // 10 if quick else ROWS
    report = Report(f"engines: {rows:,} rows, users bounded by 10 rows, CPU seconds", quick)
    with tempfile.TemporaryDirectory() as temporary:
        _duckdb(report, rows, Path(temporary) / "rows.parquet")
        folder = Path(temporary) / "server"
        folder.mkdir()
        os.chmod(temporary, 0o755)
        try:
            with running(folder) as server:
                _postgres(report, rows // 10 if quick else rows, server)
        except NoPostgres as absent:
            report.note("PostgreSQL", f"absent: {absent}")
        folder = Path(temporary) / "spark"
        folder.mkdir()
        try:
            with spark_session.running(folder, compiled=True) as spark:
                _spark(report, rows // 10 if quick else rows, spark, folder / "rows.parquet")
        except spark_session.NoSpark as absent:
            report.note("Spark", f"absent: {absent}")
    return report


def _rows(rows: int, users: int) -> pa.Table:
    generator = np.random.default_rng()
    sizes = {"u": users, "a": 100, "b": 50}
    return pa.table({name: generator.integers(0, size, rows) for name, size in sizes.items()})


def _duckdb(report: Report, rows: int, file: Path) -> None:
    pq.write_table(_rows(rows, rows // 100), file)
    bare = f"SELECT a * 50 + b, count(*) FROM read_parquet('{file}') GROUP BY 1"

    def table() -> Any:
        return count(file, SCHEMA, BOUND, salt=SALT)

    def marginals() -> Any:
        return count_sets(file, SCHEMA, [["a"], ["b"], ["a", "b"]], BOUND, salt=SALT)

    def items() -> Any:
        return histories(file, SCHEMA, BOUND).kept(10, distinct=False, scores=None, salt=SALT)

    length = _cpu(lambda: duckdb.execute(bare).fetchall())
    report.note("DuckDB, bare count by cell: seconds", length)
    report.at_most("DuckDB, one table: time / bare count", _cpu(table) / length, 12)
    report.at_most("DuckDB, marginals: time / bare count", _cpu(marginals) / length, 12)
    report.note("DuckDB, items: time / bare count", _cpu(items) / length)
    named = pq.read_table(file)
    pq.write_table(named.set_column(0, "u", named["u"].cast(pa.string())), file)
    report.at_most("DuckDB, one table, users by names: time / bare count", _cpu(table) / length, 12)
    report.at_most("DuckDB, marginals, users by names: time / bare count", _cpu(marginals) / length, 12)


def _postgres(report: Report, rows: int, server: Server) -> None:
    table = _rows(rows, rows // 20)
    there = server.make("visits", table)
    server.run("VACUUM ANALYZE visits")

    def bare() -> None:
        import psycopg

        with psycopg.connect(server.address()) as connection:
            grouped = "SELECT u, a * 50 + b AS cell, count(*) AS n FROM visits GROUP BY 1, 2"
            connection.execute(f"SELECT count(*), sum(n) FROM ({grouped}) AS grouped").fetchall()

    length = _cpu(bare, server)
    report.note(f"PostgreSQL, {rows:,} rows, GROUP BY user and cell: seconds", length)
    ratio = _cpu(lambda: count(there, SCHEMA, BOUND, salt=SALT), server) / length
    report.at_most("PostgreSQL, one table: time / GROUP BY user and cell", ratio, 8.0)


def _spark(report: Report, rows: int, spark: spark_session.Spark, file: Path) -> None:
    pq.write_table(_rows(rows, rows // 20), file)
    there = spark.classic.read.parquet(str(file))
    grouped = "SELECT u, a * 50 + b AS cell, count(*) AS n FROM {rows} GROUP BY 1, 2"

    def bare() -> None:
        spark.classic.sql(f"SELECT count(*), sum(n) FROM ({grouped})", rows=there).toArrow()

    def counted() -> Any:
        return count(there, SCHEMA, BOUND, salt=SALT)

    for work in (bare, counted):  # until Java has compiled them
        for _ in range(2):
            work()
    length = _cpu(bare, spark)
    report.note(f"Spark, {rows:,} rows, GROUP BY user and cell: seconds", length)
    report.at_most("Spark, one table: time / GROUP BY user and cell", _cpu(counted, spark) / length, 8.0)


def _cpu(work: Callable[[], Any], server: Server | spark_session.Spark | None = None, runs: int = 3) -> float:
    """The least CPU seconds of some runs: of this process or, if there is a server, of what works for it."""
    work()
    taken = []
    for _ in range(runs):
        before = _of(server)
        work()
        if isinstance(server, Server):
            time.sleep(0.5)  # until the server has seen that its child ended
        taken.append(_of(server) - before)
    return min(taken)


def _of(server: Server | spark_session.Spark | None) -> float:
    if server is None:
        return time.process_time()
    first = 13 if isinstance(server, Server) else 11  # of children that ended, or of the process itself
    numbers = Path(f"/proc/{server.process}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[first]) + int(numbers[first + 1])) / float(os.sysconf("SC_CLK_TCK"))
