"""Intervals of `adaptive` on data that were made against it: blocks right at the threshold, lines, a single cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges.adaptive import Adaptive
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.transforms.block_rules import LookScales, thresholds
from discreet.transforms.block_tree import Generation, children, divided
from tests.statistics import at_least

Ints = NDArray[np.int64]

TRIALS = 300
LEVELS = (0.8, 0.95)
LINE = Schema(x=discreet.Ordinal(0, 511))
SQUARE = Schema(x=discreet.Ordinal(0, 63), y=discreet.Ordinal(0, 63))
PLACES = Schema(
    place=discreet.Nominal(hierarchy={f"g{i}": [f"p{i}.{j}" for j in range(3 + 4 * i)] for i in range(5)}),
    x=discreet.Ordinal(0, 99, special=[0]),
)


def made(schema: Schema, epsilon: str) -> Adaptive:
    task = discreet.Ranges(list(schema), method="adaptive", guess={"rows": 10_000})
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), epsilon))
    assert isinstance(mechanism, Adaptive)
    return mechanism


def at_thresholds(schema: Schema, epsilon: str, level: int, beside: float, even: bool) -> Ints:
    """Every block of a level holds its threshold, and a few units of its noise beside it: in one cell, or in all."""
    mechanism = made(schema, epsilon)
    plan = mechanism.planner.trees(10_000.0)[0]
    looks, blocks = LookScales(plan, mechanism.scale), Generation.root(plan)
    for _ in range(level):
        blocks = children(plan, blocks, divided(plan, blocks))
    limits = thresholds(looks, mechanism.stop, blocks, divided(plan, blocks).children, looks.first(blocks))
    counts = np.zeros(schema.sizes, np.int64)
    scales = looks.first(blocks)
    for i in np.flatnonzero(np.isfinite(limits)).tolist():
        box = tuple(slice(a, b + 1) for a, b in zip(blocks.first[i], blocks.last[i], strict=True))
        count = max(int(limits[i] + beside * scales[i]), 0)
        if even:
            counts[box] = count // counts[box].size
        counts[tuple(blocks.first[i])] += count - counts[box].sum()
    return counts


def filled(sizes: tuple[int, ...], *parts: Any) -> Ints:
    """Zeros, but for the given places and their counts."""
    counts = np.zeros(sizes, np.int64)
    for place, count in parts:
        counts[place] = count
    return counts


HOSTILE: list[tuple[str, Schema, Any]] = [
    *(
        (f"level {level} at T{beside:+} b, {'even' if even else 'in one cell'}", schema, (level, beside, even))
        for schema in (LINE, SQUARE)
        for level, beside, even in [(1, 0, False), (1, 0, True), (2, 0, False), (2, -1, False), (2, 1, True)]
    ),
    ("places at T", PLACES, (1, 0, False)),
    ("one cell of most", LINE, lambda sizes: filled(sizes, (slice(None), 3), (137, 10_000))),
    ("one cell of most", SQUARE, lambda sizes: filled(sizes, (slice(7, 20), 3), ((17, 44), 20_000))),
    ("two lines", SQUARE, lambda sizes: filled(sizes, (3, 60), ((slice(None), 40), 25))),
    ("uniform", SQUARE, lambda sizes: np.full(sizes, 7)),
    ("empty", SQUARE, lambda sizes: np.zeros(sizes, np.int64)),
    ("empty", LINE, lambda sizes: np.zeros(sizes, np.int64)),
    ("on the special value", PLACES, lambda sizes: filled(sizes, ((slice(None), 0), 400), ((3, 50), 9))),
    ("beside the special value", PLACES, lambda sizes: filled(sizes, ((slice(None), 1), 400))),
]


def boxes(sizes: tuple[int, ...]) -> Ints:
    """First and last codes: everything, halves of each attribute, blocks, and boxes with ends of no block."""
    whole = np.stack([np.zeros(len(sizes), np.int64), np.array(sizes) - 1])
    found = [whole]
    for place, size in enumerate(sizes):
        for first, last in [
            (0, size // 2 - 1),
            (size // 4, size // 4),
            (size // 8, size - size // 8 - 1),
            (0, size - 2),
        ]:
            one = whole.copy()
            one[:, place] = first, last
            found.append(one)
    dice = np.random.default_rng(3)
    found += list(np.sort(dice.integers(0, sizes, (10, 2, len(sizes))), axis=1))
    return np.stack(found)


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize(("kind", "schema", "counts"), HOSTILE, ids=lambda one: one if isinstance(one, str) else "")
def test_each_end_is_missed_as_rarely_as_stated(kind: str, schema: Schema, counts: Any, epsilon: str) -> None:
    table = at_thresholds(schema, epsilon, *counts) if isinstance(counts, tuple) else counts(schema.sizes)
    asked = boxes(schema.sizes)
    true = np.array([table[tuple(slice(a, b + 1) for a, b in zip(*box, strict=True))].sum() for box in asked])
    questions = Questions(asked[:, 0].copy(), asked[:, 1].copy(), len(asked), np.arange(len(asked)))
    mechanism, exact = made(schema, epsilon), Counts.from_dense(schema.sizes, table.reshape(-1))
    above, below = np.zeros((2, len(LEVELS), len(asked)))
    for _ in range(TRIALS):
        summary = mechanism.measure(exact, Noise())
        for place, level in enumerate(LEVELS):
            answers = summary.answer(questions, level).of_counts()
            below[place] += answers.low <= true + 1e-6
            above[place] += true <= answers.high + 1e-6
    for place, level in enumerate(LEVELS):
        for side, hits in (("low", below[place]), ("high", above[place])):
            wrong = [i for i, hit in enumerate(hits) if not at_least(hit, TRIALS, (1 + level) / 2)]
            assert not wrong, (kind, side, level, [(asked[i].tolist(), hits[i] / TRIALS) for i in wrong])
            assert hits.mean() / TRIALS > (1 + level) / 2 - 0.02, (kind, side, level, hits.mean() / TRIALS)


#: n records at every 64th value, or at every place of a line: many blocks are near the threshold, and all in one part
HEAPED: list[tuple[Schema, int, Any, Any]] = [
    (Schema(x=discreet.Ordinal(0, 4095)), n, (slice(None, None, 64),), [[[x], [x]] for x in range(0, 4096, 64)])
    for n in (15, 25, 40)
]
HEAPED += [
    (Schema(x=discreet.Ordinal(0, 1023), y=discreet.Ordinal(0, 63)), 45, (0, slice(None)), [[[0, 1], [0, 62]]]),
]


@pytest.mark.parametrize(
    ("schema", "n", "heaps", "asked"), HEAPED, ids=[f"{schema.sizes}, {n} each" for schema, n, _, _ in HEAPED]
)
def test_questions_that_cut_many_blocks(schema: Schema, n: int, heaps: Any, asked: Any) -> None:
    """All heaps, and all that is between them: a look that decided moved records between the two, in every block."""
    table = filled(schema.sizes, (heaps, n))
    first, last = np.array(asked).transpose(1, 0, 2)
    between = np.stack([first, last]).copy()
    between[0, :, 0], between[1, :, 0] = first[:, 0] + 1, first[:, 0] + (63 if len(schema) == 1 else 1023)
    ends = np.concatenate([np.stack([first, last]), between], axis=1)
    owner = np.repeat([0, 1], len(asked))
    questions = Questions(ends[0].copy(), ends[1].copy(), 2, owner)
    true = np.array([table[heaps].sum() if len(schema) == 1 else n * 62, 0])
    task = discreet.Ranges(list(schema), method="adaptive")
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), 1))
    exact, trials = Counts.from_dense(schema.sizes, table.reshape(-1)), 200
    below, above = np.zeros((2, 2))
    for _ in range(trials):
        answers = mechanism.measure(exact, Noise()).answer(questions, 0.95).of_counts()
        below += answers.low <= true + 1e-6
        above += true <= answers.high + 1e-6
    for hits in (*below, *above):
        assert at_least(hits, trials, 0.975), (below, above)


def test_a_decision_does_not_move_records_to_siblings() -> None:
    """Thousands of pairs of blocks, the first below the threshold, the second far above it: all first ones together."""
    schema = Schema(x=discreet.Ordinal(0, 8 * 4096 - 1))
    table = filled(schema.sizes, (slice(None, None, 8), 44), (slice(4, None, 8), 1000))
    places = np.arange(0, 8 * 4096, 4)[:, None]
    order = np.argsort(places[:, 0] % 8, kind="stable")
    questions = Questions(places[order], places[order] + 3, 2, np.repeat([0, 1], 4096))
    task = discreet.Ranges("x", method="adaptive", levels=[8, 4, 1])
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), 1))
    exact, trials, true = Counts.from_dense(schema.sizes, table), 100, np.array([44 * 4096, 1000 * 4096])
    below, above = np.zeros((2, 2))
    for _ in range(trials):
        answers = mechanism.measure(exact, Noise()).answer(questions, 0.95)
        below += answers.low <= true
        above += true <= answers.high
    for hits in (*below, *above):
        assert at_least(hits, trials, 0.975), (below, above)


@pytest.mark.parametrize("epsilon", ["1.5", "3"])
def test_noise_in_whole_steps_is_allowed_for(epsilon: str) -> None:
    """Few cells and much epsilon: a single look, whose noise is a few records."""
    schema, true = Schema(x=discreet.Ordinal(0, 2)), np.array([100, 0, 7, 107])
    questions = Questions(np.array([[0], [1], [2], [0]]), np.array([[0], [1], [2], [2]]), 4, np.arange(4))
    mechanism, exact = made(schema, epsilon), Counts.from_dense(schema.sizes, true[:3])
    trials, missed = 1500, np.zeros((2, 4))
    for _ in range(trials):
        answers = mechanism.measure(exact, Noise()).answer(questions, 0.8).of_counts()
        missed += [true < answers.low - 1e-6, true > answers.high + 1e-6]
    for misses in missed.reshape(-1):
        assert at_least(trials - misses, trials, 0.9), missed
