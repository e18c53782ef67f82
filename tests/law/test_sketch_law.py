"""The laws behind `sketch`: the exact privacy loss, the hash family, unbiasedness, coverage; faults that must show."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.kernels.hashing import PRIME, add_cells, box_estimates, cell_keys
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.table.sketch import Sketch
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit, exp_negative
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.summaries.sketch_cells import SketchCells
from tests.laplace_law import LaplaceLaw
from tests.statistics import at_least, compare, share

SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 1), y=discreet.Ordinal(0, 1))
CELLS = np.array(list(product(range(2), repeat=2)))

Measure = Callable[[Counts, Noise], SketchCells]


def sketch(unit: Unit, epsilon: Fraction, schema: discreet.Schema = SCHEMA, **parameters: Any) -> Sketch:
    task = discreet.Table(list(schema), method="sketch", **parameters)
    made = mechanism_for(task, Request(schema, unit, epsilon, parameters))
    assert isinstance(made, Sketch)
    return made


def table(counts: Any) -> Counts:
    return Counts.from_arrays(SCHEMA.sizes, CELLS, counts)


# --- privacy


def matrix(measure: Measure, seed: int) -> NDArray[np.int64]:
    """The linear map of one draw of hash functions, column by column: what one record in each cell does."""
    empty = measure(table([0] * 4), ZeroNoise(SeededSource(seed))).table
    ones = [measure(table(unit), ZeroNoise(SeededSource(seed))).table for unit in np.eye(4, dtype=np.int64)]
    return np.stack([(one - empty).reshape(-1) for one in ones], axis=1)


def neighbours(unit: Unit) -> list[tuple[int, ...]]:
    """Every change of the four cells that one unit can make."""
    rows = unit.max_rows or 1
    added = [v for v in product(range(rows + 1), repeat=4) if sum(v) <= rows]
    if unit.neighbours == "add-remove":
        return [*added, *(tuple(-x for x in v) for v in added)]
    return [tuple(a - b for a, b in zip(v, w, strict=True)) for v in added for w in added]


def worst_ratio(linear_map: NDArray[np.int64], law: LaplaceLaw, unit: Unit) -> Fraction:
    """max over neighbours and outputs of Pr[z | T] / Pr[z | T'], given the hash functions: buckets are independent."""
    steepest = {step: max(law.exact_pmf(z) / law.exact_pmf(z - step) for z in range(-9, 10)) for step in range(-9, 10)}
    moves = (np.abs(linear_map @ np.array(change)) for change in neighbours(unit))
    return max(math.prod((steepest[int(step)] for step in move if step), start=Fraction(1)) for move in moves)


def exp_of(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    low, high = exp_negative(epsilon, 200)
    return 1 / Fraction(high, 2**200), 1 / Fraction(low, 2**200)


@pytest.mark.law("sketch")
@pytest.mark.parametrize("unit", [Unit(), Unit(neighbours="replace"), Unit("u", max_rows=2)])
@pytest.mark.parametrize("rows", [1, 3, 4])
def test_no_output_tells_more_than_epsilon_between_any_neighbours(unit: Unit, rows: int) -> None:
    epsilon = Fraction(37, 100)
    mechanism = sketch(unit, epsilon, rows=rows, buckets=64, estimate="mean")
    below, _ = exp_of(epsilon)
    for seed in range(6):
        linear_map = matrix(mechanism.measure, seed)
        weights = np.abs(linear_map).sum(axis=0)
        assert max(Fraction(int(weight)) / mechanism.scale for weight in weights) == rows / mechanism.scale
        assert mechanism.cost == unit.sensitivity * rows / mechanism.scale == epsilon
        worst = worst_ratio(linear_map, LaplaceLaw(mechanism.alpha), unit)
        assert worst <= below
        assert worst >= below * (1 - Fraction(1, 10**15)), "and nothing is given away"


def test_planted_charge_for_one_row_only_is_caught() -> None:
    epsilon = Fraction(1, 2)
    mechanism = sketch(Unit(), epsilon, rows=3, buckets=64)
    one_row = LaplaceLaw.of(mechanism.scale / 3)
    assert worst_ratio(matrix(mechanism.measure, 1), one_row, Unit()) > exp_of(epsilon)[1]


def test_planted_replace_charged_as_add_remove_is_caught() -> None:
    epsilon = Fraction(1, 2)
    mechanism = sketch(Unit(), epsilon, rows=3, buckets=64)
    worst = worst_ratio(matrix(mechanism.measure, 1), LaplaceLaw(mechanism.alpha), Unit(neighbours="replace"))
    assert worst > exp_of(epsilon)[1]


def hashes_ignore_the_data(measure: Measure) -> bool:
    """The same bits give the same hash functions whatever the counts; and the noise comes after them."""
    tables = [table(counts) for counts in ([0, 0, 0, 0], [1, 0, 0, 0], [5, 6, 7, 8], [0, 0, 0, 10**6])]
    made = [measure(counts, Noise(SeededSource(3))).facts() for counts in tables]
    return all(facts == made[0] for facts in made)


def test_hash_functions_are_drawn_without_the_data() -> None:
    assert hashes_ignore_the_data(sketch(Unit(), Fraction(1)).measure)


def test_planted_hash_functions_from_the_data_are_caught() -> None:
    honest = sketch(Unit(), Fraction(1))

    def seeded(counts: Counts, noise: Noise) -> SketchCells:
        return honest.measure(counts, Noise(SeededSource(int(counts.counts.sum()))))

    assert not hashes_ignore_the_data(seeded)


# --- the hash family


def draws(cells: NDArray[np.int64], forms: int, rows: int, buckets: int, degree: int = 3) -> tuple[Any, Any]:
    """Bucket and sign of every cell under forms x rows independent draws, through the kernels: (draws, cells) each."""
    noise = Noise()
    found_buckets, found_signs = [], []
    for _ in range(forms):
        linear = noise.integers(PRIME, cells.shape[1]).astype(np.uint64)
        polynomials = noise.integers(PRIME, 4 * rows).astype(np.uint64).reshape(rows, 4)
        polynomials[:, degree + 1 :] = 0
        keys = np.empty(len(cells), np.uint64)
        cell_keys(cells, linear, keys)
        assert len(set(keys.tolist())) == len(cells)
        for one in range(len(cells)):
            sketches = np.zeros((rows, buckets), np.int64)
            add_cells(keys[one : one + 1], np.ones(1, np.int64), polynomials, sketches)
            found_buckets.append(np.argmax(np.abs(sketches), axis=1))
            found_signs.append(sketches.sum(axis=1))
    shape = (forms, len(cells), rows)
    buckets_, signs = (np.array(found).reshape(shape) for found in (found_buckets, found_signs))
    return buckets_.transpose(0, 2, 1).reshape(-1, len(cells)), signs.transpose(0, 2, 1).reshape(-1, len(cells))


#: next to one another, far apart, and equal in all attributes but one
FOUR = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])
SPREAD = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [9, 9, 9], [9, 9, 10**15], [1, 0, 0]])


