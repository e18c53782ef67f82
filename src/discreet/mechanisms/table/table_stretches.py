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
from discreet.noise import Chosen, Stretch, same_form, to_limbs
from discreet.numbers.cell_numbers import CellNumbers, number_at


def cut(occupied: NDArray[Any], exact: NDArray[np.int64], within: range, parts: int) -> list[Stretch]:
    """Stretches of these entries with about the same share of the occupied ones, and of all."""
    many, cells = len(occupied), within.stop - within.start
    each = max(many, 1)

    def number(index: int) -> int:
        return number_at(occupied, index) - within.start

    def load(index: int) -> int:
        return index * cells + number(index) * each

    places = [(0, 0)]
    for part in range(1, parts):
        wanted = part * (many + each) * cells // parts
        index = bisect.bisect_left(range(many), wanted, key=load)
        first = number(index - 1) + 1 if index else 0
        last = number(index) if index < many else cells
        places.append((index, min(max((wanted - index * cells) // each, first), last)))
    ends = [*places[1:], (many, cells)]
    return [
        Stretch(within.start + start, (end - start) - (to - of), occupied[of:to], exact[of:to])
        for (of, start), (to, end) in zip(places, ends, strict=True)
    ]


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
