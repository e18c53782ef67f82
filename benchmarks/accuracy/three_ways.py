"""Adult over eight columns: tables of three attributes that a release of all pairs does not hold, estimated from them.

Shown: total variation from the true table, that of the product of the release's one-way counts, how often bounds hold
the true count and how wide they are, and the time of a table.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import combinations

import numpy as np

import discreet
from benchmarks.accuracy import adult
from benchmarks.accuracy.shapes import Floats, Ints, folder
from benchmarks.accuracy.trials import LEVEL, SLACK, Method, known
from benchmarks.measure import Report
from discreet.release import Release
from discreet.schema import Schema

EPSILONS = ("1", "0.1")
METHODS = [
    Method("marginals", "equal"),
    Method("marginals", "equal", {"consistency": True}),
    Method("marginals", "ireduct"),
    Method("marginals", "agreed"),
]
QUICK_TABLES = 6


@dataclass(frozen=True)
class Read:
    """Of one table read off: total variation of the estimate and of the product, what bounds do, and the time."""

    estimate: float
    product: float
    held: float
    width: float
    seconds: float


def run(report: Report) -> None:
    if (where := folder("adult")) is None:
        return
    schema, rows = adult.read(where)
    sets = list(combinations(schema, 3))[:: 1 if not report.quick else 56 // QUICK_TABLES]
    data = discreet.from_counts(schema, rows, np.ones(len(rows), np.int64))
    for epsilon in EPSILONS:
        what = f"adult, {len(sets)} three-way tables from all pairs, epsilon {epsilon}"
        for method in known(report, what, METHODS):
            task = discreet.Marginals(ways=2, method=method.name, **method.parameters)
            release = data.publish(task, epsilon)
            found = [read_off(release, names, counted(schema, rows, names)) for names in sets]
            said = f"{what}, {method.said}"
            shown = ("estimate", "product", "held", "width")
            estimate, product, held, width = (float(np.mean([getattr(one, name) for one in found])) for name in shown)
            report.note(f"{said}: total variation", estimate)
            report.note(f"{said}: that of the product of one-way counts", product)
            report.note(f"{said}: bounds", f"hold {held:.1%} of the cells, mean width {width:,.4g}")
            report.at_most(f"{said}: seconds for the slowest table", max(one.seconds for one in found), 2.0)


def read_off(release: Release, names: tuple[str, ...], true: Ints) -> Read:
    start = time.perf_counter()
    table = release.table(list(names), level=LEVEL)
    seconds = time.perf_counter() - start
    product: Floats = np.ones(1)
    for name in names:
        alone = np.asarray(release.table(name)["count"], np.float64)
        product = np.multiply.outer(product, alone / alone.sum()).reshape(-1)
    low, high, value = (np.asarray(table[name], np.float64) for name in ("low", "high", "count"))
    held = (low - SLACK <= true) & (true <= high + SLACK)
    off = [np.abs(guess - true).sum() / 2 / true.sum() for guess in (value, product * true.sum())]
    return Read(float(off[0]), float(off[1]), float(held.mean()), float((high - low).mean()), seconds)


def counted(schema: Schema, rows: Ints, names: tuple[str, ...]) -> Ints:
    places = [schema.names.index(name) for name in names]
    sizes = tuple(schema.sizes[place] for place in places)
    numbers = np.ravel_multi_index(tuple(rows[:, place] for place in places), sizes)
    return np.bincount(numbers, minlength=int(np.prod(sizes)))
