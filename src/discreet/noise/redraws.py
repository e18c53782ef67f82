"""When is a noisy answer next redrawn, if its scale is taken down step by step? Simulated in one draw.

Source: the keep probability of noise-down, which multiplies along a path of scales (see `down`).
Law: an answer at distance d, going down the public steps scale - k * step, has not been redrawn after step k with
probability (b/a)**(d+1) (1 - a*a) / (1 - b*b), where a and b are the alphas before and after.
Numerics: exact. Floats find the step; unless they prove it, integers decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.intervals import Interval, Power, Rational
from discreet.noise.source import Stream, word
from discreet.privacy import LARGEST_SCALE, Alpha

_FLOAT_ERROR = 2.0**-46


@dataclass(frozen=True)
class Descent:
    """The public path of scales: `scale`, then `steps` equal steps down, each of size `step`."""

    scale: Fraction
    step: Fraction
    steps: int

    def __post_init__(self) -> None:
        if self.step <= 0 or not 1 <= self.steps < 1 << 61 or self.scale - self.steps * self.step <= 0:
            raise BadParameter("a descent needs a step above zero, fewer than 2**61 of them, and an end above zero")
        if self.scale > LARGEST_SCALE:
            raise BadParameter("a descent starts at a scale of at most 2**52")

    def at(self, k: int) -> Fraction:
        return self.scale - k * self.step

    @property
    def whole(self) -> tuple[int, int, Fraction]:
        """The scale and the step as whole numbers of 62 bits, and how many of their unit make one."""
        unit = math.lcm(self.scale.denominator, self.step.denominator)
        scale, step = int(self.scale * unit), int(self.step * unit)
        common = math.gcd(scale, step)
        if scale // common >= 1 << 62:
            raise BadParameter(
                "the start and the step of a descent must be multiples of one number of at least start / 2**62"
            )
        return scale // common, step // common, Fraction(unit, common)

    def kept(self, distance: int, k: int, bits: int) -> Interval:
        """The probability that an answer at this distance was not redrawn in k steps, at `bits` bits."""
        before, after = Alpha.of(self.scale), Alpha.of(self.at(k))
        if before == after:
            return Interval.of(1, bits)
        old, new = before.fraction, after.fraction
        ratio = Rational(Fraction(after.numerator, before.numerator))
        return Power(ratio, distance + 1).bracket(bits) * Interval.of((1 - old * old) / (1 - new * new), bits)


def next_redraw(distance: NDArray[np.int64], descent: Descent, stream: Stream) -> NDArray[np.int64]:
    """For each distance the number of the step in which the answer is redrawn; `steps + 1` if it never is."""
    words = np.empty(distance.size, np.uint64)
    stream.fill(words)
    known = np.maximum(words, np.uint64(1)).astype(np.float64)
    log_uniform = np.log(known) - 64 * math.log(2)
    unread = 2.0 / known  # the bits that were not read yet can still move the logarithm by this much
    low = np.zeros(distance.size, np.int64)  # surely kept up to step 0
    high = np.full(distance.size, descent.steps + 1, np.int64)
    while np.any(high - low > 1):
        middle = (low + high) >> 1
        kept = log_uniform < _log_kept(distance, middle, descent)[0]
        open_ = high - low > 1
        low = np.where(open_ & kept, middle, low)
        high = np.where(open_ & ~kept, middle, high)
    doubtful = words == 0
    for k, sign in ((low, -1.0), (high, 1.0)):
        log_kept, error = _log_kept(distance, np.clip(k, 0, descent.steps), descent)
        inside = (k >= 1) & (k <= descent.steps)
        # what is not surely on its side (a NaN is not) is left to integers
        doubtful |= inside & ~(sign * (log_uniform - log_kept) > error + unread)
    for i in np.flatnonzero(doubtful).tolist():
        high[i] = exact_redraw(int(distance[i]), int(words[i]), descent, stream)
    return high


def _log_kept(
    distance: NDArray[np.int64], k: NDArray[np.int64], descent: Descent
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The logarithm of the kept probability in floats, and a bound on its error (including alpha's rounding)."""
    scale, step = float(descent.scale), float(descent.step)
    before = 1.0 / scale
    with np.errstate(divide="ignore"):
        after = 1.0 / (scale - k * step)
    # 1/after - 1/before without cancellation
    rise = k * step * before * after
    with np.errstate(all="ignore"):
        value = -(distance + 1) * rise + np.log(np.expm1(-2 * before) / np.expm1(-2 * after))
    rounding = 2.0**-63 * np.exp(np.minimum(after, 700.0))
    error = (distance + 1) * (rounding + _FLOAT_ERROR * rise) + 4 * rounding / before + _FLOAT_ERROR
    # k * step loses digits against scale when the path ends near zero, and that moves both terms
    lost = scale * after
    error += _FLOAT_ERROR * ((distance + 1) * after * lost + lost)
    error = np.where((after > 0) & (lost < 2.0**40), error, np.inf)
    return value, error


def exact_redraw(distance: int, prefix: int, descent: Descent, stream: Stream) -> int:
    bits = 64
    while True:
        low, high = 0, descent.steps + 1
        while high - low > 1:
            middle = (low + high) // 2
            kept = descent.kept(distance, middle, bits)
            if prefix < kept.low:
                low = middle
            elif prefix >= kept.high:
                high = middle
            else:
                break
        else:
            return high
        bits += 64
        prefix = prefix << 64 | word(stream)
