"""Boxes of cells cut by other boxes: which meet, what they share, and what is left of one without the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.queries.questions import MOST_TOTAL_BOXES
from discreet.queries.selection import Boxes

Codes = NDArray[np.int64]


def volumes(boxes: Boxes, sizes: Sequence[int]) -> NDArray[Any]:
    """How many cells each box has, exactly, however many these are."""
    exact: Any = np.int64 if math.prod(sizes) < 2**62 else object
    return np.asarray(np.prod((boxes.last - boxes.first + 1).astype(exact), axis=1, initial=1))


def meeting(some: Boxes, others: Boxes) -> tuple[Codes, Codes]:
    """Which boxes of the first have cells in common with which of the second: their numbers, pair by pair."""
    if not len(some.first) or not len(others.first):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # along the attribute that tells the others apart best, only a stretch of them can meet a box
    best = int(np.argmax([np.unique(column).size for column in others.first.T]))
    order = np.argsort(others.first[:, best], kind="stable")
    reach = np.maximum.accumulate(others.last[order, best])
    start = np.searchsorted(reach, some.first[:, best], side="left")
    stop = np.searchsorted(others.first[order, best], some.last[:, best], side="right")
    lengths = np.maximum(stop - start, 0)
    if lengths.sum() > MOST_TOTAL_BOXES:
        raise CannotAnswer("these are too many groups for so many known totals; group by less, or ask for parts")
    mine, rank = ranked_owners(lengths)
    theirs = order[start[mine] + rank]
    shared = np.all((some.first[mine] <= others.last[theirs]) & (others.first[theirs] <= some.last[mine]), axis=1)
    return mine[shared], theirs[shared]


def ranked_owners(lengths: Codes) -> tuple[Codes, Codes]:
    """0 0 0 1 1 ... for lengths 3, 2, ..., and the number of each within its run."""
    owner = np.repeat(np.arange(lengths.size), lengths)
    return owner, np.arange(owner.size) - (np.cumsum(lengths) - lengths)[owner]


def shared_part(some: Boxes, others: Boxes) -> Boxes:
    """What pairs of boxes have in common, row by row; they must have something."""
    return Boxes(np.maximum(some.first, others.first), np.minimum(some.last, others.last))


def without(boxes: Boxes, owner: Codes, taken: Boxes, takes: Codes) -> tuple[Boxes, Codes]:
    """The boxes of each owner without what the boxes that take from this owner hold; both owners are sorted."""
    lengths = np.bincount(takes, minlength=int(owner.max(initial=-1)) + 1)
    starts = np.cumsum(lengths) - lengths
    for turn in range(int(lengths.max(initial=0))):
        cut = lengths[owner] > turn
        by = (starts[owner] + turn)[cut]
        left, of = _peeled(Boxes(boxes.first[cut], boxes.last[cut]), Boxes(taken.first[by], taken.last[by]))
        first = np.concatenate([boxes.first[~cut], left.first])
        last = np.concatenate([boxes.last[~cut], left.last])
        owner = np.concatenate([owner[~cut], owner[cut][of]])
        boxes = Boxes(first, last)
        if len(first) > MOST_TOTAL_BOXES:
            raise CannotAnswer("what these questions leave of known totals has too many parts; ask fewer at once")
    order = np.argsort(owner, kind="stable")
    return Boxes(boxes.first[order], boxes.last[order]), owner[order]


def _peeled(boxes: Boxes, taken: Boxes) -> tuple[Boxes, Codes]:
    """Each box without the one in the same row, as slabs, and the row that each slab is of."""
    apart = np.any((boxes.first > taken.last) | (taken.first > boxes.last), axis=1)
    rows = [np.flatnonzero(apart)]
    firsts, lasts = [boxes.first[apart]], [boxes.last[apart]]
    inner_first, inner_last = boxes.first.copy(), boxes.last.copy()
    for place in range(boxes.first.shape[1]):
        below = np.flatnonzero(~apart & (inner_first[:, place] < taken.first[:, place]))
        above = np.flatnonzero(~apart & (inner_last[:, place] > taken.last[:, place]))
        for which, end in ((below, "last"), (above, "first")):
            first, last = inner_first[which].copy(), inner_last[which].copy()
            if end == "last":
                last[:, place] = taken.first[which, place] - 1
            else:
                first[:, place] = taken.last[which, place] + 1
            rows.append(which)
            firsts.append(first)
            lasts.append(last)
        inner_first[:, place] = np.maximum(inner_first[:, place], taken.first[:, place])
        inner_last[:, place] = np.minimum(inner_last[:, place], taken.last[:, place])
    return Boxes(np.concatenate(firsts), np.concatenate(lasts)), np.concatenate(rows)


def chosen_rows(boxes: Boxes, rows: Codes) -> Boxes:
    """Some of the boxes."""
    return Boxes(boxes.first[rows], boxes.last[rows])


def summed(place: Codes, values: NDArray[Any], many: int) -> NDArray[Any]:
    """Sums by place, exact also for numbers beyond 64 bits."""
    total = np.zeros(many, values.dtype)
    np.add.at(total, place, values)
    return total