def test_pairs_collide_as_often_as_they_should_and_signs_are_balanced() -> None:
    buckets, signs = draws(SPREAD, 10, 10_000, 64)
    n = len(buckets)
    pairs = list(combinations(range(len(SPREAD)), 2))
    together = np.array([np.sum(buckets[:, a] == buckets[:, b]) for a, b in pairs])
    assert compare(together, n, np.full(len(pairs), 1 / 64)).holds
    agreeing = np.array([np.sum((signs[:, a] == signs[:, b]) & (buckets[:, a] == buckets[:, b])) for a, b in pairs])
    assert compare(agreeing, n, np.full(len(pairs), 1 / 128)).holds
    assert compare(np.sum(signs > 0, axis=0), n, np.full(len(SPREAD), 0.5)).holds
    for cell in range(len(SPREAD)):
        hits = np.bincount(buckets[:, cell] * 2 + (signs[:, cell] > 0), minlength=128)
        assert compare(hits, n, np.full(128, 1 / 128)).holds


def four_wise(degree: int) -> bool:
    """Bucket (of two) and sign of four cells: are all 4**4 outcomes equally likely, and products of signs balanced?"""
    buckets, signs = draws(FOUR, 10, 20_000, 2, degree)
    outcome = (2 * buckets + (signs > 0)) @ 4 ** np.arange(4)
    joint = compare(np.bincount(outcome, minlength=256), len(outcome), np.full(256, 1 / 256))
    moment = compare(np.array([np.sum(np.prod(signs, axis=1) > 0)]), len(outcome), np.array([0.5]))
    return joint.holds and moment.holds


def test_four_cells_are_hashed_independently() -> None:
    assert four_wise(degree=3)


@pytest.mark.parametrize("degree", [0, 1])
def test_planted_polynomials_of_too_low_degree_are_caught(degree: int) -> None:
    assert not four_wise(degree)


# --- estimates over random hash functions


COUNTS = np.array([40, 0, 3, 7, 25, 0, 1, 60])


