"""What to take a cell for that a filter dropped: nothing, half of theta (section 3.2), or its part of a noisy total."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.summaries import Summary
from discreet.summaries.sparse_cells import SparseCells
from experiments.shared.methods import Method
from experiments.shared.records import Json, Runs, figure, line
from experiments.sparse_summaries.data.made_up import synthetic
from experiments.sparse_summaries.trials.figures import EPSILON, SUBSET
from experiments.sparse_summaries.trials.subset_errors import Estimate, compare, estimates

THETA = 50
#: the share of epsilon for the noisy total
TOTAL = "0.03"
DEVIATION = 40
OCCUPIED = (0.01, 0.1, 0.3, 0.6, 1.0)
NOTHING, HALF, PART = "absent is zero", "absent is theta / 2", "absent by a noisy total"


def filled(summary: Summary, value: float) -> NDArray[Any]:
    """Every cell, those that are absent with this value."""
    assert isinstance(summary, SparseCells)
    cells = np.full(summary.schema.cells, value)
    cells[np.ravel_multi_index(tuple(summary.codes.T), summary.schema.sizes)] = summary.weights
    return cells


def with_half(summary: Summary) -> NDArray[Any]:
    return filled(summary, THETA / 2)


def with_part(summary: Summary) -> NDArray[Any]:
    """What the noisy total leaves, shared out evenly among the absent cells."""
    assert isinstance(summary, SparseCells)
    absent = summary.schema.cells - summary.values.size
    return filled(summary, (int(summary.totals[0].counts[0]) - float(np.sum(summary.weights))) / max(absent, 1))


READ: dict[str, Estimate] = {NOTHING: estimates, HALF: with_half, PART: with_part}


def absent_cells(runs: int) -> Json:
    """The error of a filter by the density of the table, for each way to read what is absent."""
    plain: Method = ("filter", {"theta": THETA})
    methods = {NOTHING: plain, HALF: plain, PART: ("filter", {"theta": THETA, "total": TOTAL})}
    errors: dict[str, list[Runs]] = {name: [] for name in methods}
    for density in OCCUPIED:
        tables = synthetic(runs, deviation=DEVIATION, density=density)
        for name, found in compare(tables, lambda _: methods, [SUBSET], EPSILON, READ).items():
            errors[name].append(found.relative[SUBSET])
    title = f"3.2 What absent cells are taken for: a filter at {THETA}, N(100, {DEVIATION}), subsets of {SUBSET:,}"
    lines = [line(name, list(OCCUPIED), found) for name, found in errors.items()]
    return figure(title, "part of the cells that is occupied", "relative error", lines)
