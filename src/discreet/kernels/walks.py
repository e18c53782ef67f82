"""Sequential passes over gaps: positions in a range, in 64 bits or more, and ranks turned into cells.

A wide integer is a row of uint32 limbs, the least significant first, an even number of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

_LOW = np.uint64(0xFFFFFFFF)


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
def put_digit(words: NDArray[np.uint64], place: int, digits: NDArray[Any]) -> None:
    """Write radix-256 digits, or a number below 2**62 in their place, into words[:, i] that are still zero there.

    There is a word above the one that the place lies in.
    """
    word, shift = place >> 3, np.uint64(8 * (place & 7))
    for i in range(digits.size):
        words[word, i] |= np.uint64(digits[i]) << shift
    if digits.itemsize > 1 and shift > 0:
        for i in range(digits.size):
            words[word + 1, i] = np.uint64(digits[i]) >> (np.uint64(64) - shift)


@kernel
def walk_wide(
    gaps: NDArray[np.uint64], position: NDArray[np.uint64], size: NDArray[np.uint64], out: NDArray[np.uint32]
) -> tuple[int, bool]:
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


@kernel
def cells_narrow(
    ranks: NDArray[np.int64],
    occupied: NDArray[np.int64],
    passed: int,
    out: NDArray[np.int64],
    before: NDArray[np.int64],
) -> None:
    """The cell of each rank among the empty cells, and how many occupied ones come before it: both inputs rise.

    `passed` occupied cells are known to come before all. One merge in steps without a branch: either the next occupied
    cell comes first, or the rank is done.
    """
    i = 0
    while i < ranks.size and passed < occupied.size:
        cell = ranks[i] + passed
        out[i] = cell
        before[i] = passed
        done = int(occupied[passed] > cell)
        i += done
        passed += 1 - done
    for rest in range(i, ranks.size):
        out[rest] = ranks[rest] + passed
        before[rest] = passed


@kernel
def _word(row: NDArray[np.uint32], j: int) -> np.uint64:
    """Two limbs as one word."""
    return np.uint64(row[j]) | (np.uint64(row[j + 1]) << np.uint64(32))


@kernel
def cells_wide(
    ranks: NDArray[np.uint32],
    occupied: NDArray[np.uint32],
    passed: int,
    out: NDArray[np.uint32],
    before: NDArray[np.int64],
) -> None:
    """`cells_narrow` in limbs, an even number of them."""
    last = ranks.shape[1] - 2
    i = 0
    while i < ranks.shape[0] and passed < occupied.shape[0]:
        before[i] = passed
        here, there = _word(ranks[i], last), _word(occupied[passed], last)
        beyond = int(there > here)
        if last == 0 or there - here <= np.uint64(1):  # else no carry from the words below can change it
            carry = np.uint64(passed)
            beyond = 0
            for j in range(0, last + 2, 2):
                cell, other = _word(ranks[i], j) + carry, _word(occupied[passed], j)
                carry = np.uint64(cell < carry)
                beyond = int(other > cell or (other == cell and beyond == 1))
        i += beyond
        passed += 1 - beyond
    before[i:] = passed
    for rank in range(ranks.shape[0]):
        carry = np.uint64(before[rank])
        for j in range(0, last + 2, 2):
            cell = _word(ranks[rank], j) + carry
            carry = np.uint64(cell < carry)
            out[rank, j] = np.uint32(cell & _LOW)
            out[rank, j + 1] = np.uint32(cell >> np.uint64(32))


@kernel
def interleave(
    chosen: NDArray[np.int64],
    rows: NDArray[np.int64],
    which: NDArray[np.int64],
    old: NDArray[np.int64],
    new: NDArray[np.int64],
    places: NDArray[np.int64],
    done: int,
    first: int,
    last: int,
    out: NDArray[np.int64],
    values: NDArray[np.int64],
) -> int:
    """A block of new entries, and the chosen ones of some old entries that come before or between them; both rise.

    places[i] is how many old entries, chosen or not, come before the i-th new one, and becomes its place in the result.
    `values` are filled from old[chosen] and `new`; `out` from rows[which] where the chosen stand, the rest being left.
    `done` chosen and `first` new entries have been placed before; the return value counts the chosen on. With `last` 1
    whatever is left follows, with 0 it waits for the next block.
    """
    for i in range(new.size + last):
        while done < chosen.size and (i == new.size or chosen[done] < places[i]):
            place = first + i + done
            for column in range(rows.shape[1]):
                out[place, column] = rows[which[done], column]
            values[place] = old[chosen[done]]
            done += 1
        if i < new.size:
            places[i] = first + i + done
            values[places[i]] = new[i]
    return done