def mean_over_draws(signs_used: bool, draws_: int = 60_000, buckets: int = 8) -> NDArray[np.float64]:
    """Every cell's estimate without noise, averaged over independent draws of the hash functions."""
    noise = Noise()
    cells = np.arange(COUNTS.size)[:, None]
    linear = noise.integers(PRIME, 1).astype(np.uint64)
    polynomials = noise.integers(PRIME, 4 * draws_).astype(np.uint64).reshape(draws_, 4)
    keys = np.empty(COUNTS.size, np.uint64)
    cell_keys(cells, linear, keys)
    sketches = np.zeros((draws_, buckets), np.int64)
    if not signs_used:
        for cell in range(COUNTS.size):
            alone = np.zeros_like(sketches)
            add_cells(keys[cell : cell + 1], COUNTS[cell : cell + 1], polynomials, alone)
            sketches += np.abs(alone)
        place = [np.zeros_like(sketches) for _ in cells]
        for cell, at in enumerate(place):
            add_cells(keys[cell : cell + 1], np.ones(1, np.int64), polynomials, at)
        return np.array([np.sum(sketches * np.abs(at)) / draws_ for at in place])
    add_cells(keys, COUNTS, polynomials, sketches)
    found, squares, meetings = np.zeros(COUNTS.size), *np.zeros((2, COUNTS.size), np.int64)
    scratch = np.zeros((*sketches.shape, 3), np.int32)
    box_estimates(cells, cells, cells[:, 0], linear, polynomials, sketches, False, scratch, found, squares, meetings)
    return found


def unbiased(estimates: NDArray[np.float64], draws_: int = 60_000) -> bool:
    """Hoeffding: an estimate is at most the other cells' total off, either way."""
    reach = COUNTS.sum() - COUNTS
    slack = reach * math.sqrt(2 * math.log(2 * COUNTS.size / share()) / draws_)
    return bool(np.all(np.abs(estimates - COUNTS) <= slack))


def test_a_row_is_unbiased_over_the_draw_of_its_hash_functions() -> None:
    assert unbiased(mean_over_draws(signs_used=True))


def test_planted_signs_ignored_are_caught() -> None:
    assert not unbiased(mean_over_draws(signs_used=False))


LINE = discreet.Schema(x=discreet.Ordinal(0, 2999))
SIZES = (1, 4, 60, 1000, 3000)


def shaped(shape: str) -> NDArray[np.int64]:
    """Few small counts; equal ones, of which one in fifteen buckets holds one; a steep law; everywhere; one giant."""
    generator = np.random.default_rng(11)
    counts = np.zeros(3000, np.int64)
    if shape == "few":
        counts[:40] = 9
    elif shape == "equal":
        counts[generator.permutation(3000)[:17]] = 3000
    elif shape == "steep":
        counts = np.minimum(generator.zipf(1.4, 3000), 10**6).astype(np.int64)
    elif shape == "everywhere":
        counts = generator.poisson(30, 3000)
    else:
        counts[generator.permutation(3000)[:300]] = 20
        counts[1500] = 10**6
    return counts


def coverage(shape: str, parameters: dict[str, Any], trials: int, narrower: float = 1.0) -> NDArray[np.int64]:
    """How often each size of question was covered, one random question of each size in each trial."""
    counts, generator = shaped(shape), np.random.default_rng(12)
    mechanism = sketch(Unit(), Fraction(1, 2), LINE, buckets=256, **parameters)
    private = Counts.from_arrays(LINE.sizes, np.arange(3000)[:, None], counts)
    before = np.concatenate([[0], np.cumsum(counts)])
    covered = np.zeros(len(SIZES), np.int64)
    for _ in range(trials):
        first = np.array([generator.integers(0, 3001 - size) for size in SIZES])
        last = first + np.array(SIZES) - 1
        questions = Questions(first[:, None], last[:, None], len(SIZES), np.arange(len(SIZES)))
        answers = mechanism.measure(private, Noise()).answer(questions, 0.9)
        truth, half = before[last + 1] - before[first], (answers.high - answers.low) / 2 * narrower
        covered += np.abs(answers.value - truth) <= half
    return covered


ONE, FOUR_ROWS, THREE, FIVE = {"rows": 1, "estimate": "mean"}, {"rows": 4, "estimate": "mean"}, {"rows": 3}, {"rows": 5}


@pytest.mark.parametrize(
    ("shape", "parameters"),
    [
        ("few", FIVE),
        ("equal", ONE),
        ("equal", FOUR_ROWS),
        ("equal", THREE),
        ("steep", FOUR_ROWS),
        ("steep", FIVE),
        ("everywhere", FOUR_ROWS),
        ("everywhere", FIVE),
        ("giant", FOUR_ROWS),
        ("giant", THREE),
    ],
)
def test_intervals_cover_at_the_stated_level(shape: str, parameters: dict[str, Any]) -> None:
    trials = 150
    for hits in coverage(shape, parameters, trials):
        assert at_least(hits, trials, 0.9)


@pytest.mark.parametrize("parameters", [FOUR_ROWS, FIVE], ids=["mean", "median"])
def test_planted_intervals_of_half_the_width_are_caught(parameters: dict[str, Any]) -> None:
    trials = 400
    covered = coverage("everywhere", parameters, trials, narrower=0.5)
    assert not compare(covered, trials, np.full(len(SIZES), 0.9)).holds
