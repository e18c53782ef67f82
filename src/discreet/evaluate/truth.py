"""The true answers, by counting: no method is asked, so no method's limits apply."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.named_workloads import Workload
from discreet.kernels.prefix import box_sums, prefix_sums
from discreet.kernels.sorted_rows import sparse_box_sums
from discreet.private.bounded import Bounded
from discreet.private.counts import Counts
from discreet.summaries.base import per_question

Floats = NDArray[np.float64]

#: tables up to this size are written out; of larger ones only occupied cells are kept
_DENSE = 10**7
#: more attributes than this, and sums over corners take longer than looking at occupied cells
_MOST_CORNERS = 12


def true_answers(data: Bounded, workloads: Sequence[Workload]) -> list[Floats]:
    """What the questions of each workload have in these counts. Attributes that are not asked about are not kept."""
    sizes = workloads[0].schema.sizes if workloads else ()
    asked = [_asked_about(workload) for workload in workloads]
    small = {
        places: None
        for places in asked
        if prod(sizes[place] for place in places) <= _DENSE and len(places) <= _MOST_CORNERS
    }
    tables = dict(zip(small, data.tables([list(places) for places in small]), strict=True)) if small else {}
    running = {places: prefix_sums(table.dense()) for places, table in tables.items()}
    return [
        _from_running(running[places], places, workload)
        if places in running
        else _from_cells(data.table().marginal(places), places, workload)
        for places, workload in zip(asked, workloads, strict=True)
    ]


def _asked_about(workload: Workload) -> tuple[int, ...]:
    """The places of the attributes that some question restricts; of a question about everything, the first."""
    questions, sizes = workload.questions, np.array(workload.schema.sizes)
    restricted = (questions.first > 0).any(axis=0) | (questions.last < sizes - 1).any(axis=0)
    return tuple(np.flatnonzero(restricted).tolist()) or (0,)


def _from_running(running: NDArray[np.int64], places: tuple[int, ...], workload: Workload) -> Floats:
    strides = np.array(running.strides, np.int64) // running.itemsize
    questions = workload.questions
    sums = box_sums(running.reshape(-1), strides, questions.first[:, places], questions.last[:, places])
    return np.asarray(per_question(questions, sums), np.float64)


def _from_cells(counts: Counts, places: tuple[int, ...], workload: Workload) -> Floats:
    questions = workload.questions
    first, last = (np.ascontiguousarray(ends[:, places]) for ends in (questions.first, questions.last))
    sums = np.zeros((len(first), 1), np.int64)
    sparse_box_sums(np.ascontiguousarray(counts.codes), counts.counts[:, None].copy(), first, last, sums)
    return np.asarray(per_question(questions, sums[:, 0]), np.float64)
