"""The experiments of sparse-summaries, section 4, one function per figure. Each returns plain JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from fractions import Fraction

from discreet.mechanisms import Mechanism
from discreet.noise import Noise
from discreet.privacy import Unit
from experiments.shared.methods import Method, ready
from experiments.shared.records import Json, Runs, figure, line, short
from experiments.shared.tables import Truth, bell, domain
from experiments.sparse_summaries.data.made_up import synthetic
from experiments.sparse_summaries.trials.subset_errors import SubsetErrors, compare, kept, mechanism

EPSILON = Fraction(1, 10)
SUBSET = 5000
SUBSETS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
THETAS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90, 100, 120)
SAMPLES = (20_000, 40_000, 60_000, 80_000, 100_000, 150_000, 200_000)
DENSITIES = (1, 2, 3, 4, 5)
OCCUPIED_FOR_TIMES = 10**5
LARGEST_DENSE = 10**8
#: beyond this the wavelet takes in proportion as well: padded to a power of two it needs more memory than a table
LARGEST_WAVELET = 10**7
DENSE = ("geometric", "wavelet")

GEOMETRIC: Method = ("geometric", {})
WAVELET: Method = ("privelet", {"write": "cells"})


def _by_subset(found: Mapping[str, SubsetErrors]) -> list[Json]:
    return [
        line(name, [float(size) for size in errors.relative], list(errors.relative.values()), kept=errors.kept.mean)
        for name, errors in found.items()
    ]


def filters(runs: int) -> Json:
    """3(a): one- and two-sided filters by the size of their summary."""
    methods = {
        f"{sided} {theta}": ("filter", {"theta": theta, "sided": sided}) for sided in ("two", "one") for theta in THETAS
    }
    found = compare(synthetic(runs), lambda _: methods, [SUBSET], EPSILON)
    lines = []
    for sided in ("two", "one"):
        rows = [found[f"{sided} {theta}"] for theta in THETAS]
        sizes = [short(row.kept.mean) for row in rows]
        relative = [short(row.relative[SUBSET].mean) for row in rows]
        errors = [row.absolute[SUBSET] for row in rows]
        lines.append(line(f"{sided}-sided", sizes, errors, theta=list(THETAS), relative=relative))
    title = f"3(a) Filter: error of subsets of {SUBSET} cells"
    return figure(title, "cells in the summary", "absolute error", lines)


def samples(runs: int) -> Json:
    """3(b): threshold and priority sampling by the size of the sample."""

    def methods(truth: Truth) -> dict[str, Method]:
        # the paper's tau for a wanted size: (total + m E|noise|) / s
        weight = int(truth.counts.counts.sum()) + truth.schema.cells * float(1 / EPSILON)
        return {
            **{f"threshold {size}": ("threshold", {"tau": f"{weight / size:.6g}"}) for size in SAMPLES},
            **{f"priority {size}": ("priority", {"size": size}) for size in SAMPLES},
        }

    found = compare(synthetic(runs), methods, [SUBSET], EPSILON)
    lines = []
    for name in ("threshold", "priority"):
        rows = [found[f"{name} {size}"] for size in SAMPLES]
        relative = [short(row.relative[SUBSET].mean) for row in rows]
        places = [short(row.kept.mean) for row in rows]
        lines.append(line(name, places, [row.absolute[SUBSET] for row in rows], relative=relative))
    title = f"3(b) Sampling: error of subsets of {SUBSET} cells"
    return figure(title, "cells in the sample", "absolute error", lines, log_x=False, log_y=False)


def filtered_samples(runs: int) -> Json:
    """3(c): filter-priority by theta, for small, medium and large subsets."""
    thetas, sizes = [theta for theta in THETAS if theta <= 70], (100, SUBSET, 100_000)
    methods = {str(theta): ("filter-priority", {"theta": theta, "size": 100_000}) for theta in thetas}
    found = compare(synthetic(runs), lambda _: methods, sizes, EPSILON)
    lines = []
    for size in sizes:
        places = [float(theta) for theta in thetas]
        lines.append(line(f"subsets of {size}", places, [found[str(theta)].relative[size] for theta in thetas]))
    return figure("3(c) Filter-priority, a sample of 100,000", "theta", "relative error", lines, log_x=False)


def times(runs: int) -> Json:
    """4: seconds to make a summary, while the domain grows and the data do not; dense ones in proportion at the end."""
    taken: dict[str, list[float]] = {}
    for power in DENSITIES:
        truth = bell(domain(OCCUPIED_FOR_TIMES, 10**power), OCCUPIED_FOR_TIMES, 100, 20, power)
        for name, seconds in _seconds(truth, runs).items():
            taken.setdefault(name, []).append(seconds)
        if truth.schema.cells <= LARGEST_WAVELET:
            line_of_cells = bell(domain(truth.schema.cells), OCCUPIED_FOR_TIMES, 100, 20, power)
            made = ready("ranges", line_of_cells.schema, WAVELET, EPSILON, Unit())
            taken.setdefault("wavelet", []).append(_best(made, line_of_cells, runs))
    for name in DENSE:
        while len(taken[name]) < len(DENSITIES):
            taken[name].append(taken[name][-1] * 10)
    places = [float(OCCUPIED_FOR_TIMES * 10**power) for power in DENSITIES]
    lines = [line(name, places, [Runs([value]) for value in values]) for name, values in taken.items()]
    title = f"4 Time to summarise {OCCUPIED_FOR_TIMES:,} occupied cells"
    return figure(title, "cells in the domain", "seconds", lines)


def _methods(truth: Truth, size: int, theta: int, epsilon: Fraction = EPSILON) -> dict[str, Method]:
    """All methods for one size; `filter` with the theta at which an empty table keeps so many cells."""
    target = mechanism(truth, ("filter", {"size": size}), epsilon)
    sparse: dict[str, Method] = {
        "filter": ("filter", {"theta": target.theta}),  # type: ignore[attr-defined]
        "threshold": ("threshold", {"size": size}),
        "priority": ("priority", {"size": size}),
        "filter-threshold": ("filter-threshold", {"size": size, "theta": theta}),
        "filter-priority": ("filter-priority", {"size": size, "theta": theta}),
    }
    return {"geometric": GEOMETRIC, **sparse} if truth.schema.cells <= LARGEST_DENSE else sparse


def _seconds(truth: Truth, runs: int) -> dict[str, float]:
    """The best of several runs, for every method, after one that fills the tables."""
    wanted = _methods(truth, truth.occupied, 40)
    return {name: _best(mechanism(truth, method, EPSILON), truth, runs) for name, method in wanted.items()}


def _best(made: Mechanism, truth: Truth, runs: int) -> float:
    """Processor seconds of the quickest of several runs, after one that fills the tables."""
    taken = []
    for _ in range(runs + 1):
        start = time.process_time()
        made.measure(truth.counts, Noise())
        taken.append(time.process_time() - start)
    return min(taken)


def accuracy(runs: int) -> Json:
    """5(a): the default data; a summary of n cells."""
    return _accuracy("5(a) N(100, 20), density 0.1", synthetic(runs), 50, 40, {})


def wide_accuracy(runs: int) -> Json:
    """5(b): values that vary more, and a sample of twice the size."""
    twice: Method = ("filter-priority", {"theta": 40, "size": 200_000})
    tables = synthetic(runs, deviation=40)
    return _accuracy("5(b) N(100, 40), density 0.1", tables, 50, 40, {"filter-priority, size 2n": twice})


def sparse_accuracy(runs: int) -> Json:
    """5(c): a tenth of the density."""
    return _accuracy("5(c) N(100, 20), density 0.01", synthetic(runs, density=0.01), 50, 50, {})


def _accuracy(title: str, tables: Iterator[Truth], filter_at: int, sample_at: int, more: dict[str, Method]) -> Json:
    def methods(truth: Truth) -> dict[str, Method]:
        return {
            "geometric": GEOMETRIC,
            "filter": ("filter", {"theta": filter_at}),
            "priority": ("priority", {"size": truth.occupied}),
            "filter-priority": ("filter-priority", {"theta": sample_at, "size": truth.occupied}),
            **more,
        }

    found = compare(tables, methods, SUBSETS, EPSILON)
    return figure(title, "cells in the subset", "relative error", _by_subset(found))


def real(truth: Truth, title: str, runs: int, epsilon: Fraction, theta: int, size: int) -> Json:
    """6(c), 7(c): subsets of a real table."""
    sizes = [size for size in (*SUBSETS, 200_000) if 3 * size <= truth.schema.cells]

    def methods(table: Truth) -> dict[str, Method]:
        wanted = _methods(table, size, theta, epsilon)
        return {name: wanted[name] for name in ("geometric", "filter", "priority", "filter-priority")}

    found = compare([truth] * runs, methods, sizes, epsilon)
    return figure(title, "cells in the subset", "relative error", _by_subset(found))


def cost_of_real(truth: Truth, title: str, runs: int) -> Json:
    """6(a), 6(b), 7(a), 7(b): seconds and cells of the summaries of a table too large to write out."""
    size = truth.occupied
    rows = []
    seconds = _seconds(truth, runs)
    for name, method in _methods(truth, size, 40).items():
        summary = mechanism(truth, method, EPSILON).measure(truth.counts, Noise())
        rows.append({"name": name, "seconds": short(seconds[name]), "cells": kept(summary)})
    if "geometric" not in seconds:
        # in proportion to a table of ten million cells
        smaller = bell(domain(10**4, 10**3), 1000, 100, 20, 0)
        per_cell = _seconds(smaller, runs)["geometric"] / smaller.schema.cells
        whole = {"name": "geometric", "seconds": short(per_cell * truth.schema.cells), "cells": truth.schema.cells}
        rows.insert(0, {**whole, "extrapolated": True})
    return {"title": title, "cells": truth.schema.cells, "occupied": size, "rows": rows}
