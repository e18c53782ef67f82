"""The experiment of sparse-summaries, section 5.3 (figure 8): ranges of all sizes over one attribute of many values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from discreet.mechanisms import registry
from discreet.privacy import Unit
from discreet.summaries import Summary
from experiments.privelet.data.dyadic import CELLS, CLUSTERS, OCCUPIED, skewed, uniform
from experiments.privelet.trials.questions import ranges_of, true_answers
from experiments.shared.methods import Method, ready
from experiments.shared.range_errors import measured, missed
from experiments.shared.records import Json, Runs, figure, line, short
from experiments.shared.tables import Truth, bell, domain

SIZE = 10**5
EPSILON = Fraction(1, 10)
UNIT = Unit()
RANGES = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)
QUESTIONS = 400
TIMED_OCCUPIED = 10**4
TIMED_DOMAINS = (10**5, 10**6, 10**7)
TIMED_RUNS = 10
TIMED_SECONDS = 10.0
CHECKED = ", checked"
LEAST_SQUARES = "dyadic, least squares"

#: the paper's methods by our names; the least-squares tree is ours
_DENSE: dict[str, Method] = {
    "geometric": ("geometric", {}),
    "dyadic": ("dyadic", {"consistency": False}),
    LEAST_SQUARES: ("dyadic", {"consistency": True}),
    "privelet": ("privelet", {}),
}
_SPARSE = ("dyadic-filter", "dyadic-priority", "dyadic-filter-priority")
_WAVELETS = ("wavelet-filter", "wavelet-priority", "wavelet-filter-priority")


def _known(method: Method) -> bool:
    """Whether this version has the method, with these parameters."""
    name, parameters = method
    kind = registry().get(("ranges", name))
    return kind is not None and set(parameters) <= {parameter.name for parameter in kind.parameters}


def methods(size: int = SIZE) -> dict[str, Method]:
    """All that this version has; sparse ones of this size."""
    found = dict(_DENSE)
    for name in _SPARSE:
        for mark, consistency in (("", False), (CHECKED, True)):
            found[name + mark] = (name, {"size": size, "consistency": consistency})
        # a sample has no check: what it lacks says nothing
        if not _known(found[name]):
            found[name] = (name, {"size": size})
    found |= {name: (name, {"size": size}) for name in _WAVELETS}
    return {name: method for name, method in found.items() if _known(method)}


@dataclass
class RangeErrors:
    """Of one method: errors by the size of the range, the intervals' coverage, and what the summary holds."""

    absolute: dict[int, Runs] = field(default_factory=dict)
    relative: dict[int, Runs] = field(default_factory=dict)
    covered: Runs = field(default_factory=Runs)
    width: Runs = field(default_factory=Runs)
    kept: Runs = field(default_factory=Runs)


def compare(tables: Iterable[Truth], compared: dict[str, Method]) -> dict[str, RangeErrors]:
    found = {name: RangeErrors() for name in compared}
    for run, truth in enumerate(tables):
        asked = {size: ranges_of(size, CELLS, QUESTIONS, 1000 * run + place) for place, size in enumerate(RANGES)}
        true = {size: true_answers(truth, questions) for size, questions in asked.items()}
        for name, method in compared.items():
            summary, _ = measured(truth, ready("ranges", truth.schema, method, EPSILON, UNIT))
            mine, inside, width = found[name], list[float](), list[float]()
            mine.kept.values.append(_held(summary))
            for size, questions in asked.items():
                answers = missed(summary, questions, true[size])
                off = np.abs(answers.off)
                mine.absolute.setdefault(size, Runs()).values.append(float(off.mean()))
                mine.relative.setdefault(size, Runs()).values.append(float(off.sum() / true[size].sum()))
                inside.append(answers.covered)
                width.append(answers.width)
            mine.covered.values.append(float(np.mean(inside)))
            mine.width.values.append(float(np.mean(width)))
    return found


def _held(summary: Summary) -> int:
    """How many numbers a summary holds."""
    return int(np.size(summary.values))  # type: ignore[attr-defined]


