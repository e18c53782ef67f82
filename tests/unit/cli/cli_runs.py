"""Runs of the command line in a folder, what a good and a refused run look like, and two folders of private data."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.__main__ import main

ODD = ["plain", "a,b", 'q"uote', "two\nlines", "=1+1", "@sum", "[/bold]", "y" * 150, "É"]
SPEC = """\
[data]
source = "people.csv"
name = "peo[/ple]"
delimiter = ";"

[privacy]
budget = 3
ledger = "people.ledger"

[attributes.day]
kind = "ordinal"
low = 2024-01-01
high = 2024-01-03

[attributes."no[/te]"]
kind = "nominal"
values = LABELS

[releases.by-day]
task = "table"
by = ["day", "no[/te]"]
epsilon = 1

[releases.dear]
task = "table"
by = ["day"]
epsilon = 2.5

[releases.days]
task = "table"
by = ["day"]
epsilon = 0.1
""".replace("LABELS", json.dumps(ODD, ensure_ascii=False))
SMALL = """\
[data]
source = "people.csv"
[privacy]
budget = 3
ledger = "small.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 4
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
[releases.a]
task = "table"
by = ["age", "sex"]
epsilon = 1
"""
DENSE = SMALL.replace("epsilon = 1", 'epsilon = 1\nmethod = "geometric"')

Done = subprocess.CompletedProcess[str]
Cli = Callable[..., Done]


def process(here: Path, *arguments: Any, prelude: str = "", **env: str) -> Done:
    """One run of `discreet` in the folder `here`, as from a shell; temporary files go to here/.tmp."""
    scratch = here / ".tmp"
    scratch.mkdir(exist_ok=True)
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-c", f"{prelude}\nfrom discreet.__main__ import main\nmain()", *arguments],
        cwd=here,
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(scratch), "PYTHONUTF8": "1", **env},
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=120,
    )


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """The same without a new process: an exception that `main` lets through fails the test.

    A process takes a second or two to start, so each command is started once or more, and its many ways to go wrong
    are then tried through this.
    """

    def run(here: Path, *arguments: str, **env: str) -> Done:
        (here / ".tmp").mkdir(exist_ok=True)
        with monkeypatch.context() as patch:
            patch.chdir(here)
            patch.setattr(tempfile, "tempdir", str(here / ".tmp"))
            patch.setattr(sys, "argv", ["discreet", *arguments])
            for name, value in env.items():
                patch.setenv(name, value)
            capfd.readouterr()
            code: Any = 0
            try:
                main()
            except SystemExit as end:
                code = end.code
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, code or 0, out, err)

    return run


def done(said: Done) -> str:
    assert (said.returncode, said.stderr) == (0, "")
    return said.stdout


def refused(said: Done, *words: str, code: int = 2, lines: int = 1) -> str:
    """One clear message on stderr, nothing on stdout, the right code, and no traceback."""
    assert "Traceback" not in said.stderr, said.stderr
    assert said.returncode == code, said.stderr
    assert said.stderr.startswith("discreet: ")
    assert len(said.stderr.strip().splitlines()) == lines
    assert said.stdout == ""
    for word in words:
        assert word in said.stderr
    return said.stderr


def left(here: Path) -> list[str]:
    return sorted(path.name for path in here.iterdir() if path.name != ".tmp")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with private data, its spec, and the release `by-day`; labels are as odd as labels get."""
    here = tmp_path_factory.mktemp("odd")
    (here / "people.toml").write_text(SPEC, encoding="utf-8")
    with (here / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["no[/te]", "day", "more"])
        for number, label in enumerate(ODD):
            writer.writerows([[label, "2024-01-02", "x"]] * (1000 * number))
    said = done(process(here, "publish", "people.toml", "by-day"))
    assert said.startswith("Published by-day\n")
    assert "budget: 1 spent, 2 left" in said
    assert "Ask it: discreet query by-day" in said
    return here


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age,sex\n" + "1,f\n2,m\n" * 50)
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path
