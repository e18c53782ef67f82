"""The exercise of CONTRIBUTING.md really works: its diffs, on a copy of the project, pass what they must pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.statistics import share

PROJECT = Path(__file__).parents[2]
PARTS = ("src", "docs/mechanisms", "tests", "pyproject.toml")


def added_files() -> dict[str, str]:
    """Path and text of every file that the diffs add."""
    page = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = {}
    for block in re.findall(r"````diff\n(.*?)````", page, re.DOTALL):
        for part in block.split("--- /dev/null\n+++ b/")[1:]:
            path, _, *lines = part.splitlines()
            assert all(line.startswith("+") for line in lines), path
            found[path] = "".join(f"{line[1:]}\n" for line in lines)
    return found


def test_the_exercise_works(tmp_path: Path) -> None:
    for part in PARTS:
        if (PROJECT / part).is_dir():
            shutil.copytree(PROJECT / part, tmp_path / part)  # with its kernels, as far as they are compiled
        else:
            shutil.copy(PROJECT / part, tmp_path / part)
    added = added_files()
    assert len(added) == 4
    for path, text in added.items():
        assert not (tmp_path / path).exists()
        (tmp_path / path).write_text(text, encoding="utf-8")

    def run(*command: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "PYTEST_ADDOPTS": ""}
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    run("ruff", "check", *(path for path in added if path.endswith(".py")))
    run("ruff", "format", "--check", *(path for path in added if path.endswith(".py")))
    run("discreet.cli.reference")
    assert "largest" in (tmp_path / "docs" / "mechanisms" / "best-base.md").read_text(encoding="utf-8")
    said = run(
        "pytest",
        "-n",
        "0",
        "tests/conformance",
        "tests/contract/test_layers.py",
        "-k",
        "margins or best-base or layers",
    )
    assert re.search(r"\d\d passed", said), said
    compared = re.search(r"(\d+) comparisons with laws", said)
    assert compared, said
    for _ in range(int(compared[1])):  # they were made in another process, and count here
        share()
    said = run("pytest", "-n", "0", "tests/contract/test_surface.py", "-k", "card or stem or documented")
    assert "3 passed" in said, said