def dyadic_experiment(runs: int) -> Json:
    compared = methods()
    plain = [name for name in compared if not name.endswith(CHECKED) and name not in _WAVELETS]
    pairs = [name for name in compared if name + CHECKED in compared or name.endswith(CHECKED)]
    sparse_wavelets = [name for name in compared if name in _WAVELETS]
    figures: Json = {}
    intervals: Json = {}
    for key, data, words in (
        ("8a", uniform, "occupied cells anywhere"),
        ("8b", skewed, f"occupied cells in {CLUSTERS} runs"),
    ):
        found = compare(_fresh(data, runs), compared)
        figures[key] = _figure(f"{key[0]}({key[1]}) Ranges, {words}", found, plain)
        if pairs:
            figures[f"{key}-checked"] = _figure(f"8(c) The check of ancestors, {words}", found, pairs)
        if sparse_wavelets:
            names = ["privelet", *(name for name in ("dyadic-filter",) if name in compared), *sparse_wavelets]
            figures[f"{key}-wavelets"] = _figure(f"Summaries of wavelet coefficients, {words}", found, names)
        intervals[key] = {
            name: {"covered": round(mine.covered.mean, 4), "width": round(mine.width.mean, 2)}
            for name, mine in found.items()
        }
    figures["8-seconds"] = _times()
    return {"setting": setting(runs, compared), "figures": figures, "intervals": intervals}


def setting(runs: int, compared: dict[str, Method]) -> list[str]:
    truth = uniform(0)
    thetas = {
        name: getattr(ready("ranges", truth.schema, method, EPSILON, UNIT), "theta", None)
        for name, method in compared.items()
    }
    filters = ", ".join(f"{name} {theta}" for name, theta in thetas.items() if theta is not None and theta > 1)
    chosen = f"The filters' theta is the one at which an empty table keeps the size: {filters}." if filters else ""
    return [
        f"{CELLS:,} cells of one ordinal attribute, {OCCUPIED:,} of them occupied with N(100, 20) rounded to the "
        f"nearest positive integer, afresh in every run; epsilon {float(EPSILON):g}, neighbours by adding or removing "
        "a record.",
        f"Uniform: occupied cells anywhere. Clustered: {CLUSTERS} runs of {OCCUPIED // CLUSTERS:,} occupied cells, at "
        "random places. The paper does not say how it clustered its cells.",
        f"{runs} runs with {QUESTIONS} random ranges of each size; ± is one standard error. Sparse summaries hold at "
        f"most {SIZE:,} numbers. {chosen}".rstrip(),
        "`dyadic` is the paper's D-Geometric, a range being the sum of the fewest nodes that make it up; with `least "
        "squares` all nodes are made to agree first. `checked` is the check that drops a node whose ancestor did not "
        "pass the filter. All levels of the tree are charged, leaves and root included.",
        f"Seconds are the best of {TIMED_RUNS} runs, or of those that fit into {TIMED_SECONDS:g} s, with preparation, "
        f"for {TIMED_OCCUPIED:,} occupied cells and summaries of that size, on two cores that others used as well. "
        "Most of the time of `dyadic` is preparation: laying out the nodes.",
    ]


def _fresh(data: Callable[[int], Truth], runs: int) -> Iterable[Truth]:
    return (data(run) for run in range(runs))


def _figure(title: str, found: dict[str, RangeErrors], names: list[str]) -> Json:
    lines = [
        line(
            name,
            [float(size) for size in RANGES],
            list(found[name].absolute.values()),
            relative=[short(runs.mean) for runs in found[name].relative.values()],
            kept=found[name].kept.mean,
        )
        for name in names
    ]
    return figure(title, "cells in the range", "absolute error", lines)


def _times() -> Json:
    """Seconds to prepare and make a summary while the domain grows and the data do not: the best, once compiled."""
    left_out = (LEAST_SQUARES, *(name + CHECKED for name in _SPARSE), *_WAVELETS)
    compared = {name: method for name, method in methods(TIMED_OCCUPIED).items() if name not in left_out}
    taken: dict[str, list[Runs]] = {name: [] for name in compared}
    for cells in TIMED_DOMAINS:
        truth = bell(domain(cells), TIMED_OCCUPIED, 100, 20, 0)
        for name, method in compared.items():
            taken[name].append(Runs([_best_seconds(truth, method)]))
    lines = [line(name, [float(cells) for cells in TIMED_DOMAINS], values) for name, values in taken.items()]
    title = f"Seconds to summarise {TIMED_OCCUPIED:,} occupied cells"
    return figure(title, "cells in the domain", "seconds", lines)


def _best_seconds(truth: Truth, method: Method) -> float:
    """The least of many runs, as others use the machine too; fewer of those that take long."""
    taken: list[float] = []
    while len(taken) < 1 + TIMED_RUNS and (len(taken) < 3 or sum(taken) < TIMED_SECONDS):
        start = time.perf_counter()
        measured(truth, ready("ranges", truth.schema, method, EPSILON, UNIT))
        taken.append(time.perf_counter() - start)
    return min(taken)
