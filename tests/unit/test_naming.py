"""Paths that no system can have are refused in words, wherever one is given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.errors import DiscreetError
from discreet.naming import usable_path
from discreet.spec import load_spec

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 5))
BAD: list[Any] = ["a\0b", "\0", "folder/a\0b", "x" * 300, f"{'x' * 300}/y", "a\ud800b", None, 3, b"bytes"]
GIVEN: dict[str, Callable[[Any], object]] = {
    "load": discreet.load,
    "open": lambda path: discreet.open(f"{path}.csv" if isinstance(path, str) else path, SCHEMA),
    "ledger": lambda path: discreet.from_counts(SCHEMA, [[1]], [3], ledger=path or "\0"),
    "to": lambda path: counts().publish(discreet.Table("age"), 1, name="a", to=path or "\0"),
    "save": lambda path: counts().publish(discreet.Table("age"), 1).save(path),
    "spec": load_spec,
    "questions": lambda path: counts().publish(discreet.Table("age"), 1).ask(path),
    "hierarchy": lambda path: discreet.Nominal.from_csv(str(path)),
    "values": lambda path: discreet.Nominal.from_values_csv(str(path)),
}


def counts() -> Any:
    return discreet.from_counts(SCHEMA, [[1]], [3])


@pytest.mark.parametrize("path", BAD, ids=lambda path: ascii(path)[:12])
@pytest.mark.parametrize("place", GIVEN)
def test_paths_that_cannot_be(place: str, path: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DiscreetError) as caught:
        GIVEN[place](path)
    assert str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_usual_paths_are_taken_as_they_are() -> None:
    for path in ("a", "/x/y.csv", "ä/ö", "x" * 255, Path("a") / "b", "~/x", "."):
        assert usable_path(path, "it") == Path(path)


@pytest.mark.parametrize("command", ["query", "check", "publish", "plan"])
def test_the_command_line_says_it(command: str, tmp_path: Path) -> None:
    """No argument of a process can hold NUL, but any can be too long."""
    run = [sys.executable, "-m", "discreet", command, "x" * 300]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (1, 2)  # a check says no, the others cannot begin
    assert "Traceback" not in done.stderr
    assert "too long" in done.stdout or "fewer characters" in done.stderr or "no such" in done.stderr
