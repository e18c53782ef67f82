"""From Parquet to a saved release, against DuckDB's bare GROUP BY over the same file; and a million questions."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import discreet
from benchmarks.measure import Report, peak_bytes, seconds

ROWS = 10_000_000
QUESTIONS = 1_000_000
QUICK = 10
SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 79),
    hours=discreet.Ordinal(0, 49),
    region=discreet.Nominal([f"region {i}" for i in range(5)]),
    trade=discreet.Nominal([f"trade {i}" for i in range(10)]),
)


def run(quick: bool) -> Report:
    import duckdb

    rows, questions = (ROWS // QUICK, QUESTIONS // QUICK) if quick else (ROWS, QUESTIONS)
    report = Report(f"path: {rows:,} rows, 4 attributes, 200,000 cells", quick)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _make_rows(folder / "rows.parquet", rows)
        _make_questions(folder / "questions.csv", questions)
        statement = f"SELECT age, hours, region, trade, count(*) FROM '{folder / 'rows.parquet'}' GROUP BY ALL"
        connection = duckdb.connect()
        bare = seconds(lambda: connection.sql(statement).to_arrow_table(), runs=3)
        report.note("bare GROUP BY in seconds", bare)
        release = _publish(folder, 0)
        turns = iter(range(1, 10))
        taken = seconds(lambda: _publish(folder, next(turns)), runs=3)
        report.at_most("open, count, noise, save: time / bare GROUP BY", taken / bare, 3)
        report.note("peak memory of that in MB", peak_bytes(lambda: _publish(folder, 20)) / 1e6)
        first = seconds(lambda: release.ask(folder / "questions.csv"), runs=1)
        again = seconds(lambda: release.ask(folder / "questions.csv"), runs=3)
        report.at_least("questions from a CSV per second, first time", questions / first, 100_000)
        report.at_least("questions from a CSV per second", questions / again, 100_000)
    report.at_most(
        "import discreet, in seconds more than python", _start("import discreet") - _start("pass"), 0.5, any_size=True
    )
    command = "import sys; sys.argv = ['discreet', '--help']; from discreet.__main__ import main; main()"
    report.at_most("discreet --help, in seconds more than python", _start(command) - _start("pass"), 0.5, any_size=True)
    return report


def _make_rows(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    dice = np.random.default_rng(1)
    columns = {"age": dice.integers(0, 80, rows), "hours": dice.binomial(49, 0.7, rows)}
    for name, skew in (("region", 2), ("trade", 3)):
        labels = np.array(SCHEMA[name].labels)
        columns[name] = labels[(labels.size * dice.random(rows) ** skew).astype(int)]
    pq.write_table(pa.table(columns), path)


def _make_questions(path: Path, count: int) -> None:
    dice = np.random.default_rng(2)
    lines = ["age,hours,trade"]
    ends = np.sort(dice.integers(0, 80, (count, 2))), np.sort(dice.integers(0, 50, (count, 2)))
    trades = dice.integers(0, 11, count)
    for (a, b), (c, d), trade in zip(*(end.tolist() for end in ends), trades.tolist(), strict=True):
        lines.append(f"{a}..{b},{c}..{d},{'' if trade == 10 else f'trade {trade}'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _publish(folder: Path, turn: int) -> discreet.Release:
    data = discreet.open(folder / "rows.parquet", SCHEMA, ledger=folder / f"{turn}.ledger")
    return data.publish(discreet.Table(list(SCHEMA)), 1, name="all", to=folder / f"release-{turn}")


def _start(code: str) -> float:
    return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True), runs=5)
