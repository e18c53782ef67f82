"""Intervals of shares, ratios, differences, means, changes and of releases together hold the truth: every method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import BadParameter, CannotAnswer
from discreet.mechanisms import Request, mechanism_for
from discreet.queries import Estimate
from discreet.release import Release, combine
from discreet.release.frame import Frame
from discreet.schema import Nominal, Schema
from discreet.summaries import Summary
from discreet.tasks import TASKS, Ranges, Task
from tests.conformance.examples import EXAMPLES, SCHEMA
from tests.conformance.kinds_of_data import LEVELS, Sample, redrawn
from tests.conformance.test_coverage import samples, truth_of
from tests.statistics import at_least

Counts = NDArray[np.int64]
#: asks for an estimate at a level; and what is true
Question = tuple[Callable[[float], Estimate], float]
EPSILONS = ("0.1", "1")
TABLE = "all rows of a table"


def released(summary: Summary, number: int, task: Task | None = None) -> Release:
    """A release of this summary, as far as answers need a manifest."""
    said = {"dataset": "data", "leaves_out": [], "data_attributes": [], "method": "none", "epsilon": "1"}
    task_said = {"task": "table" if task is None else task.name}
    ledger = {"head": str(number), "id": "one"}
    unit, noise = {"unit": "row", "neighbours": "add-remove"}, {"publishable": False, "law": "none"}
    return Release(summary, {**said, "id": "r", "ledger": ledger, "task": task_said, "unit": unit, "noise": noise})


def halves(schema: Schema, name: str) -> tuple[dict[str, Any], dict[str, Any], int]:
    """The first and the other values of an attribute as predicates, and how many the first are."""
    attribute = schema[name]
    half = max(1, attribute.size // 2)
    labels = list(attribute.labels)
    if isinstance(attribute, Nominal):
        return {name: labels[:half]}, {name: labels[half:] or labels[:1]}, half
    return {name: (labels[0], labels[half - 1])}, {name: (labels[half], labels[-1])}, half


def relations(release: Release, other: Release, truth: Counts) -> Iterator[tuple[str, Question]]:
    """Questions about sums over the first and the last attribute; `truth` has the shape of the schema."""
    schema = release.schema
    first, last = schema.names[0], schema.names[-1]
    low, high, cut = halves(schema, first)
    some, _, edge = halves(schema, last)
    of = some if last != first else None
    inside = truth[..., :edge] if of else truth
    a, b, both, whole = truth[:cut].sum(), truth[cut:].sum(), inside[:cut].sum(), inside.sum()
    yield "difference", (lambda level: release.difference(low, high, level=level), a - b)
    yield "overlap", (lambda level: release.difference(low, some, level=level), a - truth[..., :edge].sum())
    yield "three times less one", (lambda level: release.count(low, level=level) * 3 - 1, 3 * a - 1)
    yield "rest", (lambda level: release.count(level=level) - release.count(low, level=level), b)
    if whole:
        yield "share", (lambda level: release.share(low, of=of, level=level), both / whole)
    if b:
        yield "ratio", (lambda level: release.ratio(low, high, level=level), a / b)
    if a:
        yield "change", (lambda level: release.change(low, since=other, level=level), 0.0)
    yield "two releases", (lambda level: release.count(low, level=level) - other.count(high, level=level), a - b)
    yield "all of a table", (lambda level: furthest(release, level, truth), 0.0)
    if not isinstance(schema[first], Nominal):
        records = inside.reshape(len(truth), -1).sum(axis=1)
        values = np.arange(len(truth)) + float(schema[first].label(0))  # type: ignore[arg-type]
        ages = truth[..., 0].reshape(len(truth), -1).sum(axis=1) if last != first else np.zeros(1)
        if ages.sum():
            true = values[np.argmax(2 * np.cumsum(ages) >= ages.sum())]
            yield "median of a group", (lambda level: median_of_first(release, level), float(true))
        yield "sum", (lambda level: release.sum(first, of, level=level), float(records @ values))
        if whole:
            mean = float(records @ values) / whole
            variance = float(records @ (values - mean) ** 2) / whole
            yield "mean", (lambda level: release.mean(first, of, level=level), mean)
            yield "variance", (lambda level: release.variance(first, of, level=level), variance)


def median_of_first(release: Release, level: float) -> Estimate:
    """Of the first attribute, for the first group of the last one."""
    found = release.quantile(release.schema.names[0], [0.5], by=release.schema.names[-1], level=level)
    assert isinstance(found, Frame)
    *_, value, low, high = found.rows()[0]
    return Estimate(float(value), 0.0, float(low), float(high), level)


def furthest(release: Release, level: float, truth: Counts) -> Estimate:
    """How far the ends of simultaneous intervals are from the truth, where they come nearest to it or beyond."""
    frame = release.table(release.schema.names[0], level=level, simultaneous=True)
    true = truth.reshape(len(truth), -1).sum(axis=1)
    low, high = float(np.max(frame["low"] - true)), float(np.min(frame["high"] - true))
    return Estimate(0.0, 0.0, low, high, level, TABLE)


def together(release: Release, other: Release, truth: Counts) -> Iterator[tuple[str, Question]]:
    """The same of two releases of the same data, put together."""
    both = combine([release, other])
    first_name = both.schema.names[0]
    low, high, cut = halves(both.schema, first_name)
    a, b = truth[:cut].sum(), truth[cut:].sum()
    yield "count together", (lambda level: both.count(low, level=level), a)
    yield "difference together", (lambda level: both.difference(low, high, level=level), a - b)
    if a + b:
        yield "share together", (lambda level: both.share(low, level=level), a / (a + b))
    first = both.schema[first_name]
    if a + b and not isinstance(first, Nominal):
        records = truth.reshape(len(truth), -1).sum(axis=1)
        values = np.arange(len(truth)) + float(first.label(0))  # type: ignore[arg-type]
        mean = float(records @ values) / (a + b)
        variance = float(records @ (values - mean) ** 2) / (a + b)
        yield "mean together", (lambda level: both.mean(first_name, level=level), mean)
        yield "variance together", (lambda level: both.variance(first_name, level=level), variance)


def held(question: Question) -> NDArray[np.float64] | None:
    """Sides x levels: whether the truth is not below, and not above; None if it cannot be asked."""
    ask, true = question
    found = []
    for level in LEVELS:
        try:
            answer = ask(level)
        except CannotAnswer:
            return None
        slack = 1e-6 * (1 + abs(true))
        assert answer.low <= answer.value <= answer.high or answer.note == TABLE
        found.append([answer.low <= true + slack, true <= answer.high + slack])
    return np.array(found, np.float64).T


def check(tasks: Sequence[Task], trials: int) -> dict[str, int]:
    """Over all kinds of data together; how often each class could be tried."""
    hits: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros((2, len(LEVELS))))
    tried: dict[str, int] = defaultdict(int)
    for number, task in enumerate(tasks):
        for place, (_, sample) in enumerate(samples(task)):
            epsilon = EPSILONS[(place + number) % len(EPSILONS)]
            for name, holds in tried_on(task, sample, epsilon, trials):
                hits[name] += holds
                tried[name] += 1
    for name, count in tried.items():
        for side, place in np.ndindex(2, len(LEVELS)):
            rate = (1 + LEVELS[place]) / 2
            assert at_least(float(hits[name][side, place]), count, rate), (
                name,
                side,
                LEVELS[place],
                hits[name] / count,
            )
    return dict(tried)


def tried_on(task: Task, sample: Sample, epsilon: str, trials: int) -> Iterator[tuple[str, NDArray[np.float64]]]:
    try:
        mechanism = mechanism_for(task, Request.of(task, SCHEMA, sample.unit, epsilon))
    except BadParameter:
        return
    if (truth := truth_of(mechanism, sample, SCHEMA)) is None:
        return
    drawn = redrawn(task, SCHEMA, sample, epsilon, 2 * trials)
    for number, (one, two) in enumerate(zip(drawn, drawn, strict=True)):
        pair = released(one, 2 * number, task), released(two, 2 * number + 1, task)
        asked = list(relations(*pair, truth))
        if task.name != "items":
            asked += list(together(*pair, truth))
        for name, question in asked:
            if (holds := held(question)) is not None:
                yield name, holds


@pytest.mark.parametrize("name", TASKS)
def test_intervals_hold_what_is_true(name: str) -> None:
    """One example of each method, and all kinds of data, together."""
    tasks = [next(iter(tasks)) for (kind, _), tasks in EXAMPLES.items() if kind == name]
    tried = check(tasks, 2 if len(tasks) < 10 and name != "items" else 1)
    assert min(tried.values()) >= 2 * len(tasks)
    assert {"share", "ratio", "difference", "change", "mean", "variance", "sum", "all of a table"} <= tried.keys()
    assert name == "items" or {"count together", "share together", "median of a group"} <= tried.keys()


@pytest.mark.parametrize("known", ["dyadic", "weighted"])
def test_intervals_of_different_methods_together_hold_what_is_true(known: str) -> None:
    """Blocks, of which it is known what sums lie between, beside noise whose law is known."""
    tasks = [Ranges(["age", "sex"], method=method) for method in ("adaptive", known)]
    hits: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros((2, len(LEVELS))))
    tried: dict[str, int] = defaultdict(int)
    for place, (_, sample) in enumerate(samples(tasks[0])):
        epsilon = EPSILONS[place % 2]
        truth = truth_of(mechanism_for(tasks[0], Request.of(tasks[0], SCHEMA, sample.unit, epsilon)), sample, SCHEMA)
        assert truth is not None
        drawn = (redrawn(task, SCHEMA, sample, epsilon, 4) for task in tasks)
        for number, pair in enumerate(zip(*drawn, strict=True)):
            one, two = (released(each, 2 * number + i, tasks[i]) for i, each in enumerate(pair))
            for name, question in together(one, two, truth):
                holds = held(question)
                assert holds is not None
                hits[name] += holds
                tried[name] += 1
    assert {"difference together", "share together", "mean together", "variance together"} <= tried.keys()
    for name, count in tried.items():
        for side, place in np.ndindex(2, len(LEVELS)):
            rate = (1 + LEVELS[place]) / 2
            assert at_least(float(hits[name][side, place]), count, rate), (name, side, LEVELS[place])
