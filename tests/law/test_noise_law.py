"""The sampler's law at many random rational parameters.

The same test rejects a scale 5 % off, a sign from reused bits, noise cut at six scales, zero with both signs, and
rounded continuous noise.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.noise import Noise
from discreet.noise.draw import Drawer
from discreet.noise.geometric import geometric_digits, laplace_digits
from discreet.numbers.intervals import Rational
from discreet.privacy import Alpha
from tests.laplace_law import LaplaceLaw, follows_laplace
from tests.statistics import compare_law

PARAMETERS = 60
N = 400_000


def random_scale() -> Fraction:
    """A rational scale between 1/20 and 10**7, with an odd denominator: round ones have hidden faults before."""
    dice = random.SystemRandom()
    wanted = 10 ** dice.uniform(-1.3, 7)
    denominator = dice.randrange(101, 10**6, 2)
    return Fraction(max(1, round(wanted * denominator)), denominator)


def bins(scale: Fraction, width_in_scales: float = 12.0) -> tuple[int, int]:
    """A bin width that gives at most about 100 bins over +- 12 scales, and the number of bins on each side."""
    width = max(1, int(float(scale) * width_in_scales / 50))
    return width, int(float(scale) * width_in_scales / width) + 2


def exact_noise(scale: Fraction, n: int) -> NDArray[np.int64]:
    return Noise().laplace(scale, n)


@pytest.mark.parametrize("_", range(PARAMETERS))
def test_discrete_laplace_at_a_random_scale(_: int) -> None:
    scale = random_scale()
    result = follows_laplace(exact_noise(scale, N), scale)
    assert result.holds, (scale, result)


@pytest.mark.parametrize("_", range(PARAMETERS // 2))
def test_neighbouring_draws_are_independent(_: int) -> None:
    """The signs and sizes of draws at lag one, within a chunk and across its border."""
    scale = random_scale()
    drawn = exact_noise(scale, N)
    law = LaplaceLaw.of(scale)
    median = law.half_width(0.5)
    large = (np.abs(drawn) > median).astype(np.int64)
    share = float(2 * law.tail(median + 1))
    negative, minus = (drawn < 0).astype(np.int64), float(law.tail(1))
    both = (2 * large[0::2] + large[1::2]) * 4 + 2 * negative[0::2] + negative[1::2]
    # of one draw: not large or large, with either sign; large ones are symmetric, zero counts as plus
    signs = {0: (1 - minus - share / 2, share / 2), 1: (minus - share / 2, share / 2)}
    pmf = np.zeros(16)
    for code in range(16):
        first = signs[code >> 1 & 1][code >> 3]
        second = signs[code & 1][code >> 2 & 1]
        pmf[code] = first * second
    result = compare_law(both, 0, pmf)
    assert result.holds, (scale, result)


@pytest.mark.parametrize("_", range(PARAMETERS // 2))
def test_geometric_at_a_random_ratio(_: int) -> None:
    scale = random_scale()
    alpha = Alpha.of(scale)
    drawn = Noise().geometric(Rational(alpha.fraction), N)
    width, side = bins(scale)
    tails = np.exp(-LaplaceLaw(alpha).rate * np.arange(side + 1) * width)
    result = compare_law(drawn // width, 0, tails[:-1] - tails[1:])
    assert result.holds, (scale, result)


# Planted faults: each draws like the real sampler but for one mistake.


def reused_sign_bit(scale: Fraction, n: int) -> NDArray[np.int64]:
    """The sign is the lowest bit of the word that also chose the magnitude."""
    digits = geometric_digits(Rational(Alpha.of(scale).fraction))
    stream = Noise().source.stream()
    words = np.empty(n, np.uint16)
    stream.fill(words)
    magnitudes = np.empty(n, np.int64)
    digits.fill(Drawer(stream, n), magnitudes)
    looked_up = digits.top.cells[words].astype(np.int64)
    magnitudes = np.where(looked_up >= 0, looked_up, magnitudes)
    return np.where(looked_up % 2 == 1, -1 - magnitudes, magnitudes)


def wrong_scale(scale: Fraction, n: int) -> NDArray[np.int64]:
    return exact_noise(scale * Fraction(105, 100), n)


def narrow_scale(scale: Fraction, n: int) -> NDArray[np.int64]:
    return exact_noise(scale * Fraction(95, 100), n)


def clamped(scale: Fraction, n: int) -> NDArray[np.int64]:
    limit = int(6 * scale)
    return np.clip(exact_noise(scale, n), -limit, limit)


def double_zero(scale: Fraction, n: int) -> NDArray[np.int64]:
    """A magnitude with a fair sign: zero comes up twice as often as it should."""
    digits = geometric_digits(Rational(Alpha.of(scale).fraction))
    out = np.empty(n, np.int64)
    digits.fill(Drawer(Noise().source.stream(), n), out)
    return np.where(Noise().coin(Rational(Fraction(1, 2)), n), out, -out)


def rounded_continuous(scale: Fraction, n: int) -> NDArray[np.int64]:
    return np.rint(np.random.default_rng().laplace(scale=float(scale), size=n)).astype(np.int64)


@pytest.mark.parametrize(
    "fault", [reused_sign_bit, wrong_scale, narrow_scale, clamped, double_zero, rounded_continuous]
)
@pytest.mark.parametrize("scale", [Fraction(10, 7), Fraction(23, 10)])
def test_planted_faults_are_rejected(fault: Callable[[Fraction, int], NDArray[np.int64]], scale: Fraction) -> None:
    assert follows_laplace(exact_noise(scale, N), scale).holds
    assert not follows_laplace(fault(scale, N), scale).holds


def test_the_table_is_the_law_for_every_first_word() -> None:
    """All 65,536 first words once each: the outcomes that need no more bits have their exact share, rounded down."""
    alpha = Alpha.of(Fraction(7, 3))
    law, cells = LaplaceLaw(alpha), laplace_digits(alpha).top.cells
    for x in range(-12, 13):
        share = Fraction(int(np.sum(cells == x)), 65_536)
        assert law.exact_pmf(x) - Fraction(2, 65_536) <= share <= law.exact_pmf(x)
