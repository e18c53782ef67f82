"""Cells of a domain of any size as numbers in the schema's order: int64 up to 2**62 cells, else rows of limbs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.cores import side_by_side, slices

LARGEST_NARROW = (1 << 62) - 1
#: how many cells are worth a thread
_WORTH = 1 << 18


def limbs_for(size: int) -> int:
    """How many limbs of 32 bits hold every integer up to and including `size`: even, so that pairs make words."""
    return 2 * max(1, -(-size.bit_length() // 64))


def number_at(numbers: NDArray[Any], place: int) -> int:
    """One of these numbers, as Python has it."""
    one = numbers[place]
    return int(one) if numbers.ndim == 1 else int.from_bytes(one.astype("<u4").tobytes(), "little")


def are_rising(numbers: NDArray[Any]) -> bool:
    """Whether each of these numbers is above the one before."""
    if numbers.ndim == 1:
        return bool(np.all(numbers[1:] > numbers[:-1]))
    words = np.ascontiguousarray(numbers.astype("<u4", copy=False)).view("<u8")
    above, same = np.zeros(max(len(words) - 1, 0), np.bool_), np.ones(max(len(words) - 1, 0), np.bool_)
    for word in words.T[::-1]:
        above |= same & (word[1:] > word[:-1])
        same &= word[1:] == word[:-1]
    return bool(above.all())


@dataclass(frozen=True)
class CellNumbers:
    """Numbers 0 to cells - 1, the last attribute changing fastest. In a wide domain no attribute has 2**31 codes."""

    sizes: tuple[int, ...]

    @property
    def cells(self) -> int:
        return math.prod(self.sizes)

    @property
    def wide(self) -> bool:
        return self.cells > LARGEST_NARROW

    def empty(self, rows: int) -> NDArray[Any]:
        """Room for so many numbers, not set."""
        return np.empty((rows, limbs_for(self.cells)), np.uint32) if self.wide else np.empty(rows, np.int64)

    def encode(self, codes: NDArray[np.int64]) -> NDArray[Any]:
        from discreet.kernels.radix import to_narrow, to_wide

        codes, sizes = np.ascontiguousarray(codes), np.array(self.sizes)
        numbers, encoding = self.empty(len(codes)), to_wide if self.wide else to_narrow
        side_by_side(lambda part: encoding(codes[part], sizes, numbers[part]), slices(len(codes), _WORTH))
        return numbers

    def decode(self, numbers: NDArray[Any], order: Literal["C", "F"] = "C") -> NDArray[np.int64]:
        """A row of codes for each number; in order "F" each column is contiguous instead."""
        from discreet.kernels.radix import from_narrow, from_wide

        codes, sizes = np.empty((len(numbers), len(self.sizes)), np.int64, order), np.array(self.sizes)
        decoding = from_wide if self.wide else from_narrow
        side_by_side(lambda part: decoding(numbers[part], sizes, codes[part]), slices(len(codes), _WORTH))
        return codes
