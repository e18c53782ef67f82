"""The pages of results are what their recorded numbers say, and the commands they name are there."""

from __future__ import annotations

import importlib
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.recorded import RESULTS, recorded

ROOT = Path(__file__).parents[2]
#: every program that writes a page
PROGRAMS = (
    "sparse_summaries",
    "privelet",
    "ireduct",
    "grouping_smoothing",
    "sampled_analytics",
    "claims",
    "guide",
)
TEXTS = [ROOT / "README.md", ROOT / "experiments" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def page(program: str) -> tuple[str, dict[str, str]]:
    """The stem of a program's page, and every file as it is made from the record."""
    stem: str = importlib.import_module(f"experiments.{program}.page").STEM
    whole: Any = importlib.import_module(f"experiments.{program}.page.whole")
    return stem, whole.render(recorded(stem))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_page_is_that_of_its_numbers(program: str) -> None:
    _, made = page(program)
    stale = [name for name, text in made.items() if (RESULTS / name).read_text(encoding="utf-8") != text]
    assert not stale, f"run: python -m experiments.{program} --page-only"


@pytest.mark.parametrize("program", PROGRAMS[:5])
def test_the_verdict_accounts_for_every_check_that_fails(program: str) -> None:
    """What fails in nine figures is not shown as one: all that is listed adds up to what the first sentence says."""
    stem, made = page(program)
    opening = made[f"{stem}.md"].partition("![")[0]
    (failed,) = re.findall(r"and (\d+) do not\.", opening)
    listed = re.findall(r"^- (?!and \d+ more)(?:[^:]*\(and (\d+) more\))?", opening, re.M)
    left = re.findall(r"^- and \d+ more, in (\d+) checks", opening, re.M)
    assert sum(1 + int(more or 0) for more in listed) + sum(map(int, left)) == int(failed)


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_chart_is_left_over(program: str) -> None:
    stem, made = page(program)
    there = {path.name for path in RESULTS.glob(f"{stem}*") if path.suffix in (".md", ".svg")}
    assert there == set(made)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_page_names_its_program(program: str) -> None:
    stem, made = page(program)
    assert set(commands(made[f"{stem}.md"])) == {f"experiments.{program}"}


def commands(text: str) -> list[str]:
    """The modules that a text tells its reader to run."""
    return re.findall(r"python -m ([\w.]+)", text)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_is_there(path: Path) -> None:
    for module in commands(path.read_text(encoding="utf-8")):
        found = find_spec(module)
        assert found is not None, module
        assert found.submodule_search_locations is None or find_spec(f"{module}.__main__"), module


def test_a_command_that_is_not_there_is_seen() -> None:
    assert commands("by `python -m experiments.privelet --data FOLDER`; or python -m experiments.x") == [
        "experiments.privelet",
        "experiments.x",
    ]
    assert find_spec("experiments.x") is None


def test_results_are_small() -> None:
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) < 2_000_000
