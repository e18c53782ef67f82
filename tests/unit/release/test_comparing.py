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


WARDS = discreet.Schema(ward=discreet.Nominal([f"w{i}" for i in range(24)]), sex=discreet.Nominal(["f", "m"]))
PLACES = np.array(list(np.ndindex(WARDS.sizes)))


def said_of_close_ones(task: Task, furthest: int, releases: int, each: int) -> list[tuple[Comparison, float]]:
    """Comparisons of wards whose true counts are within so many of 200."""
    dice, found = np.random.default_rng(), []
    for number in range(releases):
        mechanism = mechanism_for(task, Request.of(task, WARDS, Unit(), "0.5"))
        counts = 200 + dice.integers(-furthest, furthest + 1, len(PLACES))
        bounded = from_counts(WARDS, PLACES, counts).origin.bounded(mechanism.request.schema, Unit(), b"")
        release = released(mechanism.measure(bounded, Noise()), number)
        true = counts.reshape(WARDS.sizes)
        for _ in range(each):
            a, b = dice.choice(24, 2, replace=False)
            where = [f"ward = 'w{ward}' and sex = 'f'" for ward in (a, b)]
            found.append((release.compare(where[0], where[1], level=0.8), float(true[a, 0] - true[b, 0])))
    return found


LAWS: list[Task] = [
    discreet.Table(["x", "y"], method="geometric"),
    discreet.Ranges(["x", "y"], method="weighted"),
    discreet.Ranges(["x", "y"], method="privelet"),
    discreet.Marginals(["x", "y"], ways=2, method="equal"),
]


@pytest.mark.parametrize("furthest", [1, 4, 20])
def test_where_many_are_alike_they_are_right_as_often_as_they_say(furthest: int) -> None:
    """The noise of a difference has a standard deviation of 4: by the noise alone they would be too sure."""
    answers = said_of_close_ones(discreet.Table(["ward", "sex"], method="geometric"), furthest, 8, 12)
    assert all(comparison.exactly and comparison.groups == 24 for comparison, _ in answers)
    for hits, certain, count in by_certainty(answers).values():
        assert at_least(hits, count, certain / count)
        assert at_least(count - hits, count, 1 - certain / count)


def test_what_a_probability_goes_by() -> None:
    """Counts that are alike: of as many values in a row of one attribute, with all other conditions the same."""
    task = discreet.Table(["x", "y"], method="geometric")
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), "0.5"))
    bounded = from_counts(SCHEMA, CODES, np.full(len(CODES), 9)).origin.bounded(mechanism.request.schema, Unit(), b"")
    release = released(mechanism.measure(bounded, Noise()), 1)
    for a, b, groups in (
        ("x = 1", "x = 2", 8),
        ("x = 1 and y = 'u'", "x = 7 and y = 'u'", 8),
        ("x = 1 and y = 'u'", "x = 7 and y = 'v'", 0),
        ("x < 2", "x in (2, 3)", 0),  # four such pairs of values are too few
        ("x < 2", "x = 2", 0),
        ("y = 'u'", "y = 'v'", 0),
        ("x = 1", "x in (2, 3)", 0),
        ("x = 1", "x in (2, 4)", 0),
        ("x = 1", None, 0),
    ):
        found = release.compare(a, b)
        assert found.groups == found.to_dict()["groups"] == groups
        if found.larger is not None:
            assert ("by the noise alone" if groups == 0 else "as 8 such counts lie apart") in str(found)
    assert release.compare(release.count("x = 1") * 2, release.count("x = 2") * 2).groups == 0


def test_comparisons_are_right_as_often_as_they_say() -> None:
    answers = [one for task in LAWS for one in said(task, 120)]
    assert all(comparison.exactly for comparison, _ in answers)
    classes = by_certainty(answers)
    undecided = [comparison for comparison, _ in answers if comparison.larger is None]
    assert all(comparison.probability == 0.5 for comparison in undecided)
    assert sum(count for _, _, count in classes.values()) == len(answers) - len(undecided) > 400
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
    assert all(math.isnan(comparison.probability) for comparison in unsure)
    assert all("cannot tell which is larger" in str(comparison) for comparison in unsure)
    for hits, certain, count in by_certainty(answers).values():
        assert at_least(hits, count, certain / count)
