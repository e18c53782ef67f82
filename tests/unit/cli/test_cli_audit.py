"""The command `audit`: of a spec, and of a release with its ledger."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.audit import attacks
from discreet.audit.traces import Traced
from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import Cli, done, process, refused

cli, odd, small = cli_runs.cli, cli_runs.odd, cli_runs.small  # fixtures


def test_audit_of_a_spec(cli: Cli, small: Path) -> None:
    said = done(process(small, "audit", "small.toml"))
    assert said.startswith("a: table by geometric, epsilon 1: HOLDS\n  record and replay: ")
    assert "bytes:" not in said
    told = json.loads(done(cli(small, "audit", "small.toml", "a", "--json", "-o", "told.json")))
    assert told == json.loads((small / "told.json").read_text(encoding="utf-8"))
    assert told["releases"][0]["verdict"] == "HOLDS"
    assert "bytes" not in told["releases"][0]


@pytest.mark.parametrize("problems", [(), ("plain: a canary is in stderr",)])
def test_audit_of_bytes(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch, problems: tuple[str, ...]) -> None:
    def told(*_: Any, progress: Any) -> Traced:
        progress("bytes: plain")
        return Traced(problems, 12_345, ("plain", "CSV"))

    monkeypatch.setattr(attacks, "traced", told)
    said = cli(small, "audit", "small.toml", "--bytes", "-o", "told.json")
    assert (said.returncode, said.stderr) == (len(problems), "")
    traces = "1 trace of a row\n  WRONG: plain: a canary is in stderr" if problems else "no traces of a row"
    assert f"  bytes: 2 ways to publish, 12,345 bytes looked at, {traces}\n" in said.stdout
    found = json.loads((small / "told.json").read_text(encoding="utf-8"))["releases"][0]
    assert found["verdict"] == ("BROKEN" if problems else "HOLDS")
    assert found["bytes"] == {"looked_at": 12_345, "variants": ["plain", "CSV"], "problems": list(problems)}


def test_audit_of_a_release(cli: Cli, odd: Path, tmp_path: Path) -> None:
    asked = ("audit", "--release", "by-day", "--ledger", "people.ledger")
    said = done(process(odd, *asked))
    assert said.startswith("by-day: HOLDS\n  ok: its files are whole")
    assert "WRONG" not in said
    told = json.loads(done(cli(odd, *asked, "--json", "-o", str(tmp_path / "told.json"))))
    assert told == json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    assert (told["release"], told["ledger"], told["verdict"]) == ("by-day", "people.ledger", "HOLDS")
    assert {one["result"] for one in told["checks"]} == {"ok"}


def test_audit_of_a_release_that_is_wrong(cli: Cli, odd: Path, small: Path) -> None:
    done(cli(small, "publish", "small.toml"))
    asked = ("audit", "--release", "a", "--ledger", str(odd / "people.ledger"))
    said = cli(small, *asked)
    assert (said.returncode, said.stderr) == (1, "")
    assert said.stdout.startswith("a: BROKEN\n")
    assert "  WRONG: it was charged to this ledger (no charge for 'a': another ledger, or an older" in said.stdout
    assert cli(small, *asked, "--json").returncode == 1


def test_audit_needs_a_spec_or_a_release_with_its_ledger(cli: Cli, odd: Path) -> None:
    refused(cli(odd, "audit"), "name a spec")
    refused(cli(odd, "audit", "--release", "by-day"), "--ledger")
    refused(cli(odd, "audit", "--ledger", "people.ledger"), "--release")
    both = ("--release", "by-day", "--ledger", "people.ledger")
    refused(cli(odd, "audit", "people.toml", *both), "nothing else")
    refused(cli(odd, "audit", *both, "--bytes"), "nothing else")
    refused(cli(odd, "audit", "--release", "none", "--ledger", "people.ledger"), "none: no such folder")
    refused(cli(odd, "audit", "--release", "by-day", "--ledger", "none"), "none: there is no such ledger")
    refused(cli(odd, "audit", "people.toml", "--runs", "5"), "--runs goes with --black-box")
