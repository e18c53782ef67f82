"""Labels of very many bins of equal width, as texts, and back.

Edges are whole numbers of one decimal unit, in which they are compared; no float is made. That is exact also for reals:
a label shows the shortest decimals that give the float next to an edge, and decimals of at most 15 digits that are not
the same are never next to one float. So an edge of no more digits is shown as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import OutsideDomain
from discreet.kernels.cores import side_by_side
from discreet.naming import OTHER
from discreet.schema import Attribute, Ordinal

#: fewer labels are not worth a compiled kernel
MANY = 1 << 14
#: for a thread at a time; also, texts of so many labels have ends that 31 bits hold
_PIECE = 1 << 17
#: beyond it reals may have other digits than their edges, or integers be too long to read
_REALS_TO, _INTEGERS_TO = 10**15, 10**18
#: smaller numbers are written with an exponent
_MOST_DECIMALS = 4


@dataclass(frozen=True)
class BinTexts:
    """Bin `code` starts at `start + code * step`, in units of the last one of so many decimals."""

    start: int
    step: int
    bins: int
    decimals: int
    real: bool
    #: how many codes there are: behind the bins may come "other"
    size: int

    @classmethod
    def of(cls, attribute: Attribute, many: int) -> BinTexts | None:
        """For so many labels; None where they are few, or not texts of this kind."""
        if many < MANY or not isinstance(attribute, Ordinal) or attribute.kind == "date":
            return None
        ticks, per_one, real = attribute._ticks, attribute._per_one, attribute.kind == "real"
        decimals = next((some for some in range(_MOST_DECIMALS + 1) if 10**some % per_one == 0), None)
        if attribute.first_number is not None or not isinstance(ticks, range) or decimals is None:
            return None
        units = 10**decimals // per_one
        if max(abs(ticks[0]), abs(ticks[-1])) * units >= (_REALS_TO if real else _INTEGERS_TO):
            return None
        return cls(ticks.start * units, ticks.step * units, attribute.bins, decimals, real, attribute.size)

    def read(self, labels: Any) -> NDArray[np.int64]:
        """The codes of an Arrow array of texts, -1 for what is no label of a bin."""
        from discreet.kernels.bin_texts import read_bins

        _, places, held = labels.buffers()
        ends = np.frombuffer(places, np.int32)[labels.offset : labels.offset + len(labels) + 1]
        letters = np.empty(0, np.uint8) if held is None else np.frombuffer(held, np.uint8)
        codes = np.empty(len(labels), np.int64)
        rule = self.start, self.step, self.bins, self.decimals, self.real
        side_by_side(
            lambda part: read_bins(ends[part.start : part.stop + 1], letters, *rule, codes[part]), _pieces(len(labels))
        )
        return codes

    def written(self, codes: NDArray[np.int64]) -> Any:
        """An Arrow array of the labels of these codes, in any order."""
        import pyarrow as pa

        if codes.size and not (codes.min() >= 0 and codes.max() < self.size):
            raise OutsideDomain(f"a code is outside 0..{self.size - 1}")
        parts = side_by_side(lambda part: self._written(codes[part]), _pieces(codes.size))
        return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)

    def _written(self, codes: NDArray[np.int64]) -> Any:
        import pyarrow as pa

        from discreet.kernels.bin_texts import write_bins

        longest = max(self.start, -self.start, self.start + self.bins * self.step)
        room = max(2 * (len(str(longest)) + self.decimals + 2) + len("[, ]"), len(OTHER))
        ends, letters = np.empty(codes.size + 1, np.int32), np.empty(codes.size * room, np.uint8)
        other = np.frombuffer(OTHER.encode(), np.uint8)
        rule = self.start, self.step, self.bins, self.decimals, self.real
        write_bins(np.ascontiguousarray(codes), *rule, other, ends, letters)
        held = letters[: ends[-1]].copy()  # so that the rest of the room is free again
        return pa.Array.from_buffers(pa.string(), codes.size, [None, pa.py_buffer(ends), pa.py_buffer(held)])


def _pieces(size: int) -> list[slice]:
    return [slice(start, min(start + _PIECE, size)) for start in range(0, size, _PIECE)]
