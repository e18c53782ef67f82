"""Calls are read alike by `plain_calls` and by typer, or left to typer."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.cli.app import app
from discreet.cli.declared import Commands, Option
from discreet.cli.plain_calls import plain_call
from discreet.cli.typer_app import whole_app

#: what words may look like: values of every kind, some of them wrong for most options, and words that are odd
VALUES = [
    "age",
    "age < 18",
    "0.5",
    "5",
    "007",
    "1e3",
    "1_000",
    " 5",
    "５",
    "out/by-age",
    "~/x",
    "a/../b",
    "Ä",
    "nan",
    "*",
]
ODD = ["", "-", "--", "-1", "--json=1", "-q5", "--hel", "-x", "true", "\udc80"]
Given = dict[str, Any]


def _recording(commands: Commands, seen: list[Given]) -> Commands:
    """The same commands, which only note what they are given."""
    copy = Commands(commands.help)
    for name, inner in commands.within.items():
        copy.within[name] = _recording(inner, seen) if isinstance(inner, Commands) else _noting(inner, seen)
    return copy


def _noting(function: Callable[..., None], seen: list[Given]) -> Callable[..., None]:
    @functools.wraps(function)
    def note(**values: Any) -> None:
        seen.append({"command": function.__name__, **values})

    return note


SEEN: list[Given] = []
BY_TYPER = whole_app(_recording(app, SEEN))


def _by_typer(words: list[str]) -> Given | None:
    SEEN.clear()
    try:
        BY_TYPER(words, standalone_mode=False)
    except Exception:
        return None
    return SEEN.pop() if SEEN else None


def _plainly(words: list[str]) -> Given | None:
    call = plain_call(app, words)
    return None if call is None else {"command": call.func.__name__, **call.keywords}  # type: ignore[attr-defined]


def _types(values: Given | None) -> Any:
    """Values with their types, those of lists as well, so that 1 is not 1.0, nor a text a path."""
    return values and {name: (type(one), repr(one)) for name, one in values.items()}


def _options(function: Callable[..., None]) -> list[str]:
    hints = get_type_hints(function, include_extras=True)
    declared = [(name, get_args(hint)[1]) for name, hint in hints.items() if name != "return"]
    options = [(name, one) for name, one in declared if isinstance(one, Option)]
    return [spelt for name, one in options for spelt in one.names or [f"--{name.replace('_', '-')}"]]


PATHS = [["schema", "draft"], *([name] for name, inner in app.within.items() if not isinstance(inner, Commands))]


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
@given(data=st.data())
def test_whatever_is_read_plainly_typer_reads_alike(path: list[str], data: st.DataObject) -> None:
    command, _ = app.called(path)
    assert command is not None
    words = st.one_of(st.sampled_from(VALUES), st.sampled_from(VALUES + _options(command)), st.sampled_from(ODD))
    call = [*path, *data.draw(st.lists(words, max_size=6))]
    if (read := _plainly(call)) is not None:
        assert _types(read) == _types(_by_typer(call)), call


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_each_option_is_read_plainly_and_alike(path: list[str]) -> None:
    """So the short way is taken, and by every option."""
    command, _ = app.called(path)
    assert command is not None
    hints = get_type_hints(command, include_extras=True)
    needed = ["x.toml", "y"][: sum("Argument" in repr(hint) for hint in hints.values())]
    if path == ["rows"]:
        needed += ["-o", "x.csv"]
    if path == ["verify-noise"]:
        needed += ["--epsilon", "1"]
    plain = [[*path, *needed]]
    for option in _options(command):
        if option not in needed and not (option == "--output" and "-o" in needed):
            plain += [[*path, *needed, option], [*path, *needed, option, "7"], [*path, option, "7", *needed]]
    found = [(_types(_by_typer(call)), _types(_plainly(call)), call) for call in plain]
    assert [(by_typer, plainly, call) for by_typer, plainly, call in found if by_typer != plainly] == []
    assert sum(plainly is not None for _, plainly, _ in found) > len(_options(command))


@pytest.mark.parametrize(
    "words",
    ["", "--help", "--version", "query", "query --help", "query x --levl 1", "query x --level=0.9", "query x y z",
     "query x -- y", "publsh", "check x --json --json", "top x -k five", "top x -k5", "schema"],
)  # fmt: skip
def test_help_mistakes_and_odd_spellings_are_left_to_typer(words: str) -> None:
    assert plain_call(app, words.split()) is None


def test_completion_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain_call(app, ["demo"]) is not None
    monkeypatch.setenv("_DISCREET_COMPLETE", "complete_bash")
    assert plain_call(app, ["demo"]) is None


def test_lists_are_read_alike() -> None:
    for call in (
        ["ledger", "a", "b", "c", "--against"],
        ["query", "r", "--by", "sex", "--by", "age", "--with", "p", "--with", "q"],
        ["serve"],
        ["serve", "a", "b"],
    ):
        assert _plainly(call) is not None
        assert _types(_plainly(call)) == _types(_by_typer(call))


def test_a_reader_who_has_seen_enough_is_no_mistake(tmp_path: Path) -> None:
    """As `discreet verify-noise ... | head -0` is: no traceback, and code 1."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-u", "-m", "discreet", "check", "x.toml", "--json"]
    (tmp_path / "x.toml").write_text("", encoding="utf-8")
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")
