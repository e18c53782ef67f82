"""The least epsilon for an error, and budgets divided by it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import discreet
from discreet.errors import BadParameter
from discreet.mechanisms import Request
from discreet.plan import plan
from discreet.planning.budget_split import divided, taken
from discreet.planning.least_epsilon import GRID, Goal, Needed, least_epsilons
from discreet.privacy import Unit
from discreet.tasks import Task

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 15), sex=discreet.Nominal(["f", "m"]))
TABLE = discreet.Table(["age", "sex"], method="geometric")


def needed(task: Task, goals: dict[str, Goal]) -> list[Needed]:
    return least_epsilons(task, Request.of(task, SCHEMA, Unit(), 1), goals)


@pytest.mark.parametrize("goal", [Goal(12.0), Goal(12.0, 0.9)])
def test_the_least_epsilon_meets_the_goal_and_the_one_below_does_not(goal: Goal) -> None:
    (found,) = needed(TABLE, {"": goal})
    assert found.epsilon == max(found.by_class.values(), key=lambda epsilon: epsilon or Fraction(0))
    for name, epsilon in found.by_class.items():
        assert epsilon is not None
        for tried, met in ((epsilon, True), (GRID[GRID.index(epsilon) - 1], False)):
            one = plan(TABLE, Request.of(TABLE, SCHEMA, Unit(), tried), share=goal.share or 0.95).methods[0]
            assert goal.met(one.errors[name]) == met


def test_rehearsed_methods_have_one_too() -> None:
    task = discreet.Table(["age", "sex"], guess={"rows": 2000})
    found = {one.method: one for one in needed(task, {"total": Goal(40.0)})}
    assert found["geometric"].auto
    assert list(found["filter"].by_class) == ["total"]
    assert found["filter"].epsilon in GRID


def test_an_error_that_cannot_be_met() -> None:
    (found,) = needed(TABLE, {"": Goal(1e-9)})
    assert found.epsilon is None
    assert set(found.by_class.values()) == {None}


def test_unknown_questions_are_named() -> None:
    with pytest.raises(BadParameter, match="Did you mean 'total'"):
        needed(TABLE, {"totl": Goal(1.0)})


def test_a_method_that_cannot_says_why() -> None:
    task = discreet.Items("age", context="age")
    found = {one.method: one for one in needed(task, {"": Goal(1e6)})}
    assert "pairs of items need" in found["even-shares"].refused
    assert found["even-shares"].epsilon is None


def test_a_budget_is_divided_in_proportion() -> None:
    needs = {
        "a": Needed("geometric", "auto", {"total": Fraction(1, 2)}),
        "b": Needed("filter", "", {"total": Fraction(1, 4)}),
        "c": None,
    }
    for budget, factor in ((Fraction(3), 4), (None, 1)):
        parts = divided(needs, budget)
        assert [part.suggested for part in parts] == [Fraction(factor, 2), Fraction(factor, 4), None]
    third = divided(needs, Fraction(1))
    assert sum(part.suggested or 0 for part in third) <= 1
    assert taken([needs["b"], needs["a"]]) is needs["a"]  # type: ignore[list-item]
    assert taken([needs["b"]]) is needs["b"]  # type: ignore[list-item]
    assert taken([]) is None
