"""Sizes and bounds of many priorities at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Floats, Ints, Words, kernel


@kernel
def least_priorities(
    sizes: Ints,
    levels: NDArray[np.int16],
    words: Words,
    floors: Floats,
    factor: float,
    telling: np.uint64,
    out: Floats,
    bits: Ints,
    exponents: Ints,
) -> int:
    """out[i] = factor * max(sizes[i], floors[levels[i]]) / U, U the upper end of what its first word leaves open.

    `bits` are those of `out`; exponents[e] += how many are stored with exponent e. Says how many words are below the
    least `telling` one.
    """
    found = 0
    for i in range(out.size):
        known = np.float64(words[i]) * 2.0**-64 + 2.0**-64
        out[i] = factor * max(np.float64(sizes[i]), floors[levels[i]]) / known
        exponents[bits[i] >> 52] += 1
        found += int(words[i] < telling)
    return found


@kernel
def strengths_of(values: Ints, theta: int, two_sided: bool, out: Ints) -> None:
    """out[i] = |values[i]|, or zero where it is below theta; one-sided, all that is negative counts as below."""
    for i in range(out.size):
        strength = abs(values[i]) if two_sided else values[i]
        out[i] = strength if strength >= theta else 0
