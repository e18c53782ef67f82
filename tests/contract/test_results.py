"""The pages of results are what their recorded numbers say, and nothing that publishes can reach the experiments."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.evaluate import sparse_page

PACKAGE = Path(discreet.__file__).parent
RESULTS = Path(__file__).parents[2] / "docs" / "results"


@pytest.fixture(scope="module")
def sparse() -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads((RESULTS / f"{sparse_page.STEM}.json").read_text(encoding="utf-8"))
    return recorded


def test_the_page_is_that_of_its_numbers(sparse: dict[str, Any]) -> None:
    made = sparse_page.render(sparse)
    stale = [name for name, text in made.items() if (RESULTS / name).read_text(encoding="utf-8") != text]
    assert not stale, "run: python -m discreet.evaluate.sparse_summaries --page-only"


def test_no_chart_is_left_over(sparse: dict[str, Any]) -> None:
    there = {path.name for path in RESULTS.glob(f"{sparse_page.STEM}*") if path.suffix in (".md", ".svg")}
    assert there == set(sparse_page.render(sparse))


def test_another_number_is_another_page(sparse: dict[str, Any]) -> None:
    changed = copy.deepcopy(sparse)
    changed["figures"]["5a"]["lines"][0]["y"][0] *= 2
    before, after = sparse_page.render(sparse), sparse_page.render(changed)
    assert {name for name in before if before[name] != after[name]} == {
        f"{sparse_page.STEM}.md",
        f"{sparse_page.STEM}-5a.svg",
    }


def test_verdicts_follow_the_numbers(sparse: dict[str, Any]) -> None:
    """With the two curves exchanged, the claim that one lies below the other turns round."""
    from discreet.evaluate.sparse_findings import findings

    def verdict(results: dict[str, Any]) -> bool:
        return next(found.holds for found in findings(results) if "beats geometric at every size" in found.says)

    turned = copy.deepcopy(sparse)
    lines = {line["name"]: line for line in turned["figures"]["5c"]["lines"]}
    lines["geometric"]["y"], lines["filter-priority"]["y"] = lines["filter-priority"]["y"], lines["geometric"]["y"]
    assert verdict(sparse) != verdict(turned)


def test_results_are_small() -> None:
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) < 1_000_000


def test_nothing_imports_the_experiments() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] != "evaluate":
            assert "discreet.evaluate" not in path.read_text(encoding="utf-8"), path
