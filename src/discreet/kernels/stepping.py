"""The last steps of a descent of several tables, taken one by one; means and maxima of values that change."""

from __future__ import annotations

import heapq

import numpy as np

from discreet.kernels.jit import Floats, Ints, Marks, kernel

DONE, PAUSED = -1, -2


@kernel
def finish(
    taken: Ints,
    working: Marks,
    changes: Ints,
    needs: Floats,
    ends: Ints,
    start: int,
    step: int,
    unit: float,
    steps: int,
    average: bool,
    left: float,
    most: int,
) -> int:
    """Step the table of the highest score down while the rise of the sum of 1 / scale is within what is `left`.

    A table whose next step cannot be paid drops out of those that are `working`. needs[i] of a table holds from step
    changes[i] on. Ends when none works (DONE), after so many steps (PAUSED), or with the number of a table for whose
    next step roundings matter.
    """
    tables = taken.size
    place = np.zeros(tables, np.int64)
    place[1:] = ends[:-1]
    slack = left * 1e-9
    for _ in range(most):
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
            return DONE
        whole = start - taken[best] * step
        more = step / (float(whole) * float(whole - step)) * unit if taken[best] < steps else np.inf
        if more > left + slack:
            working[best] = False
        elif more < left - slack:
            left -= more
            taken[best] += 1
        else:
            return best
    return PAUSED


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
