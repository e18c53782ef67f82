"""The experiments on sparse summaries: their verdicts and their page follow the recorded numbers."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from experiments.sparse_summaries.checks.statements import STATEMENTS, findings
from experiments.sparse_summaries.page import STEM
from experiments.sparse_summaries.page.whole import render
from tests.experiments.recorded import recorded


@pytest.fixture(scope="module")
def sparse() -> dict[str, Any]:
    return recorded(STEM)


def test_another_number_is_another_page(sparse: dict[str, Any]) -> None:
    changed = copy.deepcopy(sparse)
    changed["figures"]["5a"]["lines"][0]["y"][0] *= 2
    before, after = render(sparse), render(changed)
    assert {name for name in before if before[name] != after[name]} == {
        f"{STEM}.md",
        f"{STEM}-5a.svg",
    }


def test_verdicts_follow_the_numbers(sparse: dict[str, Any]) -> None:
    """With the two curves exchanged, the claim that one lies below the other turns round."""

    def verdict(results: dict[str, Any]) -> bool:
        return next(found.holds for found in findings(results) if "beats geometric at every size" in found.says)

    turned = copy.deepcopy(sparse)
    lines = {line["name"]: line for line in turned["figures"]["5c"]["lines"]}
    lines["geometric"]["y"], lines["filter-priority"]["y"] = lines["filter-priority"]["y"], lines["geometric"]["y"]
    assert verdict(sparse) != verdict(turned)


def test_every_statement_is_tested(sparse: dict[str, Any]) -> None:
    assert [found.says for found in findings(sparse)] == [statement.says for statement in STATEMENTS]
