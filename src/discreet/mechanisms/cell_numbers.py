"""Cells of a domain of any size as numbers in the schema's order: int64 up to 2**62 cells, else rows of limbs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.radix import from_narrow, from_wide, to_narrow, to_wide

LARGEST_NARROW = (1 << 62) - 1


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

    def encode(self, codes: NDArray[np.int64]) -> NDArray[Any]:
        codes, sizes = np.ascontiguousarray(codes), np.array(self.sizes)
        if self.wide:
            from discreet.noise.wide import limbs_for

            limbs = np.empty((len(codes), limbs_for(self.cells)), np.uint32)
            to_wide(codes, sizes, limbs)
            return limbs
        numbers = np.empty(len(codes), np.int64)
        to_narrow(codes, sizes, numbers)
        return numbers

    def decode(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        codes = np.empty((len(numbers), len(self.sizes)), np.int64)
        self.decode_into(numbers, np.arange(len(numbers)), codes)
        return codes

    def decode_into(self, numbers: NDArray[Any], places: NDArray[np.int64], codes: NDArray[np.int64]) -> None:
        """codes[places[i]] = the codes of numbers[i]."""
        (from_wide if self.wide else from_narrow)(numbers, np.array(self.sizes), places, codes)
