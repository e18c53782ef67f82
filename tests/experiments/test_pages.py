"""The pages of results are what their recorded numbers say, and nothing that publishes can reach the experiments."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import discreet
from experiments.grouping_smoothing.page import whole as grouping_page
from experiments.guide.page import whole as guide_page
from experiments.ireduct.page import whole as marginal_page
from experiments.privelet.page import whole as range_page
from experiments.sampled_analytics.page import whole as sampled_page
from experiments.sparse_summaries.page import whole as sparse_page

PACKAGE = Path(discreet.__file__).parent
RESULTS = Path(__file__).parents[2] / "docs" / "results"


#: the page of each program in discreet.evaluate
PAGES: dict[str, Any] = {
    "guide": guide_page,
    "sparse_summaries": sparse_page,
    "ranges": range_page,
    "marginals": marginal_page,
    "grouping": grouping_page,
    "sampled": sampled_page,
}


def recorded(page: Any) -> dict[str, Any]:
    numbers: dict[str, Any] = json.loads((RESULTS / f"{page.STEM}.json").read_text(encoding="utf-8"))
    return numbers


@pytest.fixture(scope="module")
def sparse() -> dict[str, Any]:
    return recorded(sparse_page)


@pytest.fixture(scope="module")
def ranges() -> dict[str, Any]:
    return recorded(range_page)


@pytest.mark.parametrize("program", PAGES)
def test_the_page_is_that_of_its_numbers(program: str) -> None:
    page = PAGES[program]
    made = page.render(recorded(page))
    stale = [name for name, text in made.items() if (RESULTS / name).read_text(encoding="utf-8") != text]
    assert not stale, f"run: python -m discreet.evaluate.{program} --page-only"


@pytest.mark.parametrize("program", PAGES)
def test_no_chart_is_left_over(program: str) -> None:
    page = PAGES[program]
    there = {path.name for path in RESULTS.glob(f"{page.STEM}*") if path.suffix in (".md", ".svg")}
    assert there == set(page.render(recorded(page)))


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
    from experiments.sparse_summaries.checks.statements import findings

    def verdict(results: dict[str, Any]) -> bool:
        return next(found.holds for found in findings(results) if "beats geometric at every size" in found.says)

    turned = copy.deepcopy(sparse)
    lines = {line["name"]: line for line in turned["figures"]["5c"]["lines"]}
    lines["geometric"]["y"], lines["filter-priority"]["y"] = lines["filter-priority"]["y"], lines["geometric"]["y"]
    assert verdict(sparse) != verdict(turned)


def test_another_number_of_ranges_is_another_page(ranges: dict[str, Any]) -> None:
    changed = copy.deepcopy(ranges)
    changed["dyadic"]["figures"]["8a"]["lines"][0]["y"][0] *= 2
    changed["vectors"]["1d"]["rows"][0]["errors"]["geometric"][0] *= 2
    before, after = range_page.render(ranges), range_page.render(changed)
    assert {name for name in before if before[name] != after[name]} == {
        f"{range_page.STEM}.md",
        f"{range_page.STEM}-8a.svg",
    }


def test_verdicts_on_ranges_follow_the_numbers(ranges: dict[str, Any]) -> None:
    from experiments.privelet.checks.statements import findings

    def verdict(results: dict[str, Any]) -> bool:
        return next(found.holds for found in findings(results) if "D-Filter is better than D-Geometric" in found.says)

    turned = copy.deepcopy(ranges)
    lines = {line["name"]: line for line in turned["dyadic"]["figures"]["8b"]["lines"]}
    lines["dyadic"]["y"], lines["dyadic-filter"]["y"] = lines["dyadic-filter"]["y"], lines["dyadic"]["y"]
    assert verdict(ranges) != verdict(turned)


def test_every_statement_on_ranges_is_tested(ranges: dict[str, Any]) -> None:
    """A statement whose numbers are missing is left out of the page; none is."""
    from experiments.privelet.checks.statements import CLAIMS, DYADIC_CLAIMS, findings

    assert len(list(findings(ranges))) == len(CLAIMS) + len(DYADIC_CLAIMS)


def test_verdicts_on_grouping_follow_the_numbers() -> None:
    from experiments.grouping_smoothing.checks.statements import findings

    grouping = recorded(grouping_page)
    turned = copy.deepcopy(grouping)
    for part in turned.values():
        for key in ("9", "10"):
            lines = {line["name"]: line for line in part["figures"][key]["lines"]}
            for what in ("y", "se"):
                lines["gs"][what], lines["lpa"][what] = lines["lpa"][what], lines["gs"][what]
    before, after = (
        [found.holds for found in findings(results) if found.says == "gs beats LPA in all scenarios"]
        for results in (grouping, turned)
    )
    assert all(before)
    assert not any(after)


def test_every_statement_on_grouping_is_tested() -> None:
    from experiments.grouping_smoothing.checks.statements import CLAIMS, findings
    from experiments.grouping_smoothing.trials.experiment import SETS

    grouping = recorded(grouping_page)
    assert list(grouping) == list(SETS)
    assert len(list(findings(grouping))) == sum(len(claim.on) or len(grouping) for claim in CLAIMS)


def test_results_are_small() -> None:
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) < 2_000_000


def test_nothing_imports_the_experiments() -> None:
    for path in PACKAGE.rglob("*.py"):
        own = (
            path.relative_to(PACKAGE).parts[0] == "evaluate" or path.name == "evaluating.py"
        )  # the custodian's command
        if not own:
            assert "discreet.evaluate" not in path.read_text(encoding="utf-8"), path
