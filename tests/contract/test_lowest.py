"""The versions that .ci/lowest tests are the lowest ones that may be installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def test_every_lower_bound_is_pinned_and_nothing_else() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    bounds = [bound for one in lists for bound in one if not bound.startswith(f"{project['name']}[")]
    assert all(bound.count(">=") == 1 for bound in bounds), "a dependency without a lower bound"
    lines = (PROJECT / ".ci" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert sorted(pins) == sorted(bound.replace(">=", "==") for bound in bounds)
