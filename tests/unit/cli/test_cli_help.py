"""The command line as people meet it first: its help, and calls that are wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.unit.cli import cli_runs
from tests.unit.cli.cli_runs import Cli, done, process

cli = cli_runs.cli  # a fixture

COMMANDS = ("demo", "check", "schema", "publish", "query", "ledger", "verify-noise")


def test_help_names_every_command_and_each_shows_an_example(tmp_path: Path) -> None:
    said = done(process(tmp_path, "--help"))
    assert [command for command in COMMANDS if f"\n  {command} " not in said] == []
    examples = """
import io, sys
from contextlib import redirect_stdout, suppress
from discreet.__main__ import main
for words in (["demo"], ["check"], ["schema", "draft"], ["publish"], ["query"], ["ledger"], ["verify-noise"]):
    sys.argv = ["discreet", *words, "--help"]
    with suppress(SystemExit), redirect_stdout(io.StringIO()) as out:
        main()
    print("Example" in out.getvalue() and f"discreet {' '.join(words)}" in out.getvalue().split("Example")[1])
sys.argv = ["discreet", "--help"]
"""
    assert process(tmp_path, prelude=examples).stdout.splitlines()[:7] == ["True"] * 7


@pytest.mark.parametrize("command", ["query", "quantile", "top"])
def test_help_keeps_each_example_on_its_line(cli: Cli, tmp_path: Path, command: str) -> None:
    examples = done(cli(tmp_path, command, "--help")).split("Examples:\n")[1].split("\n\n")[0].splitlines()
    assert len(examples) > 1
    assert [line for line in examples if line.count("discreet ") != 1 or not line.startswith("    discreet ")] == []


def test_the_version_is_told(cli: Cli, tmp_path: Path) -> None:
    assert done(cli(tmp_path, "--version")) == f"discreet {version('discreet')}\n"


@pytest.mark.parametrize(
    "arguments", [["publsh"], ["query"], ["query", "x", "--levl", "1"], ["query", "x", "--level", "no"]]
)
def test_a_wrong_call_says_what_is_wrong(cli: Cli, tmp_path: Path, arguments: list[str]) -> None:
    said = cli(tmp_path, *arguments)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert "Error: " in said.stderr
    assert "help" in said.stderr


@pytest.mark.parametrize("words", ["'charged; again for nothing'", ""])
def test_ctrl_c_has_the_last_word(tmp_path: Path, words: str) -> None:
    stopping = f"""
import discreet.cli.describing
def stop(*arguments):
    raise KeyboardInterrupt({words})
discreet.cli.describing.run_check = stop
"""
    said = process(tmp_path, "check", "x.toml", prelude=stopping)
    assert said.returncode == 130
    assert said.stderr == f"discreet: {words.strip(chr(39)) or 'stopped'}\n"


def test_a_polite_kill_ends_as_ctrl_c_does(tmp_path: Path) -> None:
    """What is private is removed on the way out."""
    killed = """
import os, signal, tempfile, time
import discreet.cli.describing
def wait(*arguments):
    with tempfile.TemporaryDirectory():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(20)
discreet.cli.describing.run_check = wait
"""
    said = process(tmp_path, "check", "x.toml", prelude=killed)
    assert (said.returncode, said.stderr) == (130, "discreet: stopped\n")
    assert list((tmp_path / ".tmp").iterdir()) == []


def test_bash_completes_once_that_is_installed(tmp_path: Path) -> None:
    """As a person would do it: install from bash, start it anew, type and press Tab."""
    command = tmp_path / "discreet"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m discreet "$@"\n', encoding="utf-8")
    command.chmod(0o700)
    press = f'COMP_WORDS=(discreet quan); COMP_CWORD=1; _discreet_completion {command}; echo "${{COMPREPLY[*]}}"'
    said = [
        subprocess.run(["bash", "-c", line], env={**os.environ, "HOME": str(tmp_path)}, capture_output=True, text=True)
        for line in (f"{command} --install-completion; true", f"source ~/.bashrc; {press}")
    ]
    assert "bash completion installed in" in said[0].stdout, said[0].stderr
    assert said[1].stdout.split() == ["quantile"], said[1].stderr
