"""Exact Bernoulli draws: one probability known to any precision, or a ratio of integers for every element.

A float appears in `coins`, as a filter only: it decides an element when the distance to the threshold is
2**12 times larger than every rounding that was made; the others are decided by integers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.float_draws import toss
from discreet.noise.draw import CHUNK, LARGEST, Drawer, read_on
from discreet.noise.ladders import Coin
from discreet.noise.source import Stream, words
from discreet.noise.tables import table_of
from discreet.numbers.intervals import Rational, Real

_FAR = 10**300


def coin(probability: Real, count: int, drawer: Drawer) -> NDArray[np.bool_]:
    """`count` independent draws that are True with the given probability."""
    table, out = table_of(Coin(probability)), np.empty(count, np.bool_)
    chunk = np.empty(min(CHUNK, count), np.int64)
    for start in range(0, count, CHUNK):
        piece = out[start : start + CHUNK]
        drawer.draw(table, chunk[: piece.size])
        piece[:] = chunk[: piece.size] != 0
    return out


def coins(weights: NDArray[np.int64], limit: Fraction, stream: Stream) -> NDArray[np.bool_]:
    """True with probability min(|weight| / limit, 1), independently for every element; limit above zero."""
    _positive(limit)
    heads = np.empty(weights.size, np.bool_)
    for start in range(0, weights.size, CHUNK):
        piece = slice(start, start + CHUNK)
        heads[piece] = _decided(weights[piece], limit, stream, inverse=False)
    return heads


def inverse_coins(weights: NDArray[np.int64], limit: Fraction, stream: Stream) -> NDArray[np.bool_]:
    """True with probability min(limit / weight, 1), independently for every weight above zero."""
    _positive(limit)
    heads: NDArray[np.bool_] = weights <= min(limit.numerator // limit.denominator, LARGEST)
    if not heads.all():  # no bits are drawn for the certain ones
        over = np.flatnonzero(~heads)
        for start in range(0, over.size, CHUNK):
            piece = over[start : start + CHUNK]
            heads[piece] = _decided(weights[piece], limit, stream, inverse=True)
    return heads


def _positive(limit: Fraction) -> None:
    if not Fraction(1, _FAR) <= limit <= _FAR:
        raise BadParameter("coins need a limit above zero, between 1e-300 and 1e300")


def _decided(weights: NDArray[np.int64], limit: Fraction, stream: Stream, *, inverse: bool) -> NDArray[np.bool_]:
    """U < threshold for a uniform U each; the floats decide what they prove, fractions the rest."""
    drawn, heads = words(weights.size, stream), np.empty(weights.size, np.bool_)
    near = np.empty(weights.size + 1, np.int32)
    for i in near[: toss(weights, float(limit), inverse, drawn, heads, near)].tolist():
        ratio = Fraction(abs(int(weights[i]))) / limit
        ratio = 1 / ratio if inverse else ratio
        heads[i] = ratio >= 1 or read_on(Coin(Rational(ratio)), 0, int(drawn[i]), stream) == 1
    return heads
