"""Cells as one number and back: mixed-radix codes in 64 bits, or in limbs of 32 for larger domains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel


@kernel
def from_narrow(numbers: NDArray[np.int64], sizes: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """The codes of each number below 2**62."""
    for row in range(numbers.size):
        rest = np.uint64(numbers[row])
        for attribute in range(sizes.size - 1, 0, -1):
            size = np.uint64(sizes[attribute])
            above = rest // size
            out[row, attribute] = np.int64(rest - above * size)
            rest = above
        out[row, 0] = np.int64(rest)


@kernel
def to_wide(codes: NDArray[np.int64], sizes: NDArray[np.int64], out: NDArray[np.uint32]) -> None:
    """out[i] = the mixed-radix number of codes[i]; `out` starts as zeros, and every size is below 2**31."""
    for row in range(codes.shape[0]):
        for attribute in range(codes.shape[1]):
            carry = np.uint64(codes[row, attribute])
            for limb in range(out.shape[1]):
                carry += np.uint64(out[row, limb]) * np.uint64(sizes[attribute])
                out[row, limb] = np.uint32(carry & np.uint64(0xFFFFFFFF))
                carry >>= np.uint64(32)


@kernel
def from_wide(wide: NDArray[np.uint32], sizes: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """The codes of each number; `wide` is used up."""
    for row in range(wide.shape[0]):
        for attribute in range(sizes.size - 1, -1, -1):
            rest = np.uint64(0)
            size = np.uint64(sizes[attribute])
            for limb in range(wide.shape[1] - 1, -1, -1):
                rest = (rest << np.uint64(32)) | np.uint64(wide[row, limb])
                wide[row, limb] = np.uint32(rest // size)
                rest %= size
            out[row, attribute] = np.int64(rest)
