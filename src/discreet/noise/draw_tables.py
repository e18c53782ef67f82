"""A ladder made ready for drawing: 64-bit floors of all its rungs, and a table over the first 16 bits.

Everything here is computed with certified brackets; `floors[j-1]` is floor(2**64 * Q_j), proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.inversion import ESCAPE
from discreet.noise.ladders import Ladder

CELLS = 1 << 16
WORD = 64
_GUARD = 96
MOST_RUNGS = 32_000
_MAKING = Lock()


@dataclass(frozen=True)
class DrawTable:
    """`cells[u]` is the outcome whenever the first 16 bits are u, or ESCAPE where a rung lies inside that cell."""

    ladder: Ladder
    floors: NDArray[np.uint64]
    cells: NDArray[np.int16]


def table_of(ladder: Ladder) -> DrawTable:
    """The same table for equal ladders; threads that need one at the same time wait for the first to make it."""
    with _MAKING:
        return _table_of(ladder)


@lru_cache(maxsize=256)
def _table_of(ladder: Ladder) -> DrawTable:
    floors = np.array(rung_floors(ladder), np.uint64)
    heads = (floors >> np.uint64(48)).astype(np.int64)  # falling
    above = heads.size - np.searchsorted(heads[::-1], np.arange(CELLS), side="right")
    cells = ladder.outcome(above).astype(np.int16)
    cells[heads] = ESCAPE
    for array in (floors, cells):
        array.setflags(write=False)
    return DrawTable(ladder, floors, cells)


def rung_floors(ladder: Ladder) -> list[int]:
    """floor(2**64 * Q_j) for every j >= 1 down to the first that is zero, or to the last outcome."""
    floors: list[int] = []
    bits = WORD + _GUARD
    for j, rung in enumerate(ladder.rungs(bits), start=1):
        low, high = rung.low >> _GUARD, rung.high >> _GUARD
        # a certain rung, Q_j = 1, becomes the largest word: a draw equal to it is a tie, and reading on settles it
        floors.append(min(low if low == high else proved_floor(ladder, j), (1 << WORD) - 1))
        if floors[-1] == 0 and ladder.outcomes is None:
            return floors
        if j > MOST_RUNGS:
            raise ValueError("this ladder has too many rungs for one table: split it into digits")
    return floors


class Unproved(ArithmeticError):
    """A rung is, or is nearly, a fraction of 64 bits, which brackets cannot prove."""


def proved_floor(ladder: Ladder, j: int) -> int:
    """floor(2**64 * Q_j), with as many bits as it takes, or as the ladder takes for enough."""
    bits = WORD
    while True:
        if ladder.enough_bits is not None and bits > ladder.enough_bits:
            raise Unproved(f"rung {j} of {ladder}")
        bits += 256
        rung = ladder.rung(j, bits)
        low, high = rung.low >> (bits - WORD), rung.high >> (bits - WORD)
        if low == high:
            return low
