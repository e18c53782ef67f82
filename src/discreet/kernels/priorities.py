"""Bounds of many priorities at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel


@kernel
def least_priorities(
    sizes: NDArray[np.int64],
    powers: NDArray[np.int16],
    words: NDArray[np.uint64],
    floors: NDArray[np.float64],
    factor: float,
    out: NDArray[np.float64],
) -> None:
    """out[i] = factor * max(sizes[i], floors[powers[i]]) / U, U the upper end of what its first word leaves open."""
    for i in range(out.size):
        known = np.float64(words[i]) * 2.0**-64 + 2.0**-64
        out[i] = factor * max(np.float64(sizes[i]), floors[powers[i]]) / known
