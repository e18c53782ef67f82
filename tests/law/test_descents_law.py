"""Answers taken down a path of scales from redraw to redraw: the law of every step, of pairs and of whole paths.

The same comparisons reject planted faults, as surely as `tests/statistics.py` says.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from discreet.kernels import redraws as kernels
from discreet.noise import Descent, Noise, descents
from tests.laplace_law import LaplaceLaw, follows_laplace
from tests.law.descents import after, down, joint_law, moved, scales_of, transition, window
from tests.noise_down import noise_down
from tests.statistics import Agreement, compare

Ints = NDArray[np.int64]

PARAMETERS = 16
MARKS = 4
N = 60_000
#: (start, step, steps): whole, crooked, down to a scale where zero is likely, and one step only
SMALL = [
    Descent(Fraction(6), Fraction(1), 5),
    Descent(Fraction(7, 2), Fraction(3, 11), 12),
    Descent(Fraction(3), Fraction(1, 7), 18),
    Descent(Fraction(5), Fraction(2), 1),
]
by_descent = pytest.mark.parametrize("descent", SMALL, ids=[f"{d.scale}-{d.steps}" for d in SMALL])


def random_descent() -> Descent:
    """From a scale of 2 to 10**6 down to a random part of it, in 1 to 10**6 steps; odd denominators."""
    dice = random.SystemRandom()
    denominator = dice.randrange(3, 10**4, 2)
    scale = Fraction(max(1, round(10 ** dice.uniform(0.3, 6) * denominator)), denominator)
    steps = round(10 ** dice.uniform(0, 6))
    return Descent(scale, scale * Fraction(dice.randrange(10, 10_000), 10_001) / steps, steps)


def drawn(descent: Descent, n: int = N) -> tuple[Ints, Callable[[int], Ints]]:
    """Offsets at the start, and a function that gives them after any number of steps."""
    noise, counts = Noise(), np.full(n, 1000)
    noisy = noise.add(counts, descent.scale)
    redraws = noise.descend(noisy, counts, descent)
    return noisy - counts, lambda step: after(noisy - counts, redraws, step)


@pytest.mark.parametrize("_", range(PARAMETERS))
def test_the_noise_after_every_step_is_discrete_laplace(_: int) -> None:
    descent = random_descent()
    at = drawn(descent)[1]
    for step in sorted({1, *random.SystemRandom().sample(range(1, descent.steps + 1), 1), descent.steps}):
        result = follows_laplace(at(step), descent.at(step))
        assert result.holds, (descent, step, result)


def agrees_jointly(samples: list[Ints], law: NDArray[np.float64], values: Ints, side: int = 4) -> Agreement:
    """Every combination of values from -side to side, and beyond, at all the marks together."""
    kinds = np.clip(values, -side - 1, side + 1) + side + 1
    lumped = law
    for axis in range(law.ndim):
        parts = [np.take(lumped, np.flatnonzero(kinds == kind), axis).sum(axis) for kind in range(2 * side + 3)]
        lumped = np.stack(parts, axis)
    codes = np.zeros(samples[0].size, np.int64)
    for sample in samples:
        codes = codes * (2 * side + 3) + np.clip(sample, -side - 1, side + 1) + side + 1
    hits = np.bincount(codes, minlength=lumped.size)
    return compare(hits, codes.size, np.maximum(lumped.reshape(-1), 1e-15))


def step_by_step(descent: Descent, n: int) -> list[Ints]:
    noise, counts = Noise(), np.zeros(n, np.int64)
    path = [noise.laplace(descent.scale, n)]
    for old, new in pairwise(scales_of(descent)):
        path.append(noise_down(noise, path[-1], counts, old, new))
    return path


@by_descent
def test_redraw_to_redraw_has_the_joint_law_of_step_by_step(descent: Descent) -> None:
    values = window(descent.scale)
    start, at = drawn(descent, 4 * N)
    path = step_by_step(descent, N)
    for step in sorted({1, descent.steps // 2, descent.steps} - {0}):
        law = joint_law(scales_of(descent), [0, step], values)
        assert math.isclose(law.sum(), 1, abs_tol=1e-9)
        assert agrees_jointly([start, at(step)], law, values).holds
        assert agrees_jointly([path[0], path[step]], law, values).holds


def test_three_moments_together() -> None:
    """The start, the middle and the end: what a wrong memory of earlier values would change."""
    descent = SMALL[1]
    values = window(descent.scale)
    start, at = drawn(descent, 4 * N)
    law = joint_law(scales_of(descent), [0, 5, 12], values)
    assert agrees_jointly([start, at(5), at(12)], law, values, side=3).holds


@by_descent
def test_the_end_does_not_depend_on_the_size_of_the_steps(descent: Descent) -> None:
    values = window(descent.scale)
    whole = transition(descent.scale, descent.at(descent.steps), values)
    many = joint_law(scales_of(descent), [0, descent.steps], values)
    near = np.abs(values) <= 12
    direct = LaplaceLaw.of(descent.scale).pmf(values)[:, None] * whole
    assert np.allclose(direct[near][:, near], many[near][:, near], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("steps", [2**20, 2**30, 3**20])
def test_very_small_steps(steps: int) -> None:
    """From 5 down to 1: the joint law of start and end, and when answers at one distance are first redrawn."""
    descent = Descent(Fraction(5), Fraction(4, steps), steps)
    values = window(Fraction(5))
    start, at = drawn(descent)
    law = LaplaceLaw.of(5).pmf(values)[:, None] * transition(Fraction(5), Fraction(1), values)
    assert agrees_jointly([start, at(steps)], law, values).holds
    distance, counts = 7, np.zeros(N, np.int64)
    redraws = Noise().descend(counts + distance, counts, descent)
    first = np.full(N, steps + 1)
    np.minimum.at(first, redraws.answer, redraws.step)
    marks = [steps // 50, steps // 10, steps // 3, steps]
    kept = [float(descent.kept(distance, mark, 200).low) / 2**200 for mark in marks]
    assert compare(np.array([np.sum(first > mark) for mark in marks]), N, np.array(kept)).holds


@pytest.mark.parametrize("scales", [("5", "3"), ("10", "5", "1"), ("3/2", "7/5", "1", "1/3")])
def test_a_path_reveals_nothing_beyond_its_end(scales: tuple[str, ...]) -> None:
    """Pr[path | count] / Pr[end | count] is the same for every count, in fractions: from the law that is sampled."""
    path = [Fraction(scale) for scale in scales]
    first, last = LaplaceLaw.of(path[0]), LaplaceLaw.of(path[-1])
    steps = [down(old, new) for old, new in pairwise(path)]
    for answers in product((-3, 0, 1, 4), repeat=len(path)):
        ratios = set()
        for count in (-4, 0, 1, 2, 5):
            probability = first.exact_pmf(answers[0] - count)
            for step, (old, new) in zip(steps, pairwise(answers), strict=True):
                probability *= moved(step, new - count, old - count)
            ratios.add(probability / last.exact_pmf(answers[-1] - count))
        assert len(ratios) == 1


def test_fresh_noise_reveals_more() -> None:
    first, last = LaplaceLaw.of(5), LaplaceLaw.of(3)
    ratios = {first.exact_pmf(2 - count) * last.exact_pmf(1 - count) / last.exact_pmf(1 - count) for count in range(4)}
    assert len(ratios) > 1


def printed(new: float, old: float, count: float, wide: float, narrow: float) -> float:
    """Definition 5 of ireduct as it stands."""
    cosh = math.cosh(1 / narrow)
    bumps = math.exp(-abs(old - new - 1) / wide) + math.exp(-abs(old - new + 1) / wide)
    gamma = (2 * cosh * math.exp(-abs(old - new) / wide) - bumps) / (4 * wide * (cosh - 1))
    return wide / narrow * math.exp(-abs(new - count) / narrow) / math.exp(-abs(old - count) / wide) * gamma


def test_the_printed_formula_is_no_density_on_the_reals() -> None:
    def mass(old: float, wide: float, narrow: float) -> float:
        corners = sorted({0.0, old - 1, old, old + 1})
        return float(quad(printed, -80, 80, (old, 0.0, wide, narrow), points=corners, limit=500)[0])

    assert mass(0, 2, 1) == pytest.approx(0.857, abs=5e-4)
    masses = [mass(old, wide, narrow) for old in (0, 0.5, 1, 3) for wide, narrow in ((2, 1), (1.5, 1), (1, 0.5))]
    assert min(masses) < 0.8
    assert max(masses) > 1.05


@pytest.mark.parametrize(("wide", "narrow"), [("2", "1"), ("10", "5"), ("3/2", "1")])
def test_on_the_integers_it_is_the_law_up_to_a_constant(wide: str, narrow: str) -> None:
    """And what is sampled adds up to one, where the printed formula on the reals does not."""
    step, a, b = down(Fraction(wide), Fraction(narrow)), float(Fraction(wide)), float(Fraction(narrow))
    constant = 2 * b * math.tanh(1 / (2 * b))
    for old in (-4, 0, 1, 7):
        for new in range(-6, 9):
            assert constant * printed(new, old, 0, a, b) == pytest.approx(float(moved(step, new, old)), rel=1e-12)
        total = sum((moved(step, new, old) for new in range(-150, 151)), Fraction(0))
        assert abs(total - 1) < Fraction(1, 10**9)


# Planted faults: each draws like the real thing but for one mistake.


def fresh(descent: Descent, monkeypatch: pytest.MonkeyPatch) -> list[Ints]:
    return [Noise().laplace(scale, 4 * N) for scale in (descent.scale, descent.at(descent.steps))]


def with_kernel(name: str, change: Callable[..., None]) -> Callable[[Descent, pytest.MonkeyPatch], list[Ints]]:
    """Draws in which something is done to the arrays that a kernel has filled."""

    def sample(descent: Descent, monkeypatch: pytest.MonkeyPatch) -> list[Ints]:
        def faulty(*arguments: NDArray[np.int64]) -> None:
            getattr(kernels, name)(*arguments)
            change(*arguments)

        monkeypatch.setattr(descents, "kernels", SimpleNamespace(**{**vars(kernels), name: faulty}))
        start, at = drawn(descent, 4 * N)
        return [start, at(descent.steps)]

    return sample


def never_inward(*arguments: Ints) -> None:
    move = arguments[4]
    move[move == kernels.INWARD] = kernels.OUTWARD


def never_across(*arguments: Ints) -> None:
    move = arguments[4]
    move[move == kernels.ACROSS] = kernels.OUTWARD


def squared_ratio(*arguments: Ints) -> None:
    arguments[3][:] //= 2


def to_zero(*arguments: Ints) -> None:
    arguments[4][:] = 0


def late(*arguments: Ints) -> None:
    """Redrawn one step too late."""
    at, steps, to = arguments[1], arguments[4], arguments[5]
    to[:] = np.minimum(to + 1, np.where(at == steps, to, int(steps) + 1))


FAULTS = {
    "fresh noise": fresh,
    "no inward part": with_kernel("redraw_moves", never_inward),
    "no other side": with_kernel("redraw_moves", never_across),
    "a wrong ratio": with_kernel("geometric_jumps", squared_ratio),
    "inward to zero": with_kernel("inward_moves", to_zero),
    "a step late": with_kernel("redraw_steps", late),
    "nothing": with_kernel("redraw_steps", lambda *arguments: None),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_planted_faults_are_rejected(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    descent = SMALL[0]
    values = window(descent.scale)
    law = joint_law(scales_of(descent), [0, descent.steps], values)
    result = agrees_jointly(FAULTS[fault](descent, monkeypatch), law, values)
    assert result.holds == (fault == "nothing"), result
