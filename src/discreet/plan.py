"""What accuracy an epsilon buys, before any is spent. Reads no data: every method is rehearsed on an empty table.

The standard errors are exact for methods whose noise does not depend on the data, and those of an empty table for the
others. For `Items` with a public `guess` the error of an item's count follows too, with what bounding takes away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.errors import BadParameter, CannotAnswer
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.mechanisms.items.item_bounds import GUESSES, best_bound, squared_error
from discreet.noise import ZeroNoise
from discreet.privacy import as_text, exact
from discreet.private.counts import Counts
from discreet.queries import Questions, questions_of
from discreet.release.frame import Frame
from discreet.tasks import Items, Task

#: larger tables are not rehearsed
MOST_REHEARSED = 10**7
_REHEARSED = {
    "exact": [],
    "empty": ["errors are those of an empty table"],
    "none": ["errors depend on the data"],
}


@dataclass(frozen=True)
class Plan:
    """One row for each method: the standard error of one cell and of all cells together, or why there is none.

    For queries, the least and the largest standard error.
    """

    table: Frame
    epsilon: Fraction
    advice: list[str]

    def __str__(self) -> str:
        head = f"epsilon {as_text(self.epsilon)}: standard errors, before anything is spent"
        return "\n".join([head, str(self.table), *self.advice])


def plan(task: Task, request: Request) -> Plan:
    """What each method of the task, or the one that it names, would give for this request."""
    known = [method for name, method in registry() if name == task.name]
    methods = known if task.method == "auto" else [task.method]
    rows = [_row(task, request, method) for method in methods]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return Plan(Frame(columns), request.epsilon, _advice(task, request))


def _row(task: Task, request: Request, method: str) -> dict[str, Any]:
    in_force = ""
    try:
        mechanism = mechanism_for(task, request, method)
        in_force = ", ".join(f"{choice['name']} = {choice['value']}" for choice in mechanism.chosen)
        known = mechanism.rehearsal != "none"
        found = [float(error) for error in _stderrs(mechanism)] if known else [math.nan, math.nan]
        note = "; ".join([*_REHEARSED[mechanism.rehearsal], *(one.sentence for one in mechanism.method_leaves_out())])
    except (BadParameter, CannotAnswer) as error:
        found, note = [math.nan, math.nan], str(error)
    names = ("surest query", "least sure query") if "queries" in request.parameters else ("one cell", "all cells")
    row = {"method": method, **dict(zip(names, found, strict=True))}
    if isinstance(task, Items) and "guess" in request.parameters:
        row["guessed item"] = math.nan if math.isnan(found[0]) else _guessed(mechanism, request)
    return {**row, "parameters": in_force, "note": note}


def _stderrs(mechanism: Mechanism) -> Any:
    """The mechanism tried on an empty table without noise: what its errors are before there is any data."""
    schema = mechanism.request.schema
    if schema.cells > MOST_REHEARSED:
        raise BadParameter(
            f"a table of {schema.cells:.3g} cells is too large to predict its errors; "
            "the release tells the error of each answer"
        )
    empty = Counts(schema.sizes, np.empty((0, len(schema)), np.int64), np.empty(0, np.int64))
    stderr = mechanism.measure(empty, ZeroNoise()).answer(_asked(mechanism), 0.95).stderr
    return (stderr.min(), stderr.max()) if "queries" in mechanism.request.parameters else stderr


def _asked(mechanism: Mechanism) -> Questions:
    """A cell and everything; or the queries."""
    schema = mechanism.release_schema
    if "queries" in mechanism.request.parameters:
        return questions_of(mechanism.request.parameters["queries"], schema)
    cell = mechanism.cell()
    first = [[cell.get(name, 0) for name in schema], [0] * len(schema)]
    last = [[cell.get(name, schema[name].size - 1) for name in schema], [size - 1 for size in schema.sizes]]
    return Questions(np.array(first), np.array(last), 2, np.arange(2))


def _guessed(mechanism: Any, request: Request) -> float:
    """The root of the mean squared error of the guessed item's count; unknown where smoothing or a choice decides."""
    if mechanism.method not in ("lpa", "sra"):
        return math.nan
    guess = {name: float(exact(request.parameters["guess"][name], name)) for name in GUESSES}
    return math.sqrt(squared_error(guess, mechanism.bound, mechanism.epsilon_of("items"), request.unit))


def _advice(task: Task, request: Request) -> list[str]:
    if not isinstance(task, Items):
        return []
    if "guess" not in request.parameters:
        return [
            "Say guess = {users, records, popularity}, public numbers, to have the bound of sra or hpa worked out; "
            "even-shares finds its own privately."
        ]
    mechanism: Any = mechanism_for(task, request, "sra")
    best = best_bound(request.parameters["guess"], mechanism.epsilon_of("items"), request.unit)
    return [f"The bound of least error for the guess is {best} records of a user."]
