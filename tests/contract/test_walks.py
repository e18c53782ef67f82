"""The walks of docs/design.md, from a spec to an estimate, are what really happens: each is traced."""

from __future__ import annotations

import re
import sys
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import discreet
import discreet.release.release  # what happens while it is loaded is no step of a walk
from discreet.__main__ import main

DESIGN = (Path(__file__).parents[2] / "docs" / "design.md").read_text(encoding="utf-8")
ROOT = Path(discreet.__file__).parent
MOST_STEPS = 25
#: words that every room uses; a walk need not stop there
EVERYWHERE = {
    "arrow",
    "errors",
    "naming",
    "parameters",
    "left_out",
    "privacy",
    "schema",
    "numbers",
    "kernels",
    "help",
    "method_names",
}
RELEASES = {
    "Table filter-priority": 'task = "table"\nby = ["age", "sex"]\nmethod = "filter-priority"\nsize = 10\ntheta = 2',
    "Ranges adaptive": 'task = "ranges"\nby = ["age", "sex"]\nmethod = "adaptive"',
    "Marginals ireduct": 'task = "marginals"\nways = 2\nmethod = "ireduct"',
    "Items hpa": 'task = "items"\nby = "age"\ncontext = ["sex"]\nmethod = "hpa"',
}
SPEC = """
[data]
source = "people.csv"
[privacy]
unit = "who"
max_rows = 9
ledger = "people.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 6
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
[releases.walk]
epsilon = 1
"""

Step = tuple[str, str]


def steps(title: str) -> list[Step]:
    """File and function of each step that the design names."""
    section = re.search(rf"### {re.escape(title)}\n(.*?)(?=\n##|\Z)", DESIGN, re.DOTALL)
    assert section is not None, f"docs/design.md has no walk {title}"
    return re.findall(r"^\| \d+ \| `([\w/]+\.py)` \| `([\w.]+)` \|", section[1], re.MULTILINE)


def traced(tmp_path: Path, release: str, monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Every call inside the package while the command line publishes, and then answers."""
    people = "\n".join(f"{row % 50},{row % 7},{'fm'[row % 2]}" for row in range(400))
    (tmp_path / "people.csv").write_text(f"who,age,sex\n{people}\n")
    (tmp_path / "people.toml").write_text(f"{SPEC}{release}\n")
    monkeypatch.chdir(tmp_path)
    calls: list[Step] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        function = frame.f_code.co_flags & CO_OPTIMIZED  # not the body of a module or a class that is loaded
        if event == "call" and function and frame.f_code.co_filename.startswith(str(ROOT)):
            calls.append((str(Path(frame.f_code.co_filename).relative_to(ROOT)), frame.f_code.co_qualname))

    for arguments in (["publish", "people.toml", "--quiet"], ["query", "walk", "age between 2 and 5"]):
        monkeypatch.setattr(sys, "argv", ["discreet", *arguments])
        sys.setprofile(note)
        try:
            main()
        finally:
            sys.setprofile(None)
    return calls


@pytest.mark.parametrize("title", RELEASES)
def test_a_walk_is_what_happens(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walk, calls = steps(title), traced(tmp_path, RELEASES[title], monkeypatch)
    assert 10 <= len(walk) <= MOST_STEPS
    place = 0
    for step in walk:
        assert step in calls[place:], f"{title}: {step} is not called" + (" in this order" if step in calls else "")
        place += calls[place:].index(step) + 1
    passed = {file.split("/")[0].removesuffix(".py") for file, _ in calls}
    named = {file.split("/")[0].removesuffix(".py") for file, _ in walk}
    missed = passed - named - EVERYWHERE - {"__init__", "__main__"}
    assert not missed, f"{title} passes rooms that its walk does not name: {missed}"
