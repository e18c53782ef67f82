"""A reader finds the way: rooms as the design draws them, tests beside them, names that mean one thing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

from discreet.cli.reference import stem
from discreet.mechanisms import registry
from tests.contract.imports import ROOT, modules

PROJECT = Path(__file__).parents[2]


def folders(root: Path) -> set[str]:
    return {str(path.parent.relative_to(root)) for path in root.rglob("*.py")} - {"."}


def test_the_design_draws_every_room() -> None:
    page = (PROJECT / "docs" / "design.md").read_text(encoding="utf-8")
    rooms = page[page.index("## Rooms") : page.index("## The nouns")]
    drawn = {name.rstrip("/") for name in re.findall(r"^\| `([\w/.]+)` \|", rooms, re.MULTILINE)}
    top = {path.name for path in ROOT.iterdir() if path.name not in ("__init__.py", "__main__.py", "py.typed")}
    everyday = {"errors.py", "naming.py", "__pycache__"}
    for job in re.findall(r"^\| `[\w/.]+` \| ([^|]*) \|", rooms, re.MULTILINE):
        assert not re.search(r"\band\b|;", job), f"a room has one job, not: {job}"
    assert drawn - {"private/engines"} == top - everyday


def test_what_people_look_for_is_where_the_design_says() -> None:
    page = (PROJECT / "docs" / "design.md").read_text(encoding="utf-8")
    section = page[page.index("## Where is it?") : page.index("## Four walks")]
    rows = re.findall(r"^\| .* \| `([\w/]+\.py)` \| `([\w.]+)` \|", section, re.MULTILINE)
    assert len(rows) == section.count("\n| ") - 1 > 10
    for file, name in rows:
        path = (PROJECT if file.startswith("tests/") else ROOT) / file
        text = path.read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"(?:def|class) {part}\b|^{part}\b.* = ", text, re.MULTILINE), f"{file} has no {name}"


def test_tests_mirror_the_package() -> None:
    assert folders(PROJECT / "tests" / "unit") == folders(ROOT)


def test_no_two_classes_have_one_name() -> None:
    found = Counter(
        node.name
        for path in modules().values()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in found.items() if count > 1] == []


def test_no_modules_differ_by_a_letter() -> None:
    """Methods are called what papers call them; a kernel may have the very name of the module that it serves."""
    methods = {stem(method).replace("-", "_") for _, method in registry()}
    names = sorted({name.rsplit(".", 1)[-1] for name in modules()} - methods)
    assert [pair for pair in combinations(names, 2) if _differ_by_a_letter(*pair)] == []
    assert _differ_by_a_letter("node_axis", "node_axes")
    assert _differ_by_a_letter("tables", "table")
    assert not _differ_by_a_letter("files", "frame")


def _differ_by_a_letter(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    if len(one) == len(other):
        return sum(a != b for a, b in zip(one, other, strict=True)) == 1
    short, long = sorted((one, other), key=len)
    return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))


def test_nothing_is_in_the_package_for_tests_alone() -> None:
    """Every function and class is used in the package, by a benchmark or by an experiment, or is a promise."""
    places = [ROOT, PROJECT / "benchmarks", PROJECT / "experiments"]
    used: Counter[str] = Counter()
    defined: list[tuple[str, str]] = []
    for path in (path for place in places for path in place.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used.update(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        used.update(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        used.update(alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names)
        if path.is_relative_to(ROOT):
            defined += [
                (str(path.relative_to(ROOT)), node.name)
                for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list
            ]
    promised = {kind.__name__ for kind in registry().values()} | {"__getattr__", "__dir__"}
    assert [place for place in defined if place[1] not in used and place[1] not in promised] == []
