"""Drawing indices from tables. The only place where random bits meet a law."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.inversion import look_up, zigzag
from discreet.noise.draw_tables import WORD, DrawTable
from discreet.noise.ladders import Ladder
from discreet.noise.source import Stream, word, words

CHUNK = 1 << 18
LARGEST = (1 << 62) - 1


class Drawer:
    """Scratch space for one call: draws chunk after chunk without allocating."""

    def __init__(self, stream: Stream, largest_chunk: int = CHUNK) -> None:
        size = min(CHUNK, largest_chunk)
        self.stream = stream
        self._words = np.empty(size, np.uint16)
        self._escapes = np.empty(size + 1, np.int32)
        self._longer = np.empty(size, np.uint64)  # takes no memory until it is used

    def draw(self, table: DrawTable, out: NDArray[Any], *, largest: int = LARGEST) -> None:
        """Fill `out` (at most one chunk, contiguous) with outcomes; one of size beyond `largest` is cut to it.

        `out` is int64, or uint8 for digits.
        """
        if out.size > self._words.size:
            raise ValueError("a drawer was asked for more than the chunk that it was made for")
        first = self._words[: out.size]
        self.stream.fill(first)
        if escaped := look_up(first, table.cells, out, self._escapes):
            self._settle(table, self._escapes[:escaped], first, out, largest)

    def uniform(self, size: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Fresh words of 64 bits, and room to list some of them; both are valid until the next draw."""
        drawn = self._longer[:size]
        self.stream.fill(drawn)
        return drawn, self._escapes

    def _settle(
        self, table: DrawTable, escapes: NDArray[np.int32], first: NDArray[np.uint16], out: NDArray[Any], largest: int
    ) -> None:
        """Decide escaped draws by 48 more bits, and those that equal a rung's first 64 by as many as it takes.

        The index is the number of rungs above the draw. In numpy: a compiled loop would be faster where many draws
        escape, and cost every process that starts cold a third of a second.
        """
        more = words(escapes.size, self.stream)
        drawn = (first[escapes].astype(np.uint64) << np.uint64(48)) | (more >> np.uint64(16))
        floors = table.floors
        index = floors.size - np.searchsorted(floors[::-1], drawn, side="right")
        tied = np.flatnonzero(floors[np.minimum(index, floors.size - 1)] == drawn)
        out[escapes] = table.ladder.outcome(index)
        for i in tied.tolist():
            settled = read_on(table.ladder, int(index[i]), int(drawn[i]), self.stream)
            if table.ladder.zigzag:
                settled = zigzag(min(settled, 2 * largest + (settled & 1)))  # cut in size, not in sign
            out[escapes[i]] = min(settled, largest)


def read_on(ladder: Ladder, index: int, prefix: int, stream: Stream) -> int:
    """The index of a U whose first 64 bits are `prefix` and which is known to lie below `index` rungs.

    Reads 64 more bits at a time and decides a rung only when its bracket proves the answer. Rungs are tried in growing
    strides, then by halving, for `index` may be far below the answer.
    """
    bits, above = WORD, ladder.outcomes  # U lies above that rung, if there is one
    while True:
        bits += WORD
        prefix = prefix << WORD | word(stream)
        stride = 1
        while above is None or index + 1 < above:
            middle = index + stride if above is None else min(index + stride, (index + above + 1) // 2)
            rung = ladder.rung(middle, bits)
            if prefix < rung.low:
                index, stride = middle, 2 * stride
            elif prefix >= rung.high:
                above = middle
            else:
                break
        else:
            return index
