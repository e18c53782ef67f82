"""Predicted errors against true ones: exact where noise alone decides, and ranges that hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.mechanisms import Request, mechanism_for, registry
from discreet.noise import Noise, SeededSource
from discreet.plan import plan
from discreet.planning.asked import asked_of
from discreet.planning.predicted import noise_decides, true_counts
from discreet.planning.question_classes import joined
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.tasks import Task

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 19),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}, levels=["side", "town"]),
)
TASKS: list[Task] = [
    discreet.Table(["age", "place"]),
    discreet.Ranges(["age", "place"]),
    discreet.Marginals(["age", "place"], ways=1),
    discreet.Items("age"),
]


def counts(total: int) -> Counts:
    """Most records in few cells."""
    weights = np.exp(-0.2 * np.arange(60))
    return Counts.from_dense((20, 3), np.floor(total * weights / weights.sum()).astype(np.int64))


def true_errors(task: Task, method: str, data: Counts, epsilon: str, trials: int) -> dict[str, float]:
    """Of plain measurements where noise decides, else of the numbers that a release shows; the same in every run."""
    schema = SCHEMA.select(task.attributes(SCHEMA))
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), epsilon), method)
    mine = data.marginal([SCHEMA.names.index(name) for name in schema])
    classes = [one for one in asked_of(task, mechanism) if one.top is None]
    parts = [one.pick(mine) for one in classes]
    asked = joined(parts)
    truth, squares = true_counts(mine, asked), np.zeros(asked.count)
    noise = Noise(SeededSource(7))
    for _ in range(trials):
        answers = mechanism.measure(mine, noise).answer(asked, 0.5)
        value = answers.measured if noise_decides(mechanism) else answers.of_counts().value
        squares += (np.asarray(value, np.float64) - truth) ** 2
    cut = np.split(squares / trials, np.cumsum([part.count for part in parts])[:-1])
    return {one.name: float(np.sqrt(mine.mean())) for one, mine in zip(classes, cut, strict=True)}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_errors_of_noise_alone_come_true(task: Task) -> None:
    schema, tried = SCHEMA.select(task.attributes(SCHEMA)), 0
    for one in plan(task, Request.of(task, schema, Unit(), "0.5")).methods:
        exact = {name: error for name, error in one.errors.items() if error.exact}
        true = true_errors(task, one.method, counts(3000), "0.5", 400) if exact else {}
        for name, error in exact.items():
            tried += 1
            assert 0.8 <= error.low / true[name] <= 1.25, (one.method, name)
    assert tried >= 3


@pytest.mark.parametrize(
    ("task", "method"),
    [
        (discreet.Table(["age", "place"], guess={"rows": 3000}), "filter"),
        (discreet.Ranges(["age", "place"], guess={"rows": 3000}), "adaptive"),
        (discreet.Marginals(["age", "place"], ways=1, guess={"rows": 3000}), "agreed"),
        (discreet.Items("age", guess={"rows": 3000}), "gs-r"),
    ],
)
def test_ranges_hold_the_truth(task: Task, method: str) -> None:
    """In most classes; the benchmark `plan` has many more cases."""
    schema = SCHEMA.select(task.attributes(SCHEMA))
    found = plan(task, Request.of(task, schema, Unit(), "0.5"))
    (errors,) = (one.errors for one in found.methods if one.method == method)
    true = true_errors(task, method, counts(3000), "0.5", 40)
    held = [errors[name].low <= error <= errors[name].high for name, error in true.items()]
    assert not any(errors[name].exact for name in true)
    assert np.mean(held) >= 0.7, {name: (errors[name], error) for name, error in true.items()}


def test_what_noise_alone_decides() -> None:
    """Whether a method is exact does not depend on the task's size, but on what it leaves out."""
    decided = set()
    for (name, method), kind in registry().items():
        task = next(task for task in TASKS if task.name == name)
        request = Request.of(task, SCHEMA.select(task.attributes(SCHEMA)), Unit(), 1)
        if noise_decides(kind(request)):
            decided.add((name, method))
    assert {("table", "geometric"), ("ranges", "weighted"), ("marginals", "equal"), ("items", "lpa")} <= decided
    assert not decided & {("items", "gs-r"), ("items", "gs-s"), ("table", "filter"), ("ranges", "privelet*")}


def test_a_bound_below_the_units_own_is_more_than_noise() -> None:
    for bound, exact in ((5, False), (20, True)):
        task = discreet.Items("age", method="lpa", bound=bound)
        unit = Unit("who", max_rows=20)
        assert noise_decides(mechanism_for(task, Request.of(task, SCHEMA.select(["age"]), unit, 1))) == exact
