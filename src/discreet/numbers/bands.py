"""The least and the most that a mean or a sum can be, if counts up to each value, and above it, lie in intervals.

With A the records up to value k, B those above it and T all of them, the mean of a function f that does not fall is its
last value less the sum over k of (f[k+1] - f[k]) A / T; and A is at least its own lower end, and T less B's upper end.
For each T that gives a bound. Between the T at which another of the two is the larger, it is of the form a + b / T:
so its extreme lies at one of these, or at an end of T's own interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_ENDLESS = 1e18
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Band:
    """Ends of A and B for all values but the last, and of T; all hold together."""

    up_to_low: Floats
    up_to_high: Floats
    above_low: Floats
    above_high: Floats
    total_low: float
    total_high: float

    def turned(self) -> Band:
        """The values in the opposite order."""
        above_low, above_high = self.above_low[::-1], self.above_high[::-1]
        up_to = self.up_to_low[::-1], self.up_to_high[::-1]
        return Band(above_low, above_high, *up_to, self.total_low, self.total_high)

    def most_of_mean(self, f: Floats) -> float:
        """Of a function that does not fall from value to value."""
        if f.size == 1:
            return float(f[0])
        least = np.maximum.accumulate(np.maximum(self.up_to_low, 0.0))
        most = np.minimum(np.minimum.accumulate(self.above_high), _ENDLESS)
        bottom = max(self.total_low, float(least[-1]), _LEAST)
        top = max(min(self.total_high, _ENDLESS), bottom)
        totals = np.concatenate([[bottom, top], np.clip(least + most, bottom, top)])
        shares = np.maximum(least[None, :], totals[:, None] - most[None, :]) / totals[:, None]
        return float(f[-1] - (np.clip(shares, 0.0, 1.0) @ np.diff(f)).min())

    def least_of_mean(self, f: Floats) -> float:
        return -self.turned().most_of_mean(-f[::-1])

    def ends_of_sum(self, low: Floats, high: Floats) -> tuple[float, float]:
        """The least sum of `low` over all records, and the largest of `high`; neither falls from value to value."""
        least = np.maximum.accumulate(np.maximum(self.above_low, 0.0)[::-1])[::-1]
        most = np.minimum.accumulate(self.above_high)
        totals = np.array([max(self.total_low, 0.0), self.total_high])
        bottom = float(np.min(low[0] * totals)) if low[0] else 0.0
        top = float(np.max(high[0] * totals)) if high[0] else 0.0
        return bottom + _times(np.diff(low), least), top + _times(np.diff(high), most)


def _times(steps: Floats, counts: Floats) -> float:
    """No part of a count without an upper end is none of it."""
    used = steps > 0
    return float(steps[used] @ counts[used])
