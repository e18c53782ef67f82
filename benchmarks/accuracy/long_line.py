"""One attribute of 2^30 values and 10^6 records, epsilon 1 and 0.1, against dyadic-filter-priority."""

from __future__ import annotations

import math

import numpy as np

import discreet
from benchmarks.accuracy import rows
from benchmarks.accuracy.against_papers import Point, regret
from benchmarks.accuracy.asking import RANDOM, Asked, Ends, about, between, boxes
from benchmarks.accuracy.shapes import CLUSTERS, Ints, dice
from benchmarks.accuracy.trials import Method, known, questions, trials, tried
from benchmarks.measure import Report
from discreet.private.publish import Data
from discreet.schema import Ordinal, Schema

VALUES = 2**30
RECORDS = 10**6
QUICK_RECORDS = 10**5
EPSILONS = ("1", "0.1")
BASELINE = Method("ranges", "dyadic-filter-priority")
PAPERS = [BASELINE, Method("ranges", "wavelet-filter-priority")]
LIMITS = {"adaptive": 1 / 15}
BETWEEN = "ranges between records"
NAMES = ("clusters", "lognormal")


def run(report: Report) -> None:
    methods = known(report, "2^30 values", [*PAPERS, Method("ranges", "adaptive")])
    count = QUICK_RECORDS if report.quick else RECORDS
    for epsilon in EPSILONS:
        points = []
        for name in NAMES:
            data, asked = made(name, count, questions(report.quick))
            found = {method: tried(data, method, epsilon, asked, trials(report.quick)) for method in methods}
            points.append(Point(name, f"{count:,}", found, data, asked, epsilon))
        case = f"2^30 values, epsilon {epsilon}"
        for kind, limits in ((RANDOM, LIMITS), (BETWEEN, {})):
            _rows(report, f"{case}, {kind}", kind, points, methods, limits)
        regret(report, case, points, PAPERS)


def _rows(
    report: Report, what: str, kind: str, points: list[Point], methods: list[Method], limits: dict[str, float]
) -> None:
    found = {method: {point.name: point.found[method][kind] for point in points} for method in methods}
    rows.baseline(report, f"{what}, {BASELINE.said}: mean error", found[BASELINE])
    for method in methods:
        if method != BASELINE:
            compared = rows.Compared(found[method], found[BASELINE])
            rows.compare(report, f"{what}, {method.said}: error / baseline", compared, limits.get(method.name))


def drawn(name: str, count: int) -> Ints:
    """The values of so many records."""
    rolled = dice(name, count)
    if name == "lognormal":
        values = np.exp(rolled.normal(math.log(VALUES / 16), 1.0, count))
    else:
        middles, spreads = rolled.uniform(0, VALUES, CLUSTERS), 2.0 ** rolled.uniform(8, 24, CLUSTERS)
        which = rolled.choice(CLUSTERS, count, p=rolled.dirichlet(np.ones(CLUSTERS)))
        values = rolled.normal(middles[which], spreads[which])
    return np.clip(values, 0, VALUES - 1).astype(np.int64)


def made(name: str, count: int, asking: int) -> tuple[Data, Asked]:
    values = np.sort(drawn(name, count))
    schema = Schema(x=Ordinal(0, VALUES - 1))

    def true(ends: Ends) -> Ints:
        first, last = (one[:, 0] for one in ends)
        return np.searchsorted(values, last, "right") - np.searchsorted(values, first, "left")

    records = values[:, None]
    ends = {**boxes((VALUES,), asking, records), BETWEEN: between(records, asking)}
    return discreet.from_counts(schema, records, np.ones(count, np.int64)), about(schema, ends, true)
