"""The sparse methods in the paper's own setting: flat in the domain, linear in the data, far below the dense table.

10^6 occupied cells of mean 100, epsilon 0.1, a summary of 10^6 cells; what is timed is `measure`, the counts being
given. A quick run has a tenth of it. With DISCREET_LARGE=1 a full run also has the size of the paper's OnTheMap table,
which takes some minutes more.
"""

from __future__ import annotations

import os
import tempfile
from datetime import date, timedelta
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from benchmarks.measure import YARDSTICK, Report, growth, peak_bytes, seconds, yardstick
from discreet.ledger import Ledger
from discreet.mechanisms import Mechanism, Request, registry
from discreet.noise import Noise
from discreet.private.bounded import ReadyCounts
from discreet.private.counts import Counts
from discreet.private.publish import Data
from discreet.schema import Nominal, Ordinal, Schema
from discreet.summaries.sparse_cells import SparseCells

EPSILON = Fraction(1, 10)
OCCUPIED = 10**6
QUICK_OCCUPIED = 10**5
POWERS = (7, 8, 9, 10, 11, 30)
METHODS = ("filter", "threshold", "priority", "filter-threshold", "filter-priority")
THETA = 40
ATTRIBUTES = 4
Times = dict[tuple[str, int], float]


def run(quick: bool) -> Report:
    many = _many(quick)
    report = Report(f"sparse: {many:,} occupied cells of mean 100, size {many:,}, epsilon 0.1", quick)
    length = yardstick()
    report.note("L in seconds", length)
    times = _over_domains(report, length)
    _against_each_other(report, times)
    _growth(report)
    _against_dense(report, times, length)
    _labelled(report)
    _kinds_of_labels(report)
    _memory(report)
    if os.environ.get("DISCREET_LARGE") and not quick:
        _large(report)
    return report


def _many(quick: bool) -> int:
    return QUICK_OCCUPIED if quick else OCCUPIED


def domain(power: int, attributes: int = ATTRIBUTES) -> Schema:
    """10**power cells over so many attributes of about equal size."""
    each, more = divmod(power, attributes)
    sizes = [10 ** (each + (place < more)) for place in range(attributes)]
    return Schema({f"a{place}": Ordinal(0, size - 1) for place, size in enumerate(sizes)})


def occupied(schema: Schema, count: int, seed: int = 1) -> Counts:
    """`count` cells anywhere in the domain, with counts N(100, 20) rounded, at least 1."""
    dice = np.random.default_rng(seed)
    values = np.maximum(np.rint(dice.normal(100, 20, count)).astype(np.int64), 1)
    if schema.cells < 2**62:
        numbers = np.sort(dice.choice(schema.cells, count, replace=False, shuffle=False))
        codes = np.stack(np.unravel_index(numbers, schema.sizes), axis=1)
    else:  # two of them in one cell: not in the age of the universe
        codes = np.stack([dice.integers(0, size, count) for size in schema.sizes], axis=1)
        codes = codes[np.lexsort(codes.T[::-1])]
    return Counts(schema.sizes, codes, values)


def mechanism(method: str, schema: Schema, size: int) -> Mechanism:
    """The method as the paper runs it; `filter` with the theta at which an empty table keeps `size` cells."""
    parameters: dict[str, Any] = {"size": size}
    if method == "geometric":
        parameters = {}
    elif method == "filter":
        parameters = {"theta": mechanism("filter, cut to size", schema, size).theta}  # type: ignore[attr-defined]
    elif method.startswith("filter-"):
        parameters["theta"] = THETA
    return registry()["table", method.split(",")[0]](Request(schema, discreet.Unit(), EPSILON, parameters))


def _seconds(method: str, schema: Schema, counts: Counts, size: int, runs: int = 3) -> float:
    """The best of several runs; the first also fills tables and compiles kernels."""
    made = mechanism(method, schema, size)
    return seconds(lambda: made.measure(counts, Noise()), runs + 1)


