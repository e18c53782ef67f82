"""Which large libraries a command may load: whoever asks a small release waits for none of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LARGE = {
    *("cryptography", "duckdb", "ibis", "narwhals", "numba", "numpy", "pandas", "polars", "pyarrow"),
    *("pydantic", "rich", "scipy", "sqlglot", "typer"),
}
ARRAYS = {"numpy", "pyarrow"}
#: local files are counted without ibis. Arrow loads pandas where it is installed, as here; the default install has none
COUNTING = {*ARRAYS, "cryptography", "duckdb", "rich"}
HIDDEN = ("pandas", "scipy")
#: command -> the large libraries that it needs
COMMANDS = {
    "--version": {"typer"},
    "ledger s.ledger": {"rich"},
    "check s.toml": {"numpy"},
    "query by-age age<18": ARRAYS,
    "query by-age --by age": {*ARRAYS, "rich"},
    "query pairs --by sex": {*ARRAYS, "rich"},
    "quantile ages age": ARRAYS,
    "top by-place -k 1": {*ARRAYS, "rich"},
    "publish s.toml by-age -o another": COUNTING,
    "publish s.toml pairs -o more": COUNTING,
    "demo --quiet": COUNTING,
}
SPEC = """
[data]
source = "people.csv"
[privacy]
unit = "row"
neighbours = "add-remove"
ledger = "s.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 99
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
[releases.by-age]
task = "table"
by = ["age", "sex"]
epsilon = 1.0
[releases.ages]
task = "ranges"
by = "age"
epsilon = 1.0
[releases.pairs]
task = "marginals"
ways = 2
epsilon = 1.0
[releases.by-place]
task = "items"
by = "sex"
epsilon = 1.0
"""
CODE = """
import sys
from discreet.__main__ import main
try:
    main()
except SystemExit as leaving:
    assert not leaving.code, leaving.code
print(*sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec, its rows, its ledger and its releases."""
    place = tmp_path_factory.mktemp("start")
    (place / "hidden").mkdir()
    for library in HIDDEN:
        (place / "hidden" / f"{library}.py").write_text("raise ImportError", encoding="utf-8")
    (place / "s.toml").write_text(SPEC, encoding="utf-8")
    rows = "".join(f"{age},{'fm'[age % 2]}\n" for age in range(100))
    (place / "people.csv").write_text(f"age,sex\n{rows}", encoding="utf-8")
    _run(place, "publish", "s.toml", "--all")
    return place


def _run(place: Path, *arguments: str) -> set[str]:
    path = os.pathsep.join(filter(None, [str(place / "hidden"), os.environ.get("PYTHONPATH")]))
    command, env = [sys.executable, "-c", CODE, *arguments], {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_loads_no_more_than_it_needs(command: str, folder: Path) -> None:
    allowed = COMMANDS[command]
    if command.startswith("publish"):  # from a ledger of its own, so that it is the first time
        spec = (folder / "s.toml").read_text(encoding="utf-8").replace("s.ledger", "another.ledger")
        (folder / "another.toml").write_text(spec, encoding="utf-8")
        command = command.replace("s.toml", "another.toml")
    assert _run(folder, *command.split()) & LARGE <= allowed
