"""The last steps of a descent of several tables, taken one by one; means and maxima of values that change."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@kernel
def finish(
    taken: Ints,
    working: NDArray[np.bool_],
    changes: Ints,
    needs: Floats,
    ends: Ints,
    start: int,
    step: int,
    unit: float,
    steps: int,
    average: bool,
    limit: float,
    most: int,
) -> bool:
    """Step the table of the highest score down while the sum of 1 / scale stays within the limit.

    A table whose next step cannot be paid drops out of those that are `working`. needs[i] of a table holds from step
    changes[i] on. Takes at most so many steps; True if there are no more to take.
    """
    tables = taken.size
    place = np.empty(tables, np.int64)
    for table in range(tables):
        place[table] = ends[table - 1] if table > 0 else 0
    spent = 0.0
    for done in range(most):
        if done % 1000 == 0:  # afresh, before roundings add up
            spent = 0.0
            for table in range(tables):
                spent += unit / (start - taken[table] * step)
        best, highest = -1, -1.0
        for table in range(tables):
            if not working[table]:
                continue
            while place[table] + 1 < ends[table] and changes[place[table] + 1] <= taken[table]:
                place[table] += 1
            scale = (start - taken[table] * step) / unit
            score = needs[place[table]] * scale
            if average:
                score *= (start - (taken[table] + 1) * step) / unit
            if score > highest:
                best, highest = table, score
        if best < 0:
            return True
        whole = start - taken[best] * step
        more = unit / (whole - step) - unit / whole if taken[best] < steps else np.inf
        if spent + more > limit:
            working[best] = False
        else:
            spent += more
            taken[best] += 1
    return False


@kernel
def mean_after(values: Floats, cell: Ints, after: Floats, out: Floats) -> None:
    """out[i] = the mean of the values after the i-th change."""
    total = values.sum()
    for i in range(cell.size):
        total += after[i] - values[cell[i]]
        values[cell[i]] = after[i]
        out[i] = total / values.size


@kernel
def largest_after(values: Floats, cell: Ints, after: Floats, out: Floats) -> None:
    """out[i] = the largest value after the i-th change: a heap, whose stale entries are dropped when they surface."""
    heap = [(-values[place], place) for place in range(values.size)]
    heapq.heapify(heap)
    for i in range(cell.size):
        values[cell[i]] = after[i]
        heapq.heappush(heap, (-after[i], cell[i]))
        while -heap[0][0] != values[heap[0][1]]:
            heapq.heappop(heap)
        out[i] = -heap[0][0]
