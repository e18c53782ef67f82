"""Inversion by table: 16 bits answer almost every draw, 48 more settle nearly all of the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

ESCAPE = -32768


@kernel
def look_up(
    words: NDArray[np.uint16], table: NDArray[np.int16], out: NDArray[np.int64], escapes: NDArray[np.int32]
) -> int:
    """out[i] = table[words[i]]; lists the i whose cell holds a threshold, and says how many they are."""
    found = 0
    for i in range(words.size):
        value = table[words[i]]
        out[i] = value
        escapes[found] = i
        found += value == ESCAPE
    return found


@kernel
def settle(
    escapes: NDArray[np.int32],
    words: NDArray[np.uint16],
    more: NDArray[np.uint64],
    floors: NDArray[np.uint64],
    zigzag: bool,
    out: NDArray[np.int64],
) -> int:
    """Decide escaped draws by 64 bits; those equal to a threshold's first 64 bits move to the front of `escapes`.

    `floors` falls; a draw's index is the number of thresholds above it. Tied draws keep that number
    (so far) in `out` and are left for the caller; returns how many there are.
    """
    ties = 0
    for e in range(more.size):
        i = escapes[e]
        u = (np.uint64(words[i]) << np.uint64(48)) | (more[e] >> np.uint64(16))
        low, high = 0, floors.size
        while low < high:
            middle = (low + high) >> 1
            if floors[middle] > u:
                low = middle + 1
            else:
                high = middle
        if low < floors.size and floors[low] == u:
            out[i] = low
            escapes[ties] = i
            more[ties] = u
            ties += 1
        elif zigzag:
            out[i] = (low >> 1) ^ -(low & 1)
        else:
            out[i] = low
    return ties


def zigzag(index: Any) -> Any:
    """0, 1, 2, 3, ... -> 0, -1, 1, -2, ...: the order in which two-sided laws list their outcomes."""
    return (index >> 1) ^ -(index & 1)
