"""From numbers to places, and the round numbers that stand at an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """low..high, or their logarithms, to start..stop."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, here = (self._of(one) for one in (self.low, self.high, min(max(value, self.low), self.high)))
        return self.start + (self.stop - self.start) * (here - low) / ((high - low) or 1)

    def _of(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.log else value

    @property
    def ticks(self) -> list[float]:
        """Five or so round numbers within; of a logarithmic one 1, 2 and 5 times powers of ten, or the powers alone."""
        if self.log:
            powers = range(math.floor(self._of(self.low)), math.floor(self._of(self.high)) + 1)
            digits = (1, 2, 5) if len(powers) < 5 else (1,)
            tried = [digit * 10.0**power for power in powers for digit in digits]
            return [tick for tick in tried if self.low <= tick <= self.high]
        span = self.high - self.low
        if not span > 0 or not math.isfinite(span):
            return [self.low]
        rough = span / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough)
        first = math.ceil(self.low / step - 1e-9)
        return [round(place * step, 12) for place in range(first, math.floor(self.high / step + 1e-9) + 1)]


def short(number: float) -> str:
    """A number as it stands at an axis: 1,200 or 0.05 or 3.2e+09."""
    if number and not 1e-4 <= abs(number) < 1e7:
        return f"{number:.2g}"
    return f"{number:,.10g}"


def spread(count: int, most: int) -> Sequence[int]:
    """Places of at most so many of `count` things, evenly, the first among them."""
    step = max(1, -(-count // max(most, 1)))
    return range(0, count, step)
