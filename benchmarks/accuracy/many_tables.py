"""All tables of two attributes, at epsilon 0.01, 0.1 and 1: `agreed` against everything else that could be done.

The others are the papers' methods as they are (raw), the same noisy tables with all that `agreed` does afterwards, and
`agreed` when it is told what to measure. Ratios are of mean errors over trials, to the best of all in each setting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import discreet
from benchmarks.accuracy.people import People, peoples
from benchmarks.accuracy.shapes import Floats
from benchmarks.accuracy.table_errors import METRICS, errors
from benchmarks.measure import Report
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.summaries.agreed_tables import AgreedTables
from discreet.summaries.marginal_tables import MarginalTables
from experiments.shared.bounded import OnlyTables

EPSILONS = ("0.01", "0.1", "1")
TRIALS, QUICK_TRIALS = 6, 1
JUDGED = "agreed"
RAW = ("equal, raw", "ireduct, raw")
MEAN, WORST, AGAINST_RAW = 1.15, 1.5, 0.2
#: sex and income of adult with eight attributes
SMALL_PAIR, SMALL_EPSILON, SMALL_ERROR = ("a6", "a7"), "0.5", 80.0
PARAMETERS: dict[str, dict[str, Any]] = {
    "agreed": {},
    "agreed, all": {"method": "agreed", "measure": "all"},
    "agreed, pairs": {"method": "agreed", "measure": "pairs"},
    "equal": {},
    "two-phase": {},
    "iresamp": {},
    "ireduct": {},
}

Tables = list[Floats]


@dataclass
class Setting:
    """One table of people at one epsilon: the errors of each method, trials x metrics, and how intervals did."""

    people: People
    epsilon: str
    errors: dict[str, list[Floats]] = field(default_factory=dict)
    held: list[float] = field(default_factory=list)

    def mean(self, method: str) -> Floats:
        return np.asarray(np.mean(self.errors[method], axis=0))

    def ratios(self, method: str, among: Callable[[str], bool]) -> Floats:
        others = [self.mean(name) for name in self.errors if among(name)]
        return np.asarray(self.mean(method) / np.min(others, axis=0))


def run(report: Report) -> None:
    settings = []
    for people in peoples():
        exact = OnlyTables([people.table(pair) for pair in people.pairs])
        for epsilon in EPSILONS:
            settings.append(tried(people, exact, epsilon, QUICK_TRIALS if report.quick else TRIALS))
            _say(report, settings[-1])
        if people.name.startswith("adult, 8"):
            _small_pair(report, people, exact)
    for half in ("A", "B", "AB"):
        inside = [setting for setting in settings if setting.people.half in half]
        if inside:
            _judge(report, f"all pairs, {JUDGED}, half {half}" if half != "AB" else f"all pairs, {JUDGED}", inside)


def tried(people: People, exact: OnlyTables, epsilon: str, trials: int) -> Setting:
    setting = Setting(people, epsilon)
    true = [table.dense().astype(np.float64) for table in exact.held]
    places = range(len(people.sizes))
    singles = [people.table((place,)).dense().astype(np.float64) for place in places]
    for _ in range(trials):
        for name, found in _released(people, exact, epsilon):
            agreed = isinstance(found, AgreedTables)
            shapes = [table.shape for table in true]
            tables = [flat.reshape(shape) for flat, shape in zip(found.tables(), shapes, strict=True)]
            alone = [found.estimates.table((place,)) for place in places] if agreed else _read_off(people, found)
            setting.errors.setdefault(name, []).append(errors(true, tables, singles, alone))
            if name == JUDGED:
                setting.held.append(_held(found, true))
    return setting


def _released(people: People, exact: OnlyTables, epsilon: str) -> Any:
    """Every method with its summary; those of papers also with the same post-processing."""
    for said, given in PARAMETERS.items():
        parameters = {"method": said, **given}
        task = discreet.Marginals(ways=2, **parameters)
        mechanism = mechanism_for(task, Request.of(task, people.schema, Unit(), epsilon))
        summary = mechanism.measure(exact, Noise())
        if isinstance(summary, MarginalTables):
            yield f"{said}, raw", summary
            looks = dict(zip(summary.sets, summary.parts, strict=True))
            yield f"{said}, agreed", AgreedTables(people.schema, summary.sets, looks)
        else:
            yield said, summary


def _read_off(people: People, found: MarginalTables) -> Tables:
    """One-way tables from all pairs that have the attribute, weighed by inverse variance."""
    singles = []
    for place, size in enumerate(people.sizes):
        sums, weights = np.zeros(size), 0.0
        for pair, part, shape in zip(found.places, found.parts, found.shapes, strict=True):
            if place in pair:
                other = 1 - pair.index(place)
                weight = 1 / (part.variance * shape[other])
                sums += weight * part.values.reshape(shape).sum(axis=other)
                weights += weight
        singles.append(sums / weights)
    return singles


def _held(found: AgreedTables, true: Tables) -> float:
    """The share of cells whose interval holds the truth."""
    file, rows = found.to_arrow(), sum(table.size for table in true)
    low, high = (file[end].to_numpy()[:rows] for end in ("low", "high"))
    every = np.concatenate([table.reshape(-1) for table in true])
    return float(np.mean((low <= every) & (every <= high)))


def _say(report: Report, setting: Setting) -> None:
    where = f"{setting.people.name}, epsilon {setting.epsilon}"
    best = setting.ratios(JUDGED, lambda name: True)
    said = ", ".join(
        f"{metric} {error:.3g} ({ratio:.2f})"
        for metric, error, ratio in zip(METRICS, setting.mean(JUDGED), best, strict=True)
    )
    report.note(f"{where}, {JUDGED}: errors (over the best of all)", said)
    report.note(f"{where}, {JUDGED}: share of cells inside their interval of 95 %", float(np.mean(setting.held)))


def _judge(report: Report, what: str, settings: list[Setting]) -> None:
    bound = what == f"all pairs, {JUDGED}" and not report.quick
    best = np.array([setting.ratios(JUDGED, lambda name: True) for setting in settings])
    for place, metric in enumerate(METRICS):
        mean, worst = float(np.exp(np.log(best[:, place]).mean())), int(np.argmax(best[:, place]))
        where = f"{settings[worst].people.name}, epsilon {settings[worst].epsilon}"
        _row(report, f"{what}, {metric}: error / best of all, geometric mean", mean, MEAN if bound else None)
        _row(report, f"{what}, {metric}: the worst ({where})", float(best[worst, place]), WORST if bound else None)
    for raw in RAW:
        against = np.array([setting.ratios(JUDGED, lambda name, raw=raw: name == raw) for setting in settings])  # type: ignore[misc]
        for place, metric in enumerate(METRICS):
            mean = float(np.exp(np.log(against[:, place]).mean()))
            limit = AGAINST_RAW if bound and place < 3 else None
            _row(report, f"{what}, {metric}: error / {raw}, geometric mean", mean, limit)


def _small_pair(report: Report, people: People, exact: OnlyTables) -> None:
    task = discreet.Marginals(ways=2, method=JUDGED)
    mechanism = mechanism_for(task, Request.of(task, people.schema, Unit(), SMALL_EPSILON))
    release = discreet.release.Release(mechanism.measure(exact, Noise()), {"data_attributes": list(people.schema)})
    stderr = float(np.max(release.table(list(SMALL_PAIR))["stderr"]))
    _row(report, f"{people.name}, epsilon {SMALL_EPSILON}, {JUDGED}: stderr of sex x income", stderr, SMALL_ERROR)


def _row(report: Report, what: str, value: float, limit: float | None) -> None:
    if limit is None:
        report.note(what, value)
    else:
        report.at_most(what, value, limit)
