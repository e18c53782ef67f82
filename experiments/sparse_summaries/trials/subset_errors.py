"""How far summaries are from the truth on subset queries: sums over random cells, as in sparse-summaries, section 4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Mechanism, Request, registry
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.summaries import Summary
from discreet.summaries.dense_cells import DenseCells
from discreet.summaries.sparse_cells import SparseCells
from experiments.shared.tables import Truth, shuffled

#: a method and its parameters
Method = tuple[str, dict[str, Any]]


def mechanism(truth: Truth, method: Method, epsilon: Fraction) -> Mechanism:
    name, parameters = method
    return registry()["table", name](Request(truth.schema, Unit(), epsilon, parameters))


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
class Runs:
    """Numbers from repeated runs, for their mean and its standard error."""

    values: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def error(self) -> float:
        if len(self.values) < 2:
            return 0.0
        return float(np.std(self.values, ddof=1) / np.sqrt(len(self.values)))


@dataclass
class Errors:
    """Of one method: the cells it kept, and its errors by the size of the subset."""

    kept: Runs = field(default_factory=Runs)
    absolute: dict[int, Runs] = field(default_factory=dict)
    relative: dict[int, Runs] = field(default_factory=dict)


def compare(
    tables: Iterable[Truth],
    methods: Callable[[Truth], Mapping[str, Method]],
    sizes: Iterable[int],
    epsilon: Fraction,
) -> dict[str, Errors]:
    """Every method on every table. A run asks m // r disjoint random subsets of r cells, for each size r.

    Relative error: the sum of absolute errors over the sum of true answers.
    """
    found: dict[str, Errors] = {}
    for run, truth in enumerate(tables):
        order = shuffled(truth.schema.cells, 10_000 + run)
        true = truth.cells[order]
        for name, method in methods(truth).items():
            errors = found.setdefault(name, Errors())
            summary = mechanism(truth, method, epsilon).measure(truth.counts, Noise())
            errors.kept.values.append(kept(summary))
            wrong = estimates(summary)[order] - true
            for size in sizes:
                off = np.abs(_sums(wrong, size))
                errors.absolute.setdefault(size, Runs()).values.append(float(off.mean()))
                answers = float(_sums(true, size).sum())
                errors.relative.setdefault(size, Runs()).values.append(float(off.sum()) / answers)
    return found


def _sums(cells: NDArray[Any], size: int) -> NDArray[Any]:
    whole = cells.size // size * size
    return np.asarray(cells[:whole].reshape(-1, size).sum(axis=1))
