"""Cells as one number and back: mixed-radix codes in 64 bits, or in limbs of 32 for larger domains."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Ints, Limbs, kernel, light_kernel

_LOW = np.uint64(0xFFFFFFFF)


@light_kernel("codes", 16_384)
def to_narrow(codes: Ints, sizes: Ints, out: Ints) -> None:
    """out[i] = the mixed-radix number of codes[i], below 2**62."""
    for row in range(codes.shape[0]):
        number = np.int64(0)
        for attribute in range(sizes.size):
            number = number * sizes[attribute] + codes[row, attribute]
        out[row] = number


@kernel
def _split(number: np.uint64, last: int, sizes: Ints, codes: Ints) -> None:
    """The codes of the attributes up to the last one, from a number of 64 bits."""
    for attribute in range(last, 0, -1):
        size = np.uint64(sizes[attribute])
        above = number // size
        codes[attribute] = np.int64(number - above * size)
        number = above
    codes[0] = np.int64(number)


@light_kernel("numbers", 8_192)
def from_narrow(numbers: Ints, sizes: Ints, out: Ints) -> None:
    """The codes of each number below 2**62."""
    for row in range(numbers.size):
        _split(np.uint64(numbers[row]), sizes.size - 1, sizes, out[row])


@kernel
def to_wide(codes: Ints, sizes: Ints, out: Limbs) -> None:
    """out[i] = the mixed-radix number of codes[i]; every size is below 2**31."""
    begun, bound = 0, np.int64(1)  # so many attributes make a number that 62 bits hold
    while begun < sizes.size and bound < (1 << 62) // sizes[begun]:
        bound *= sizes[begun]
        begun += 1
    for row in range(codes.shape[0]):
        number = np.int64(0)
        for attribute in range(begun):
            number = number * sizes[attribute] + codes[row, attribute]
        out[row, 0] = np.uint32(np.uint64(number) & _LOW)
        out[row, 1] = np.uint32(np.uint64(number) >> np.uint64(32))
        used = 2
        for attribute in range(begun, sizes.size):
            carry = np.uint64(codes[row, attribute])
            for limb in range(used):
                carry += np.uint64(out[row, limb]) * np.uint64(sizes[attribute])
                out[row, limb] = np.uint32(carry & _LOW)
                carry >>= np.uint64(32)
            if used < out.shape[1]:
                out[row, used] = np.uint32(carry)
                used += 1
        for limb in range(used, out.shape[1]):
            out[row, limb] = np.uint32(0)


@kernel
def from_wide(wide: Limbs, sizes: Ints, out: Ints) -> None:
    """`from_narrow` for rows of limbs; every size is below 2**31."""
    left = np.empty(wide.shape[1], np.uint64)
    for row in range(wide.shape[0]):
        used, attribute = wide.shape[1], sizes.size - 1
        for limb in range(used):
            left[limb] = np.uint64(wide[row, limb])
        while True:
            while used > 2 and left[used - 1] == 0:
                used -= 1
            if used == 2 or attribute == 0:
                break
            rest, size = np.uint64(0), np.uint64(sizes[attribute])
            for limb in range(used - 1, -1, -1):
                rest = (rest << np.uint64(32)) | left[limb]
                above = rest // size
                left[limb] = above
                rest -= above * size
            out[row, attribute] = np.int64(rest)
            attribute -= 1
        _split(left[0] | (left[1] << np.uint64(32)), attribute, sizes, out[row])