def _over_domains(report: Report, length: float) -> Times:
    times: Times = {}
    limits, many, runs = {11: 6.0, 30: 12.0}, _many(report.quick), 2 if report.quick else 5
    for power in POWERS:
        schema = domain(power)
        counts = occupied(schema, many)
        for method in (*METHODS, "filter, cut to size"):
            taken = times[method, power] = _seconds(method, schema, counts, many, runs)
            if power in limits:
                report.at_most(f"{method}, 10^{power} cells: time / L", taken / length, limits[power])
            else:
                report.note(f"{method}, 10^{power} cells: time / L", taken / length)
    for method in METHODS:
        ratio = times[method, 30] / times[method, 8]
        report.at_most(f"{method}: time at 10^30 / time at 10^8 cells", ratio, 3)
    thirty = domain(30, attributes=30)
    taken = _seconds("priority", thirty, occupied(thirty, many), many)
    report.note("priority, 10^30 cells over 30 attributes: time / L", taken / length)
    return times


def _against_each_other(report: Report, times: Times) -> None:
    for power in (8, 11, 30):
        others = min(times[method, power] for method in METHODS[1:])
        report.at_most(f"filter, 10^{power} cells: time / fastest other", times["filter", power] / others, 1)
        ratio = times["priority", power] / times["threshold", power]
        report.at_most(f"priority, 10^{power} cells: time / threshold", ratio, 2)


