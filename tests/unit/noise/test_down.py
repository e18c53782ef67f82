"""Noise-down and the next redraw: the whole joint law in fractions, and the sampler against it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import CountOverflow
from discreet.noise import Descent, Noise, ScriptedSource
from discreet.noise.descents import exact_redraw
from discreet.noise.down import Down, Moves
from discreet.privacy import Alpha
from tests.laplace_law import LaplaceLaw, follows_laplace
from tests.noise_down import next_redraw, noise_down
from tests.statistics import compare, compare_law

SCALES = [("10", "5"), ("2", "1"), ("3/2", "7/5"), ("40", "39.9")]


def joint(down: Down, new: int, old: int) -> Fraction:
    """Pr[new noise, old noise] from the definition: old = new + Z."""
    narrow, wide = LaplaceLaw(down.new), LaplaceLaw(down.old)
    a, b = down.old.fraction, down.new.fraction
    nothing = b / a * ((1 - a) / (1 - b)) ** 2
    z = (1 - nothing) * wide.exact_pmf(old - new) + (nothing if old == new else 0)
    return narrow.exact_pmf(new) * z


def sampled(down: Down, new: int, old: int, number: type[Any] = Fraction) -> Any:
    """Pr[new | old] as `noise_down` builds it: its four moves, each with its own geometric law."""
    a_b, r, keep, outward, across = map(number, (down.product, down.ratio, down.keep, down.outward, down.across))
    d = abs(old)
    new = new if old >= 0 else -new
    power = r**d
    probability = keep * power if new == d else number(0)
    if new >= d:
        probability += outward * power * (1 - a_b) * a_b ** (new - d)
    elif new < 0:
        probability += across * (1 - a_b) * a_b ** (-1 - new)
    else:
        inward = 1 - (keep + outward) * power - across
        probability += inward * (1 - r) * r**new / (1 - r**d)
    return probability


@pytest.mark.parametrize(("old", "new"), SCALES)
def test_the_moves_are_the_conditional_law_exactly(old: str, new: str) -> None:
    down = Down(Alpha.of(old), Alpha.of(new))
    wide = LaplaceLaw(down.old)
    for noise in range(-6, 7):
        for after in range(-9, 10):
            assert sampled(down, after, noise) * wide.exact_pmf(noise) == joint(down, after, noise)
    assert down.keep + down.outward + down.across == 1  # at distance zero nothing lies inward


@pytest.mark.parametrize(("old", "new"), SCALES[1:3])
def test_the_noise_left_is_discrete_laplace_and_old_adds_nothing(old: str, new: str) -> None:
    down = Down(Alpha.of(old), Alpha.of(new))
    narrow = LaplaceLaw(down.new)
    for after in range(-3, 4):
        total = sum((joint(down, after, noise) for noise in range(-120, 121)), Fraction(0))
        assert abs(total / narrow.exact_pmf(after) - 1) < Fraction(1, 10**15)
    # Pr[old | new] does not depend on where the exact count is: shifting both shifts nothing else
    for after in (-2, 0, 3):
        for step in (-4, -1, 0, 2):
            law = [joint(down, after + s, after + s + step) / narrow.exact_pmf(after + s) for s in (0, 1, 5)]
            assert law[0] == law[1] == law[2]


def test_keeping_multiplies_along_a_path() -> None:
    path = [Alpha.of(scale) for scale in (12, 9, 7, 2)]
    whole = Down(path[0], path[-1])
    for d in (0, 1, 10):
        product = Fraction(1)
        for before, after in pairwise(path):
            step = Down(before, after)
            product *= step.keep * step.ratio**d
        assert product == whole.keep * whole.ratio**d


@pytest.mark.parametrize("redrawn", [False, True])
@pytest.mark.parametrize("distance", [0, 1, 7, -4, 60])
def test_the_sampler_has_that_law(distance: int, redrawn: bool) -> None:
    n, exact = 300_000, 1000
    noise = Noise()
    for old, new in SCALES:
        down = Down(Alpha.of(old), Alpha.of(new))
        noisy = np.full(n, exact + distance)
        after = noise_down(noise, noisy, np.full(n, exact), old, new, redrawn=redrawn) - exact
        window = range(-1500, 1500)  # all but e**-60 of the law
        pmf = np.array([sampled(down, x, distance, float) for x in window])
        if redrawn:
            kept = float(down.keep * down.ratio ** abs(distance))
            pmf[distance - window[0]] -= kept
            pmf /= 1 - kept
        result = compare_law(after, window[0], pmf)
        assert result.holds, (old, new, result)


def test_planted_faults_are_caught() -> None:
    """Fresh noise instead of noise-down, and a scale that is 5 % off, both fail the joint test."""
    n, old, new, distance = 300_000, "10", "5", 7
    down = Down(Alpha.of(old), Alpha.of(new))
    pmf = np.array([sampled(down, x, distance, float) for x in range(-300, 300)])
    fresh = Noise().laplace(new, n)
    right = noise_down(Noise(), np.full(n, distance), np.zeros(n, np.int64), old, new)
    assert compare_law(right, -300, pmf).holds
    assert not compare_law(fresh, -300, pmf).holds
    off = noise_down(Noise(), np.full(n, distance), np.zeros(n, np.int64), old, "5.25")
    assert not compare_law(off, -300, pmf).holds


@settings(max_examples=60)
@given(
    scales=st.tuples(st.integers(2, 10**7), st.integers(1, 10**7)).filter(lambda pair: pair[0] != pair[1]),
    distance=st.integers(0, 10**8),
    redrawn=st.booleans(),
)
def test_rungs_of_the_moves_fall_and_are_certified(scales: tuple[int, int], distance: int, redrawn: bool) -> None:
    down = Down(Alpha.of(max(scales)), Alpha.of(min(scales)))
    moves = Moves(down, distance, redrawn)
    coarse, fine = [list(moves.rungs(bits)) for bits in (256, 512)]
    for wide, narrow in zip(coarse, fine, strict=True):
        assert wide.low <= narrow.high >> 256
        assert narrow.low >> 256 <= wide.high
    assert fine[0].high >= fine[1].low >= 0
    assert fine[1].high >= fine[2].low


def test_no_wrap_for_distant_answers() -> None:
    with pytest.raises(CountOverflow):
        noise_down(Noise(), np.array([2**59]), np.array([0]), 10, 5)


def test_wide_scales_go_down() -> None:
    noise, exact = Noise(), np.zeros(100_000, np.int64)
    noisy = noise.laplace("1e6", 100_000)
    for before, after in (("1e6", "5e5"), ("5e5", "499999"), ("499999", "1e3")):
        noisy = noise_down(noise, noisy, exact, before, after)
        assert follows_laplace(noisy, Fraction(after)).holds


@pytest.mark.parametrize(("scale", "step", "steps"), [("10", "1", 9), ("3", "1/4", 11), ("100000", "1", 99_998)])
def test_the_next_redraw_has_the_law_of_step_by_step(scale: str, step: str, steps: int) -> None:
    noise, n = Noise(), 200_000
    descent = Descent(Fraction(scale), Fraction(step), steps)
    for distance in (0, 3, 20_000):
        drawn = next_redraw(noise, np.full(n, distance), np.zeros(n, np.int64), descent)
        marks = sorted({1, 2, steps // 3, steps // 2, steps - 1, steps})
        kept = []
        for mark in marks:
            down = Down(Alpha.of(scale), Alpha.of(descent.at(mark)))
            kept.append(
                float(down.keep * down.ratio**distance)
                if distance < 100
                else float(descent.kept(distance, mark, 200).low / 2**200)
            )
        hits = np.array([np.sum(drawn > mark) for mark in marks])
        assert compare(hits, n, np.array(kept)).holds
        assert drawn.min() >= 1
        assert drawn.max() <= steps + 1


def test_floats_and_integers_find_the_same_step() -> None:
    words = np.random.default_rng().integers(0, 2**64, 300, np.uint64)
    words[:20] >>= np.uint64(50)
    distances = np.random.default_rng().integers(0, 10**6, 300)

    class Given(ScriptedSource):
        """The words, then zeros whenever more bits are needed."""

        def fill(self, out: NDArray[Any]) -> None:
            out[:] = words if out.size == words.size else 0

    for descent in (
        Descent(Fraction(10**5), Fraction(1, 3), 299_999),
        Descent(Fraction(7), Fraction(1, 100), 699),
    ):
        found = next_redraw(Noise(Given(b"")), distances, np.zeros(300, np.int64), descent)
        exact = [exact_redraw(int(d), int(w), descent, Given(b"")) for d, w in zip(distances, words, strict=True)]
        assert found.tolist() == exact


def test_change_to_change_equals_step_by_step() -> None:
    """From scale 6 to 1 in steps of one, both ways, on the same starting answers: the same law at the end."""
    noise, n, scale = Noise(), 200_000, 6
    start, exact = np.full(n, 5), np.zeros(n, np.int64)
    stepped = start
    for k in range(1, scale):
        stepped = noise_down(noise, stepped, exact, scale - k + 1, scale - k)
    jumped, at = start.copy(), np.zeros(n, np.int64)
    for k in range(scale - 1):  # whoever stands at step k goes on to their next redraw
        here = np.flatnonzero(at == k)
        steps = scale - 1 - k
        to = next_redraw(noise, jumped[here], exact[here], Descent(Fraction(scale - k), Fraction(1), steps))
        for step in range(1, steps + 1):
            moving = here[to == step]
            before, after = scale - k - step + 1, scale - k - step
            jumped[moving] = noise_down(noise, jumped[moving], exact[moving], before, after, redrawn=True)
            at[moving] = k + step
        at[here[to > steps]] = scale
    window = np.arange(-30, 40)
    law = np.array([sampled(Down(Alpha.of(6), Alpha.of(1)), int(x), 5, float) for x in window])
    assert compare_law(stepped, -30, law).holds
    assert compare_law(jumped, -30, law).holds
