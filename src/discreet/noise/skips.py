"""Which of `size` items, each chosen independently with the same probability: exact, sorted, in time of the answer.

Law: every item is in the answer with probability p, independently. So their number is binomial and, given it,
the set is uniform. Drawn as geometric gaps between one chosen item and the next, in any width of integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.intervals import Complement, Interval, Real
from discreet.kernels.walks import cells_narrow, cells_wide, put_digit, put_top, walk, walk_wide
from discreet.noise.draw import CHUNK, LARGEST, Drawer
from discreet.noise.geometric import NARROW_DIGITS, Digits, geometric_digits
from discreet.noise.ladders import DIGIT
from discreet.noise.wide import limbs_for, same_form, to_limbs

#: ranges up to here are walked in plain int64
NARROW = LARGEST
_MOST = 1 << 36


def positions(probability: Real, size: int, drawer: Drawer) -> NDArray[Any]:
    """The chosen positions in range(size), rising: int64, or rows of limbs if size is beyond 2**62."""
    if not 0 <= size < 10**300:
        raise BadParameter("positions are drawn from a range of at least 0 and at most 10**300 items")
    if size == 0 or probability.bracket(64) == Interval(0, 0, 64):
        return np.empty(0, np.int64) if size <= NARROW else np.empty((0, limbs_for(size)), np.uint32)
    expected = float(probability) * size
    if expected > _MOST:
        raise BadParameter(f"about {expected:.3g} items would be chosen, more than memory holds; lower the probability")
    digits = geometric_digits(Complement(probability))
    block = min(CHUNK, int(expected + 6 * expected**0.5) + 16)
    if size <= NARROW and len(digits.digits) <= NARROW_DIGITS:
        return _narrow(digits, size, block, drawer)
    rows = _wide(digits, size, block, drawer)
    return rows[:, :2].copy().view(np.int64).reshape(-1) if size <= NARROW else rows


def _narrow(digits: Digits, size: int, block: int, drawer: Drawer) -> NDArray[np.int64]:
    gaps, found = np.empty(block, np.int64), []
    position, ended = 0, False
    while not ended:
        digits.draw(drawer, gaps)
        reached = np.empty(block, np.int64)
        count, position, ended = walk(gaps, position, size, reached)
        found.append(reached[:count])
    return np.concatenate(found)


def _wide(digits: Digits, size: int, block: int, drawer: Drawer) -> NDArray[np.uint32]:
    count, kept = len(digits.digits), limbs_for(size)
    # room to spare, so that a position plus a gap never wraps
    limbs = max(kept, limbs_for(DIGIT**count)) + 2
    part = np.empty(block, np.int64)
    position = np.zeros(limbs, np.uint32)
    end = to_limbs([size], limbs)[0]
    beyond = min(LARGEST, (size >> (8 * count)) + 1)
    found, ended = [], False
    while not ended:
        gaps = np.zeros((block, limbs), np.uint32)
        drawer.draw(digits.top, part, largest=beyond)
        put_top(gaps, count, np.minimum(part, beyond))
        for place, table in zip(reversed(range(count)), digits.digits, strict=True):
            drawer.draw(table, part)
            put_digit(gaps, place, part)
        reached = np.empty_like(gaps)
        inside, ended = walk_wide(gaps, position, end, reached)
        found.append(reached[:inside, :kept])
    return np.concatenate(found)


def cells_of_ranks(ranks: NDArray[Any], occupied: NDArray[Any]) -> NDArray[Any]:
    """The cell of each rank among the *empty* cells, given the sorted occupied ones. Both in one form, rising.

    Rank r stands for the cell r + (occupied cells before it): no draw ever has to be rejected for landing
    on an occupied cell.
    """
    ranks, occupied = same_form(ranks, occupied)
    cells = np.empty_like(ranks)
    (cells_wide if ranks.ndim == 2 else cells_narrow)(ranks, occupied, cells)
    return cells
