"""Bounds against all whole tables that intervals allow, on tiny domains, and where intervals contradict each other."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from discreet.queries import Questions
from discreet.summaries import joint_bounds
from discreet.summaries.base import Answers
from discreet.summaries.joint_bounds import JointBounds

PAIRS = [(0, 1), (1, 2), (0, 2)]
SIZES = (2, 3, 2)
ASKED = (0, 1, 2)


def counted(table: Any, questions: Questions) -> Any:
    found = np.zeros(questions.count)
    for first, last, owner in zip(questions.first, questions.last, questions.owner, strict=True):
        found[owner] += table[tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))].sum()
    return found


class Known:
    """Intervals of a table's sums, off by up to `width` either way; remembers what was asked."""

    def __init__(self, table: Any, width: int) -> None:
        self.table, self.width, self.random = table, width, np.random.default_rng(3)
        self.asked: list[tuple[Questions, Any, Any]] = []

    def __call__(self, questions: Questions, level: float) -> Answers:
        count = counted(self.table, questions)
        low = np.maximum(count - self.random.integers(0, self.width + 1, count.shape), 0)
        high = count + self.random.integers(0, self.width + 1, count.shape)
        self.asked.append((questions, low, high))
        return Answers(count, np.zeros(len(count)), low, high)


def possible(known: Known, total: int) -> list[Any]:
    """All whole tables of so many records that fit every interval."""
    found = []
    for places in itertools.combinations_with_replacement(range(math.prod(SIZES)), total):
        table = np.bincount(places, minlength=math.prod(SIZES)).reshape(SIZES)
        sums = [(counted(table, some), low, high) for some, low, high in known.asked]
        if all(np.all((low <= count) & (count <= high)) for count, low, high in sums):
            found.append(table)
    return found


QUESTIONS = {
    "cell": Questions(np.array([[0, 1, 0]]), np.array([[0, 1, 0]]), 1, np.array([0])),
    "range": Questions(np.array([[1, 0, 1]]), np.array([[1, 1, 1]]), 1, np.array([0])),
    "product": Questions(np.array([[1, 0, 0], [1, 2, 0]]), np.array([[1, 0, 0], [1, 2, 0]]), 1, np.array([0, 0])),
    "two boxes": Questions(np.array([[0, 0, 0], [1, 2, 0]]), np.array([[0, 1, 0], [1, 2, 1]]), 1, np.array([0, 0])),
}


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("sets", [PAIRS, [(0, 1), (2,)], [(0,), (1,), (2,)]])
def test_every_table_that_fits_lies_in_the_bounds(asked: str, sets: list[tuple[int, ...]]) -> None:
    truth = np.array([[[1, 0], [0, 1], [0, 0]], [[0, 0], [1, 0], [0, 1]]])
    known = Known(truth, 0)
    question = QUESTIONS[asked]
    low, high = JointBounds(SIZES, sets, known).of(question, ASKED, 0.95)
    tables = possible(known, 4)
    assert tables
    found = [counted(table, question)[0] for table in tables]
    assert low[0] - 1e-6 <= min(found)
    assert max(found) <= high[0] + 1e-6
    # the bounds are those of fractions of records, which here are less than one wider
    assert min(found) - low[0] < 1
    assert high[0] - max(found) < 1


