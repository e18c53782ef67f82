"""Discrete Laplace noise for arrays that are too small to be worth a table of their own.

Law and split as in `geometric`: X = G, or -1 - G with probability a / (1 + a). Numerics: exact; floats decide what they
prove, integers the rest, from the same bits and more.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.few import signed_geometric
from discreet.noise.draw import read_on
from discreet.noise.ladders import Coin, Geometric
from discreet.noise.source import Stream
from discreet.numbers.intervals import Rational
from discreet.privacy import Alpha


def few(scale: Fraction, count: int, stream: Stream) -> NDArray[np.int64]:
    """`count` draws of one scale."""
    words = np.empty((2, count), np.uint64)
    stream.fill(words)
    out, least, sure = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.bool_)
    signed_geometric(float(scale), words[0], words[1], out, least, sure)
    alpha = Alpha.of(scale).fraction
    for i in np.flatnonzero(~sure).tolist():
        size = read_on(Geometric(Rational(alpha)), int(least[i]), int(words[1, i]), stream)
        minus = read_on(Coin(Rational(alpha / (1 + alpha))), 0, int(words[0, i]), stream)
        out[i] = -1 - size if minus else size
    return out
