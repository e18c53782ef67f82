"""How far summaries are from the truth on subset queries: sums over random cells, as in sparse-summaries, section 4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Mechanism
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.summaries import Summary
from discreet.summaries.dense_cells import DenseCells
from discreet.summaries.sparse_cells import SparseCells
from experiments.shared.chance import shuffled
from experiments.shared.methods import Method, ready
from experiments.shared.records import Runs
from experiments.shared.tables import Truth

#: what each cell adds to a sum, by a summary
Estimate = Callable[[Summary], NDArray[Any]]


def mechanism(truth: Truth, method: Method, epsilon: Fraction) -> Mechanism:
    return ready("table", truth.schema, method, epsilon, Unit())


def estimates(summary: Summary) -> NDArray[Any]:
    """What each cell adds to a sum: its weight if it is in the summary, else nothing."""
    if isinstance(summary, DenseCells):
        return summary.values.reshape(-1)
    assert isinstance(summary, SparseCells)
    cells = np.zeros(summary.schema.cells)
    cells[np.ravel_multi_index(tuple(summary.codes.T), summary.schema.sizes)] = summary.weights
    return cells


def kept(summary: Summary) -> int:
    """How many cells a summary holds."""
    assert isinstance(summary, DenseCells | SparseCells)
    return int(summary.values.size)


@dataclass
class SubsetErrors:
    """Of one method: the cells it kept, and its errors by the size of the subset."""

    kept: Runs = field(default_factory=Runs)
    absolute: dict[int, Runs] = field(default_factory=dict)
    relative: dict[int, Runs] = field(default_factory=dict)


def compare(
    tables: Iterable[Truth],
    methods: Callable[[Truth], Mapping[str, Method]],
    sizes: Iterable[int],
    epsilon: Fraction,
    read: Mapping[str, Estimate] | None = None,
) -> dict[str, SubsetErrors]:
    """Every method on every table. A run asks m // r disjoint random subsets of r cells, for each size r.

    Relative error: the sum of absolute errors over the sum of true answers. `read`: how a method's summary is read, if
    not by the weights of the cells that it holds.
    """
    reading = read or {}
    found: dict[str, SubsetErrors] = {}
    for run, truth in enumerate(tables):
        order = shuffled(truth.schema.cells, 10_000 + run)
        true = truth.cells[order]
        for name, method in methods(truth).items():
            errors = found.setdefault(name, SubsetErrors())
            summary = mechanism(truth, method, epsilon).measure(truth.counts, Noise())
            errors.kept.values.append(kept(summary))
            wrong = reading.get(name, estimates)(summary)[order] - true
            for size in sizes:
                off = np.abs(_sums(wrong, size))
                errors.absolute.setdefault(size, Runs()).values.append(float(off.mean()))
                answers = float(_sums(true, size).sum())
                errors.relative.setdefault(size, Runs()).values.append(float(off.sum()) / answers)
    return found


def _sums(cells: NDArray[Any], size: int) -> NDArray[Any]:
    whole = cells.size // size * size
    return np.asarray(cells[:whole].reshape(-1, size).sum(axis=1))
