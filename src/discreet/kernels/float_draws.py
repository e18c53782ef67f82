"""Draws in floats that say when they are not sure: coins, and discrete Laplace noise without a table."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, Marks, Words, kernel, light_kernel

#: 2**12 times every rounding that `toss` makes
_MARGIN = 2.0**-40
TINY = 2.0**-62
#: of a logarithm near 64 ln 2 half a unit in the last place is 2**-48
ROUND = 2.0**-46
LOG_WORD = 64 * math.log(2.0)


@kernel
def toss(sizes: Ints, limit: float, inverse: bool, words: Words, heads: Marks, near: NDArray[np.int32]) -> int:
    """heads[i] = U < |size| / limit, or limit / |size|, for U = 0.word; lists the i that this does not prove."""
    found = 0
    for i in range(sizes.size):
        size, uniform = np.float64(abs(sizes[i])), np.float64(words[i]) * 2.0**-64
        threshold = limit / size if inverse else size / limit
        heads[i] = uniform < threshold
        near[found] = i
        found += int(abs(uniform - threshold) <= _MARGIN * (1.0 + threshold))
    return found


@kernel
def settle_down(value: float, error: float, ok: bool, i: int, out: Ints, least: Ints, sure: Marks) -> None:
    """The whole part of a value that is no whole number, if its error allows to say so; `least` is proved."""
    floor = math.floor(value)
    out[i] = int(floor)
    least[i] = max(0, math.floor(value - error) - 1) if ok else 0
    sure[i] = ok and value - floor > error and floor + 1.0 - value > error and error < 0.25


@light_kernel("out", 16_384)
def signed_geometric(scale: float, signs: Words, sizes: Words, out: Ints, least: Ints, sure: Marks) -> None:
    """out = G, or -1 - G with probability a / (1 + a), G geometric of ratio a; G >= least is proved.

    A draw is not sure where a rounding, an unread bit or alpha's rounding to 64 bits could change it.
    """
    rounding = TINY * math.exp(min(1.0 / scale, 700.0))
    minus = 1.0 / (1.0 + math.exp(1.0 / scale))
    for i in range(out.size):
        word = max(float(sizes[i]), 1.0)
        value = (LOG_WORD - math.log(word)) * scale
        error = value * (ROUND + rounding * scale) + (2.0 / word + ROUND) * scale
        floor = math.floor(value)  # as in `settle_down`, which would be slower here
        uniform = float(signs[i]) * 2.0**-64
        out[i] = -1 - floor if uniform < minus else floor
        ok = sizes[i] > 0
        least[i] = max(0, math.floor(value - error) - 1) if ok else 0
        ok = ok and error < 0.25 and value - floor > error and floor + 1.0 - value > error
        sure[i] = ok and abs(uniform - minus) > 2.0**-40 + rounding
