"""The command line as people meet it first: its help, and calls that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit import cli_runs
from tests.unit.cli_runs import Cli, done, process

cli = cli_runs.cli  # a fixture

COMMANDS = ("demo", "check", "schema", "publish", "query", "ledger", "verify-noise")


def test_help_names_every_command_and_each_shows_an_example(tmp_path: Path) -> None:
    said = done(process(tmp_path, "--help"))
    assert [command for command in COMMANDS if f"\n  {command} " not in said] == []
    examples = """
import io, sys
from contextlib import redirect_stdout, suppress
from discreet.cli import main
for words in (["demo"], ["check"], ["schema", "draft"], ["publish"], ["query"], ["ledger"], ["verify-noise"]):
    sys.argv = ["discreet", *words, "--help"]
    with suppress(SystemExit), redirect_stdout(io.StringIO()) as out:
        main()
    print("Example" in out.getvalue() and f"discreet {' '.join(words)}" in out.getvalue().split("Example")[1])
sys.argv = ["discreet", "--help"]
"""
    assert process(tmp_path, prelude=examples).stdout.splitlines()[:7] == ["True"] * 7


@pytest.mark.parametrize(
    "arguments", [["publsh"], ["query"], ["query", "x", "--levl", "1"], ["query", "x", "--level", "no"]]
)
def test_a_wrong_call_says_what_is_wrong(cli: Cli, tmp_path: Path, arguments: list[str]) -> None:
    said = cli(tmp_path, *arguments)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert "Error: " in said.stderr
    assert "help" in said.stderr