def _growth(report: Report) -> None:
    less, schema = 10 if report.quick else 1, domain(11)
    sizes = [10**power // less for power in (5, 6, 7)]
    tables = [occupied(schema, size) for size in sizes]
    for method in METHODS:
        runs = zip(tables, sizes, (5, 3, 1), strict=True)
        taken = [_seconds(method, schema, table, size, count) for table, size, count in runs]
        slope = growth(sizes, taken)
        report.at_most(f"{method}: time grows as n + s to the power", slope, 1.15)


def _against_dense(report: Report, times: Times, length: float) -> None:
    """Density 1e-2: `measure` alone, and from counts to a folder; 10^8 cells, in a quick run 10^7.

    "Extrapolated" is to ten times as many cells: the dense table then takes ten times as long. A dense table of more
    than 10^7 cells is saved without labels.
    """
    power, many = 7 if report.quick else 8, _many(report.quick)
    schema = domain(power)
    counts = occupied(schema, many)
    dense = _seconds("geometric", schema, counts, many, runs=2)
    report.note(f"geometric, 10^{power} cells: time / L", dense / length)
    for method in METHODS:
        sparse = mechanism(method, schema, many).measure(counts, Noise())
        assert isinstance(sparse, SparseCells)
        fewer = schema.cells / sparse.values.size
        report.at_least(f"{method}, density 1e-2: times as few cells as geometric", fewer, 50)
        held = sparse.values.nbytes + sparse.numbers.nbytes
        report.note(f"{method}, density 1e-2: times as small in memory", 8 * schema.cells / held)
        report.at_least(f"{method}, density 1e-2: times as fast, noise only", dense / times[method, power], 30)
        report.at_least(f"{method}, density 1e-3, extrapolated: noise only", 10 * dense / times[method, power + 1], 300)
        plain = length * schema.cells / YARDSTICK
        report.note(f"{method}, density 1e-2: times as fast as numpy's laplace for all", plain / times[method, power])
    whole, size = _published("geometric", schema, counts)
    for method in METHODS:
        taken, written = _published(method, schema, counts)
        report.note(f"{method}, density 1e-2: times as small on disk", size / written)
        report.at_least(f"{method}, density 1e-2: times as fast, published", whole / taken, 30)
        report.at_least(f"{method}, density 1e-3, extrapolated: published", 10 * whole / taken, 300)


def _labelled(report: Report) -> None:
    """The same where both are saved with labels: the largest such dense table, with 10^5 occupied cells."""
    schema = domain(7)
    counts = occupied(schema, QUICK_OCCUPIED)
    whole, size = _published("geometric", schema, counts)
    for method in METHODS:
        taken, written = _published(method, schema, counts)
        report.note(f"{method}, density 1e-2, 10^7 cells, all with labels: times as fast, published", whole / taken)
        report.note(f"{method}, density 1e-2, 10^7 cells, all with labels: times as small on disk", size / written)


def every_kind() -> Schema:
    """10^30 cells over five attributes: bins and other, reals, days, a hierarchy, whole numbers."""
    return Schema(
        bins=Ordinal(0, 4 * 10**9 - 5, 4, outside="other"),
        reals=Ordinal(0.0, 1e7, 0.1),
        days=Ordinal(date(1, 1, 1), date(1, 1, 1) + timedelta(10**6 - 1)),
        codes=Nominal([f"{number:04}" for number in range(10**4)], prefixes=[2]),
        whole=Ordinal(0, 999),
    )


def _kinds_of_labels(report: Report) -> None:
    """From counts to a folder and back, with labels of every kind; L anew, for other work comes and goes."""
    schema, many, length = every_kind(), _many(report.quick), yardstick()
    report.note("five kinds of attributes: L in seconds", length)
    counts = occupied(schema, many)
    task = discreet.Table(list(schema), method="filter-priority", size=many, theta=THETA)
    data = Data(schema, discreet.Unit(), Ledger.open(None, "data", None), ReadyCounts(schema, counts))
    with tempfile.TemporaryDirectory() as temporary:
        turns = iter(range(10))
        taken = seconds(lambda: data.publish(task, EPSILON, to=Path(temporary) / str(next(turns))), runs=3)
        report.at_most("five kinds of attributes, 10^30 cells, published: time / L", taken / length, 8)
        folder = Path(temporary) / "0"
        taken = seconds(lambda: discreet.load(folder).count("whole < 100"), runs=3)
        report.at_most("five kinds of attributes, 10^30 cells, loaded and asked: time / L", taken / length, 3)
        release = discreet.load(folder)
        report.note("five kinds of attributes: to_arrow, time / L", seconds(release.to_arrow, runs=3) / length)
        report.note("five kinds of attributes: to_pandas, time / L", seconds(release.to_pandas, runs=3) / length)
        saved = seconds(lambda: release.save(Path(temporary) / f"copy {next(turns)}"), runs=3)
        report.note("five kinds of attributes: saved again, time / L", saved / length)
        by_code = seconds(lambda: release.table(["codes"]), runs=1)
        report.note("five kinds of attributes: table of 10^4 groups, time / L", by_code / length)


def _published(method: str, schema: Schema, counts: Counts) -> tuple[float, float]:
    """Seconds from counts to a folder, and its bytes."""
    made = mechanism(method, schema, len(counts.counts))
    task = discreet.Table(list(schema), method=made.method, **made.request.parameters)
    data = Data(schema, discreet.Unit(), Ledger.open(None, "data", None), ReadyCounts(schema, counts))
    with tempfile.TemporaryDirectory() as temporary:
        turns = iter(range(10))
        work = lambda: data.publish(task, EPSILON, to=Path(temporary) / str(next(turns)))  # noqa: E731
        taken = seconds(work, runs=2 if method == "geometric" else 4)
        return taken, sum(file.stat().st_size for file in (Path(temporary) / "0").iterdir())


def _share_of_peak(method: str, schema: Schema, counts: Counts, size: int) -> float:
    """The highest resident memory, over the summary and the counts together."""
    made = mechanism(method, schema, size)
    summary = made.measure(counts, Noise())
    given = counts.codes.nbytes + counts.counts.nbytes
    assert isinstance(summary, SparseCells)
    held = given + summary.numbers.nbytes + summary.values.nbytes
    del summary
    return (given + peak_bytes(lambda: made.measure(counts, Noise()))) / held


def _memory(report: Report) -> None:
    size = 10**6 if report.quick else 5 * 10**6  # so large that no array is served from memory freed before
    for power, methods in ((11, METHODS), (30, ("priority",))):
        schema = domain(power)
        counts = occupied(schema, size)
        for method in methods:
            share = _share_of_peak(method, schema, counts, size)
            report.at_most(f"{method}, 10^{power} cells: peak memory / (summary + counts)", share, 6)


def _large(report: Report) -> None:
    """n = s = 1.7 * 10^7 of 2.2 * 10^9 cells."""
    size = 17_000_000
    schema = Schema(home=Ordinal(0, 46_903), work=Ordinal(0, 46_903))
    counts = occupied(schema, size)
    given = counts.codes.nbytes + counts.counts.nbytes
    for method in METHODS:
        work = partial(mechanism(method, schema, size).measure, counts, Noise())
        peak = given + peak_bytes(work)
        report.at_most(f"{method}, n = s = 1.7e7, 2.2e9 cells: peak memory in GB", peak / 1e9, 8)
        report.note(f"{method}, n = s = 1.7e7: seconds", seconds(work, runs=1))
