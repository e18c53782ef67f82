"""Drawing indices from tables. The only place where random bits meet a law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.inversion import look_up, settle, zigzag
from discreet.noise.ladders import Ladder
from discreet.noise.source import Stream, word
from discreet.noise.tables import WORD, Table

CHUNK = 1 << 16
LARGEST = (1 << 62) - 1


class Drawer:
    """Scratch space for one call: draws chunk after chunk without allocating."""

    def __init__(self, stream: Stream, largest_chunk: int = CHUNK) -> None:
        size = min(CHUNK, largest_chunk)
        self.stream = stream
        self._words = np.empty(size, np.uint16)
        self._escapes = np.empty(size + 1, np.int32)

    def draw(self, table: Table, out: NDArray[np.int64], *, largest: int = LARGEST) -> None:
        """Fill `out` (at most one chunk, contiguous) with outcomes; one of size beyond `largest` is cut to it."""
        words = self._words[: out.size]
        self.stream.fill(words)
        escaped = look_up(words, table.cells, out, self._escapes)
        if not escaped:
            return
        more = np.empty(escaped, np.uint64)
        self.stream.fill(more)
        tied = settle(self._escapes, words, more, table.floors, table.ladder.zigzag, out)
        for position, prefix in zip(self._escapes[:tied].tolist(), more[:tied].tolist(), strict=True):
            index = read_on(table.ladder, int(out[position]), prefix, self.stream)
            if table.ladder.zigzag:
                out[position] = zigzag(min(index, 2 * largest + (index & 1)))  # cut in size, not in sign
            else:
                out[position] = min(index, largest)


def read_on(ladder: Ladder, index: int, prefix: int, stream: Stream) -> int:
    """The index of a U whose first 64 bits are `prefix` and which is known to lie below `index` rungs.

    Reads 64 more bits at a time and decides each further rung only when its bracket proves the answer.
    """
    bits = WORD
    while True:
        bits += WORD
        prefix = prefix << WORD | word(stream)
        while ladder.outcomes is None or index + 1 < ladder.outcomes:
            rung = ladder.rung(index + 1, bits)
            if prefix < rung.low:
                index += 1
            elif prefix >= rung.high:
                return index
            else:
                break
        else:
            return index
