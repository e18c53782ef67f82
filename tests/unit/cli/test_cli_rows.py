"""The command `rows`: files of synthetic rows, their marks, and what is refused before a row is made."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq

import discreet
from discreet.release import load
from discreet.release.synthetic_rows import MARK
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import ODD, Cli, done, left, process, refused

cli, odd = cli_runs.cli, cli_runs.odd  # fixtures
FIXTURES = Path(__file__).parents[2] / "fixtures" / "releases"


def test_rows_are_written_as_csv(odd: Path, tmp_path: Path) -> None:
    file = tmp_path / "synthetic.csv"
    said = done(process(odd, "rows", "by-day", "-n", "500", "-o", str(file), "--seed", "7"))
    assert said.startswith(f"{file}: 500 synthetic rows, seed 7\n")
    assert f"marked in {file}.json" in said
    assert "error bars" in said
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 500
    assert sum(row["day"] == "2024-01-02" for row in rows) > 450
    assert {row["no[/te]"].removeprefix("'") for row in rows} <= {*ODD}
    mark = json.loads(Path(f"{file}.json").read_text(encoding="utf-8"))
    assert mark == load(odd / "by-day").rows(500, seed=7).facts
    assert mark["release"]["seal"] == load(odd / "by-day").manifest["seal"]


def test_rows_are_written_as_parquet(cli: Cli, odd: Path, tmp_path: Path) -> None:
    """As many as there are records, unless a number is given; a program gets the facts."""
    file = tmp_path / "synthetic.parquet"
    said = json.loads(done(cli(odd, "rows", "by-day", "--output", str(file), "--json")))
    release = load(odd / "by-day")
    assert said.pop("file") == str(file)
    assert said["rows"] == release.count(whole=True).value
    table = pq.read_table(file)
    assert json.loads(table.schema.metadata[MARK.encode()]) == said
    assert table.equals(release.rows(seed=said["seed"]).to_arrow())
    again = discreet.open(file, release.schema).publish(discreet.Table(list(release.schema), method="geometric"), 1)
    assert abs(again.count().value - said["rows"]) < 0.1 * said["rows"]


def test_quiet_prints_nothing(cli: Cli, odd: Path, tmp_path: Path) -> None:
    assert done(cli(odd, "rows", "by-day", "-n", "5", "-o", str(tmp_path / "a.csv"), "-q")) == ""
    assert left(tmp_path) == ["a.csv", "a.csv.json"]


def test_what_is_there_already_is_left_alone(cli: Cli, odd: Path, tmp_path: Path) -> None:
    file, mark = tmp_path / "a.csv", tmp_path / "b.csv.json"
    file.write_text("mine")
    mark.write_text("mine")
    for name in ("a.csv", "b.csv"):
        refused(cli(odd, "rows", "by-day", "-n", "5", "-o", str(tmp_path / name)), "exists already")
    assert (file.read_text(), mark.read_text(), left(tmp_path)) == ("mine", "mine", ["a.csv", "b.csv.json"])


def test_what_cannot_be_is_refused(cli: Cli, odd: Path, tmp_path: Path) -> None:
    def say(release: Path | str, *more: str, to: str = "a.csv") -> tuple[str, ...]:
        return ("rows", str(release), "-o", str(tmp_path / to), *more)

    refused(cli(odd, *say("by-day", to="a.xlsx")), ".csv or .parquet")
    refused(cli(odd, *say("by-day", to="nowhere/a.csv")), "nowhere", "No such file")
    refused(cli(odd, *say("by-day", "-n", "0")), "n must be a whole number from 1")
    refused(cli(odd, *say("by-day", "--seed", "-1")), "a seed is a whole number")
    refused(cli(odd, *say("nothing")), "nothing: no such folder")
    refused(cli(odd, *say(FIXTURES / "items-lpa")), "belong to one user")
    refused(cli(odd, *say(FIXTURES / "marginals-ireduct-queries")), "list of queries")
    assert cli(odd, "rows", "by-day").returncode == 2
    assert left(tmp_path) == []
