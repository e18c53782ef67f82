"""All attacks on one request, for programs: `discreet audit` is this for each release of a spec."""

from __future__ import annotations

from collections.abc import Callable

from discreet.audit.black_box import black_box
from discreet.audit.replay import replay
from discreet.audit.report import Audited
from discreet.audit.traces import traced
from discreet.mechanisms import Request, mechanism_for
from discreet.privacy import Number, Unit
from discreet.schema import Schema
from discreet.tasks import Task


def audited(
    task: Task,
    schema: Schema,
    epsilon: Number,
    *,
    unit: Unit | None = None,
    name: str = "release",
    guess: bool = False,
    runs: int | None = None,
    look: bool = False,
    progress: Callable[[str], None] = lambda what: None,
) -> Audited:
    """Record and replay; with `guess` the black box too, with `look` the search of bytes. Reads no data."""
    # invented rows hold labels, and which value stands for a label decides on the row alone
    request = Request.of(task, schema.without_readings(), unit or Unit(), epsilon)

    def say(what: str) -> None:
        progress(f"{name}: {what}")

    replayed = replay(task, request, progress=say)
    guessed = None
    if guess:
        guessed = black_box(task, request, runs=runs, progress=lambda done, every: say(f"run {done} of {every}"))
    left = traced(task, request, progress=say) if look else None
    method = mechanism_for(task, request).method
    return Audited(name, task.name, method, request.unit.to_dict(), replayed, guessed, left)
