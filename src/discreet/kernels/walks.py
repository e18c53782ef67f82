"""Sequential passes over gaps: positions in a range, in 64 bits or more.

A wide integer is a row of uint32 limbs, the least significant first, an even number of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, Limbs, Words, kernel, light_kernel

_LOW = np.uint64(0xFFFFFFFF)


@light_kernel("values", 32_768)
def append_digit(values: Ints, digits: NDArray[np.uint8]) -> None:
    """One radix-256 digit more, in place; a negative value is the complement -1 - g of its magnitude."""
    for i in range(values.size):
        values[i] = (values[i] << 8) | (np.int64(digits[i]) ^ ((values[i] >> 63) & 255))


@kernel
def walk(gaps: Ints, position: int, size: int, out: Ints) -> tuple[int, int, bool]:
    """Positions reached by skipping each gap in turn; stops at the first that leaves the range."""
    for i in range(gaps.size):
        if gaps[i] >= size - position:
            return i, position, True
        position += gaps[i]
        out[i] = position
        position += 1
    return gaps.size, position, False


@kernel
def put_bits(words: Words, shift: int, width: int, numbers: NDArray[Any]) -> None:
    """Write whole numbers of so many bits into words[:, i], from bit `shift` on; all bits there are zero before.

    There is a word above the one that the first bit lies in.
    """
    word, low = shift >> 6, shift & 63
    for i in range(numbers.size):
        words[word, i] |= np.uint64(numbers[i]) << np.uint64(low)
    if low + width > 64:
        for i in range(numbers.size):
            words[word + 1, i] |= np.uint64(numbers[i]) >> np.uint64(64 - low)


@kernel
def residues(drawn: Words, bits: int, margin: np.uint64, out: Ints, near: NDArray[np.int32]) -> int:
    """The complement of the first bits of each draw.

    Lists the draws that are less than `margin` below the end of what shares these bits, and says how many they are.
    """
    rest = np.uint64(64 - bits)
    last, found = (np.uint64(1) << rest) - np.uint64(1), 0
    for i in range(drawn.size):
        out[i] = np.int64(~drawn[i] >> rest)
        near[found] = i
        found += int(last - (drawn[i] & last) < margin)
    return found


@kernel
def walk_wide(gaps: Words, position: Words, size: Words, out: Limbs) -> tuple[int, bool]:
    """`walk` in words of 64 bits, the least first: gaps[:, i] is a gap, `position` the next free position, moved on.

    The words have room to spare, so that a position plus a gap never wraps; `out` has no more limbs than needed.
    """
    for i in range(gaps.shape[1]):
        carry, inside = np.uint64(0), False
        for j in range(size.size):
            part = position[j] + carry
            carry = np.uint64(part < carry)
            total = part + gaps[j, i]
            carry += np.uint64(total < part)
            position[j] = total
            inside = total < size[j] or (total == size[j] and inside)
        if not inside:
            return i, True
        carry = np.uint64(1)
        for j in range(size.size):
            reached = position[j]
            if 2 * j < out.shape[1]:
                out[i, 2 * j] = np.uint32(reached & _LOW)
                out[i, 2 * j + 1] = np.uint32(reached >> np.uint64(32))
            position[j] = reached + carry
            carry = np.uint64(position[j] < reached)
    return gaps.shape[1], False
