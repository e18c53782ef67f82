"""Sums that are only known to lie between two others, whose noise is known; and what follows for ratios of them.

Of N - r D, which is zero at the true ratio r, a lower and an upper bound were measured, each with its noise. So r is
ruled out if the lower one is above zero, or the upper one below zero, by more than its noise. Where both bounds are the
same sum, that is Fieller's interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: so many places are looked at before an end is sought between two of them
_LOOKS = 16
_STEPS = 60
_CLOSE = 1e-4


def half_widths(variances: Floats, level: float, step: Floats | float = 1.0) -> Floats:
    """Enough for a single draw, whose tails are heavier than those of a sum of many; and for noise in whole steps."""
    stderr = np.sqrt(variances)
    errors = max(NormalDist().inv_cdf(0.5 + level / 2), math.log(1 / (1 - level)) / math.sqrt(2))
    return np.asarray(errors * stderr + np.minimum(20.0 * stderr, step))


@dataclass(frozen=True)
class SideSums:
    """What the true sum is not below, and not above, as measured; with the variance of either.

    `step` is the largest weight of any count. `spread` is the variance that not knowing where between both the sum lies
    is likely to add to the error of a number between them.
    """

    low: float
    high: float
    low_variance: float
    high_variance: float
    step: float
    spread: float = 0.0

    def plus(self, other: SideSums) -> SideSums:
        """Both added up; their noise is independent."""
        return SideSums(
            self.low + other.low,
            self.high + other.high,
            self.low_variance + other.low_variance,
            self.high_variance + other.high_variance,
            max(self.step, other.step),
            self.spread + other.spread,
        )

    def mixed(self, other: SideSums) -> SideSums:
        """Two looks at the same sum with independent noise: the one of less noise weighs more.

        What was measured decides no weight: it would prefer looks that noise made narrow, and miss the truth.
        """
        noise, its_noise = (one.low_variance + one.high_variance + 1e-12 for one in (self, other))
        mine = its_noise / (noise + its_noise)
        return self._times(mine).plus(other._times(1 - mine))

    def _times(self, share: float) -> SideSums:
        square = share**2
        return SideSums(
            share * self.low,
            share * self.high,
            square * self.low_variance,
            square * self.high_variance,
            self.step,
            square * self.spread,
        )

    def ends(self, level: float) -> tuple[float, float]:
        below, above = half_widths(np.array([self.low_variance, self.high_variance]), level, self.step)
        return self.low - float(below), self.high + float(above)

    @property
    def stderr(self) -> float:
        return math.sqrt((self.low_variance + self.high_variance) / 2 + self.spread)


class Sides(Protocol):
    """Of two sums, over and under: the sides of over - ratio * under, for any ratio."""

    def at(self, ratio: float) -> SideSums: ...


@dataclass(frozen=True, eq=False)
class Mixed:
    """Several looks at the same sums with independent noise; the one of less noise weighs more."""

    looks: Sequence[Sides]

    def at(self, ratio: float) -> SideSums:
        return reduce(SideSums.mixed, (look.at(ratio) for look in self.looks))


@dataclass(frozen=True, eq=False)
class Corridor:
    """Parts of independent noise added up, and constants."""

    parts: tuple[Sides, ...]
    over: float = 0.0
    under: float = 0.0

    def at(self, ratio: float) -> SideSums:
        found = SideSums(shift := self.over - ratio * self.under, shift, 0.0, 0.0, 0.0)
        for part in self.parts:
            found = found.plus(part.at(ratio))
        return found

    def ratios(self, level: float, guess: float, least: float, most: float) -> tuple[float, float]:
        """The lowest and the highest ratio between `least` and `most` that cannot be ruled out; `guess` is one of them.

        From a guess that is ruled out itself the search goes on to whatever is not.
        """
        low = -self._highest(lambda down: self.at(-down).ends(level)[0] <= 0, -guess, -least)
        return low, self._highest(lambda up: self.at(up).ends(level)[1] >= 0, guess, most)

    @staticmethod
    def _highest(possible: Callable[[float], bool], start: float, most: float) -> float:
        """The highest place from `start` up to `most` that is possible, as far as `_LOOKS` places show."""
        if math.isinf(most):
            width = max(abs(start), 1.0)
            places = [start + width * (2.0**power - 1) for power in range(50)]
        else:
            # closer together near the start
            places = [start + (most - start) * (place / _LOOKS) ** 3 for place in range(_LOOKS + 1)]
        inside = [place for place in places if possible(place)]
        if not inside:
            return start
        low = max(inside)
        if low == places[-1]:
            return most
        high = places[places.index(low) + 1]
        for _ in range(_STEPS):
            if high - low <= _CLOSE * max(abs(low - start), 1e-9):
                break
            middle = (low + high) / 2
            low, high = (middle, high) if possible(middle) else (low, middle)
        return high
