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

from discreet.errors import BadParameter, CannotAnswer
from discreet.evaluate.error_measures import Floats, Json, errors
from discreet.evaluate.named_workloads import Workload
from discreet.evaluate.remembered import RememberedRows
from discreet.evaluate.truth import true_answers
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.noise import Noise, SeededSource
from discreet.privacy import as_text
from discreet.private.bounded import Bounded
from discreet.private.counts import Counts
from discreet.private.publish import Data
from discreet.schema import Schema
from discreet.summaries.informed import informed
from discreet.tasks import Items, Task

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
    rows = RememberedRows(plan.data.origin, _schema(plan), plan.data.unit)
    truths = _truths(plan, rows)
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
            for line in _tried(plan, rows, mechanism, trial, wanted):
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


def _tried(
    plan: Evaluation, rows: RememberedRows, mechanism: Mechanism, trial: int, wanted: list[tuple[Workload, Floats]]
) -> Iterator[Json]:
    method, epsilon = mechanism.method, as_text(mechanism.request.epsilon)
    seed = int.from_bytes(hashlib.sha256(f"{plan.seed} {method} {epsilon} {trial}".encode()).digest()[:8], "big")
    noise = Noise(SeededSource(seed))
    data = rows.bounded(noise.salt())
    summary = informed(mechanism.measure(data, noise), mechanism.request.known)
    by_rules = _by_rules(plan, rows, data, [workload for workload, _ in wanted])
    head = {"data": plan.digest, "method": method, "epsilon": epsilon, "trial": trial, "seed": seed}
    for (workload, truth), left in zip(wanted, by_rules, strict=True):
        try:
            found = errors(summary, workload, truth, plan.sanity, left)
        except CannotAnswer as error:
            found = {"unanswered": str(error)}
        if left is None and rows.some_are_left_out and "covered" in found:
            found["covered of all"] = found.pop("covered")
        yield {**head, "workload": workload.name, **found}


def _by_rules(
    plan: Evaluation, rows: RememberedRows, data: Bounded, workloads: list[Workload]
) -> list[Floats] | list[None]:
    """What the unit's bounds leave of the truth, where they take something. Which records of items they take is not
    known outside of the method."""
    if not rows.some_are_left_out or isinstance(plan.task, Items):
        return [None] * len(workloads)
    return true_answers(data, workloads)


def _truths(plan: Evaluation, rows: RememberedRows) -> list[Floats]:
    """From all rows, without leaving any out for a bound: what bounding does is part of the error."""
    counts_users = isinstance(plan.task, Items) and plan.task.parameters.get("count") == "users"
    if not counts_users or not plan.data.origin.has_rows:
        return true_answers(rows.all_rows(), plan.workloads)
    salt = b"the whole truth."
    kept = rows.bounded(salt).histories(1).kept(_ALL_ITEMS, distinct=True, scores=None, salt=salt)
    return true_answers(Counts.from_dense(_schema(plan).sizes, kept.table(_ALL_ITEMS)), plan.workloads)


def _schema(plan: Evaluation) -> Schema:
    return plan.data.schema.select(plan.task.attributes(plan.data.schema))


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
