"""Discrete Laplace draws without a table, in floats that say when they are not sure."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

_TINY = 2.0**-62
#: of a logarithm near 64 ln 2 half a unit in the last place is 2**-48
_ROUND = 2.0**-46
_LOG_WORD = 64 * math.log(2.0)


@kernel
def signed_geometric(
    scale: float,
    signs: NDArray[np.uint64],
    sizes: NDArray[np.uint64],
    out: NDArray[np.int64],
    least: NDArray[np.int64],
    sure: NDArray[np.bool_],
) -> None:
    """out = G, or -1 - G with probability a / (1 + a), G geometric of ratio a; G >= least is proved.

    A draw is not sure where a rounding, an unread bit or alpha's rounding to 64 bits could change it.
    """
    rounding = _TINY * math.exp(min(1.0 / scale, 700.0))
    minus = 1.0 / (1.0 + math.exp(1.0 / scale))
    for i in range(out.size):
        word = max(float(sizes[i]), 1.0)
        value = (_LOG_WORD - math.log(word)) * scale
        error = value * (_ROUND + rounding * scale) + (2.0 / word + _ROUND) * scale
        floor = math.floor(value)
        uniform = float(signs[i]) * 2.0**-64
        out[i] = -1 - floor if uniform < minus else floor
        ok = sizes[i] > 0
        least[i] = max(0, math.floor(value - error) - 1) if ok else 0
        ok = ok and error < 0.25 and value - floor > error and floor + 1.0 - value > error
        sure[i] = ok and abs(uniform - minus) > 2.0**-40 + rounding
