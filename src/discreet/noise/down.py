"""Noise-down on the integers: lower the noise of an answer that was already looked at, at no extra cost.

Source: NoiseDown of iReduct (Xiao, Bender, Hay, Gehrke), in the integer form in which its theorem holds.
Law: old noise = new noise + Z, where Z is nothing with probability w = (b/a) ((1-a)/(1-b))**2, else a discrete Laplace
with ratio a (a = old alpha, b = new alpha < a). So, given that the old answer is at distance d from the exact count and
with r = b/a, the new answer lies, on the side of the old one, at distance
    d, kept                 with probability  s r**d,     s = r (1 - a*a) / (1 - b*b)
    d + Geometric(ab)       with probability  e r**d,     e = (1-w) (1-b)/(1+b) / (1-ab)
    -1 - Geometric(ab)      with probability  e a b
    Geometric(r) modulo d   with the rest.
Only the first multiplies along a path of scales; a redrawn answer may come out the same by chance.
Numerics: exact. A float filters the choice among the four; where it is within 2**-38 of a border, integers decide.
The new noise is again discrete Laplace, and the pair (old, new) tells nothing that new alone does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.noise.draw import CHUNK, Drawer, read_on
from discreet.noise.geometric import Digits, geometric_digits
from discreet.noise.ladders import Ladder
from discreet.numbers.intervals import Interval, Power, Rational
from discreet.privacy import Alpha

#: beyond this a modulus would not leave room for a digit
LARGEST_DISTANCE = 1 << 58
_RELATIVE, _ABSOLUTE = 2.0**-40, 2.0**-48


@dataclass(frozen=True)
class Down:
    """The constants of one step from `old` to `new`, all rational."""

    old: Alpha
    new: Alpha

    def __post_init__(self) -> None:
        if self.new.numerator >= self.old.numerator:
            raise BadParameter("noise can only be taken down: the new scale must be below the old one, in 64 bits")

    @property
    def ratio(self) -> Fraction:
        return Fraction(self.new.numerator, self.old.numerator)

    @property
    def product(self) -> Fraction:
        return self.old.fraction * self.new.fraction

    @property
    def keep(self) -> Fraction:
        """s: the probability that an answer at distance 0 is kept."""
        old, new = self.old.fraction, self.new.fraction
        return self.ratio * (1 - old * old) / (1 - new * new)

    @property
    def outward(self) -> Fraction:
        """e: the probability that an answer at distance 0 is redrawn, but not to the other side."""
        old, new = self.old.fraction, self.new.fraction
        kept = self.ratio * ((1 - old) / (1 - new)) ** 2
        return (1 - kept) * (1 - new) / (1 + new) / (1 - self.product)

    @property
    def across(self) -> Fraction:
        return self.outward * self.product

    @property
    def log_ratio(self) -> float:
        return math.log1p(-float(1 - self.ratio)) if self.ratio > Fraction(1, 2) else math.log(self.ratio)


@dataclass(frozen=True)
class Moves(Ladder):
    """What happens to an answer at one distance: 3 kept, 2 outward, 1 across, 0 inward.

    With `redrawn`, the same given that it is not kept.
    """

    down: Down
    distance: int
    redrawn: bool
    outcomes = 4

    def rung(self, j: int, bits: int) -> Interval:
        down = self.down
        keep, outward, across = (Interval.of(x, bits) for x in (down.keep, down.outward, down.across))
        power = Power(Rational(down.ratio), self.distance).bracket(bits)
        kept = Interval.of(0, bits) if self.redrawn else keep
        reached = (kept if j == 3 else kept + outward) * power
        if j == 1:
            reached = reached + across
        if not self.redrawn:
            return reached
        rest = Interval.of(1, bits) - keep * power
        return reached / rest if rest.low else Interval(0, 1 << bits, bits)

    def rungs(self, bits: int) -> Iterator[Interval]:
        return (self.rung(j, bits) for j in (1, 2, 3))


def noise_down(
    noisy: NDArray[np.int64],
    exact: NDArray[np.int64],
    down: Down,
    drawer: Drawer,
    *,
    redrawn: bool = False,
) -> NDArray[np.int64]:
    """New noisy answers at the lower scale; with `redrawn`, from the law given that none is kept."""
    offset = noisy - exact
    side = np.where(offset < 0, -1, 1)
    distance = np.abs(offset)
    move = _moves(distance, down, drawer, redrawn)
    outward, across, inward = move == 2, move == 1, move == 0
    moved = distance.copy()
    jumps = geometric_digits(Rational(down.product))
    moved[outward] += _geometric(jumps, int(outward.sum()), drawer)
    moved[across] = -1 - _geometric(jumps, int(across.sum()), drawer)
    moved[inward] = _geometric_modulo(geometric_digits(Rational(down.ratio)), distance[inward], drawer)
    result: NDArray[np.int64] = exact + side * moved
    return result


def _moves(distance: NDArray[np.int64], down: Down, drawer: Drawer, redrawn: bool) -> NDArray[np.int64]:
    """One draw of `Moves` for every distance: by floats wherever these prove the answer."""
    keep, outward = down.keep, down.outward
    log_power = distance * down.log_ratio
    power = np.exp(log_power)
    # 1 - keep * power without cancellation
    rest = float(1 - keep) - float(keep) * np.expm1(log_power) if redrawn else np.ones(distance.size)
    borders = [np.zeros(distance.size) if redrawn else float(keep) * power]
    borders.append(borders[0] + float(outward) * power / rest)
    borders.append(borders[1] + float(down.across) / rest)
    words = np.empty(distance.size, np.uint64)
    drawer.stream.fill(words)
    uniform = words * 2.0**-64
    move, near = np.zeros(distance.size, np.int64), np.zeros(distance.size, np.bool_)
    for border in borders:
        move += uniform < border
        near |= np.abs(uniform - border) <= _RELATIVE * border + _ABSOLUTE
    for i in np.flatnonzero(near).tolist():
        move[i] = read_on(Moves(down, int(distance[i]), redrawn), 0, int(words[i]), drawer.stream)
    return move


def _geometric(digits: Digits, count: int, drawer: Drawer) -> NDArray[np.int64]:
    out = np.empty(count, np.int64)
    digits.fill(drawer, out)
    return out


def _geometric_modulo(digits: Digits, moduli: NDArray[np.int64], drawer: Drawer) -> NDArray[np.int64]:
    """Geometric draws modulo each modulus, digit by digit, so that no draw is too large for 64 bits."""
    result = np.empty(moduli.size, np.int64)
    for start in range(0, moduli.size, CHUNK):
        modulus, value = moduli[start : start + CHUNK], result[start : start + CHUNK]
        drawer.draw(digits.top, value)
        value %= modulus
        place = np.empty_like(value)
        for table in digits.digits:
            drawer.draw(table, place)
            # 16 * 16 = 256 in two steps: the modulus may have 58 bits
            value *= 16
            value %= modulus
            value *= 16
            value += place
            value %= modulus
    return result
