"""Texts of bins, read and written letter by letter. See `summaries/bin_texts.py`, which says what is passed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, kernel

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int32]

_MINUS, _POINT, _ZERO, _NINE = ord("-"), ord("."), ord("0"), ord("9")
_COMMA, _SPACE, _OPEN, _CLOSED, _HALF_OPEN = ord(","), ord(" "), ord("["), ord("]"), ord(")")
#: numbers of so many digits cannot wrap around
_MOST_DIGITS = 18


@kernel
def _read_number(letters: Bytes, at: Any, end: Any, decimals: int) -> tuple[Any, Any]:
    """A number in units of its last decimal and where it ends; -1 if Python would write this number in another way."""
    negative = at < end and letters[at] == _MINUS
    if negative:
        at += 1
    begin, value, missing = at, np.int64(0), decimals
    while at < end and _ZERO <= letters[at] <= _NINE:
        value = value * 10 + (np.int64(letters[at]) - _ZERO)
        at += 1
    digits = at - begin
    if digits == 0 or digits + decimals > _MOST_DIGITS or (digits > 1 and letters[begin] == _ZERO):
        return 0, -1
    if decimals > 0 and at < end and letters[at] == _POINT:
        at += 1
        while at < end and missing > 0 and _ZERO <= letters[at] <= _NINE:
            value = value * 10 + (np.int64(letters[at]) - _ZERO)
            at += 1
            missing -= 1
        if letters[at - 1] == _ZERO or missing == decimals:
            return 0, -1
    for _ in range(missing):
        value *= 10
    if negative:
        if value == 0:
            return 0, -1
        value = -value
    return value, at


@kernel
def _read_bin(letters: Bytes, at: Any, end: Any, start: int, step: int, bins: int, decimals: int, real: bool) -> Any:
    """The code of one label, or -1."""
    if real:
        if at == end or letters[at] != _OPEN:
            return -1
        at += 1
    first, at = _read_number(letters, at, end, decimals)
    if at < 0:
        return -1
    code = (first - start) // step
    if code < 0 or code >= bins or start + code * step != first:
        return -1
    if not real and step == 1:
        return code if at == end else -1
    one, other = (_COMMA, _SPACE) if real else (_POINT, _POINT)
    if not real and first >= 0:
        if at == end or letters[at] != _MINUS:
            return -1
        at += 1
    else:
        if end - at < 2 or letters[at] != one or letters[at + 1] != other:
            return -1
        at += 2
    last, at = _read_number(letters, at, end, decimals)
    if at < 0 or last != (first + step if real else first + step - 1):
        return -1
    if real:
        if at == end or letters[at] != (_CLOSED if code == bins - 1 else _HALF_OPEN):
            return -1
        at += 1
    return code if at == end else -1


@kernel
def read_bins(
    ends: Offsets, letters: Bytes, start: int, step: int, bins: int, decimals: int, real: bool, found: Ints
) -> None:
    """found[i] = the code whose label is the text from ends[i] to ends[i + 1], to the letter; -1 if there is none."""
    for row in range(found.size):
        at, end = np.int64(ends[row]), np.int64(ends[row + 1])
        found[row] = _read_bin(letters, at, end, start, step, bins, decimals, real)


@kernel
def _write_number(letters: Bytes, at: int, value: int, decimals: int) -> int:
    """Writes a number that is given in units of its last decimal; returns where it ends."""
    if value < 0:
        letters[at] = _MINUS
        at += 1
        value = -value
    while decimals > 0 and value % 10 == 0:
        value //= 10
        decimals -= 1
    size, rest = 1, value // 10
    while rest > 0:
        size += 1
        rest //= 10
    end = at + (size if decimals == 0 else max(size, decimals + 1) + 1)
    for place in range(end - 1, at - 1, -1):
        if decimals > 0 and place == end - 1 - decimals:
            letters[place] = _POINT
        else:
            letters[place] = _ZERO + value % 10
            value //= 10
    return end


@kernel
def write_bins(
    codes: Ints,
    start: int,
    step: int,
    bins: int,
    decimals: int,
    real: bool,
    other: Bytes,
    ends: Offsets,
    letters: Bytes,
) -> None:
    """The labels of the codes one behind the other, and where each ends; beyond the bins it is `other`."""
    at = 0
    ends[0] = 0
    for row in range(codes.size):
        code = codes[row]
        first = start + code * step
        if code == bins:
            letters[at : at + other.size] = other
            at += other.size
        elif real:
            letters[at] = _OPEN
            at = _write_number(letters, at + 1, first, decimals)
            letters[at], letters[at + 1] = _COMMA, _SPACE
            at = _write_number(letters, at + 2, first + step, decimals)
            letters[at] = _CLOSED if code == bins - 1 else _HALF_OPEN
            at += 1
        else:
            at = _write_number(letters, at, first, 0)
            if step > 1:
                if first >= 0:
                    letters[at] = _MINUS
                    at += 1
                else:
                    letters[at], letters[at + 1] = _POINT, _POINT
                    at += 2
                at = _write_number(letters, at, first + step - 1, 0)
        ends[row + 1] = at