@pytest.mark.parametrize("width", [0, 1, 5])
@pytest.mark.parametrize("many", [True, False])
def test_the_truth_lies_in_the_bounds(width: int, many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without linear programmes, which are for few questions."""
    if many:
        monkeypatch.setattr(joint_bounds, "_WORK", 0)
    random, sizes = np.random.default_rng(width), (4, 3, 5, 2)
    sets = [(0, 1), (1, 2), (0, 3), (2, 3), (0, 2)]
    for _ in range(40):
        table = random.poisson(random.exponential(5, sizes))
        ends = np.sort(random.integers(0, sizes, (3, 2, 4)), axis=1)
        whole = (ends[:, 0] == 0) & (ends[:, 1] == np.array(sizes) - 1)
        ends[:, 1][whole] -= 1
        questions = Questions(ends[:, 0], ends[:, 1], 3, np.arange(3))
        low, high = JointBounds(sizes, sets, Known(table, width)).of(questions, (0, 1, 2, 3), 0.95)
        true = counted(table, questions)
        assert np.all((low <= true + 1e-6) & (true <= high + 1e-6))


@pytest.mark.parametrize("setting", ["_MOST_SINGLY", "_MOST_ROWS", "_MOST_BOXES", "_MOST_ATOMS"])
def test_the_truth_lies_in_the_bounds_of_unions(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many boxes, one by one or box by box; products are told from others."""
    random, sizes = np.random.default_rng(2), (4, 3, 5, 2)
    sets = [(0, 1), (1, 2), (0, 3), (2, 3), (0, 2)]
    for limit in (getattr(joint_bounds, setting), 0):
        monkeypatch.setattr(joint_bounds, setting, limit)
        for _ in range(20):
            table = random.poisson(random.exponential(5, sizes))
            cells = np.argwhere(random.random(sizes) < 0.2)
            owner = np.sort(random.integers(0, 3, len(cells)))
            owner[:3] = [0, 1, 2]
            questions = Questions(cells, cells, 3, np.sort(owner))
            low, high = JointBounds(sizes, sets, Known(table, 1)).of(questions, (0, 1, 2, 3), 0.95)
            true = counted(table, questions)
            assert np.all((low <= true + 1e-6) & (true <= high + 1e-6))


def test_products_are_told_from_other_unions() -> None:
    product = list(itertools.product([0, 2], [1], [0, 1]))
    union = [(0, 1, 0), (2, 1, 1)]
    cells, owner = np.array([*product, *union]), np.array([0] * 4 + [1] * 2)
    assert joint_bounds._are_products(Questions(cells, cells, 2, owner), (0, 1, 2)).tolist() == [True, False]


def test_simple_bounds_are_no_tighter_than_linear_programmes(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(8).poisson(30, (3, 3, 3))
    cells = np.indices((3, 3, 3)).reshape(3, -1).T
    questions = Questions(cells, cells, len(cells), np.arange(len(cells)))
    tight = JointBounds((3, 3, 3), PAIRS, Known(table, 0)).of(questions, ASKED, 0.95)
    monkeypatch.setattr(joint_bounds, "_WORK", 0)
    simple = JointBounds((3, 3, 3), PAIRS, Known(table, 0)).of(questions, ASKED, 0.95)
    assert np.all(simple[0] <= tight[0] + 1e-6)
    assert np.all(simple[1] >= tight[1] - 1e-6)


def test_intervals_that_contradict_each_other_are_widened() -> None:
    def wrong(questions: Questions, level: float) -> Answers:
        narrowed = np.count_nonzero(questions.last - questions.first + 1 < np.array(SIZES), axis=1)
        count = np.where(narrowed == 2, 1000.0, 10.0)  # more in pairs than in all
        return Answers(count, np.ones(len(count)), count - 1, count + 1)

    for question in QUESTIONS.values():
        low, high = JointBounds(SIZES, PAIRS, wrong).of(question, ASKED, 0.95)
        assert np.isfinite(low).all()
        assert np.isfinite(high).all()
        assert np.all((low >= 0) & (low <= high))


def test_each_interval_has_its_share_of_the_level() -> None:
    asked: list[tuple[int, float]] = []

    def heard(questions: Questions, level: float) -> Answers:
        asked.append((questions.count, level))
        return Known(np.ones(SIZES), 0)(questions, level)

    JointBounds(SIZES, PAIRS, heard).of(QUESTIONS["cell"], ASKED, 0.9)
    assert sum(count * (1 - level) for count, level in asked) == pytest.approx(0.05)  # half of it for either end
