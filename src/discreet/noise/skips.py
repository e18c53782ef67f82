"""Which of `size` items, each chosen independently with the same probability: exact, sorted, in time of the answer.

Law: every item is in the answer with probability p, independently. So their number is binomial and, given it,
the set is uniform. Drawn as geometric gaps between one chosen item and the next, in any width of integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.jit import Ints, Limbs
from discreet.kernels.merges import cells_narrow, cells_wide
from discreet.kernels.walks import put_bits, walk, walk_wide
from discreet.noise.draw import CHUNK, LARGEST, Drawer
from discreet.noise.geometric import NARROW_DIGITS, Digits, geometric_digits, places
from discreet.noise.residues import low_residues
from discreet.noise.wide import same_form, to_limbs
from discreet.numbers.cell_numbers import limbs_for
from discreet.numbers.intervals import Complement, Interval, Power, Real

#: ranges up to here are walked in plain int64
NARROW = LARGEST
_MOST = 1 << 36
_LEAST = 1e-300


def positions(probability: Real, size: int, drawer: Drawer) -> NDArray[Any]:
    """The chosen positions in range(size), rising: int64, or rows of limbs if size is beyond 2**62."""
    if not 0 <= size < 10**300:
        raise BadParameter("positions are drawn from a range of at least 0 and at most 10**300 items")
    if size == 0 or probability.bracket(64) == Interval(0, 0, 64):
        return np.empty(0, np.int64) if size <= NARROW else np.empty((0, limbs_for(size)), np.uint32)
    if float(probability) < _LEAST:
        raise BadParameter(f"positions are drawn with a probability of at least {_LEAST}, or with none")
    expected = float(probability) * size
    if expected > _MOST:
        raise BadParameter(f"about {expected:.3g} items would be chosen, more than memory holds; lower the probability")
    ratio, most = Complement(probability), int(expected + 6 * expected**0.5) + 16
    block = min(CHUNK, most)
    if size <= NARROW and places(ratio) <= NARROW_DIGITS:
        return _narrow(geometric_digits(ratio), size, block, drawer, most + block)
    rows = _wide(ratio, size, min(CHUNK // 2, most), drawer, most + block)
    return rows[:, :2].copy().view(np.int64).reshape(-1) if size <= NARROW else rows


def _narrow(digits: Digits, size: int, block: int, drawer: Drawer, room: int = 0) -> Ints:
    gaps, found = np.empty(block, np.int64), np.empty(room, np.int64)
    count, position, ended = 0, 0, False
    while not ended:
        digits.draw(drawer, gaps)
        found = _with_room(found, count + block)
        more, position, ended = walk(gaps, position, size, found[count : count + block])
        count += more
    return found[:count]


def _wide(ratio: Real, size: int, block: int, drawer: Drawer, room: int = 0) -> Limbs:
    low = low_residues(ratio)
    shift = sum(residue.bits for residue in low)
    digits = geometric_digits(Power(ratio, 1 << shift) if low else ratio)
    top_shift, kept = shift + 8 * len(digits.digits), limbs_for(size)
    # room to spare, so that a position plus a gap never wraps
    words = max(kept, limbs_for(1 << top_shift)) // 2 + 1
    part, byte, gaps = np.empty(block, np.int64), np.empty(block, np.uint8), np.empty((words, block), np.uint64)
    position, end = np.zeros(words, np.uint64), to_limbs([size], 2 * words).view(np.uint64)[0]
    beyond = min(LARGEST, (size >> top_shift) + 1)
    found = np.empty((room, kept), np.uint32)
    count, ended = 0, False
    while not ended:
        gaps[:] = 0
        drawer.draw(digits.top, part, largest=beyond)
        put_bits(gaps, top_shift, 62, np.minimum(part, beyond, out=part))
        for place, table in zip(reversed(range(len(digits.digits))), digits.digits, strict=True):
            drawer.draw(table, byte)
            put_bits(gaps, shift + 8 * place, 8, byte)
        at = 0
        for residue in low:
            residue.draw(drawer, part)
            put_bits(gaps, at, residue.bits, part)
            at += residue.bits
        found = _with_room(found, count + block)
        more, ended = walk_wide(gaps, position, end, found[count : count + block])
        count += more
    return found[:count]


def _with_room(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """The array with at least so many rows; what is new is not set."""
    if len(array) >= rows:
        return array
    longer = np.empty((max(rows, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def placed(ranks: NDArray[Any], occupied: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """The cell of each rank among the *empty* cells, and how many occupied cells come before it. Both rise.

    Rank r stands for the cell r + (occupied cells before it): no draw ever has to be rejected for landing on an
    occupied cell.
    """
    ranks, occupied = same_form(ranks, occupied)
    cells, before = np.empty_like(ranks), np.empty(len(ranks), np.int64)
    if ranks.ndim == 2:
        cells_wide(ranks.view(np.uint64), occupied.view(np.uint64), cells.view(np.uint64), before)
    else:
        cells_narrow(ranks, occupied, cells, before)
    return cells, before
