"""Regret: how much worse than the best of the papers' methods, for each data set and class of questions.

Errors below a tenth of the noise of one count are taken as that much: both are as good as exact. The best of several
means seems better than it is, so where the first ratio is above the limit, both methods are tried again, more often.
Even so chance is left: "beyond chance" takes three standard errors off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.asking import CLASSES, OF_RECORDS, Asked
from benchmarks.accuracy.shapes import half
from benchmarks.accuracy.trials import Found, Method, tried
from benchmarks.measure import Report
from discreet.private.publish import Data

JUDGED: dict[Method, float | None] = {Method("ranges", "adaptive"): 1.1, Method("ranges", "privelet+"): None}
SECOND_TRIALS = 200
NEGLIGIBLE = 0.1
CHANCE = 3.0


@dataclass(frozen=True, eq=False)
class Point:
    """One data set with so many records: what was found, and all that is needed to look again."""

    name: str
    records: str
    found: dict[Method, dict[str, Found]]
    data: Data
    asked: Asked
    epsilon: str


@dataclass(frozen=True)
class Ratio:
    where: str
    half: str
    best: str
    value: float
    #: relative standard error
    chance: float

    @property
    def beyond_chance(self) -> float:
        return self.value * math.exp(-CHANCE * self.chance)


def regret(report: Report, case: str, points: Sequence[Point], papers: Sequence[Method]) -> None:
    for method, limit in JUDGED.items():
        if not all(method in point.found for point in points):
            continue
        every: list[Ratio] = []
        for name in CLASSES:
            ratios = [_ratio(point, name, method, papers, None if report.quick else limit) for point in points]
            every += ratios
            report.note(f"{case}, {method.said}, {name}: error / best paper's, mean", _mean(ratios))
            report.note(f"{case}, {method.said}, {name}: in parts", _words(ratios))
        shown = [_ratio(point, OF_RECORDS, method, papers, None) for point in points]
        report.note(f"{case}, {method.said}, {OF_RECORDS} (shown only): in parts", _words(shown))
        worst = max(every, key=lambda ratio: ratio.beyond_chance)
        what = f"{case}, {method.said}: worst error / best paper's beyond chance"
        if limit is None:
            report.note(what, worst.beyond_chance)
        else:
            report.at_most(what, worst.beyond_chance, limit)


def _ratio(point: Point, name: str, method: Method, papers: Sequence[Method], limit: float | None) -> Ratio:
    floor = NEGLIGIBLE / float(point.epsilon)
    found = {inner: classes[name] for inner, classes in point.found.items() if inner in papers}
    best = min(found, key=lambda inner: found[inner].error)
    ours, theirs = point.found[method][name], found[best]
    if limit is not None and max(ours.error, floor) > limit * max(theirs.error, floor):
        ours, theirs = (
            tried(point.data, inner, point.epsilon, point.asked.only(name), SECOND_TRIALS)[name]
            for inner in (method, best)
        )
    value = max(ours.error, floor) / max(theirs.error, floor)
    chance = math.hypot(ours.chance, theirs.chance)
    where = f"{point.name}, {point.records}, {name}"
    return Ratio(where, half(point.name), best.name, value, chance)


def _mean(ratios: Sequence[Ratio]) -> float:
    return float(np.mean([ratio.value for ratio in ratios]))


def _words(ratios: Sequence[Ratio]) -> str:
    halves = {which: [ratio for ratio in ratios if ratio.half == which] for which in "AB"}
    parts = [f"half {which} {_mean(inside):.3g}" for which, inside in halves.items() if inside]
    worst = max(ratios, key=lambda ratio: ratio.value)
    error = worst.value * worst.chance
    return f"{', '.join(parts)}; worst {worst.value:.3g} +- {error:.2g} against {worst.best} ({worst.where})"
