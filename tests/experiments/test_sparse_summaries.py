"""The experiments on sparse summaries: their verdicts and their page follow the recorded numbers."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.noise import ZeroNoise
from discreet.summaries.sparse_cells import SparseCells
from experiments.shared.tables import bell, domain
from experiments.sparse_summaries.checks.statements import STATEMENTS, findings
from experiments.sparse_summaries.page import STEM
from experiments.sparse_summaries.page.whole import render
from experiments.sparse_summaries.trials.absent_cells import THETA, with_half, with_part
from experiments.sparse_summaries.trials.guessed_records import GUESSES, NO_GUESS, SIZES
from experiments.sparse_summaries.trials.subset_errors import mechanism
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


def test_absent_cells_hold_what_they_are_taken_for() -> None:
    truth = bell(domain(1000), 600, 100, 20, 1)
    made = mechanism(truth, ("filter", {"theta": THETA, "total": "0.5"}), Fraction(100))
    summary = made.measure(truth.counts, ZeroNoise())
    assert isinstance(summary, SparseCells)
    absent = np.ones(1000, bool)
    absent[summary.codes[:, 0]] = False
    assert (with_half(summary)[absent] == THETA / 2).all()
    assert with_part(summary).sum() == pytest.approx(truth.cells.sum())
    for cells in (with_half(summary), with_part(summary)):
        assert (cells[~absent] == truth.cells[~absent]).all()


def test_a_guess_of_the_true_number_keeps_about_the_wanted_cells(sparse: dict[str, Any]) -> None:
    kept = sparse["figures"]["3.3-size"]["lines"]
    assert [line["name"] for line in kept] == [f"{size:,} wanted" for size in SIZES]
    for line in kept:
        assert line["x"] == [guess or NO_GUESS for guess in GUESSES]
        assert line["y"] == sorted(line["y"], reverse=True)
