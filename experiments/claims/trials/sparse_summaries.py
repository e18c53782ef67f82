"""Sparse-summaries, sections 3 and 4: subset queries, time and size."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.claims.rules import Setting, Trial, derived, noise_of
from experiments.shared.chance import shuffled
from experiments.shared.methods import Method
from experiments.shared.tables import Truth, bell, domain
from experiments.sparse_summaries.trials.figures import EPSILON, THETAS
from experiments.sparse_summaries.trials.subset_errors import estimates, kept, mechanism

CELLS = 10**5
#: subset queries: small, medium, that of figure 3, and one beyond 10,000 cells
SMALL, MEDIUM, FIXED, LARGE = 100, 1000, 5000, 20_000
SIZES = (SMALL, MEDIUM, FIXED, LARGE)
TIMED = ("filter", "threshold", "priority", "filter-threshold", "filter-priority")
REPEATS = 3


def _subset_errors(truth: Truth, methods: Mapping[str, Method], sizes: Sequence[int], seed: int) -> dict[str, float]:
    """For each method and size the errors of disjoint random subsets over the true answers, and the cells kept."""
    order = shuffled(truth.schema.cells, derived(seed, "subsets"))
    found = {}
    for name, method in methods.items():
        summary = mechanism(truth, method, EPSILON).measure(truth.counts, noise_of(seed, name))
        found[f"{name} kept"] = float(kept(summary))
        found |= _errors(name, (estimates(summary) - truth.cells)[order], truth, sizes)
    return found


def _errors(name: str, wrong: NDArray[Any], truth: Truth, sizes: Sequence[int]) -> dict[str, float]:
    total = float(truth.counts.counts.sum())
    return {f"{name} {size}": float(np.abs(wrong.reshape(-1, size).sum(axis=1)).sum()) / total for size in sizes}


def _table(seed: int, deviation: float, density: float) -> Truth:
    return bell(domain(CELLS), round(density * CELLS), 100, deviation, derived(seed, "data"))


def _compared(truth: Truth, filter_at: int, sample_at: int) -> dict[str, Method]:
    return {
        "geometric": ("geometric", {}),
        "filter": ("filter", {"theta": filter_at}),
        "priority": ("priority", {"size": truth.occupied}),
        "filter-priority": ("filter-priority", {"theta": sample_at, "size": truth.occupied}),
    }


def _filters(seed: int) -> Trial:
    """3(a), and the same filter on a table with noise in every cell."""
    truth = _table(seed, 20, 0.1)
    methods: dict[str, Method] = {
        f"{sided} {theta}": ("filter", {"theta": theta, "sided": sided}) for sided in ("two", "one") for theta in THETAS
    }
    found = _subset_errors(truth, methods, (1, FIXED), seed)
    dense = estimates(mechanism(truth, ("geometric", {}), EPSILON).measure(truth.counts, noise_of(seed, "dense")))
    return found | _errors("dense", np.where(np.abs(dense) >= 50, dense, 0) - truth.cells, truth, (1,))


def _defaults(seed: int) -> Trial:
    """5(a), and the two samples of 3(b)."""
    truth = _table(seed, 20, 0.1)
    # the paper's tau for a wanted size: (total + m E|noise|) / s
    tau = (float(truth.counts.counts.sum()) + CELLS / float(EPSILON)) / truth.occupied
    methods = _compared(truth, 50, 40) | {"threshold": ("threshold", {"tau": f"{tau:.6g}"})}
    return _subset_errors(truth, methods, SIZES, seed)


def _wide(seed: int) -> Trial:
    truth = _table(seed, 40, 0.1)
    twice: Method = ("filter-priority", {"theta": 40, "size": 2 * truth.occupied})
    return _subset_errors(truth, _compared(truth, 50, 40) | {"twice": twice}, SIZES, seed)


def _thin(seed: int) -> Trial:
    truth = _table(seed, 20, 0.01)
    return _subset_errors(truth, _compared(truth, 50, 50), SIZES, seed)


def _seconds(truth: Truth, method: Method, seed: int) -> float:
    """Processor time of one release, the least of a few, so that what else the machine does counts little."""
    made, best = mechanism(truth, method, EPSILON), float("inf")
    for repeat in range(REPEATS):
        noise = noise_of(seed, method[0], repeat)
        start = time.process_time()
        made.measure(truth.counts, noise)
        best = min(best, time.process_time() - start)
    return best


def _sized(name: str, truth: Truth) -> Method:
    filters = {"theta": 40} if name.startswith("filter-") else {}
    return name, {"size": truth.occupied, **filters}


def _times(seed: int) -> Trial:
    found: dict[str, float] = {}
    for label, sizes in (("near", (10**3, 10**3)), ("far", (10**5, 10**4))):
        truth = bell(domain(*sizes), 10**4, 100, 20, derived(seed, label))
        found |= {f"{name} {label}": _seconds(truth, _sized(name, truth), seed) for name in TIMED}
    truth = bell(domain(10**7), 10**4, 100, 20, derived(seed, "dense"))
    found["geometric far"] = 100 * _seconds(truth, ("geometric", {}), seed)
    return found


def _held(seed: int) -> Trial:
    truth = bell(domain(1300, 1000), 10**4, 100, 20, derived(seed, "data"))
    made = {
        name: mechanism(truth, _sized(name, truth), EPSILON).measure(truth.counts, noise_of(seed, name))
        for name in ("filter", "priority", "filter-priority")
    }
    return {name: truth.schema.cells / kept(summary) for name, summary in made.items()}


_BASE = f"{CELLS:,} cells, epsilon 0.1, a tenth of the cells N(100, 20)"
FILTERS = Setting("sparse filters", f"{_BASE}, filters of 17 thetas from 5 to 120", _filters, 40)
DEFAULTS = Setting("sparse defaults", f"{_BASE}, samples of n cells", _defaults, 60)
WIDE = Setting("sparse wide", f"{CELLS:,} cells, epsilon 0.1, a tenth of the cells N(100, 40)", _wide, 80)
THIN = Setting("sparse thin", f"{CELLS:,} cells, epsilon 0.1, a hundredth of the cells N(100, 20)", _thin, 60)
TIMES = Setting(
    "sparse times",
    "10,000 occupied cells of 10^6 and of 10^9, summaries of 10,000; geometric in proportion to 10^7 cells; processor "
    "time, the least of 3",
    _times,
    12,
)
HELD = Setting("sparse held", "1.3 million cells, 10,000 occupied (the paper's 1 in 130), size 10,000", _held, 10)
