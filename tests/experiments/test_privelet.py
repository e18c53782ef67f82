"""The questions that the experiments on ranges ask are the ones they say, and their verdicts follow the numbers."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from discreet.evaluate.named_workloads import covered, intervals, predicates
from discreet.noise import Noise, SeededSource
from discreet.private.counts import Counts
from discreet.schema import Nominal, Ordinal, Schema
from experiments.privelet.checks.statements import DYADIC_STATEMENTS, STATEMENTS, findings
from experiments.privelet.data.dyadic import clustered
from experiments.privelet.data.uniform_rows import four_attributes, uniform_rows
from experiments.privelet.page import STEM
from experiments.privelet.page.whole import render
from experiments.privelet.trials.computing import METHODS, seconds
from experiments.privelet.trials.dyadic import CHECKED, LEAST_SQUARES, methods
from experiments.privelet.trials.questions import ranges_of, true_answers
from experiments.privelet.trials.splits import Split
from experiments.shared.tables import Truth
from tests.experiments.recorded import recorded

SCHEMA = Schema(
    {
        "age": Ordinal(0, 4),
        "sex": Nominal(["f", "m"]),
        "job": Nominal(hierarchy=[{"x": ["a", "b"], "y": ["c", "d", "e"]}, "z"]),
    }
)


def small_truth() -> Truth:
    counts = Noise(SeededSource(5)).integers(9, SCHEMA.cells)
    codes = np.stack(np.unravel_index(np.arange(SCHEMA.cells), SCHEMA.sizes), axis=1)
    return Truth(SCHEMA, Counts.from_arrays(SCHEMA.sizes, codes, counts))


def test_all_intervals_are_equally_likely() -> None:
    low, high = intervals(4, 100_000, Noise(SeededSource(1)))
    assert (low >= 0).all()
    assert (low <= high).all()
    assert (high < 4).all()
    found = np.unique(np.stack([low, high], axis=1), axis=0, return_counts=True)[1]
    assert found.size == 10
    assert np.abs(found / 10_000 - 1).max() < 0.06


def test_predicates_restrict_one_to_all_attributes_to_ranges_and_nodes() -> None:
    questions = predicates(SCHEMA, 60_000, 1)
    jobs = np.unique(np.stack([questions.first[:, 2], questions.last[:, 2]], axis=1), axis=0)
    # five grouped leaves, the one at the root, two groups, and no predicate
    assert len(jobs) == 9
    sexes = questions.last[:, 1] - questions.first[:, 1] == 0
    # one, two or three of three attributes, as many of each: two in three questions restrict the sex
    assert abs(sexes.mean() - 2 / 3) < 0.01


def test_answers_and_coverage_are_those_of_a_plain_sum() -> None:
    truth, questions = small_truth(), predicates(SCHEMA, 200, 3)
    dense, true, share = truth.counts.dense(), true_answers(truth, questions), covered(SCHEMA, questions)
    for row in range(200):
        box = tuple(slice(a, b + 1) for a, b in zip(questions.first[row], questions.last[row], strict=True))
        assert dense[box].sum() == true[row]
        assert np.isclose(dense[box].size / dense.size, share[row])


def test_a_question_is_the_sum_of_its_split() -> None:
    truth, questions = small_truth(), predicates(SCHEMA, 500, 4)
    split = Split.of(SCHEMA, ["age", "sex"], questions, [np.arange(500)])
    parts = true_answers(truth, split.questions).reshape(-1, split.combinations)
    assert split.combinations == 10
    whole = (questions.last - questions.first + 1)[:, :2].prod(axis=1) == 10
    assert set(parts.sum(axis=1)) <= set(true_answers(truth, questions)[whole])
    assert len(parts) == whole.sum()


def test_independent_errors_do_not_add_up_and_equal_ones_do() -> None:
    questions = predicates(SCHEMA, 4000, 4)
    split = Split.of(SCHEMA, ["age", "sex"], questions, [np.arange(4000)])
    signs = 2.0 * Noise(SeededSource(2)).integers(2, len(split.questions.first)) - 1
    apart, equal = split.added_up(signs)[0], split.added_up(np.ones(signs.size))[0]
    assert abs(apart["measured"] / apart["independent"] - 1) < 0.2
    assert equal["measured"] / equal["independent"] > 3.5


def test_clusters_are_runs_and_ranges_have_their_size() -> None:
    truth = clustered(10_000, 1000, 10, 100, 20, 1)
    assert truth.occupied == 1000
    gaps = np.diff(truth.counts.codes[:, 0])
    assert (gaps > 1).sum() <= 9
    questions = ranges_of(70, 10_000, 50, 1)
    assert (questions.last - questions.first == 69).all()


@pytest.fixture(scope="module")
def ranges() -> dict[str, Any]:
    return recorded(STEM)


def test_another_number_is_another_page(ranges: dict[str, Any]) -> None:
    changed = copy.deepcopy(ranges)
    changed["dyadic"]["figures"]["8a"]["lines"][0]["y"][0] *= 2
    changed["vectors"]["1d"]["rows"][0]["errors"]["geometric"][0] *= 2
    before, after = render(ranges), render(changed)
    assert {name for name in before if before[name] != after[name]} == {
        f"{STEM}.md",
        f"{STEM}-8a.svg",
    }


def test_verdicts_follow_the_numbers(ranges: dict[str, Any]) -> None:
    def verdict(results: dict[str, Any]) -> bool:
        return next(found.holds for found in findings(results) if "D-Filter is better than D-Geometric" in found.says)

    turned = copy.deepcopy(ranges)
    lines = {line["name"]: line for line in turned["dyadic"]["figures"]["8b"]["lines"]}
    lines["dyadic"]["y"], lines["dyadic-filter"]["y"] = lines["dyadic-filter"]["y"], lines["dyadic"]["y"]
    assert verdict(ranges) != verdict(turned)


def test_every_statement_is_tested(ranges: dict[str, Any]) -> None:
    """A statement whose numbers are missing is left out of the page; none is."""
    assert len(list(findings(ranges))) == len(STATEMENTS) + len(DYADIC_STATEMENTS)


def test_every_dyadic_method_is_compared() -> None:
    assert {name.removesuffix(CHECKED) for name in methods()} == {
        *("geometric", "dyadic", LEAST_SQUARES, "privelet"),
        *(f"{tree}-{kind}" for tree in ("dyadic", "wavelet") for kind in ("filter", "priority", "filter-priority")),
    }


def test_times_are_those_of_every_method_with_counting_in_it() -> None:
    taken = seconds(1000, 2**8, 1)
    assert set(taken) == {*METHODS, "counting"}
    assert all(taken["counting"] <= taken[name] for name in METHODS)
    schema = four_attributes(2**8)
    assert schema.sizes == (4, 4, 4, 4)
    rows = uniform_rows(schema, 500, 1)
    assert rows.min() == 0
    assert rows.max() == 3
