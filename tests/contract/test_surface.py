"""What is promised: exported names, commands and their documentation, cards, README commands, a quick start."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import discreet
from discreet.cli.app import app
from discreet.cli.reference import pages, stem
from discreet.mechanisms import registry
from discreet.tasks import TASKS

PROJECT = Path(__file__).parents[2]
NAMES = [
    "DiscreetError",
    "Estimate",
    "Items",
    "Marginals",
    "Nominal",
    "Ordinal",
    "Periods",
    "Ranges",
    "Reading",
    "Release",
    "Schema",
    "Table",
    "Unit",
    "combine",
    "from_counts",
    "load",
    "load_spec",
]


def test_exported_names() -> None:
    assert sorted(discreet.__all__) == NAMES
    for name in NAMES:
        assert getattr(discreet, name) is not None
    assert callable(discreet.open)  # which a star import leaves alone, for it is Python's own name too
    assert re.match(r"\d+\.\d+", discreet.__version__)
    with pytest.raises(AttributeError):
        discreet.nothing  # noqa: B018


def test_every_method_has_its_card() -> None:
    cards = {path.stem for path in (PROJECT / "docs" / "mechanisms").glob("*.md")}
    methods = {method for _, method in registry()}
    assert {stem(method) for method in methods} <= cards
    for method in methods:
        text = (PROJECT / "docs" / "mechanisms" / f"{stem(method)}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {method}\n"), method
        parts = ["Parameters", "Examples", "Claim", "Proof sketch", "Error", "Cost", "When to use it", "Source"]
        assert re.findall("^## (.*)$", text, re.MULTILINE) == parts, method


def test_tests_that_the_docs_name_exist() -> None:
    named = 0
    for page in [*(PROJECT / "docs").rglob("*.md"), *PROJECT.glob("*.md")]:
        for place in re.findall(r"\btests/[\w/]+\.py(?:::\w+)?", page.read_text(encoding="utf-8")):
            path, _, test = place.partition("::")
            named += 1
            assert (PROJECT / path).is_file(), f"{page.name} names {path}"
            assert f"def {test}" in (PROJECT / path).read_text(encoding="utf-8"), f"{page.name} names {place}"
    assert named > 20


def test_links_of_the_pages_lead_somewhere() -> None:
    followed = 0
    for page in [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md"), *(PROJECT / "experiments").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if "://" not in link:
                followed += 1
                assert (page.parent / link).exists(), f"{page.name} links to {link}"
    assert followed > 50


def test_the_page_of_the_spec_names_every_method() -> None:
    page = (PROJECT / "docs" / "spec.md").read_text(encoding="utf-8")
    for task in TASKS:
        row = re.search(rf"^\| `{task}` \|.*\|(.*)\|$", page, re.MULTILINE)
        assert row is not None, task
        assert set(re.findall("`([^`]+)`", row[1])) == {method for name, method in registry() if name == task}


def test_file_class_and_method_share_a_stem() -> None:
    for (_, method), kind in registry().items():
        assert kind.__module__ == f"discreet.mechanisms.{kind.tasks[0]}.{stem(method).replace('-', '_')}"
        assert kind.__name__.lower() == stem(method).replace("-", "")


def test_what_methods_share_is_named_after_their_task() -> None:
    """In a task's folder a file is a method, or starts with what the task is about; and no two names look alike."""
    package = Path(discreet.__file__).parent
    methods = {kind.__module__.rsplit(".", 1)[1] for kind in registry().values()}
    names = [path.stem for path in package.rglob("*.py") if path.stem != "__init__"]
    names += [path.name for path in package.rglob("*") if path.is_dir()]
    shared = 0
    for task in TASKS:
        for path in (package / "mechanisms" / task).glob("*.py"):
            if path.stem in methods or path.stem == "__init__":
                continue
            shared += 1
            assert path.stem.startswith(f"{task.removesuffix('s')}_"), path.stem
            assert [name for name in names if one_letter_apart(name, path.stem)] == [path.stem]
    assert shared > 10


def one_letter_apart(one: str, other: str) -> bool:
    """Whether two names are the same, or become so by changing, adding or leaving out one letter."""
    short, long = sorted((one, other), key=len)
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest = short[same:] if len(short) < len(long) else short[same + 1 :]
    return len(long) - len(short) <= 1 and rest == long[same + 1 :]


def test_every_command_option_and_parameter_is_documented() -> None:
    """Pages that are made from the code are what it says now; and each command shows an example."""
    for page, text in pages(PROJECT / "docs").items():
        assert page.read_text(encoding="utf-8") == text, f"{page.name}: run python -m discreet.cli.reference"
    for command in app.functions():
        assert "Example" in (command.__doc__ or ""), command.__name__


def test_ci_runs_the_command_of_the_readme() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    script = (PROJECT / ".ci" / "run").read_text(encoding="utf-8")
    command = script.strip().splitlines()[-1]
    assert "pytest" in command
    assert command in readme


def test_importing_is_light() -> None:
    code = "import sys, discreet; print(sorted({'numpy', 'numba', 'duckdb', 'pyarrow', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    code = code.replace("discreet;", "discreet.cli.app;").replace("'rich'", "'rich', 'typer'")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_style_and_types() -> None:
    """ruff and mypy in strict mode, as one of the tests, so that one command checks everything."""
    for command in (
        ["ruff", "check", "--quiet", "."],
        ["ruff", "format", "--check", "--quiet", "."],
        ["mypy", "--no-error-summary"],
    ):
        done = subprocess.run([sys.executable, "-m", *command], cwd=PROJECT, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def test_no_unfinished_marks() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "raise NotImplemented" + "Error")
    for path in (PROJECT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not [mark for mark in marks if mark in text], path
