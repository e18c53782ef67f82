"""Sequential passes over gaps: positions in a range, in 64 bits or in limbs of 32, and ranks turned into cells.

A wide integer is a row of uint32 limbs, the least significant first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel


@kernel
def append_digit(values: NDArray[np.int64], digits: NDArray[np.int64]) -> None:
    """One radix-256 digit more, in place; a negative value is the complement -1 - g of its magnitude."""
    for i in range(values.size):
        values[i] = (values[i] << 8) | (digits[i] ^ ((values[i] >> 63) & 255))


@kernel
def walk(gaps: NDArray[np.int64], position: int, size: int, out: NDArray[np.int64]) -> tuple[int, int, bool]:
    """Positions reached by skipping each gap in turn; stops at the first that leaves the range."""
    for i in range(gaps.size):
        if gaps[i] >= size - position:
            return i, position, True
        position += gaps[i]
        out[i] = position
        position += 1
    return gaps.size, position, False


@kernel
def walk_wide(
    gaps: NDArray[np.uint32], position: NDArray[np.uint32], size: NDArray[np.uint32], out: NDArray[np.uint32]
) -> tuple[int, bool]:
    """`walk` in limbs; `position` is the next free position and is moved on in place."""
    limbs = size.size
    for i in range(gaps.shape[0]):
        carry = np.uint64(0)
        for j in range(limbs):
            carry += np.uint64(position[j]) + np.uint64(gaps[i, j])
            position[j] = np.uint32(carry & np.uint64(0xFFFFFFFF))
            carry >>= np.uint64(32)
        inside = False
        if carry == 0:
            for j in range(limbs - 1, -1, -1):
                if position[j] != size[j]:
                    inside = position[j] < size[j]
                    break
        if not inside:
            return i, True
        carry = np.uint64(1)
        for j in range(limbs):
            out[i, j] = position[j]
            carry += np.uint64(position[j])
            position[j] = np.uint32(carry & np.uint64(0xFFFFFFFF))
            carry >>= np.uint64(32)
    return gaps.shape[0], False


@kernel
def put_digit(limbs: NDArray[np.uint32], place: int, digits: NDArray[np.int64]) -> None:
    """Write one radix-256 digit of every row into limbs that are still zero there."""
    j, shift = place >> 2, np.uint32(8 * (place & 3))
    for i in range(digits.size):
        limbs[i, j] |= np.uint32(digits[i]) << shift


@kernel
def put_top(limbs: NDArray[np.uint32], place: int, tops: NDArray[np.int64]) -> None:
    """Write what stands above the last digit: any number below 2**62, which may span three limbs."""
    first, shift = place >> 2, np.uint64(8 * (place & 3))
    for i in range(tops.size):
        low = (np.uint64(tops[i]) & np.uint64(0xFFFFFFFF)) << shift
        high = ((np.uint64(tops[i]) >> np.uint64(32)) << shift) + (low >> np.uint64(32))
        limbs[i, first] |= np.uint32(low & np.uint64(0xFFFFFFFF))
        if first + 1 < limbs.shape[1]:
            limbs[i, first + 1] = np.uint32(high & np.uint64(0xFFFFFFFF))
        if first + 2 < limbs.shape[1]:
            limbs[i, first + 2] = np.uint32(high >> np.uint64(32))


@kernel
def cells_narrow(ranks: NDArray[np.int64], occupied: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """The cell of each rank among the empty cells, by one merge: both inputs rise."""
    before = 0
    for i in range(ranks.size):
        while before < occupied.size and occupied[before] <= ranks[i] + before:
            before += 1
        out[i] = ranks[i] + before


@kernel
def cells_wide(ranks: NDArray[np.uint32], occupied: NDArray[np.uint32], out: NDArray[np.uint32]) -> None:
    """The cell of each rank among the empty cells, by one merge: both inputs rise, row by row."""
    limbs = ranks.shape[1]
    before = 0
    for i in range(ranks.shape[0]):
        while True:
            carry = np.uint64(before)
            for j in range(limbs):
                carry += np.uint64(ranks[i, j])
                out[i, j] = np.uint32(carry & np.uint64(0xFFFFFFFF))
                carry >>= np.uint64(32)
            if before == occupied.shape[0]:
                break
            beyond = False  # is the next occupied cell at or before this candidate?
            for j in range(limbs - 1, -1, -1):
                if occupied[before, j] != out[i, j]:
                    beyond = occupied[before, j] > out[i, j]
                    break
            if beyond:
                break
            before += 1
