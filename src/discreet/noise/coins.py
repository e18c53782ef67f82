"""Exact Bernoulli draws: one probability known to any precision, or a ratio of integers for every element.

A float appears in `coins`, as a filter only: it decides an element when the distance to the threshold is
2**12 times larger than every rounding that was made; the others are decided by integers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.errors import BadParameter
from discreet.kernels.float_draws import toss
from discreet.kernels.jit import Ints, Marks
from discreet.noise.draw import CHUNK, LARGEST, Drawer, read_on
from discreet.noise.draw_tables import table_of
from discreet.noise.ladders import Coin
from discreet.noise.source import Stream, words
from discreet.numbers.intervals import Rational, Real

_FAR = 10**300


def coin(probability: Real, count: int, drawer: Drawer) -> Marks:
    """`count` independent draws that are True with the given probability."""
    table, out = table_of(Coin(probability)), np.empty(count, np.uint8)
    for start in range(0, count, CHUNK):
        drawer.draw(table, out[start : start + CHUNK])
    return out.view(np.bool_)


def inverse_coins(weights: Ints, limit: Fraction, stream: Stream) -> Marks:
    """True with probability min(limit / weight, 1), independently for every weight above zero."""
    heads: Marks = weights <= min(limit.numerator // limit.denominator, LARGEST)
    over = np.flatnonzero(~heads)  # no bits are drawn for the certain ones
    heads[over] = coins(weights[over], limit, stream, inverse=True)
    return heads


def coins(weights: Ints, limit: Fraction, stream: Stream, *, inverse: bool = False) -> Marks:
    """True with probability min(|weight| / limit, 1), or its inverse, for every element on its own; limit above zero.

    U < threshold for a uniform U each; the floats decide what they prove, fractions the rest.
    """
    if not Fraction(1, _FAR) <= limit <= _FAR:
        raise BadParameter("coins need a limit above zero, between 1e-300 and 1e300")
    heads = np.empty(weights.size, np.bool_)
    for start in range(0, weights.size, CHUNK):
        piece, found = weights[start : start + CHUNK], heads[start : start + CHUNK]
        drawn, near = words(piece.size, stream), np.empty(piece.size + 1, np.int32)
        for i in near[: toss(piece, float(limit), inverse, drawn, found, near)].tolist():
            ratio = Fraction(abs(int(piece[i]))) / limit
            ratio = 1 / ratio if inverse else ratio
            found[i] = ratio >= 1 or read_on(Coin(Rational(ratio)), 0, int(drawn[i]), stream) == 1
    return heads
