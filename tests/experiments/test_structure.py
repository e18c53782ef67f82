"""The experiments have one shape: a folder for each paper, the same rooms in each. The package knows none of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import discreet

PACKAGE = Path(discreet.__file__).parent
EXPERIMENTS = Path(__file__).parents[2] / "experiments"
PAPERS = ("sparse_summaries", "privelet", "ireduct", "grouping_smoothing", "sampled_analytics")
ROOMS = {"data", "trials", "checks", "page"}
#: files that every folder has
EVERYWHERE = {"__init__", "__main__"}


def modules(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def imported(path: Path) -> Iterator[str]:
    """What a module imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_nothing_in_the_package_imports_the_experiments() -> None:
    found = [path for path in modules(PACKAGE) if any(within(name, "experiments") for name in imported(path))]
    assert found == []
    assert not any(within(path.name, "experiments") for path in PACKAGE.iterdir())


def test_only_the_custodians_command_imports_the_evaluation() -> None:
    for path in modules(PACKAGE):
        own = path.relative_to(PACKAGE).parts[0] == "evaluate" or path.name == "evaluating.py"
        if not own:
            assert "discreet.evaluate" not in path.read_text(encoding="utf-8"), path


def test_imports_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text("def f():\n    from experiments.shared import charts\nimport experiments\n", encoding="utf-8")
    assert sorted(imported(path)) == ["experiments", "experiments.shared.charts"]
    assert not within("experimental", "experiments")


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_has_a_program_and_the_same_rooms(paper: str) -> None:
    folder = EXPERIMENTS / paper
    assert {path.name for path in folder.iterdir() if path.name != "__pycache__"} == {
        "__init__.py",
        "__main__.py",
        *ROOMS,
    }
    for room in ROOMS:
        assert (folder / room / "__init__.py").exists()
        assert [path for path in modules(folder / room) if path.stem not in EVERYWHERE], room


@pytest.mark.parametrize("paper", PAPERS)
def test_rooms_are_used_in_their_order(paper: str) -> None:
    """Data know nothing of trials, trials nothing of checks, checks nothing of the page."""
    order = ["data", "trials", "checks", "page"]
    for place, room in enumerate(order):
        for path in modules(EXPERIMENTS / paper / room):
            later = [f"experiments.{paper}.{other}" for other in order[place + 1 :]]
            assert not [name for name in imported(path) for other in later if within(name, other)], path


@pytest.mark.parametrize("paper", [*PAPERS, "shared"])
def test_papers_know_what_they_share_and_not_each_other(paper: str) -> None:
    others = [path.name for path in EXPERIMENTS.iterdir() if path.is_dir() and path.name not in (paper, "shared")]
    for path in modules(EXPERIMENTS / paper):
        known = [name for name in imported(path) for other in others if within(name, f"experiments.{other}")]
        assert known == [], path


def classes(folder: Path) -> list[str]:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in modules(folder))
    return [node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]


def test_no_two_classes_have_one_name() -> None:
    names = classes(EXPERIMENTS)
    assert len(names) > 20
    assert sorted(names) == sorted(set(names))
    assert not set(names) & set(classes(PACKAGE))


def test_no_two_modules_differ_by_one_letter() -> None:
    names = sorted({path.stem for path in modules(EXPERIMENTS)} | {path.parent.name for path in modules(EXPERIMENTS)})
    assert not [pair for pair in combinations(names, 2) if one_letter_apart(*pair)]


def one_letter_apart(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) == len(long):
        return sum(a != b for a, b in zip(short, long, strict=True)) == 1
    return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))


def test_letters_are_counted() -> None:
    assert one_letter_apart("census", "censuy")
    assert one_letter_apart("claim", "claims")
    assert not one_letter_apart("census", "census")
    assert not one_letter_apart("census", "sensors")


@pytest.mark.parametrize("path", modules(EXPERIMENTS), ids=lambda path: str(path.relative_to(EXPERIMENTS)))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
