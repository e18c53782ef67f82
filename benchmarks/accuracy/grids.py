"""4,096 values and 256 x 256 cells, epsilon 0.1: random ranges against privelet, and regret in every class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import discreet
from benchmarks.accuracy import rows
from benchmarks.accuracy.against_papers import Point, regret
from benchmarks.accuracy.asking import RANDOM, Asked, about, boxes, sums
from benchmarks.accuracy.shapes import Shape, shapes
from benchmarks.accuracy.trials import Found, Method, known, questions, trials, tried
from benchmarks.measure import Report
from discreet.private.publish import Data
from discreet.schema import Ordinal, Schema

EPSILON = "0.1"
#: as the paper has it
BASELINE = Method("ranges", "privelet", measured=True)
PAPERS = [
    *(Method("ranges", name) for name in ("privelet", "privelet*", "privelet+", "dyadic")),
    *(Method("ranges", name) for name in ("dyadic-filter-priority", "wavelet-filter-priority")),
    *(Method("table", name) for name in ("geometric", "filter-priority")),
]
OURS = [Method("ranges", "adaptive"), Method("ranges", "weighted", measured=True)]


@dataclass(frozen=True)
class Case:
    """A grid, the numbers of records on it, and the most that errors may be of privelet's, for each number."""

    name: str
    sizes: tuple[int, ...]
    records: tuple[int, ...]
    limits: dict[str, tuple[float, ...]]


CASES = (
    Case(
        "4,096 values",
        (4096,),
        (10**3, 10**5, 10**7),
        {"adaptive": (0.12, 0.38, 0.56), "weighted": (0.65, 0.65, 0.65)},
    ),
    Case(
        "256 x 256",
        (256, 256),
        (10**4, 10**6, 10**8),
        {"adaptive": (0.07, 0.13, 0.15), "weighted": (0.38, 0.38, 0.38)},
    ),
)


def run(report: Report) -> None:
    for case in CASES:
        methods = known(report, case.name, [BASELINE, *PAPERS, *OURS])
        points: list[Point] = []
        # a quick run has the number in the middle only
        for place in (1,) if report.quick else range(len(case.records)):
            points += _at(report, case, place, methods)
        regret(report, case.name, points, PAPERS)


def _at(report: Report, case: Case, place: int, methods: list[Method]) -> list[Point]:
    points = [_point(report, shape, case.records[place], methods) for shape in shapes(case.sizes)]
    what = f"{case.name}, {_power(case.records[place])} records"
    found = {method: {point.name: point.found[method][RANDOM] for point in points} for method in methods}
    rows.baseline(report, f"{what}, {BASELINE.said}: mean error of random ranges", found[BASELINE])
    for method in methods:
        if method != BASELINE:
            limits = case.limits.get(method.name)
            limit = limits[place] if limits else None
            compared = rows.Compared(found[method], found[BASELINE])
            rows.compare(report, f"{what}, {method.said}: error / {BASELINE.said}", compared, limit)
    return points


def _point(report: Report, shape: Shape, records: int, methods: list[Method]) -> Point:
    data, asked = made(shape, records, questions(report.quick))
    found: dict[Method, dict[str, Found]] = {}
    for method in methods:
        found[method] = tried(data, method, EPSILON, asked, trials(report.quick))
    return Point(shape.name, _power(records), found, data, asked, EPSILON)


def made(shape: Shape, records: int, count: int) -> tuple[Data, Asked]:
    """Ready counts of so many records, and questions about them."""
    table = shape.records(records)
    schema = Schema({f"x{place}": Ordinal(0, size - 1) for place, size in enumerate(table.shape)})
    cells = np.argwhere(table)
    some = cells[np.random.default_rng(1).choice(len(cells), 4 * count, p=table[tuple(cells.T)] / records)]
    data = discreet.from_counts(schema, cells, table[tuple(cells.T)])
    return data, about(schema, boxes(table.shape, count, some), sums(table))


def _power(records: int) -> str:
    return f"10^{len(str(records)) - 1}"
