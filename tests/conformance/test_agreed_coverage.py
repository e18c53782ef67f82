"""Intervals of `agreed` on data made against it: one full cell, attributes that are the same, nobody, all alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.summaries import Summary
from discreet.summaries.agreed_tables import AgreedTables
from tests.statistics import at_least

Ints = NDArray[np.int64]

SIZES = (8, 8, 5, 2)
SCHEMA = discreet.Schema({f"a{place}": discreet.Ordinal(0, size - 1) for place, size in enumerate(SIZES)})
LEVELS = (0.8, 0.95)
TRIALS = 60
SLACK = 1e-6


def filled(*parts: Any) -> Ints:
    counts = np.zeros(SIZES, np.int64)
    for place, count in parts:
        counts[place] += count
    return counts


def diagonal() -> Ints:
    """The first two attributes are the same, and the others follow from them."""
    counts = np.zeros(SIZES, np.int64)
    for code in range(8):
        counts[code, code, code % 5, code % 2] = 500
    return counts


def skewed() -> Ints:
    dice = np.random.default_rng(7)
    return dice.poisson(2000 / (1 + np.arange(np.prod(SIZES))) ** 1.1).reshape(SIZES)


HOSTILE: dict[str, Ints] = {
    "empty": filled(),
    "all in one cell": filled(((3, 4, 2, 1), 50_000)),
    "one cell among even ones": filled((..., 3), ((3, 4, 2, 1), 5_000)),
    "diagonal": diagonal(),
    "uniform": filled((..., 9)),
    "skewed": skewed(),
    "one margin": filled(((slice(None), 0, 0, 0), 900)),
}
#: what the interval is asked for, by class
CLASSES = ("heaviest cell", "emptiest cell", "a cell", "a range", "several boxes", "one-way cell", "total")


def questions(truth: Ints) -> tuple[list[str], Questions, NDArray[np.float64]]:
    """Of every pair of attributes, all classes."""
    names: list[str] = []
    first, last, owner, true = [], [], [], []

    def ask(name: str, boxes: list[dict[int, tuple[int, int]]]) -> None:
        inside = np.zeros(SIZES, np.bool_)
        for box in boxes:
            ends = [box.get(place, (0, size - 1)) for place, size in enumerate(SIZES)]
            first.append([low for low, _ in ends])
            last.append([high for _, high in ends])
            owner.append(len(names))
            inside[tuple(slice(low, high + 1) for low, high in ends)] = True
        names.append(name)
        true.append(int(truth[inside].sum()))

    for one in range(len(SIZES)):
        for other in range(one + 1, len(SIZES)):
            pair = truth.sum(axis=tuple(place for place in range(len(SIZES)) if place not in (one, other)))
            for name, cell in (("heaviest cell", pair.argmax()), ("emptiest cell", pair.argmin()), ("a cell", 7)):
                row, column = (int(code) for code in np.unravel_index(int(cell) % pair.size, pair.shape))
                ask(name, [{one: (row, row), other: (column, column)}])
            ask("a range", [{one: (0, SIZES[one] // 2), other: (0, (SIZES[other] - 1) // 2)}])
            ask("several boxes", [{one: (0, 0), other: (0, 0)}, {one: (1, 1), other: (1, 1)}])
    for place in range(len(SIZES)):
        ask("one-way cell", [{place: (0, 0)}])
    ask("total", [{}])
    return names, Questions(np.array(first), np.array(last), len(names), np.array(owner)), np.array(true, np.float64)


def hits(summary: Summary, asked: Questions, true: NDArray[np.float64], level: float) -> NDArray[np.bool_]:
    found = summary.answer(asked, level).of_counts()
    assert np.all((found.low >= 0) & (found.low <= found.value) & (found.value <= found.high))
    return np.stack([found.low <= true + SLACK, true <= found.high + SLACK])


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("measure", ["auto", "all", "pairs"])
def test_intervals_hold_the_truth_in_every_class(measure: str, epsilon: str) -> None:
    task = discreet.Marginals(ways=2, method="agreed", measure=measure)
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), epsilon))
    for kind, truth in HOSTILE.items():
        occupied = np.argwhere(truth > 0)
        given = Counts.from_arrays(SIZES, occupied.reshape(-1, len(SIZES)), truth[truth > 0])
        names, asked, true = questions(truth)
        held = np.zeros((len(LEVELS), 2, len(names)))
        for _ in range(TRIALS):
            summary = mechanism.measure(given, Noise())
            held += np.stack([hits(summary, asked, true, level) for level in LEVELS])
        for name in CLASSES:
            mine = np.array([one == name for one in names])
            for place, level in enumerate(LEVELS):
                for side in held[place][:, mine].mean(axis=1):  # questions of one release depend on each other
                    assert at_least(side, TRIALS, (1 + level) / 2), (kind, name, level, side / TRIALS)


def test_intervals_that_are_too_narrow_are_found_short() -> None:
    task = discreet.Marginals(ways=2, method="agreed", measure="all")
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), "0.1"))
    truth = HOSTILE["uniform"]
    given = Counts.from_arrays(SIZES, np.argwhere(truth > 0), truth[truth > 0])
    names, asked, true = questions(truth)
    heavy, held = np.array([one == "heaviest cell" for one in names]), 0.0
    for _ in range(TRIALS):
        summary = mechanism.measure(given, Noise())
        assert isinstance(summary, AgreedTables)
        held += float(hits(summary, asked, true, 0.3)[:, heavy].all(axis=0).mean())
    assert not at_least(held, TRIALS, 0.95)
