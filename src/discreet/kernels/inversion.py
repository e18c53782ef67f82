"""Inversion by table: 16 bits answer almost every draw, 48 more settle nearly all of the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, kernel, light_kernel

ESCAPE = -32768


@light_kernel("words", 16_384)
def look_up(words: NDArray[np.uint16], table: NDArray[np.int16], out: NDArray[Any], escapes: NDArray[np.int32]) -> int:
    """out[i] = table[words[i]]; lists the i whose cell holds a threshold, and says how many they are."""
    found = 0
    for i in range(words.size):
        value = table[words[i]]
        out[i] = value
        escapes[found] = i
        found += value == ESCAPE
    return found


@light_kernel("out", 16_384)
def add_within(largest: int, more: Ints, out: Ints) -> None:
    """out += more, cut to what is at most `largest` above or below zero."""
    for i in range(out.size):
        out[i] = min(max(out[i] + more[i], -largest), largest)


@kernel
def raise_sizes(least: int, values: Ints) -> None:
    """0, 1, 2, ... -> least, least + 1, ...; -1, -2, ... -> -least, -least - 1, ...: in place."""
    for i in range(values.size):
        values[i] += least if values[i] >= 0 else 1 - least


def zigzag(index: Any) -> Any:
    """0, 1, 2, 3, ... -> 0, -1, 1, -2, ...: the order in which two-sided laws list their outcomes."""
    return (index >> 1) ^ -(index & 1)
