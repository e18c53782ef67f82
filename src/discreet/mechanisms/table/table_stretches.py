"""A table in stretches of consecutive entries, one for each core, and the sorted result of what they keep.

Entries are noised and kept independently of each other, so stretches are as well, wherever they are cut.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.cores import side_by_side
from discreet.kernels.merges import merge_narrow, merge_two, merge_wide
from discreet.noise import Chosen, Stretch, same_form, to_integers, to_limbs
from discreet.numbers.cell_numbers import CellNumbers


def cut(occupied: NDArray[Any], exact: NDArray[np.int64], cells: int, parts: int) -> list[Stretch]:
    """Stretches with about the same share of the occupied entries, and of all entries."""
    many = len(occupied)
    each = max(many, 1)

    def load(index: int) -> int:
        return index * cells + _number(occupied, index) * each

    places = [(0, 0)]
    for part in range(1, parts):
        wanted = part * (many + each) * cells // parts
        index = bisect.bisect_left(range(many), wanted, key=load)
        first = _number(occupied, index - 1) + 1 if index else 0
        last = _number(occupied, index) if index < many else cells
        places.append((index, min(max((wanted - index * cells) // each, first), last)))
    ends = [*places[1:], (many, cells)]
    return [
        Stretch(start, (end - start) - (to - of), occupied[of:to], exact[of:to])
        for (of, start), (to, end) in zip(places, ends, strict=True)
    ]


def _number(occupied: NDArray[Any], index: int) -> int:
    return int(occupied[index] if occupied.ndim == 1 else to_integers(occupied[index : index + 1])[0])


def merged(
    sizes: tuple[int, ...],
    stretches: Sequence[Stretch],
    noisy: Sequence[NDArray[np.int64]],
    kept: Sequence[Chosen],
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Numbers (rising) and noisy values of all entries that are kept."""

    ends = np.cumsum([0, *(part.size for part in kept)])
    room = CellNumbers(sizes)
    numbers, values = room.empty(ends[-1]), np.empty(ends[-1], np.int64)

    def merge(part: int) -> None:
        stretch, mine, place = stretches[part], kept[part], slice(ends[part], ends[part + 1])
        ranks, occupied = same_form(mine.ranks, stretch.occupied)
        if room.wide:
            start = to_limbs([stretch.start], numbers.shape[1])[0]
            first, new, known, out = (array.view(np.uint64) for array in (start, ranks, occupied, numbers[place]))
            merging = merge_two if first.size == 2 else merge_wide
            merging(first, new, mine.values, known, noisy[part], mine.marks, out, values[place])
        else:
            rest = mine.values, occupied, noisy[part], mine.marks, numbers[place], values[place]
            merge_narrow(stretch.start, ranks, *rest)

    side_by_side(merge, range(len(kept)))
    return numbers, values
