"""Repeated trials of methods on private data: true errors, kept trial by trial so that a stopped run can continue.

Noise comes from a recorded seed, so the releases made on the way are not publishable; they are thrown away. The errors
that are left are as private as the data.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CannotAnswer
from discreet.evaluate.named_workloads import Workload
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit, as_text
from discreet.private.counts import Counts
from discreet.private.publish import Data
from discreet.schema import Schema
from discreet.summaries import Summary
from discreet.tasks import Items, Table, Task

Json = dict[str, Any]
Floats = NDArray[np.float64]

#: what the paper puts in place of counts of zero or less before a divergence
LITTLE = 0.01
LEVEL, TOP, BINS = 0.95, 10, 5
#: tables up to this size are counted cell by cell for the truth
_DENSE = 10**8
#: no user has more different items
_ALL_ITEMS = 10**6


@dataclass(frozen=True)
class Evaluation:
    """What is tried: one line of results for each workload, method, epsilon and trial."""

    data: Data
    task: Task
    workloads: Sequence[Workload]
    epsilons: Sequence[Fraction]
    trials: int
    seed: int = 1
    sanity: float | None = None
    #: names the data in the record, so that other data's results are not taken for theirs
    digest: str = ""
    methods: Sequence[str] = ()


def run(plan: Evaluation, record: Path, progress: Callable[[int, int], None] = lambda done, all_: None) -> list[Json]:
    """All results, those in the record and those still missing, which are added to it one by one."""
    if isinstance(plan.task, Items) and plan.task.pairs:
        raise BadParameter("evaluate: pairs of items have no workloads; leave their context out")
    known = {_key(line): line for line in _read(record)}
    truths = [_true_answers(plan, workload) for workload in plan.workloads]
    mechanisms, refused = _mechanisms(plan)
    # trials outermost, so that a run that is cut short has something of everything
    work = [(mechanism, trial) for trial in range(plan.trials) for mechanism in mechanisms]
    asked = []
    for number, (mechanism, trial) in enumerate(work):
        epsilon = as_text(mechanism.request.epsilon)
        keys = [(plan.digest, workload.name, mechanism.method, epsilon, trial) for workload in plan.workloads]
        missing = [place for place, key in enumerate(keys) if key not in known]
        if missing:
            wanted = [(plan.workloads[place], truths[place]) for place in missing]
            for line in _tried(plan, mechanism, trial, wanted):
                known[_key(line)] = line
                with record.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        asked += keys
        progress(number + 1, len(work))
    left_out = [{"method": method, "refused": why} for method, why in refused.items()]
    return [known[key] for key in dict.fromkeys(asked)] + left_out


def _mechanisms(plan: Evaluation) -> tuple[list[Mechanism], dict[str, str]]:
    """Every method with every epsilon, and of each method that was refused why."""
    known = [method for task, method in registry() if task == plan.task.name]
    if unknown := [method for method in plan.methods if method not in known]:
        raise BadParameter(f"{plan.task.name} has no method {unknown[0]!r}; it has {', '.join(known)}")
    made: list[Mechanism] = []
    refused: dict[str, str] = {}
    for method in plan.methods or known:
        taken = {parameter.name for parameter in registry()[plan.task.name, method].parameters}
        for epsilon in plan.epsilons:
            request = Request.of(plan.task, plan.data.schema, plan.data.unit, epsilon)
            own = {name: value for name, value in request.parameters.items() if name in taken}
            try:
                made.append(mechanism_for(plan.task, replace(request, parameters=own), method))
            except BadParameter as error:
                refused[method] = str(error)
    return made, refused


def _tried(plan: Evaluation, mechanism: Mechanism, trial: int, wanted: list[tuple[Workload, Floats]]) -> Iterator[Json]:
    method, epsilon = mechanism.method, as_text(mechanism.request.epsilon)
    seed = int.from_bytes(hashlib.sha256(f"{plan.seed} {method} {epsilon} {trial}".encode()).digest()[:8], "big")
    noise = Noise(SeededSource(seed))
    schema, unit = mechanism.request.schema, plan.data.unit
    summary = mechanism.measure(plan.data.origin.bounded(schema, unit, noise.salt(), repeatable=True), noise)
    head = {"data": plan.digest, "method": method, "epsilon": epsilon, "trial": trial, "seed": seed}
    for workload, truth in wanted:
        try:
            found = errors(summary, workload, truth, plan.sanity)
        except CannotAnswer as error:
            found = {"unanswered": str(error)}
        yield {**head, "workload": workload.name, **found}


def _true_answers(plan: Evaluation, workload: Workload) -> Floats:
    """From all rows, without leaving any out for a bound: what bounding does is part of the error."""
    schema = plan.data.schema.select(plan.task.attributes(plan.data.schema))
    chosen: Json = {"method": "geometric"} if schema.cells <= _DENSE else {"method": "filter", "theta": 1}
    task = Table(schema.names, **chosen)
    # nothing is drawn, and at this epsilon no empty cell would pass the filter of a table of any size
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), 1000))
    exact = mechanism.measure(_all_counts(plan, schema), ZeroNoise())
    return np.asarray(exact.answer(workload.questions, 0.5).value, np.float64)


def _all_counts(plan: Evaluation, schema: Schema) -> Counts:
    salt, origin = b"the whole truth.", plan.data.origin
    counts_users = isinstance(plan.task, Items) and plan.task.parameters.get("count") == "users"
    if not counts_users or not origin.has_rows:
        return origin.bounded(schema, Unit(), salt).table()
    histories = origin.bounded(schema, plan.data.unit, salt).histories(1)
    kept = histories.kept(_ALL_ITEMS, distinct=True, scores=None, salt=salt)
    return Counts.from_dense(schema.sizes, kept.table(_ALL_ITEMS))


def _mean_width(widths: Floats) -> float:
    """Of the intervals that have two ends; zero if none has."""
    closed = widths[np.isfinite(widths)]
    return float(closed.mean()) if closed.size else 0.0


def errors(summary: Summary, workload: Workload, truth: Floats, sanity: float | None) -> Json:
    """Every measure of one release against the truth."""
    found = summary.answer(workload.questions, LEVEL).of_counts()
    value = np.asarray(found.value, np.float64)
    off = np.abs(value - truth)
    least = max(sanity if sanity is not None else 0.001 * float(truth.max(initial=0.0)), 1.0)
    relative = off / np.maximum(truth, least)
    inside = (np.asarray(found.low) <= truth) & (truth <= np.asarray(found.high))
    line: Json = {
        "absolute": _short(off.mean()),
        "relative": _short(relative.mean()),
        "squared": _short((off**2).mean()),
        "covered": _short(inside.mean()),
        "width": _short(_mean_width(np.asarray(found.high - found.low, np.float64))),
        "by coverage": _binned(workload.coverage, off, relative),
        "by size": _binned(truth, off, relative),
    }
    if found.bounds is not None:
        line["bounds"] = _short(found.bounds.mean())
    if workload.tabular and truth.size > 1 and truth.sum() > 0:
        line["divergence"] = _short(divergence(value, truth))
        line["top"] = _short(precision(value, truth, min(TOP, truth.size)))
    return line


def _binned(by: Floats, off: Floats, relative: Floats) -> list[list[float]]:
    """Mean of `by`, of the absolute and of the relative error, in bins of about as many questions each."""
    order = np.argsort(by, kind="stable")
    parts = [part for part in np.array_split(order, min(BINS, by.size)) if part.size]
    return [[_short(by[part].mean()), _short(off[part].mean()), _short(relative[part].mean())] for part in parts]


def _short(value: Any) -> float:
    return float(f"{float(value):.6g}")


def _key(line: Json) -> tuple[Any, ...]:
    return line["data"], line["workload"], line["method"], line["epsilon"], line["trial"]


def _read(record: Path) -> list[Json]:
    """What was recorded; a last line that a crash cut off is ended here, left out, and will be run again."""
    text = record.read_text(encoding="utf-8") if record.exists() else ""
    if text and not text.endswith("\n"):
        with record.open("a", encoding="utf-8") as file:
            file.write("\n")
    lines = []
    for line in text.splitlines():
        with suppress(ValueError):
            lines.append(json.loads(line))
    return lines


def divergence(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Kullback-Leibler, in natural units, of the shares of the first from those of the second."""
    p, q = _shares(one), _shares(other)
    return float(np.sum(p * np.log(p / q)))


def _shares(counts: NDArray[Any]) -> Floats:
    positive = np.where(counts > 0, counts, LITTLE).astype(np.float64)
    return np.asarray(positive / positive.sum())


def in_top(counts: NDArray[Any], many: int) -> Floats:
    """For each item the chance to be among the `many` largest, when equal counts are put in random order."""
    least = np.partition(counts, counts.size - many)[counts.size - many]
    above, level = counts > least, counts == least
    return np.asarray(above + level * ((many - np.count_nonzero(above)) / np.count_nonzero(level)), np.float64)


def precision(noisy: NDArray[Any], true: NDArray[Any], many: int) -> float:
    """The share of the `many` largest noisy counts that is among the `many` largest true ones, ties in random order."""
    return float(in_top(noisy, many) @ in_top(true, many)) / many
