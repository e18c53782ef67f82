"""Intervals hold the true count as often as they say: every method and default, hostile data, all classes of questions.

What is true is what the declared rules count. What a method leaves out on its own account (cells below a threshold,
records above its bound, coefficients) is no excuse.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.mechanisms.table.table_sparse import Sparse
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.open_data import from_counts
from discreet.queries import Questions
from discreet.release.quantiles import quantile
from discreet.schema import Schema
from discreet.summaries import Summary
from discreet.summaries.sparse_law import SparseLaw
from discreet.tasks import Task, task_from_dict
from tests.conformance.examples import CASES, SCHEMA, each_case
from tests.conformance.kinds_of_data import (
    CLASSES,
    LEVELS,
    Counts,
    Sample,
    questions,
    redrawn,
    tables,
    users,
    users_per_item,
)
from tests.conformance.test_answers import Rounded
from tests.statistics import at_least

EPSILONS = ("0.1", "1")
#: what nobody chose
DEFAULTS: list[Task] = [
    discreet.Table(["age", "sex", "place"]),
    discreet.Ranges(["age", "place"]),
    discreet.Marginals(["age", "sex", "place"], ways=2),
    discreet.Items("age"),
    discreet.Items("age", context="sex", count="users"),
]
Hits = dict[str, NDArray[np.float64]]


def truth_of(mechanism: Mechanism, sample: Sample, schema: Schema) -> Counts | None:
    """Exact counts in the shape of what is released; None where chance is part of the rule."""
    names, every = list(mechanism.request.schema), list(schema)
    if getattr(mechanism, "distinct", False) and not sample.unit.is_row:
        # a user's context is chosen at random
        return users_per_item(sample, mechanism) if len(names) == 1 else None
    table = sample.counts.reshape(schema.sizes)
    left = table.sum(axis=tuple(place for place, name in enumerate(every) if name not in names))
    order = [name for name in every if name in names]
    return np.transpose(left, [order.index(name) for name in names])


def covered(task: Task, sample: Sample, epsilon: str, trials: int, schema: Schema = SCHEMA) -> Hits:
    """By class of question, how often the truth is not below, and not above; nothing if it cannot be tried."""
    found: Hits = defaultdict(lambda: np.zeros((2, len(LEVELS))))
    try:
        mechanism = mechanism_for(task, Request.of(task, schema, sample.unit, epsilon))
    except BadParameter:  # such as a bound above what users have
        return {}
    if (truth := truth_of(mechanism, sample, schema)) is None:
        return {}
    asked: Any = None
    for summary in redrawn(task, schema, sample, epsilon, trials):
        asked = asked or questions(mechanism.release_schema, truth, summary)
        names, together, true = asked
        for name, holds in zip(names, held(summary, together, true), strict=True):
            found[name] += holds
    return found


def held(summary: Summary, asked: Questions, true: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Questions x sides x levels: whether the truth is not below, and not above."""
    found = []
    for level in LEVELS:
        answers = summary.answer(asked, level).of_counts()
        assert np.all((answers.low >= 0) & (answers.low <= answers.value) & (answers.value <= answers.high))
        # transforms divide: whole numbers come out up to rounding
        found.append([answers.low <= true + 1e-6, true <= answers.high + 1e-6])
    return np.array(found).T


def short(found: Hits, trials: int) -> list[tuple[str, float, float]]:
    """Classes, sides and levels of intervals that hold the truth less often than they say: each side misses half."""
    return [
        (f"{name}, {side}", level, hits[number, place] / trials)
        for name, hits in found.items()
        for number, side in enumerate(("low", "high"))
        for place, level in enumerate(LEVELS)
        if not at_least(hits[number, place], trials, (1 + level) / 2)
    ]


def samples(task: Task) -> list[tuple[str, Sample]]:
    alone = [(kind, one) for kind, one in tables(SCHEMA) if task.name != "items" or one.unit.is_row]
    return [*alone, *(users(SCHEMA) if task.name == "items" else [])]


