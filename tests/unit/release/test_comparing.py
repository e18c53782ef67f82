"""What is said of which count is larger is right as often as it says, where the two are close."""

from __future__ import annotations

import math

import numpy as np
import pytest

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.publish import from_counts
from discreet.release.comparing import Comparison
from discreet.tasks import Task
from tests.conformance.test_relations_coverage import released
from tests.statistics import at_least

SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 7), y=discreet.Nominal(["u", "v"]))
CODES = np.array(list(np.ndindex(SCHEMA.sizes)))
A, B = "x < 4 and y = 'u'", "x >= 4 and y = 'u'"
#: several times the noise of any of these methods, to either side
FURTHEST = 80


def said(task: Task, trials: int) -> list[tuple[Comparison, float]]:
    """Comparisons of counts whose true difference is as likely to be any number up to the furthest; with the truth."""
    dice, found = np.random.default_rng(), []
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), "0.5"))
    for number in range(trials):
        difference = int(dice.integers(-FURTHEST, FURTHEST + 1))
        counts = np.full(len(CODES), 200)
        counts[0] += max(difference, 0)
        counts[CODES[:, 0].tolist().index(4)] += max(-difference, 0)
        bounded = from_counts(SCHEMA, CODES, counts).origin.bounded(mechanism.request.schema, Unit(), b"")
        release = released(mechanism.measure(bounded, Noise()), number)
        found.append((release.compare(A, B, level=0.8), float(difference)))
    return found


def by_certainty(answers: list[tuple[Comparison, float]]) -> dict[int, tuple[float, float, int]]:
    """By twentieths of certainty: how often the larger one was named, how certain that was, and of how many."""
    found: dict[int, tuple[float, float, int]] = {}
    for comparison, true in answers:
        if comparison.larger is None:
            continue
        sure = max(comparison.probability, 1 - comparison.probability)
        right = 0.5 if true == 0 else float((true > 0) == (comparison.larger == "a"))
        hits, certain, count = found.get(int(20 * sure), (0.0, 0.0, 0))
        found[int(20 * sure)] = (hits + right, certain + sure, count + 1)
    return found


LAWS: list[Task] = [
    discreet.Table(["x", "y"], method="geometric"),
    discreet.Ranges(["x", "y"], method="weighted"),
    discreet.Ranges(["x", "y"], method="privelet"),
    discreet.Marginals(["x", "y"], ways=2, method="equal"),
]


def test_comparisons_are_right_as_often_as_they_say() -> None:
    answers = [one for task in LAWS for one in said(task, 150)]
    assert all(comparison.exactly for comparison, _ in answers)
    classes = by_certainty(answers)
    undecided = [comparison for comparison, _ in answers if comparison.larger is None]
    assert all(comparison.probability == 0.5 for comparison in undecided)
    assert sum(count for _, _, count in classes.values()) == len(answers) - len(undecided) > 500
    assert len(classes) >= 8
    for hits, certain, count in classes.values():
        assert at_least(hits, count, certain / count)
        assert at_least(count - hits, count, 1 - certain / count)


@pytest.mark.parametrize(
    "task",
    [discreet.Ranges(["x", "y"], method="adaptive"), discreet.Table(["x", "y"], method="filter", theta=20)],
    ids=str,
)
def test_where_no_law_is_known_they_are_right_at_least_as_often(task: Task) -> None:
    answers = said(task, 60)
    told = [comparison for comparison, _ in answers if comparison.larger is not None]
    assert told
    assert not any(comparison.exactly for comparison in told)
    unsure = [comparison for comparison, _ in answers if comparison.larger is None]
    assert unsure
    assert all(math.isnan(comparison.probability) for comparison in unsure)
    assert "cannot tell which is larger" in str(unsure[0])
    for hits, certain, count in by_certainty(answers).values():
        assert at_least(hits, count, certain / count)
