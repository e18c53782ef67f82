"""Sums of draws of several laws, by the same inversion as `NoiseSum`: what no release needs, and tests compare with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.laws import SLACK, DiscreteLaplace, NoiseSum
from discreet.privacy import Alpha

_TINY = 1e-13
#: a single wide draw among narrow ones has a spectrum without end; cut here, it misses about 1e-10 at most
_MOST_POINTS = 1 << 21


@dataclass(frozen=True)
class MixedSum:
    """`terms` pairs each alpha with how many draws have it; all together are two or more."""

    terms: tuple[tuple[Alpha, int], ...]

    def half_width(self, level: float) -> int:
        """As that of `NoiseSum`; the slack is twice as much where one draw is far wider than all others."""
        low, high = -1, self._range
        while high - low > 1:
            middle = (low + high) // 2
            if self.within(middle) >= level + SLACK + self._spectrum[3]:
                high = middle
            else:
                low = middle
        return high

    def within(self, h: int) -> float:
        """Pr[|sum| <= h]."""
        if h < 0 or h >= self._range:
            return float(h >= 0)
        period, angles, heights, _ = self._spectrum
        doubled = 2 * np.sin((h + 0.5) * angles) / np.sin(angles / 2) * heights
        if angles.size == period // 2 and period % 2 == 0:
            doubled[-1] /= 2
        return float((2 * h + 1 + np.sum(doubled)) / period)

    @cached_property
    def _range(self) -> int:
        """Beyond it lies next to nothing: each law adds what its own draws need."""
        return sum(NoiseSum(alpha, count)._range for alpha, count in self.terms)

    @cached_property
    def _spectrum(self) -> tuple[int, NDArray[np.float64], NDArray[np.float64], float]:
        """N, the angles 2 pi j / N, the characteristic function there as far as it matters, and a bound on the rest."""
        period, last = 2 * self._range + 2, 64
        while True:
            last = min(last, period // 2)
            angles = 2 * math.pi * np.arange(1, last + 1) / period
            half = np.sin(angles / 2) ** 2
            logs = [count * np.log1p(2 * DiscreteLaplace(alpha).variance * half) for alpha, count in self.terms]
            heights = np.exp(-np.sum(logs, axis=0))
            rest = 0.0 if last == period // 2 else heights[-1] * (1 + math.log(period / last))
            if rest < _TINY or last >= _MOST_POINTS:
                return period, angles, heights, float(rest)
            last *= 2
