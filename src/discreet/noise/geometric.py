"""Exact geometric and discrete Laplace draws of any scale.

Source: the two-sided geometric mechanism (Ghosh, Roughgarden, Sundararajan), by inversion.
Law: Pr[G = k] = (1 - r) r**k for k >= 0; Pr[X = x] = (1 - a) / (1 + a) * a**|x|. Exact: every decision is proved.
How: X = G or -1 - G by an independent sign, and the radix-256 digits of G are independent, so a draw is one
table look-up, or a few for large scales.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.walks import append_digit
from discreet.noise.draw import CHUNK, LARGEST, Drawer
from discreet.noise.ladders import DIGIT, Digit, Geometric, Ladder, Signed
from discreet.noise.tables import Table, table_of
from discreet.numbers.intervals import Complement, Power, Rational, Real
from discreet.privacy import Alpha

#: a geometric of at most this mean is drawn from one table
ONE_TABLE = 256.0
#: with at most this many digits, and a table's index above them, a draw fits 62 bits
NARROW_DIGITS = 5


@dataclass(frozen=True)
class Digits:
    """A law as a table for the leading part and one for each radix-256 digit after it, highest place first."""

    top: Table
    digits: tuple[Table, ...]

    def draw(self, drawer: Drawer, out: NDArray[np.int64]) -> None:
        """One chunk of draws. Beyond 2**62 they stick, at or above it; see `noise.add` for why that shows nowhere."""
        drawer.draw(self.top, out, largest=(LARGEST >> (8 * len(self.digits))) + 1)
        if self.digits:
            place = np.empty(out.size, np.uint8)
            for table in self.digits:
                drawer.draw(table, place)
                append_digit(out, place)

    def fill(self, drawer: Drawer, out: NDArray[np.int64]) -> None:
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


def _digits(ratio: Real, count: int) -> tuple[Table, ...]:
    return tuple(table_of(Digit(Power(ratio, DIGIT**place))) for place in reversed(range(count)))


@lru_cache(maxsize=128)
def geometric_digits(ratio: Real) -> Digits:
    count = places(ratio)
    top: Ladder = Geometric(Power(ratio, DIGIT**count) if count else ratio)
    return Digits(table_of(top), _digits(ratio, count))


@lru_cache(maxsize=128)
def laplace_digits(alpha: Alpha) -> Digits:
    ratio = Rational(alpha.fraction)
    count = places(ratio)
    top = Signed(ratio, Power(ratio, DIGIT**count) if count else ratio)
    return Digits(table_of(top), _digits(ratio, count))
