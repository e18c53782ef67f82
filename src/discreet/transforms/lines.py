"""Work along one axis of a table: lines are copied in blocks that fit a cache, worked on and put back, on all cores.

So cells are restored from coefficients, and summed up, one axis after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.cores import cores, side_by_side
from discreet.kernels.lines import load, run_up, store
from discreet.transforms.axis import Axis, Floats

BLOCK = 1 << 15
_WORTH_A_THREAD = 1 << 20


def through(table: NDArray[Any], place: int, work: Callable[[NDArray[Any]], None]) -> None:
    """Apply `work` to every line of a contiguous table along axis `place`, in place."""
    length = table.shape[place]
    inner = int(np.prod(table.shape[place + 1 :], dtype=np.int64))
    outer = table.size // max(1, length * inner)
    view = table.reshape(outer, length, inner)
    lines = outer * inner
    if lines == 1:
        work(table.reshape(length, 1))
        return
    width = min(lines, max(16, BLOCK // length))
    workers = min(cores(), 1 + table.size // _WORTH_A_THREAD, -(-lines // width))

    def run(worker: int) -> None:
        block = np.empty((length, width), table.dtype)
        for start in range(worker * width, lines, workers * width):
            here = block if lines - start >= width else np.empty((length, lines - start), table.dtype)
            load(view, start, here)
            work(here)
            store(view, start, here)

    side_by_side(run, range(workers))


def restored(axes: Sequence[Axis], table: Floats) -> Floats:
    """Cells from coefficients; `table` is used up."""
    for place, axis in enumerate(axes):
        through(table, place, axis.restore)
    return table[tuple(slice(axis.size) for axis in axes)]


def running_sums(axes: Sequence[Axis], table: Floats) -> Floats:
    """Sums over all cells up to each one, in the first entries along every axis; `table` is used up."""

    def restore_and_run(axis: Axis, lines: Floats) -> None:
        axis.restore(lines)
        run_up(lines, axis.size)

    for place, axis in enumerate(axes):
        through(table, place, partial(restore_and_run, axis))
    return table