def check(task: Task, trials: int) -> None:
    """In each kind of data, and in all together, where a smaller shortage shows."""
    together: Hits = defaultdict(lambda: np.zeros((2, len(LEVELS))))
    tried: dict[str, int] = defaultdict(int)
    for kind, sample in samples(task):
        for epsilon in EPSILONS:
            found = covered(task, sample, epsilon, trials)
            assert short(found, trials) == [], (kind, epsilon)
            for name, hits in found.items():
                together[name] += hits
                tried[name] += trials
    assert tried, "nothing could be tried"
    assert set(tried) <= set(CLASSES)
    for name, hits in together.items():
        assert short({name: hits}, tried[name]) == []


@each_case
def test_intervals_hold_the_true_count(task: Task) -> None:
    check(task, 20)


@pytest.mark.parametrize("task", DEFAULTS, ids=str)
def test_intervals_of_defaults_hold_the_true_count(task: Task) -> None:
    check(task, 40)


def test_at_least_eight_kinds_of_data_and_seven_classes_are_tried() -> None:
    assert len(list(tables(SCHEMA))) >= 8
    assert len(list(users(SCHEMA))) >= 5
    assert {task.name for task in DEFAULTS} == {task.name for task in CASES}


# --- quantiles


@pytest.mark.parametrize("task", [task for task in CASES if "age" in task.attributes(SCHEMA)], ids=str)
def test_intervals_of_quantiles_hold_the_true_one(task: Task) -> None:
    if "queries" in task.parameters:
        pytest.skip("answers its own queries only")
    trials = 40
    for kind, sample in tables(SCHEMA):
        if not sample.unit.is_row or not sample.counts.any():
            continue
        mechanism = mechanism_for(task, Request.of(task, SCHEMA, sample.unit, "1"))
        place = list(mechanism.release_schema).index("age")
        ages = sample.counts.reshape(SCHEMA.sizes).sum(axis=(1, 2))
        true = int(np.searchsorted(np.cumsum(ages), 0.5 * ages.sum()))
        sizes = mechanism.release_schema.sizes
        every = discreet.queries.Boxes(np.zeros((1, len(sizes)), np.int64), np.array([sizes]) - 1)
        hits = np.zeros(len(LEVELS))
        for summary in redrawn(task, SCHEMA, sample, "1", trials):
            for number, level in enumerate(LEVELS):
                found = quantile(summary, every, place, 0.5, level)
                hits[number] += found.low <= true <= found.high
        assert all(at_least(hit, trials, level) for hit, level in zip(hits, LEVELS, strict=True)), kind


# --- large tables, where nearly all cells are left out

LARGE = discreet.Schema(
    x=discreet.Ordinal(0, 2**16 - 1),
    y=discreet.Nominal(hierarchy={f"group {i}": [f"{i}-{j}" for j in range(2**12)] for i in range(4)}),
)
LINE = discreet.Schema(x=discreet.Ordinal(0, 2**30 - 1))


def sparse_kinds(schema: Schema) -> dict[str, tuple[NDArray[np.int64], Counts]]:
    dice = np.random.default_rng(7)

    def cells(count: int) -> NDArray[np.int64]:
        return np.unique(np.stack([dice.integers(0, size, count) for size in schema.sizes], axis=1), axis=0)

    many, some, near = cells(4000), cells(800), cells(1)
    zipf = (20_000 / np.arange(1, len(some) + 1) ** 1.1).astype(np.int64) + 1
    cluster = np.minimum(near + np.arange(200)[:, None], np.array(schema.sizes) - 1)
    cluster = np.unique(cluster, axis=0)
    return {
        "empty": (np.empty((0, len(schema)), np.int64), np.empty(0, np.int64)),
        "below theta": (many, np.ones(len(many), np.int64)),
        "zipf": (some, zipf),
        "clustered": (cluster, np.full(len(cluster), 25)),
        "one huge cell": (near, np.array([50_000])),
    }


LARGE_CLASSES = ("heavy cell", "empty cell", "half", "small range", "some cells", "total")


