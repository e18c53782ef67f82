"""When is a noisy answer next redrawn, if its scale is taken down step by step? Simulated in one draw.

Source: the keep probability of noise-down, which multiplies along a path of scales (see `down`).
Law: an answer at distance d, going down the public steps scale - k * step, has not been redrawn after step k with
probability (b/a)**(d+1) (1 - a*a) / (1 - b*b), where a and b are the alphas before and after.
Numerics: exact. Floats find the step (`kernels.redraws`); unless they prove it, integers decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels import redraws as kernels
from discreet.noise.down import Down
from discreet.noise.source import Stream, word
from discreet.numbers.intervals import Interval, Power, Rational
from discreet.privacy import LARGEST_SCALE, Alpha

Ints = NDArray[np.int64]


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


@dataclass(frozen=True)
class Path:
    """A descent, and its `numbers` start, step and unit: scale(t) = (start - t * step) / unit."""

    descent: Descent
    numbers: tuple[int, int, float]

    @classmethod
    def of(cls, descent: Descent) -> Path:
        start, step, unit = descent.whole
        return cls(descent, (start, step, float(unit)))

    def down(self, to: int) -> Down:
        return Down(Alpha.of(self.descent.at(to - 1)), Alpha.of(self.descent.at(to)))


def next_redraw(distance: Ints, at: Ints, path: Path, stream: Stream) -> Ints:
    """For each distance the step after `at` in which the answer is redrawn; `steps + 1` if it never is."""
    words = np.empty(distance.size, np.uint64)
    stream.fill(words)
    to, sure = np.empty_like(distance), np.empty(distance.size, np.bool_)
    kernels.redraw_steps(distance, at, words, *path.numbers, path.descent.steps, to, sure)
    for i in np.flatnonzero(~sure & (at < path.descent.steps)).tolist():
        t0 = int(at[i])
        left = Descent(path.descent.at(t0), path.descent.step, path.descent.steps - t0)
        to[i] = t0 + exact_redraw(int(distance[i]), int(words[i]), left, stream)
    return to


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
