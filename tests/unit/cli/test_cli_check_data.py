"""`discreet check --data`: private, free, and only when it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.private.engines.base import Source
from discreet.private.fit_report import PRIVATE
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import SMALL, Cli, done, left, process

cli, small = cli_runs.cli, cli_runs.small  # fixtures


def test_data_that_fits(cli: Cli, small: Path) -> None:
    said = done(process(small, "check", "small.toml", "--data"))
    assert said.startswith(PRIVATE)
    assert "No warnings" in said
    assert left(small) == ["people.csv", "small.toml"]  # no ledger, nothing charged
    coloured = done(cli(small, "check", "small.toml", "--data", FORCE_COLOR="1", TERM="xterm-256color"))
    assert coloured.startswith("\x1b[1;31mPRIVATE")


def test_data_that_does_not_fit_is_said_and_ends_with_1(cli: Cli, small: Path) -> None:
    (small / "people.csv").write_text("age,sex,more\n" + "1,Female,x\n2,Male,x\n" * 50)
    said = cli(small, "check", "small.toml", "--data")
    assert (said.returncode, said.stderr) == (1, "")
    for words in (
        "'Female' (50)",
        'map = { "Female" = "f", "Male" = "m" }',
        "no row counts",
        "Columns that nothing uses: more",
    ):
        assert words in said.stdout
    found = json.loads(cli(small, "check", "small.toml", "--data", "--json").stdout)
    assert found["private"] == PRIVATE
    assert {one["place"] for one in found["warnings"]} == {"attributes.sex", "releases.a"}
    assert all(one["fix"] for one in found["warnings"])
    assert found["attributes"][1]["examples"] == [["Female", 50], ["Male", 50]]


def test_the_public_check_reads_no_row_and_leads_there(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("rows were read")

    monkeypatch.setattr(Source, "read", never)
    said = done(cli(small, "check", "small.toml"))
    assert "no mistakes" in said
    assert "discreet check small.toml --data" in said


def test_mistakes_of_the_spec_come_first(cli: Cli, small: Path) -> None:
    (small / "small.toml").write_text(SMALL.replace('task = "table"', 'task = "tabel"'))
    said = cli(small, "check", "small.toml", "--data")
    assert said.returncode == 1
    assert "Did you mean 'table'?" in said.stdout
    assert "PRIVATE" not in said.stdout


def test_drafts_may_be_checked_and_data_must_be_there(cli: Cli, small: Path) -> None:
    (small / "small.toml").write_text("drafted_from_private_data = true\n" + SMALL)
    assert "No warnings" in done(cli(small, "check", "small.toml", "--data"))
    (small / "people.csv").unlink()
    assert "people.csv: there is no such file" in cli(small, "check", "small.toml", "--data").stdout
    (small / "small.toml").write_text(SMALL.replace('source = "people.csv"', ""))
    assert "source: missing" in cli(small, "check", "small.toml", "--data").stdout