def large_questions(schema: Schema, codes: NDArray[np.int64], counts: Counts) -> tuple[Questions, NDArray[np.float64]]:
    """A heavy cell, an empty one, a half, a small range around the heavy cell, some cells, and everything."""
    sizes = np.array(schema.sizes)
    zero, last = np.zeros_like(sizes), sizes - 1
    heavy = codes[int(np.argmax(counts))] if len(codes) else sizes // 3
    half = last.copy()
    half[-1] //= 2
    near = np.maximum(heavy - 3, 0), np.minimum(heavy + 3, last)
    listed = np.unique(np.concatenate([codes[::5], np.array([zero, sizes // 7])]), axis=0)
    boxes = [
        [(heavy, heavy)],
        [(sizes // 5, sizes // 5)],
        [(zero, half)],
        [near],
        [(c, c) for c in listed],
        [(zero, last)],
    ]
    first, ends = (np.array([box[side] for some in boxes for box in some]) for side in (0, 1))
    owner = np.repeat(np.arange(len(boxes)), [len(some) for some in boxes])
    true = np.zeros(len(boxes))
    for low, high, question in zip(first, ends, owner, strict=True):
        true[question] += counts[np.all((codes >= low) & (codes <= high), axis=1)].sum()
    return Questions(first, ends, len(boxes), owner), true


@pytest.mark.parametrize(
    ("task", "schema"),
    [
        (discreet.Table(["x", "y"]), LARGE),
        (discreet.Table(["x", "y"], method="filter", size=2000, total="0.05"), LARGE),
        (discreet.Table(["x", "y"], method="filter-threshold", size=2000, sided="one", total="0.05"), LARGE),
        (discreet.Table(["x", "y"], method="filter-priority", size=500, theta=3, total="0.1"), LARGE),
        (discreet.Table(["x", "y"], method="filter", size=2000), LARGE),
        (discreet.Ranges(["x"]), LINE),
        (discreet.Ranges(["x"], method="dyadic-filter", size=2000, consistency=False), LINE),
        (discreet.Ranges(["x"], method="dyadic-priority", size=2000), LINE),
        (discreet.Ranges(["x"], method="wavelet-filter", size=2000), LINE),
        (discreet.Ranges(["x"], method="wavelet-filter-priority", size=2000), LINE),
    ],
    ids=lambda given: str(given) if isinstance(given, Task) else f"{given.cells} cells",
)
def test_intervals_in_large_tables_hold_the_true_count(task: Task, schema: Schema) -> None:
    trials = 12
    together = np.zeros((len(LARGE_CLASSES), 2, len(LEVELS)))
    for epsilon in EPSILONS:
        mechanism = mechanism_for(task, Request.of(task, schema, Unit(), epsilon))
        for kind, (codes, counts) in sparse_kinds(schema).items():
            asked, true = large_questions(schema, codes, counts)
            bounded = from_counts(schema, codes, counts).origin.bounded(mechanism.request.schema, Unit(), b"")
            hits = np.zeros((len(LARGE_CLASSES), 2, len(LEVELS)))
            for _ in range(trials):
                hits += held(mechanism.measure(bounded, Noise()), asked, true)
            assert short(dict(zip(LARGE_CLASSES, hits, strict=True)), trials) == [], (epsilon, kind)
            together += hits
    assert short(dict(zip(LARGE_CLASSES, together, strict=True)), trials * len(EPSILONS) * 5) == []


# --- where noise, samples and choices meet


def of_cells(schema: Schema, codes: list[list[int]], counts: list[int]) -> Sample:
    origin, unit = from_counts(schema, codes, counts).origin, Unit()
    table = np.zeros(schema.sizes, np.int64)
    table[tuple(np.array(codes).T)] = counts
    return Sample(table.reshape(-1), lambda made, salt: origin.bounded(made.request.schema, unit, salt), unit)


SHORT_LINE = discreet.Schema(x=discreet.Ordinal(0, 299))
#: the subset has a light cell in it, among others heavier than tau; so has the range
LIGHT = of_cells(SHORT_LINE, [[10], [100], [151], [200]], [80, 1000, 50, 300])


@pytest.mark.parametrize("sided", ["one", "two"])
@pytest.mark.parametrize(
    ("method", "chosen"),
    [
        ("threshold", {"tau": 100}),
        ("priority", {"size": 6}),
        ("filter-threshold", {"theta": 8, "tau": 100}),
        ("filter-threshold", {"theta": 8, "tau": 100, "total": "0.3"}),
        ("filter-priority", {"theta": 6, "size": 3, "total": "0.3"}),
        ("filter", {"theta": 6}),
    ],
)
def test_light_cells_that_are_drawn_are_not_taken_for_heavy_ones(method: str, chosen: Any, sided: str) -> None:
    """A cell of 80 that stands for 100 is too high by a bounded error, which is no reason to trust it."""
    task, trials = discreet.Table(["x"], method=method, sided=sided, **chosen), 300
    assert short(covered(task, LIGHT, "1", trials, SHORT_LINE), trials) == []
    empty = of_cells(SHORT_LINE, [[0]], [0])
    assert short(covered(task, empty, "1", trials, SHORT_LINE), trials) == []


def sides_of_marginals(method: str, tables: int, trials: int, **chosen: Any) -> NDArray[np.float64]:
    """How often the total, and an empty cell, are not below and not above, by levels."""
    schema = discreet.Schema({f"a{i}": discreet.Nominal(["u", "v"]) for i in range(tables)})
    task = discreet.Marginals(list(schema), ways=1, method=method, **chosen)
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), 1))
    bounded = from_counts(schema, [[0] * tables], [2000]).origin.bounded(schema, Unit(), b"")
    first, last = np.zeros((2, tables), np.int64), np.ones((2, tables), np.int64)
    first[1, 0] = 1
    asked, true = Questions(first, last, 2, np.arange(2)), np.array([2000.0, 0.0])
    hits = np.zeros((2, 2, len(LEVELS)))
    for _ in range(trials):
        hits += held(mechanism.measure(bounded, Noise()), asked, true)
    return hits


@pytest.mark.parametrize(
    ("method", "chosen"),
    [("auto", {}), ("ireduct", {"consistency": True}), ("iresamp", {"objective": "maximum"}), ("two-phase", {})],
)
def test_scales_that_depend_on_their_own_noise_are_allowed_for(method: str, chosen: Any) -> None:
    trials = 250
    hits = sides_of_marginals(method, 20, trials, **chosen)
    assert short({"total": hits[0], "empty": hits[1]}, trials) == []


# --- widths


def test_a_measured_total_makes_intervals_of_the_whole_as_narrow_as_its_own_noise() -> None:
    codes, counts = sparse_kinds(LARGE)["zipf"]
    release = from_counts(LARGE, codes, counts).publish(discreet.Table(["x", "y"]), 1)
    for where in (None, {"y": "group 2"}):  # 1.5 % of epsilon each
        found = release.count(where)
        assert found.high - found.low < 2 * 4.5 / 0.015
        assert abs(found.value - found.low) < 4.5 / 0.015


# --- faults that must show


def test_intervals_around_rounded_answers_are_found_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry(), ("table", Rounded.method), Rounded)
    task = task_from_dict({"task": "table", "by": ["age", "sex", "place"], "method": Rounded.method})
    sample = dict(tables(SCHEMA))["uniform"]
    assert short(covered(task, sample, "5", 60), 60)


@pytest.mark.parametrize("fault", ["hidden", "surplus", "lifted"])
def test_intervals_that_forget_what_a_filter_does_are_found_short(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Absent cells count as zero; what one side adds is not taken off; empty cells never pass."""
    chosen: dict[str, Any] = {"theta": 2, "sided": "one"} if fault == "surplus" else {"theta": 8}
    task = discreet.Table(["age", "sex", "place"], method="filter", **chosen)
    sample = dict(tables(SCHEMA))["below theta" if fault == "hidden" else "empty"]
    epsilon, trials = "0.3" if fault != "hidden" else "1", 300
    assert not short(covered(task, sample, epsilon, trials), trials)
    if fault == "hidden":
        monkeypatch.setattr(SparseLaw, "hidden", property(lambda self: 0, lambda self, value: None), raising=False)
    elif fault == "surplus":
        monkeypatch.setattr(SparseLaw, "surplus", lambda self, sums: np.zeros_like(sums.load))
    else:
        monkeypatch.setattr(SparseLaw, "lifted", lambda self, sums, miss: self.half(sums.passed, 1 - 2 * miss) / 3)
    assert short(covered(task, sample, epsilon, trials), trials)


def test_every_method_that_filters_cells_can_buy_a_total() -> None:
    for (task, _), kind in registry().items():
        if task == "table" and issubclass(kind, Sparse):
            names = {parameter.name for parameter in kind.parameters}
            assert ("theta" in names) == ("total" in names)
