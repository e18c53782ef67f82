"""The command `ledger`: the account that it shows, and files that are no ledger."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

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
