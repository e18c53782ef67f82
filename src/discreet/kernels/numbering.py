"""Texts become numbers while they stream by: the same text the same number. See `private/engines/named_users.py`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, Words, kernel

Bytes = NDArray[np.uint8]
_TURN = np.uint64(0x9E3779B97F4A7C15)
#: texts that are looked up together
_TOGETHER = 64


@kernel
def _hashed(letters: Bytes, begin: int, end: int, salt: np.uint64) -> np.uint64:
    """Eight letters at a time; what is equal is compared letter by letter, so this decides only how long it takes."""
    value = salt ^ np.uint64(end - begin)
    for at in range(begin, end - 7, 8):
        word = np.uint64(0)
        for place in range(8):
            word |= np.uint64(letters[at + place]) << np.uint64(8 * place)
        value = (value ^ word) * _TURN
        value ^= value >> np.uint64(29)
    word = np.uint64(0)
    for at in range(end - (end - begin) % 8, end):
        word = (word << np.uint64(8)) | np.uint64(letters[at])
    value = (value ^ word) * _TURN
    value ^= value >> np.uint64(32)
    return value * _TURN


@kernel
def number_texts(
    begin: int,
    ends: Ints,
    letters: Bytes,
    salt: np.uint64,
    known: int,
    slots: Ints,
    hashes: Words,
    starts: Ints,
    store: Bytes,
    found: NDArray[np.int32],
) -> tuple[int, int]:
    """found[i] = the number of the text from ends[i] to ends[i + 1], for texts from `begin` on.

    Of the `known` texts, the one with number k has hashes[k] and store[starts[k] : starts[k + 1]]; slots is a table of
    number + 1, by hash. Returns where it stopped, at the end or for want of room, and how many texts are known then.
    """
    last = np.uint64(slots.size - 1)
    values, hints, places = np.empty(_TOGETHER, np.uint64), np.empty(_TOGETHER, np.int64), np.empty(_TOGETHER, np.int64)
    for start in range(begin, found.size, _TOGETHER):
        stop = min(start + _TOGETHER, found.size)
        # one thing after the other for some texts together, so that the machine waits for memory once, not for each
        for row in range(start, stop):
            values[row - start] = _hashed(letters, ends[row], ends[row + 1], salt)
        for at in range(stop - start):
            hints[at] = slots[values[at] >> np.uint64(20) & last] - 1
        for at in range(stop - start):
            number = max(hints[at], 0)
            if hashes[number] != values[at]:
                hints[at] = -1
            places[at] = starts[number]
        for row in range(start, stop):
            at = row - start
            first, size, value = ends[row], ends[row + 1] - ends[row], values[at]
            number = hints[at]
            if number >= 0 and starts[number + 1] - places[at] == size:
                differ = np.uint8(0)
                for place in range(size):
                    differ |= store[places[at] + place] ^ letters[first + place]
                if differ == 0:
                    found[row] = number
                    continue
            slot = value >> np.uint64(20) & last
            while True:
                number = slots[slot] - 1
                if number < 0:
                    if 2 * (known + 1) > slots.size or starts[known] + size > store.size:
                        return row, known
                    store[starts[known] : starts[known] + size] = letters[first : first + size]
                    starts[known + 1] = starts[known] + size
                    hashes[known] = value
                    known += 1
                    slots[slot] = known
                    found[row] = known - 1
                    break
                if hashes[number] == value and starts[number + 1] - starts[number] == size:
                    other, differ = starts[number], np.uint8(0)
                    for place in range(size):
                        differ |= store[other + place] ^ letters[first + place]
                    if differ == 0:
                        found[row] = number
                        break
                slot = (slot + np.uint64(1)) & last
    return found.size, known


@kernel
def place_again(known: int, hashes: Words, slots: Ints) -> None:
    """Fills an empty table with the texts that are known."""
    last = np.uint64(slots.size - 1)
    for number in range(known):
        slot = hashes[number] >> np.uint64(20) & last
        while slots[slot] > 0:
            slot = (slot + np.uint64(1)) & last
        slots[slot] = number + 1
