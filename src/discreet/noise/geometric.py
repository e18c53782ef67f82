"""Exact geometric and discrete Laplace draws of any scale.

Source: the two-sided geometric mechanism (Ghosh, Roughgarden, Sundararajan), by inversion.
Law: Pr[G = k] = (1 - r) r**k for k >= 0; Pr[X = x] = (1 - a) / (1 + a) * a**|x|. Exact: every decision is proved.
How: X = G or -1 - G by an independent sign, minus with probability a / (1 + a), and the radix-256 digits of G are
independent, so a draw is one table look-up, or a few for large scales. Arrays that are too small to be worth a table of
their own are drawn by floats that decide what they prove, and integers the rest, from the same bits and more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.errors import BadParameter
from discreet.kernels.float_draws import signed_geometric
from discreet.kernels.jit import Ints
from discreet.kernels.walks import append_digit
from discreet.noise.draw import CHUNK, LARGEST, Drawer, read_on
from discreet.noise.draw_tables import DrawTable, table_of
from discreet.noise.ladders import DIGIT, Coin, Digit, GeometricLadder, Signed
from discreet.noise.source import Stream, words
from discreet.numbers.intervals import Complement, Power, Rational, Real
from discreet.privacy import Alpha

#: a geometric of at most this mean is drawn from one table
ONE_TABLE = 256.0
#: with at most this many digits, and a table's index above them, a draw fits 62 bits
NARROW_DIGITS = 5


@dataclass(frozen=True)
class Digits:
    """A law as a table for the leading part and one for each radix-256 digit after it, highest place first."""

    top: DrawTable
    digits: tuple[DrawTable, ...]

    def draw(self, drawer: Drawer, out: Ints) -> None:
        """One chunk of draws. Beyond 2**62 they stick, at or above it; see `noise.add` for why that shows nowhere."""
        drawer.draw(self.top, out, largest=(LARGEST >> (8 * len(self.digits))) + 1)
        if self.digits:
            place = np.empty(out.size, np.uint8)
            for table in self.digits:
                drawer.draw(table, place)
                append_digit(out, place)

    def fill(self, drawer: Drawer, out: Ints) -> None:
        for start in range(0, out.size, CHUNK):
            self.draw(drawer, out[start : start + CHUNK])


def places(ratio: Real) -> int:
    """How many digits to split off so that what is left above them has a mean of at most ONE_TABLE."""
    rest = float(Complement(ratio))
    if rest < 1e-290:
        raise BadParameter("a geometric law needs a ratio below 1, and by more than 1e-290")
    mean, count = 1 / rest, 0
    while mean > ONE_TABLE:
        mean, count = mean / DIGIT, count + 1
    return count


def _split(ratio: Real) -> tuple[Real, tuple[DrawTable, ...]]:
    """The ratio of what is left above the digits of a geometric, and a table for each digit."""
    count = places(ratio)
    digits = tuple(table_of(Digit(Power(ratio, DIGIT**place))) for place in reversed(range(count)))
    return Power(ratio, DIGIT**count) if count else ratio, digits


@lru_cache(maxsize=128)
def geometric_digits(ratio: Real) -> Digits:
    top, digits = _split(ratio)
    return Digits(table_of(GeometricLadder(top)), digits)


@lru_cache(maxsize=128)
def laplace_digits(alpha: Alpha) -> Digits:
    ratio = Rational(alpha.fraction)
    top, digits = _split(ratio)
    return Digits(table_of(Signed(ratio, top)), digits)


def few(scale: Fraction, count: int, stream: Stream) -> Ints:
    """`count` draws of discrete Laplace noise, without a table."""
    signs, drawn = words((2, count), stream)
    out, least, sure = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.bool_)
    signed_geometric(float(scale), signs, drawn, out, least, sure)
    alpha = Alpha.of(scale).fraction
    for i in np.flatnonzero(~sure).tolist():
        size = read_on(GeometricLadder(Rational(alpha)), int(least[i]), int(drawn[i]), stream)
        minus = read_on(Coin(Rational(alpha / (1 + alpha))), 0, int(signs[i]), stream)
        out[i] = -1 - size if minus else size
    return out
