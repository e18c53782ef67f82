"""The laws of the noise: what error bars are made of. No randomness here, and no data.

`DiscreteLaplace` is one draw; `NoiseSum` is a sum of independent ones. Half-widths are whole numbers h with
Pr[|noise| <= h] >= level, the smallest such h for one draw, and for a sum the smallest up to a slack of 1e-10 in the
level (always to the safe side), which covers wrap-around, truncation and rounding of the inversion below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.numbers.intervals import Interval, Power, Rational
from discreet.privacy import Alpha, Number

#: how far a computed probability of a sum may be from the truth; half-widths are taken this much to the safe side
SLACK = 1e-10
_TINY = 1e-13
#: levels above it are out of reach of a probability with that slack
_NEAREST = 1 - 2 * SLACK


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise BadParameter(f"a confidence level lies strictly between 0 and 1 (for example 0.95), not {level!r}")


def kurtosis(scale: float) -> float:
    """The excess kurtosis of a draw of this scale; more for smaller ones."""
    alpha = math.exp(-1 / scale)
    return (1 + 4 * alpha + alpha**2) / (2 * alpha) if alpha > 0 else math.inf


@dataclass(frozen=True)
class DiscreteLaplace:
    """Pr[X = x] = (1 - a) / (1 + a) * a**|x| on the integers, with a = alpha exactly."""

    alpha: Alpha

    @classmethod
    def of(cls, scale: Number) -> Self:
        return cls(Alpha.of(scale))

    @cached_property
    def rate(self) -> float:
        """-ln(alpha): what a change of the count by one costs, as a float."""
        rest = 1 - self.alpha.fraction
        return -math.log1p(-float(rest)) if rest < Fraction(1, 2) else -math.log(self.alpha.fraction)

    @property
    def variance(self) -> float:
        a = self.alpha.fraction
        return float(2 * a / (1 - a) ** 2)

    @property
    def fourth_cumulant(self) -> float:
        a = self.alpha.fraction
        return float(2 * a * (1 + 4 * a + a * a) / (1 - a) ** 4)

    def half_width(self, level: float) -> int:
        """The smallest h with Pr[|X| <= h] >= level, proved."""
        _check_level(level)
        a, miss = self.alpha.fraction, 1 - Fraction(level)
        guess = math.ceil(math.log(2 / (miss * (1 + a))) / self.rate) - 1
        h = max(0, guess - 1)
        while h > 0 and self._misses_at_most(h - 1, miss):
            h -= 1
        while not self._misses_at_most(h, miss):
            h += 1
        return h

    def _misses_at_most(self, h: int, miss: Fraction) -> bool:
        """Is Pr[|X| > h] = 2 a**(h+1) / (1 + a) at most `miss`?"""
        bits = 128
        while True:
            power = Power(Rational(self.alpha.fraction), h + 1).bracket(bits)
            limit = Interval.of(miss * (1 + self.alpha.fraction) / 2, bits)
            if power.high <= limit.low:
                return True
            if power.low > limit.high or bits > 1 << 14:
                return False
            bits *= 2


@dataclass(frozen=True)
class NoiseSum:
    """The sum of `count` independent draws."""

    alpha: Alpha
    count: int

    def __post_init__(self) -> None:
        if self.count < 0:
            raise BadParameter(f"a sum cannot have {self.count} terms")

    def half_width(self, level: float) -> int:
        """A whole number h with Pr[|sum| <= h] >= level; see the module for how tight it is."""
        _check_level(level)
        if self.count < 2:
            return DiscreteLaplace(self.alpha).half_width(level) if self.count else 0
        if level > _NEAREST:  # too near to 1 for the sum that inverts the law
            return self._reach(1 - level)
        return _sum_half_width(self.alpha, self.count, level)

    def within(self, h: int) -> float:
        """Pr[|sum| <= h] of two draws or more, within SLACK.

        A finite sum inverts the characteristic function on a circle of N points.
        """
        if h < 0 or h >= self._range:
            return float(h >= 0)
        period, angles, heights = self._spectrum
        kernel = np.sin((h + 0.5) * angles) / np.sin(angles / 2)
        doubled = 2 * kernel * heights
        if angles.size == period // 2 and period % 2 == 0:
            doubled[-1] /= 2
        return float((2 * h + 1 + np.sum(doubled)) / period)

    @cached_property
    def _range(self) -> int:
        return self._reach(_TINY)

    def _reach(self, miss: float) -> int:
        """R with Pr[|sum| > R] <= miss, by the best Chernoff bound on a grid of exponents."""
        law = DiscreteLaplace(self.alpha)
        s = np.geomspace(1e-9, 0.999, 400) * law.rate
        # E exp(sX) = 1 / (1 - 2 var sinh(s/2)**2)
        inside = 1 - 2 * law.variance * np.sinh(s / 2) ** 2
        good = inside > 0
        bounds = (math.log(2 / miss) - np.log(inside[good]) * self.count) / s[good]
        return math.ceil(float(bounds.min()))

    @cached_property
    def _spectrum(self) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
        """N, the angles 2 pi j / N, and the characteristic function there as far as it matters."""
        variance, period, last = DiscreteLaplace(self.alpha).variance, 2 * self._range + 2, 64
        while True:
            last = min(last, period // 2)
            angles = 2 * math.pi * np.arange(1, last + 1) / period
            heights = np.exp(-self.count * np.log1p(2 * variance * np.sin(angles / 2) ** 2))
            # |kernel| <= pi / angle, so what is cut off is at most height * (1 + log(N / j))
            if last == period // 2 or heights[-1] * (1 + math.log(period / last)) < _TINY:
                return period, angles, heights
            last *= 2


@lru_cache(maxsize=65536)
def _sum_half_width(alpha: Alpha, count: int, level: float) -> int:
    law = NoiseSum(alpha, count)
    low, high = -1, law._range
    while high - low > 1:  # numbers that are too large for `bisect`
        middle = (low + high) // 2
        if law.within(middle) >= level + SLACK:
            high = middle
        else:
            low = middle
    return high


def half_widths(alpha: Alpha, counts: NDArray[np.int64], level: float) -> NDArray[np.int64]:
    """Half-widths of sums of `counts` equal draws each, for very many sums at once.

    Beyond 128 draws the number is rounded up to a grid of ratio 65/64, which widens an interval by at most 0.8 %.
    """
    if np.size(counts) and int(np.max(counts)) > 1 << 60:
        raise BadParameter("half-widths are for sums of at most 2**60 draws")
    distinct, where = np.unique(rounded_up(np.asarray(counts, np.int64), 7), return_inverse=True)
    widths = [NoiseSum(alpha, count).half_width(level) for count in distinct.tolist()]
    return np.array([min(width, (1 << 62) - 1) for width in widths], np.int64)[where].reshape(np.shape(counts))


def rounded_up(counts: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """The least grid point at or above: all numbers up to 2**bits, then those of so many bits times powers of two."""
    exponents = np.frexp(counts.astype(np.float64))[1].astype(np.int64)
    shifts = np.maximum(exponents - bits, 0)
    return -(-counts >> shifts) << shifts
