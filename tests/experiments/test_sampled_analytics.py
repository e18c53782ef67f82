"""The experiments on sampled records: their measures on examples worked out by hand, their trials, their verdicts."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

from discreet.evaluate.error_measures import in_top
from experiments.sampled_analytics.checks import verdicts as check
from experiments.sampled_analytics.checks.statements import STATEMENTS, findings
from experiments.sampled_analytics.data.user_records import UserRecords
from experiments.sampled_analytics.page import STEM
from experiments.sampled_analytics.page.whole import render
from experiments.sampled_analytics.trials import measures
from experiments.sampled_analytics.trials.beyond import guessed, rescaled
from experiments.sampled_analytics.trials.figures import comparison
from experiments.sampled_analytics.trials.releases import METHODS, seed, trial
from experiments.shared.item_histories import ItemHistories
from tests.experiments.recorded import recorded as numbers_of


def test_squared_error() -> None:
    assert measures.squared_error(np.array([1, 5, 3]), np.array([1, 2, 5])) == pytest.approx((9 + 4) / 3)


def test_divergence() -> None:
    one, other = np.array([3, 1]), np.array([1, 1])
    assert measures.divergence(one, other) == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert measures.divergence(one, 7 * one) == pytest.approx(0)


def test_divergence_puts_a_little_in_place_of_nothing() -> None:
    total = 1 + 0.01
    expected = (1 / total) * math.log((1 / total) / 0.5) + (0.01 / total) * math.log((0.01 / total) / 0.5)
    for nothing in (0, -4):
        assert measures.divergence(np.array([1, nothing]), np.array([2, 2])) == pytest.approx(expected)


def test_precision() -> None:
    true = np.array([9, 8, 7, 1, 0])
    assert measures.precision(np.array([5, 0, 6, 7, 0]), true, 3) == pytest.approx(2 / 3)
    assert measures.precision(true, true, 2) == 1
    assert measures.precision(true[::-1], true, 2) == 0


def test_precision_with_ties_is_that_of_a_random_order() -> None:
    """Of four equal counts each is in the top two with a chance of a half, the two true ones too."""
    assert in_top(np.array([5, 3, 3, 3, 1]), 2).tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 0])
    assert measures.precision(np.array([4.5, 4.5, 4.5, 4.5]), np.array([9, 8, 1, 0]), 2) == pytest.approx(0.5)


def test_precision_by_column_leaves_out_empty_columns() -> None:
    true = np.array([[9, 1, 0], [1, 9, 0], [0, 0, 0]])
    noisy = np.array([[5, 5, 5], [1, 0, 9], [0, 0, 0]])
    assert measures.precision_by_column(noisy, true, 1) == pytest.approx(0.5)


def test_largest_and_summed_up() -> None:
    assert measures.largest(np.array([2, 9, 2, 5]), 3) == [1, 3, 0]
    assert measures.summed_up([1.0, 3.0]) == [2.0, 1.0]
    assert measures.summed_up([4.0]) == [4.0, 0.0]


@pytest.fixture(scope="module")
def case() -> UserRecords:
    """60 users; user u has u + 1 records, all about item 0 first, then others; days in turn."""
    users = np.repeat(np.arange(60), np.arange(1, 61))
    place = np.arange(users.size) - np.repeat(np.cumsum(np.arange(60)), np.arange(1, 61))
    items = np.where(place < 4, 0, (users + place) % 120)
    return UserRecords.of(ItemHistories("tiny", users, items, 120, {"day": place % 7}, {"day": 7}, True), bound=5)


def test_a_case_has_the_true_counts(case: UserRecords) -> None:
    assert case.most == 60
    assert case.edges.shape == (120, 7)
    assert case.items.sum() == case.words.size == 60 * 61 // 2
    assert case.items[0] >= 3 * 60


@pytest.mark.parametrize("method", METHODS)
def test_a_trial_is_repeatable_and_complete(case: UserRecords, method: str) -> None:
    first, again, other = (trial(case, method, "here", number) for number in (0, 0, 1))
    assert first.edges is not None
    assert again.edges is not None
    assert first.items.shape == (120,)
    assert first.edges.shape == (120, 7)
    assert np.array_equal(first.items, again.items)
    assert np.array_equal(first.edges, again.edges)
    assert not np.array_equal(first.items, other.items)


def test_at_most_the_bound_is_kept_of_each(case: UserRecords) -> None:
    for method in ("sra", "hpa"):
        last = trial(case, method, "here", 0).looks.last
        assert last is not None
        assert last.table(case.bound).sum() == sum(min(records, 5) for records in range(1, 61))


def test_the_popularity_is_what_hpa_looked_at(case: UserRecords) -> None:
    assert trial(case, "sra", "here", 0).looks.scores is None
    scores = trial(case, "hpa", "here", 0).looks.scores
    assert scores is not None
    assert scores.min() >= 0


def test_consistent_items_are_the_sums_of_consistent_edges(case: UserRecords) -> None:
    agreed = trial(case, "sra", "here", 0).agreed
    assert agreed is not None
    assert np.allclose(agreed[0], agreed[1].sum(axis=1))


def test_seeds_differ() -> None:
    assert seed("a", 1) == seed("a", 1)
    assert len({seed(name, number) for name in "ab" for number in range(3)}) == 6


@pytest.fixture(scope="module")
def part(case: UserRecords) -> dict[str, Any]:
    return comparison(case, 2)


def test_a_comparison_has_all_methods(part: dict[str, Any], case: UserRecords) -> None:
    assert list(part["methods"]["items"]) == list(part["methods"]["edges"]) == list(METHODS)
    assert part["lists"]["top"]["raw"][0] == 0
    assert part["lists"]["ranks"]["0"] == 1
    assert part["kept"]["sra"] == part["kept"]["hpa"]
    assert sum(part["contexts"]["raw"]) == pytest.approx(1, abs=1e-4)
    assert part["figures"]["9"]["lines"][0]["x"] == [1, 2, 5, 10, 20, 50, 100]


def test_beyond_the_paper(case: UserRecords) -> None:
    assert rescaled(case, 2)["sra"]["factor"][0] >= 1
    assert [row["popularity"] for row in guessed(case, 2)] == ["mean", "root mean square", "most popular"]


def made_up(items: dict[str, dict[str, float]]) -> dict[str, Any]:
    """The numbers of a part, with no spread; the same for items and edges."""
    rows = {
        method: {measure: [value, 0.0] for measure, value in measures.items()} for method, measures in items.items()
    }
    return {"methods": {"items": rows, "edges": copy.deepcopy(rows)}}


AS_SAID = made_up(
    {
        "lpa": {"mse": 90.0, "kl": 5.0, "kl back": 5.0, "top": 0.0},
        "fpa": {"mse": 50.0, "kl": 2.0, "kl back": 2.0, "top": 0.0},
        "gs": {"mse": 40.0, "kl": 1.5, "kl back": 1.5, "top": 0.1},
        "sra": {"mse": 20.0, "kl": 1.0, "kl back": 1.0, "top": 0.7},
        "hpa": {"mse": 10.0, "kl": 1.2, "kl back": 1.2, "top": 1.0},
    }
)


@pytest.mark.parametrize("kind", ["items", "edges"])
@pytest.mark.parametrize(
    ("make", "method", "measure", "instead"),
    [
        (lambda kind: check.worst(kind, "mse"), "gs", "mse", 99.0),
        (lambda kind: check.worst(kind, "kl"), "hpa", "kl", 9.0),
        (check.lowest, "hpa", "mse", 45.0),
        (check.grouping_wins, "gs", "mse", 51.0),
        (lambda kind: check.comparable(kind, "kl"), "hpa", "kl", 3.0),
        (lambda kind: check.random_nearer(kind, "kl back"), "hpa", "kl back", 0.5),
        (lambda kind: check.best_divergence(kind, "kl"), "gs", "kl", 0.5),
        (check.old_fail, "gs", "top", 0.5),
        (check.best_top, "gs", "top", 0.8),
        (check.picked_ahead, "sra", "top", 1.0),
        (check.picked_best, "gs", "top", 1.1),
    ],
)
def test_checks_of_measures_fail_when_numbers_do(
    kind: str, make: Any, method: str, measure: str, instead: float
) -> None:
    assert make(kind)(AS_SAID)[0]
    changed = copy.deepcopy(AS_SAID)
    changed["methods"][kind][method][measure][0] = instead
    assert not make(kind)(changed)[0]


@pytest.mark.parametrize("make", [check.lowest, check.grouping_wins, check.picked_ahead])
def test_exceptions_are_tested_the_other_way(make: Any) -> None:
    assert not make("items", turned=True)(AS_SAID)[0]


def curves(figure: str, **lines: dict[int, float]) -> dict[str, Any]:
    made = [
        {"name": name, "x": list(points), "y": list(points.values()), "se": [0.0] * len(points)}
        for name, points in lines.items()
    ]
    return {"figures": {figure: {"lines": made}}}


def test_a_bowl_has_its_least_value_inside() -> None:
    falling, rising, round_one = {1: 9.0, 5: 4.0, 9: 2.0}, {1: 1.0, 5: 4.0, 9: 9.0}, {1: 9.0, 5: 1.0, 9: 2.0}
    wave = {1: 9.0, 2: 3.0, 3: 5.0, 4: 1.0, 5: 6.0}
    assert check.bowl("items")(curves("6-items", sra=round_one, hpa=round_one))[0]
    for wrong in (falling, rising, wave):
        assert not check.bowl("items")(curves("6-items", sra=round_one, hpa=wrong))[0]


def test_popularity_and_best_bounds() -> None:
    assert check.popular(20, 0.6)(curves("5", hpa={20: 0.61}))[0]
    assert not check.popular(20, 0.6)(curves("5", hpa={20: 0.6}))[0]
    part = curves("6-items", sra={5: 2.0, 30: 1.0}, hpa={5: 2.0, 30: 1.0})
    part["figures"] |= curves("6-edges", sra={5: 1.0, 30: 2.0}, hpa={5: 1.0, 30: 2.0})["figures"]
    assert check.best_at("items", 30)(part)[0]
    assert not check.best_at("edges", 30)(part)[0]
    assert check.edges_want_fewer(part)[0]
    part["figures"]["6-edges"], part["figures"]["6-items"] = part["figures"]["6-items"], part["figures"]["6-edges"]
    assert not check.edges_want_fewer(part)[0]


def test_precision_by_many() -> None:
    up, down = {1: 0.0, 100: 0.1, 1000: 0.3}, {1: 1.0, 100: 0.5, 1000: 0.2}
    slow = {1: 1.0, 100: 0.6, 1000: 0.5}
    as_said = curves("9", lpa=up, fpa=up, gs=up, sra=slow, hpa=down)
    turned = curves("9", lpa=down, fpa=down, gs=down, sra=up, hpa=up)
    alike = (check.first_found, check.falls, check.slower, check.first_missed, check.rises, check.ahead_to_hundred)
    for test in alike:
        assert test(as_said)[0]
    for test in alike:
        if test is not check.slower:
            assert not test(turned)[0]
    assert not check.slower(curves("9", lpa=up, fpa=up, gs=up, sra=down, hpa=slow))[0]


def test_what_is_kept() -> None:
    part = {"kept": {"sra": [0.04, 0.0], "hpa": [0.04, 0.0]}}
    assert check.kept_below(0.05)(part)[0]
    assert not check.kept_below(0.04)(part)[0]
    even, late, later = [1 / 7] * 7, [0.1] * 4 + [0.2] * 3, [0.05] * 4 + [0.8 / 3] * 3
    week = {"contexts": {"raw": even, "sra": late, "hpa": later}}
    assert check.weekend_grows(week)[0]
    assert check.random_week_nearer(week)[0]
    turned = {"contexts": {"raw": late, "sra": even, "hpa": later}}
    assert not check.weekend_grows(turned)[0]
    assert not check.random_week_nearer({"contexts": {"raw": even, "sra": later, "hpa": late}})[0]


def test_checks_of_our_own() -> None:
    assert check.list_agrees({"lists": {"agree": {"sra": [3.0, 0.0], "hpa": [8.0, 0.0]}}})[0]
    assert not check.list_agrees({"lists": {"agree": {"sra": [3.0, 0.0], "hpa": [3.0, 0.0]}}})[0]
    for gain, holds in ((0.9, True), (1.0, False)):
        assert check.consistency_helps("items")({"consistent": {"items": {"sra": {"gain": [gain, 0.0]}}}})[0] == holds
        rows = {method: {"items": {"plain": [1.0, 0.0], "rescaled": [gain, 0.0]}} for method in ("sra", "hpa")}
        assert check.rescaling_helps("items")({"rescaled": rows})[0] == holds
    for error, holds in ((1.1, True), (1.2, False)):
        row = {"popularity": "root mean square", "bound": 4, "mse": [error, 0.0]}
        assert check.guess_is_near({**curves("6-items", sra={1: 2.0, 5: 1.0}), "guessed": [row]})[0] == holds


def test_statements_know_their_data() -> None:
    without: dict[str, dict[str, object]] = {"methods": {"items": {}}, "figures": {}}
    edges = [statement for statement in STATEMENTS if statement.needs == "edges"]
    assert edges
    assert not any(statement.about("documents", without) for statement in edges)
    only = [statement for statement in STATEMENTS if statement.on]
    assert all(not statement.about("documents", without) for statement in only)


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    return numbers_of(STEM)


def test_every_data_set_has_a_page_of_its_own(recorded: dict[str, Any]) -> None:
    """Also the one without contexts, and so without edges."""
    for name, part in recorded.items():
        page = render({name: part})[f"{STEM}.md"]
        assert name in page
        assert ("## Figure 8" in page) == ("edges" in part["methods"])


def test_every_statement_is_tested_somewhere(recorded: dict[str, Any]) -> None:
    assert {found.says for found in findings(recorded)} == {statement.says for statement in STATEMENTS}


def test_another_number_is_another_page(recorded: dict[str, Any]) -> None:
    changed = copy.deepcopy(recorded)
    changed["retail"]["methods"]["items"]["sra"]["top"][0] = 0.5
    before, after = render(recorded), render(changed)
    assert {name for name in before if before[name] != after[name]} == {f"{STEM}.md", f"{STEM}-7c.svg"}


def test_every_failure_has_a_reason(recorded: dict[str, Any]) -> None:
    assert all(found.reason for found in findings(recorded) if not found.holds)
