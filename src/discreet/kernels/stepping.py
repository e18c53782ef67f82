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
    changes: Ints,
    needs: Floats,
    ends: Ints,
    start: float,
    step: float,
    steps: int,
    average: bool,
    limit: float,
) -> None:
    """Step the table of the highest score down while the sum of 1 / scale stays within the limit.

    A table whose next step cannot be paid drops out. needs[i] of a table holds from step changes[i] on.
    """
    tables = taken.size
    working, place = np.ones(tables, np.bool_), np.empty(tables, np.int64)
    spent = 0.0
    for table in range(tables):
        place[table] = ends[table - 1] if table > 0 else 0
        spent += 1.0 / (start - taken[table] * step)
    while True:
        best, highest = -1, -1.0
        for table in range(tables):
            if not working[table]:
                continue
            while place[table] + 1 < ends[table] and changes[place[table] + 1] <= taken[table]:
                place[table] += 1
            scale = start - taken[table] * step
            score = needs[place[table]] * scale * ((scale - step) if average else 1.0)
            if score > highest:
                best, highest = table, score
        if best < 0:
            return
        scale = start - taken[best] * step
        more = 1.0 / (scale - step) - 1.0 / scale if taken[best] < steps else np.inf
        if spent + more > limit:
            working[best] = False
        else:
            spent += more
            taken[best] += 1


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
