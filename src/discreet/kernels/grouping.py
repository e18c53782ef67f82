"""Groups of neighbours in a sorted list: how much smoothing them costs, for every size of groups; and their sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Floats, Ints, kernel, light_kernel


@kernel
def index_values(values: Ints, shift: int, starts: Ints) -> None:
    """starts[k] = how many of the rising values lie below values[0] + (k << shift); for as many k as there is room."""
    place = 0
    for k in range(starts.size):
        while place < values.size and values[place] - values[0] < k << shift:
            place += 1
        starts[k] = place


@kernel
def smoothing_errors(
    values: Ints,
    sums: Ints,
    starts: Ints,
    shift: int,
    noise: float,
    quantiles: Floats,
    sizes: Ints,
    bound: float,
    errors: Floats,
) -> float:
    """errors[i] = the absolute error, in all, if neighbours of rising values are grouped by sizes[i].

    A group's count is its mean plus noise of scale `noise` / its size, for which quantiles of the unit law stand in
    turn. The last group takes what is left over. `sums` are running sums from 0 on; `starts` is from `index_values`.
    An error that is above `bound`, or above an earlier one, is not worked out to its end and left as it is. Returns
    the least of all.
    """
    count, lowest = values.size, values[0]
    turns = 0.0
    for quantile in quantiles:
        turns += abs(quantile)
    for i in range(sizes.size):
        size = sizes[i]
        groups = count // size
        if groups // quantiles.size * turns * noise > bound:  # the noise alone adds up to that
            continue
        error, turn, end, after = 0.0, size % quantiles.size, count, sums[count]
        for group in range(groups - 1, -1, -1):  # from the largest values down, where most of the error usually is
            begin = group * size
            before = sums[begin]
            point = (after - before + noise * quantiles[turn]) / (end - begin)
            bucket = min(max(np.int64(np.ceil(point)) - lowest, 0), (starts.size - 1) << shift) >> shift
            middle = min(max(starts[bucket], begin), end)
            if shift:
                high = min(starts[min(bucket + 1, starts.size - 1)], end)
                while middle < high:
                    half = (middle + high) >> 1
                    if values[half] < point:
                        middle = half + 1
                    else:
                        high = half
            error += point * (2 * middle - begin - end) + after + before - 2 * sums[middle]
            if error > bound:
                break
            end, after = begin, before
            turn += 1
            if turn == quantiles.size:
                turn = 0
        else:
            errors[i] = bound = error
    return bound


@kernel
def group_sums(order: Ints, table: Ints, size: int, groups: NDArray[np.int32], sums: Ints) -> None:
    """groups[i] = the group of item i, when neighbours of `order` are grouped; sums[g] = what group g has in all."""
    for place in range(order.size):
        group = min(place // size, sums.size - 1)
        groups[order[place]] = group
        sums[group] += table[order[place]]


#: columns of `group_parts`: the sums over groups of (cells in it / its size) to the powers 2 and 4; how many groups a
#: question touches, and what these hold; how many lie in it wholly, and what these hold
SQUARES, FOURTHS, TOUCHED, TOUCHED_SUM, INSIDE, INSIDE_SUM = range(6)


def _cells(first: Ints, last: Ints, *rest: Any) -> int:
    """How many cells the boxes hold together."""
    return int((last - first + 1).prod(axis=1).sum())


@light_kernel(_cells, 2**15)
def group_parts(
    first: Ints,
    last: Ints,
    owner: Ints,
    sizes: Ints,
    groups: NDArray[np.int32],
    members: Ints,
    sums: Ints,
    scratch: Ints,
    out: Floats,
) -> None:
    """What each question has of the groups, in the columns of `out`: see the names above.

    A box is first[b]..last[b] in a table of shape `sizes`, flat in `groups`. `owner` does not decrease, and boxes of
    one question do not overlap. `scratch` holds a zero for each group, and does so again afterwards.
    """
    dimensions = sizes.size
    at = np.empty(dimensions, np.int64)
    box = 0
    while box < owner.size:
        question, begin = owner[box], box
        while box < owner.size and owner[box] == question:
            box += 1
        for phase in range(2):
            for one in range(begin, box):
                at[:] = first[one]
                while True:
                    cell = 0
                    for dimension in range(dimensions):
                        cell = cell * sizes[dimension] + at[dimension]
                    for _ in range(last[one, dimensions - 1] - at[dimensions - 1] + 1):
                        group = groups[cell]
                        if phase == 0:
                            scratch[group] += 1
                        elif scratch[group]:
                            share = scratch[group] / members[group]
                            out[question, SQUARES] += share * share
                            out[question, FOURTHS] += (share * share) * (share * share)
                            out[question, TOUCHED] += 1.0
                            out[question, TOUCHED_SUM] += sums[group]
                            if scratch[group] == members[group]:
                                out[question, INSIDE] += 1.0
                                out[question, INSIDE_SUM] += sums[group]
                            scratch[group] = 0
                        cell += 1
                    dimension = dimensions - 2
                    while dimension >= 0 and at[dimension] == last[one, dimension]:
                        at[dimension] = first[one, dimension]
                        dimension -= 1
                    if dimension < 0:
                        break
                    at[dimension] += 1
