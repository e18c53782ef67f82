"""Many noisy answers taken down a path of scales together, from redraw to redraw instead of step by step.

Source: the errata on ireduct; `down` has the law of one step.
An answer at distance d from its exact count keeps its value until it is redrawn. The keep probability multiplies along
the path, so it has not been redrawn after step k with probability (b/a)**(d+1) (1 - a*a) / (1 - b*b), where a and b are
the alphas of the start and after that step. When it is redrawn it moves, on the side it is on,
    outward to d + Geometric(ab), across to -1 - Geometric(ab), or inward to j < d with probability ~ (b/a)**j,
where a and b are the alphas before and after that step. So a path of any number of steps costs as many draws as there
are redraws, about twice the logarithm of how far the scale falls.
Numerics: exact. Floats decide what they prove (`kernels.redraws`), integers the rest, from the same bits and more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.errors import BadParameter
from discreet.kernels import redraws as kernels
from discreet.kernels.jit import Ints
from discreet.noise.down import Down, Moves
from discreet.noise.draw import read_on
from discreet.noise.ladders import Digit, GeometricLadder
from discreet.noise.source import Stream, word, words
from discreet.numbers.intervals import Interval, Power, Rational
from discreet.privacy import LARGEST_SCALE, Alpha


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

    @cached_property
    def numbers(self) -> tuple[int, int, float]:
        """`whole` as kernels take it: scale(t) = (start - t * step) / unit."""
        start, step, unit = self.whole
        return start, step, float(unit)

    def down(self, to: int) -> Down:
        """The step from the scale before it."""
        return Down(Alpha.of(self.at(to - 1)), Alpha.of(self.at(to)))

    def kept(self, distance: int, k: int, bits: int) -> Interval:
        """The probability that an answer at this distance was not redrawn in k steps, at `bits` bits."""
        before, after = Alpha.of(self.scale), Alpha.of(self.at(k))
        if before == after:
            return Interval.of(1, bits)
        old, new = before.fraction, after.fraction
        ratio = Rational(Fraction(after.numerator, before.numerator))
        return Power(ratio, distance + 1).bracket(bits) * Interval.of((1 - old * old) / (1 - new * new), bits)


@dataclass(frozen=True, eq=False)
class Redraws:
    """What happened: `answer` took the value exact + offset in `step`. In the order of steps for each answer."""

    answer: Ints
    step: Ints
    offset: Ints


def descend(offsets: Ints, descent: Descent, stream: Stream) -> Redraws:
    """Every redraw of answers that start at these offsets from their exact counts."""
    answer, offset = np.arange(offsets.size), offsets.copy()
    at = np.zeros(offsets.size, np.int64)
    found = [(answer[:0], at[:0], offset[:0])]
    while answer.size:
        to = next_redraw(np.abs(offset), at, descent, stream)
        falling = to <= descent.steps
        answer, at, offset = answer[falling], to[falling], offset[falling]
        offset = _moved(offset, at, descent, stream)
        found.append((answer, at, offset))
    return Redraws(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def next_redraw(distance: Ints, at: Ints, descent: Descent, stream: Stream) -> Ints:
    """For each distance the step after `at` in which the answer is redrawn; `steps + 1` if it never is."""
    drawn, to, sure = words(distance.size, stream), np.empty_like(distance), np.empty(distance.size, np.bool_)
    kernels.redraw_steps(distance, at, drawn, descent.numbers, descent.steps, to, sure)
    for i in np.flatnonzero(~sure & (at < descent.steps)).tolist():
        t0 = int(at[i])
        left = Descent(descent.at(t0), descent.step, descent.steps - t0)
        to[i] = t0 + exact_redraw(int(distance[i]), int(drawn[i]), left, stream)
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


def _moved(offset: Ints, to: Ints, descent: Descent, stream: Stream) -> Ints:
    """New offsets of answers that are redrawn in step `to`."""
    distance, side = np.abs(offset), np.where(offset < 0, -1, 1)
    drawn, move, sure = words(offset.size, stream), np.empty_like(offset), np.empty(offset.size, np.bool_)
    kernels.redraw_moves(distance, to, drawn, descent.numbers, move, sure)
    for i in np.flatnonzero(~sure).tolist():
        move[i] = read_on(Moves(descent.down(int(to[i])), int(distance[i]), True), 0, int(drawn[i]), stream)
    moved = np.empty_like(offset)
    jumping, inward = np.flatnonzero(move != kernels.INWARD), np.flatnonzero(move == kernels.INWARD)
    jump = _jumps(to[jumping], descent, stream)
    moved[jumping] = np.where(move[jumping] == kernels.OUTWARD, distance[jumping] + jump, -1 - jump)
    moved[inward] = _inward(distance[inward], to[inward], descent, stream)
    return side * moved


def _jumps(to: Ints, descent: Descent, stream: Stream) -> Ints:
    drawn, out, least, sure = words(to.size, stream), np.empty_like(to), np.empty_like(to), np.empty(to.size, np.bool_)
    kernels.geometric_jumps(to, drawn, descent.numbers, out, least, sure)
    for i in np.flatnonzero(~sure).tolist():
        ladder = GeometricLadder(Rational(descent.down(int(to[i])).product))
        out[i] = read_on(ladder, int(least[i]), int(drawn[i]), stream)
    return out


def _inward(distance: Ints, to: Ints, descent: Descent, stream: Stream) -> Ints:
    drawn, out, least, sure = words(to.size, stream), np.empty_like(to), np.empty_like(to), np.empty(to.size, np.bool_)
    kernels.inward_moves(distance, to, drawn, descent.numbers, out, least, sure)
    for i in np.flatnonzero(~sure).tolist():
        ladder = Digit(Rational(descent.down(int(to[i])).ratio), int(distance[i]))
        out[i] = read_on(ladder, int(least[i]), int(drawn[i]), stream)
    return out
