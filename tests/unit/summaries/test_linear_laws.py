"""The joint law of sums over boxes says the same as the law of each answer by itself, and of their differences."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.open_data import from_counts
from discreet.queries import Boxes, Questions
from discreet.queries.questions import questions_of
from discreet.summaries import Summary
from discreet.summaries.linear_laws import MOST_PAIRS, Floats, Integers, LinearLaw, WeightedBoxes
from discreet.tasks import Task
from tests.conformance.examples import CASES, SCHEMA

#: methods whose noise is linear, and none of whose scales depends on noisy values
KNOWN = ("geometric", "weighted", "privelet", "privelet+", "privelet*", "equal", "agreed")
LINEAR = [task for task in CASES if task.method in KNOWN and "queries" not in task.parameters]


def summary_of(task: Task, epsilon: str = "0.5") -> Summary:
    dice = np.random.default_rng(1)
    codes = np.array(list(np.ndindex(SCHEMA.sizes)))
    data = from_counts(SCHEMA, codes, dice.integers(0, 60, len(codes)), unit=Unit())
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), epsilon))
    return mechanism.measure(data.origin.bounded(mechanism.request.schema, Unit(), b""), Noise())


def weighted(asked: Questions, number: int, weight: float = 1.0) -> WeightedBoxes:
    mine = asked.owner == number
    zeros = np.zeros(int(mine.sum()), np.int64)
    return WeightedBoxes(asked.first[mine], asked.last[mine], 1, zeros, np.full(zeros.size, weight))


@pytest.mark.parametrize("task", LINEAR, ids=str)
def test_each_sum_has_the_law_of_its_answer(task: Task) -> None:
    summary = summary_of(task)
    first = summary.schema.names[0]
    wheres = [None, {first: summary.schema[first].labels[1]}, {first: summary.schema[first].labels[0]}]
    asked = questions_of(wheres, summary.schema)
    plain = WeightedBoxes.plain(asked)
    joint = summary.pencil(plain, plain)
    assert joint is not None
    found = summary.answer(asked, 0.95)
    assert joint.over == pytest.approx(found.measured, abs=1e-6) or task.method == "privelet*"
    if task.method in ("agreed", "equal", "privelet*"):  # typical errors, or other tables, may say less
        assert np.all(joint.over_variance >= found.stderr**2 * (1 - 1e-9))
    else:
        assert np.sqrt(joint.over_variance) == pytest.approx(found.stderr)
    # the same above and below: all of the noise is common
    assert joint.covariance == pytest.approx(joint.over_variance)
    assert joint.variance(1.0) == pytest.approx(0.0, abs=1e-6 * joint.over_variance.max())


@pytest.mark.parametrize("task", LINEAR, ids=str)
def test_covariances_are_those_of_unions(task: Task) -> None:
    """Of disjoint a and b: the variance of both together is that of each, and twice their covariance."""
    summary = summary_of(task)
    name = summary.schema.names[0]
    labels = summary.schema[name].labels
    asked = questions_of([{name: labels[0]}, {name: labels[-1]}, {name: [labels[0], labels[-1]]}], summary.schema)
    a, b, both = (weighted(asked, number) for number in range(3))
    apart, together, overlap = summary.pencil(a, b), summary.pencil(both, both), summary.pencil(both, a)
    assert apart is not None
    assert together is not None
    assert overlap is not None
    total = apart.over_variance + apart.under_variance + 2 * apart.covariance
    assert together.over_variance == pytest.approx(total)
    assert overlap.covariance == pytest.approx(apart.over_variance + apart.covariance)
    assert together.over == pytest.approx(apart.over + apart.under, abs=1e-6)
    thrice = summary.pencil(weighted(asked, 0, -3.0), b)
    assert thrice is not None
    assert (thrice.over.item(), thrice.covariance.item()) == pytest.approx(
        (-3 * apart.over.item(), -3 * apart.covariance.item())
    )


def test_pairs_of_the_same_boxes_are_looked_at_once() -> None:
    """Five functions of thirty values: pairs of values are the same for each, and the same both ways round."""
    looked: list[int] = []

    def covariance(boxes: Boxes, one: Integers, other: Integers) -> Floats:
        looked.append(one.size)
        return np.asarray(np.exp(-np.abs(boxes.first[one, 0] - boxes.first[other, 0])), np.float64)

    law = LinearLaw(lambda boxes: boxes.first[:, 0].astype(np.float64), covariance, 3.0, 1.0)
    codes, functions = np.tile(np.arange(30), 5)[:, None], np.random.default_rng(3).normal(size=(5, 30))
    over = WeightedBoxes(codes, codes, 5, np.repeat(np.arange(5), 30), functions.reshape(-1))
    under = WeightedBoxes(codes[:30], codes[:30], 1, np.zeros(30, np.int64), np.ones(30))
    found = law.pencil(over, under)
    assert found is not None
    assert sum(looked) <= 3 * 30 * 31 // 2
    matrix = np.exp(-np.abs(np.subtract.outer(np.arange(30), np.arange(30))))
    assert found.over_variance == pytest.approx(np.diag(functions @ matrix @ functions.T))
    assert found.covariance == pytest.approx(functions @ matrix @ np.ones(30))
    assert found.under_variance == pytest.approx(np.full(5, matrix.sum()))


@pytest.mark.parametrize("task", LINEAR[:4], ids=str)
def test_one_sum_below_for_many_above(task: Task) -> None:
    summary = summary_of(task)
    name = summary.schema.names[0]
    many = questions_of([{name: label} for label in summary.schema[name].labels], summary.schema)
    every = questions_of([None], summary.schema)
    joint = summary.pencil(WeightedBoxes.plain(many), WeightedBoxes.plain(every))
    assert joint is not None
    assert joint.under.shape == joint.over.shape == (many.count,)
    for number in range(many.count):
        alone = summary.pencil(weighted(many, number), WeightedBoxes.plain(every))
        assert alone is not None
        assert joint.covariance[number] == pytest.approx(alone.covariance.item())
        assert joint.under_variance[number] == pytest.approx(alone.under_variance.item())


@pytest.mark.parametrize(
    "task",
    [
        discreet.Ranges(["age"], method="dyadic", consistency=False),
        discreet.Ranges(["age"], method="adaptive"),
        discreet.Marginals(["age", "sex"], ways=1, method="ireduct"),
        discreet.Table(["age"], method="filter", theta=5),
    ],
    ids=str,
)
def test_others_have_no_joint_law(task: Task) -> None:
    summary = summary_of(task)
    asked = WeightedBoxes.plain(questions_of([None], summary.schema))
    assert summary.pencil(asked, asked) is None


def test_attributes_that_no_table_has_together_have_none() -> None:
    summary = summary_of(discreet.Marginals(["age", "sex", "place"], ways=1, method="equal"))
    asked = WeightedBoxes.plain(questions_of([{"age": 3, "sex": "f"}], summary.schema))
    assert summary.pencil(asked, asked) is None


def test_too_many_pairs_are_not_tried() -> None:
    summary = summary_of(discreet.Ranges(["age"], method="privelet"))
    boxes = int(MOST_PAIRS**0.5) + 1
    first = np.zeros((boxes, 1), np.int64)
    many = WeightedBoxes(first, first, 1, np.zeros(boxes, np.int64), np.ones(boxes))
    assert summary.pencil(many, many) is None
