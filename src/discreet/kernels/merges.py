"""Ranks among the empty cells turned into cells, and merged with the occupied ones: sequential passes.

A wide integer is a row of words, the least significant first. The loops of the narrow, the two-word and the general
merge are written out on purpose: they are the faster for it.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Ints, Marks, Words, kernel


@kernel
def cells_narrow(ranks: Ints, occupied: Ints, out: Ints, before: Ints) -> None:
    """The cell of each rank among the empty cells, and how many occupied ones come before it: both inputs rise.

    One merge in steps without a branch: either the next occupied cell comes first, or the rank is done.
    """
    i, passed = 0, 0
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
def cells_wide(ranks: Words, occupied: Words, out: Words, before: Ints) -> None:
    """`cells_narrow` for rows of words."""
    last = ranks.shape[1] - 1
    i, passed = 0, 0
    while i < ranks.shape[0] and passed < occupied.shape[0]:
        before[i] = passed
        here, there = ranks[i, last], occupied[passed, last]
        beyond = int(there > here)
        if last == 0 or there - here <= np.uint64(1):  # else no carry from the words below can change it
            carry = np.uint64(passed)
            beyond = 0
            for j in range(last + 1):
                cell, other = ranks[i, j] + carry, occupied[passed, j]
                carry = np.uint64(cell < carry)
                beyond = int(other > cell or (other == cell and beyond == 1))
        i += beyond
        passed += 1 - beyond
    before[i:] = passed
    for rank in range(ranks.shape[0]):
        carry = np.uint64(before[rank])
        for j in range(last + 1):
            out[rank, j] = ranks[rank, j] + carry
            carry = np.uint64(out[rank, j] < carry)


@kernel
def merge_narrow(
    start: int, ranks: Ints, new: Ints, occupied: Ints, old: Ints, kept: Marks, numbers: Ints, values: Ints
) -> None:
    """Numbers and values of the new entries and of those old ones that are kept, in rising order.

    Old entries stand at `occupied`; ranks count the others from the entry `start` on. Steps have no branch: whichever
    comes first is written, and written over unless it counts. There is room for just those that do.
    """
    i, j, place = 0, 0, 0
    while i < ranks.size and j < occupied.size and place < values.size:
        here, there = start + ranks[i] + j, occupied[j]
        fresh, known = new[i], old[j]
        first = int(there > here)
        numbers[place] = here if first else there
        values[place] = fresh if first else known
        place += first | int(kept[j])
        i += first
        j += 1 - first
    while i < ranks.size:
        numbers[place], values[place] = start + ranks[i] + j, new[i]
        place += 1
        i += 1
    while place < values.size:
        numbers[place], values[place] = occupied[j], old[j]
        place += int(kept[j])
        j += 1


@kernel
def merge_two(
    start: Words, ranks: Words, new: Ints, occupied: Words, old: Ints, kept: Marks, numbers: Words, values: Ints
) -> None:
    """`merge_narrow` for rows of two words, which is what most wide tables have."""
    i, j, place = 0, 0, 0
    while i < ranks.shape[0] and place < values.size:
        passed = start[0] + np.uint64(j)
        low = passed + ranks[i, 0]
        high = start[1] + ranks[i, 1] + np.uint64(passed < start[0]) + np.uint64(low < passed)
        if j == occupied.shape[0]:
            numbers[place, 0], numbers[place, 1], values[place] = low, high, new[i]
            place += 1
            i += 1
            continue
        other_low, other_high, fresh, known = occupied[j, 0], occupied[j, 1], new[i], old[j]
        first = (other_high > high) | ((other_high == high) & (other_low > low))
        numbers[place, 0] = low if first else other_low
        numbers[place, 1] = high if first else other_high
        values[place] = fresh if first else known
        place += int(first | kept[j])
        i += int(first)
        j += int(not first)
    while place < values.size:
        numbers[place, 0], numbers[place, 1], values[place] = occupied[j, 0], occupied[j, 1], old[j]
        place += int(kept[j])
        j += 1


@kernel
def _sum_into(one: Words, other: Words, more: np.uint64, out: Words) -> None:
    """out = one + other + more."""
    carry = more
    for k in range(out.size):
        part = one[k] + carry
        out[k] = part + other[k]
        carry = np.uint64(part < carry) + np.uint64(out[k] < part)


@kernel
def merge_wide(
    start: Words, ranks: Words, new: Ints, occupied: Words, old: Ints, kept: Marks, numbers: Words, values: Ints
) -> None:
    """`merge_narrow` for rows of any number of words, the least first; `start` is one row."""
    words = start.size
    here = np.empty(words, np.uint64)
    i, j, place = 0, 0, 0
    while i < ranks.shape[0] and j < occupied.shape[0] and place < values.size:
        _sum_into(start, ranks[i], np.uint64(j), here)
        first = False
        for k in range(words):
            there = occupied[j, k]
            first = (there > here[k]) | ((there == here[k]) & first)
        for k in range(words):
            fresh, known = here[k], occupied[j, k]
            numbers[place, k] = fresh if first else known
        new_value, old_value = new[i], old[j]
        values[place] = new_value if first else old_value
        place += int(first | kept[j])
        i += int(first)
        j += int(not first)
    while i < ranks.shape[0]:
        _sum_into(start, ranks[i], np.uint64(j), here)
        for k in range(words):
            numbers[place, k] = here[k]
        values[place] = new[i]
        place += 1
        i += 1
    while place < values.size:
        for k in range(words):
            numbers[place, k] = occupied[j, k]
        values[place] = old[j]
        place += int(kept[j])
        j += 1
