"""The command `ledger`: the account that it shows, and files that are no ledger."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet.ledger import Ledger
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import Cli, done, process, refused

cli, odd = cli_runs.cli, cli_runs.odd  # fixtures


def test_ledger_shows_the_account(cli: Cli, odd: Path) -> None:
    said = done(process(odd, "ledger", "people.ledger"))
    for words in ("peo[/ple]: 1 spent, of 3, 2 left", "charge", "release-recorded", "by-day", "opened, cap 3"):
        assert words in said
    account = json.loads(done(cli(odd, "ledger", "people.ledger", "--json")))
    ledger = Ledger.read(odd / "people.ledger")
    assert account["head"] == ledger.head()
    assert [entry["kind"] for entry in account["entries"]] == ["opened", "charge", "release-recorded"]
    assert account["entries"][1]["epsilon"] == "1"
    assert account["entries"][1]["release"] == "by-day"
    assert account["entries"][1]["what"].startswith("Table(['day'")
    assert account["entries"][1]["who"] == ledger.entries()[1].who


@pytest.mark.parametrize("as_json", [False, True])
def test_ledger_refuses_what_is_none(cli: Cli, odd: Path, tmp_path: Path, as_json: bool) -> None:
    flags = ["--json"] if as_json else []
    (tmp_path / "text").write_text("no ledger\n" * 100)
    refused(cli(tmp_path, "ledger", "none", *flags), "none")
    refused(cli(tmp_path, "ledger", "text", *flags), "text is not a Discreet ledger")
    assert (tmp_path / "text").read_text() == "no ledger\n" * 100
    shutil.copy(odd / "people.ledger", tmp_path / "changed")
    with closing(sqlite3.connect(tmp_path / "changed", isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("UPDATE entries SET nano = 1 WHERE kind = 'charge'")
    said = cli(tmp_path, "ledger", "changed", *flags)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert "changed by hand or damaged" in said.stderr


def test_releases_are_checked_against_a_ledger(cli: Cli, tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2]})
    schema, task = discreet.Schema(age=discreet.Ordinal(0, 4)), discreet.Table(["age"])
    data = discreet.open(table, schema, ledger=tmp_path / "l", budget=3)
    data.publish(task, 1, name="a", to=tmp_path / "a")
    shutil.copy(tmp_path / "l", tmp_path / "backup")
    data.publish(task, 1, name="b", to=tmp_path / "b")
    discreet.open(table, schema).publish(task, 1, name="m", to=tmp_path / "m")
    discreet.open(table, schema, ledger=tmp_path / "other").publish(task, 1, name="a", to=tmp_path / "foreign")

    said = done(process(tmp_path, "ledger", "l", "--against", "a", "b"))
    assert said.count("in the ledger") == 2
    checks = {"b": "its charge is not in this ledger", "foreign": "its charge is not", "m": "an account in memory"}
    for folder, words in {**checks, "none": "no such folder"}.items():
        run = cli(tmp_path, "ledger", "backup", "a", folder, "--against")
        assert (run.returncode, run.stderr) == (1, "")
        assert words in run.stdout
        assert run.stdout.count("in the ledger") == 1
    run = cli(tmp_path, "ledger", "backup", "--against", "a", "b", "--json")
    assert run.returncode == 1
    assert [one["fault"] is None for one in json.loads(run.stdout)["releases"]] == [True, False]

    shutil.copy(tmp_path / "backup", tmp_path / "l")  # now its witness tells as well
    run = cli(tmp_path, "ledger", "l", "--against", "a")
    assert run.returncode == 1
    assert "older copy" in run.stderr
    refused(cli(tmp_path, "ledger", "l", "a"), "--against RELEASE")
    refused(cli(tmp_path, "ledger", "l", "--against"), "--against RELEASE")


def test_a_release_that_was_changed_or_never_recorded_is_not_vouched_for(cli: Cli, tmp_path: Path) -> None:
    schema, task = discreet.Schema(age=discreet.Ordinal(0, 4)), discreet.Table(["age"])
    data = discreet.open(pa.table({"age": [1, 2]}), schema, ledger=tmp_path / "l", budget=3)
    release = data.publish(task, 1, name="a", to=tmp_path / "a")
    ledger = Ledger.read(tmp_path / "l")
    assert ledger.fault_of(release.manifest) is None
    assert "not the bytes" in str(ledger.fault_of({**release.manifest, "seal": "0" * 64}))
    data.ledger.charge("b", "ab", Fraction(1), "ana", "table")
    charged = ledger.entries()[-1]
    unrecorded = {**release.manifest, "id": "b", "request": "ab", "ledger": {"durable": True, "head": charged.hash}}
    assert "never recorded" in str(ledger.fault_of(unrecorded))
    (tmp_path / "a" / "table.parquet").write_bytes(b"other")
    run = cli(tmp_path, "ledger", "l", "--against", "a")
    assert run.returncode == 1
    assert "in the ledger" not in run.stdout
