"""Hashing cells into a Count sketch and reading them back, with exact arithmetic modulo the prime 2**61 - 1.

A cell is a row of attribute codes. A random linear form turns it into its key, a number below the prime; a random
polynomial of degree 3 per row of the sketch turns the key into a number whose lowest bit is the sign and whose next
bits are the bucket. Keys, coefficients and codes are below the prime.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Floats, Ints, Words, kernel

PRIME = (1 << 61) - 1

# numba turns a mix of signed and unsigned integers into floats, so every constant is unsigned too
_PRIME = np.uint64(PRIME)
_HALF = np.uint64(0xFFFFFFFF)
_LOW29 = np.uint64((1 << 29) - 1)
_U1, _U3, _U29, _U32, _U61 = np.uint64(1), np.uint64(3), np.uint64(29), np.uint64(32), np.uint64(61)


@kernel
def plus(a: np.uint64, b: np.uint64) -> np.uint64:
    """(a + b) mod 2**61 - 1."""
    total = a + b
    return total - _PRIME if total >= _PRIME else total


@kernel
def times(a: np.uint64, b: np.uint64) -> np.uint64:
    """(a * b) mod 2**61 - 1: the 122-bit product from halves of 32 and 29 bits, folded by 2**61 = 1."""
    a_high, a_low, b_high, b_low = a >> _U32, a & _HALF, b >> _U32, b & _HALF
    low = a_low * b_low
    middle = a_low * b_high + a_high * b_low  # below 2**62; stands for itself times 2**32
    high = a_high * b_high  # below 2**58; stands for itself times 2**64 = 8
    total = (low & _PRIME) + (low >> _U61) + ((middle & _LOW29) << _U32) + (middle >> _U29) + (high << _U3)
    total = (total & _PRIME) + (total >> _U61)
    return total - _PRIME if total >= _PRIME else total


@kernel
def hashed(key: np.uint64, polynomial: Words) -> np.uint64:
    """The polynomial's value; its coefficients stand in the order of their powers."""
    value = polynomial[3]
    for power in range(2, -1, -1):
        value = plus(times(value, key), polynomial[power])
    return value  # type: ignore[no-any-return]


@kernel
def place_of(key: np.uint64, polynomial: Words, buckets: int) -> tuple[np.int64, np.int64]:
    """Bucket and sign of a cell in one row; `buckets` is a power of two."""
    value = hashed(key, polynomial)
    bucket = np.int64((value >> _U1) & np.uint64(buckets - 1))
    return bucket, 1 - 2 * np.int64(value & _U1)


@kernel
def cell_keys(codes: Ints, linear: Words, keys: Words) -> None:
    """keys[i] = the linear form of codes[i]."""
    for cell in range(codes.shape[0]):
        key = np.uint64(0)
        for attribute in range(codes.shape[1]):
            key = plus(key, times(linear[attribute], np.uint64(codes[cell, attribute])))
        keys[cell] = key


@kernel
def add_cells(keys: Words, counts: Ints, polynomials: Words, table: Ints) -> None:
    """Add every cell's count, with its sign, to its bucket in each row of `table` (rows x buckets)."""
    rows, buckets = table.shape
    for row in range(rows):  # one row at a time, for the sake of the cache
        for cell in range(keys.size):
            bucket, sign = place_of(keys[cell], polynomials[row], buckets)
            table[row, bucket] += sign * counts[cell]


@kernel
def _middle(values: Ints) -> float:
    """The median of an odd number of values, which are sorted in place; they are few."""
    for i in range(1, values.size):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
    return values[values.size >> 1]  # type: ignore[no-any-return]


@kernel
def box_estimates(
    first: Ints,
    last: Ints,
    owner: Ints,
    linear: Words,
    polynomials: Words,
    table: Ints,
    medians: bool,
    scratch: NDArray[np.int32],
    values: Floats,
    squares: Ints,
    meetings: Ints,
) -> None:
    """For every question the sum over the cells of its boxes of each cell's median or mean over the rows.

    `squares` becomes the sum over rows and buckets of w**2, where w adds up the signs of the question's cells in that
    bucket: the mean is a linear map of the sketch with weights w / rows. `meetings` becomes the number of pairs of its
    cells that share a bucket, over all rows. `owner` must not decrease. The outputs start as zeros; so does `scratch`,
    of the sketch's shape times three: w, how many cells, and whose they are (their owner plus one).
    """
    rows, buckets = table.shape
    attributes = first.shape[1]
    moving, left = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    back = np.empty(attributes, np.uint64)
    found = np.empty(rows, np.int64)
    for box in range(first.shape[0]):
        question = owner[box]
        key, open_ones = np.uint64(0), 0
        for attribute in range(attributes):
            key = plus(key, times(linear[attribute], np.uint64(first[box, attribute])))
            span = last[box, attribute] - first[box, attribute]
            if span > 0:
                moving[open_ones] = attribute
                left[open_ones] = span
                back[open_ones] = times(linear[attribute], _PRIME - np.uint64(span))
                open_ones += 1
        while True:
            total = 0.0
            for row in range(rows):
                bucket, sign = place_of(key, polynomials[row], buckets)
                here = scratch[row, bucket]
                if here[2] != question + 1:
                    here[0], here[1], here[2] = 0, 0, question + 1
                squares[question] += 1 + 2 * sign * here[0]
                meetings[question] += here[1]
                here[0] += sign
                here[1] += 1
                found[row] = sign * table[row, bucket]
                total += found[row]
            values[question] += _middle(found) if medians else total / rows
            # the next cell: one attribute moves on by one, those after it go back to their first code
            place = open_ones - 1
            while place >= 0 and left[place] == 0:
                left[place] = last[box, moving[place]] - first[box, moving[place]]
                key = plus(key, back[place])
                place -= 1
            if place < 0:
                break
            left[place] -= 1
            key = plus(key, linear[moving[place]])
