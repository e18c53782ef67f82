"""All attacks on one request, for programs: `discreet audit` is this for each release of a spec."""

from __future__ import annotations

from collections.abc import Callable

from discreet.audit.black_box import black_box
from discreet.audit.other_periods import seen_of_others
from discreet.audit.outcome import Audited
from discreet.audit.replay import replay
from discreet.audit.traces import traced
from discreet.mechanisms import Request, mechanism_for
from discreet.privacy import Number, Unit
from discreet.schema import Periods, Schema
from discreet.tasks import Task, task_from_dict


def audited(
    task: Task,
    schema: Schema,
    epsilon: Number,
    *,
    unit: Unit | None = None,
    periods: Periods | None = None,
    period: str | None = None,
    name: str = "release",
    guess: bool = False,
    runs: int | None = None,
    look: bool = False,
    progress: Callable[[str], None] = lambda what: None,
) -> Audited:
    """Record and replay; with `guess` the black box too, with `look` the search of bytes. Reads no data.

    With `periods`, the release is about one `period`, by default the first: rows of others are tried as well.
    """
    # invented rows hold labels, and which value stands for a label decides on the row alone
    plain = schema.without_readings()
    span = None if periods is None else periods.span(period, plain) if period else periods.opening(plain)
    narrowed = plain if periods is None or span is None else periods.narrowed(plain, span)
    request = Request.of(task, narrowed, unit or Unit(), epsilon)
    name = name if span is None else f"{name}@{span.text}"

    def say(what: str) -> None:
        progress(f"{name}: {what}")

    replayed = replay(task, request, progress=say)
    others = None if periods is None or span is None else seen_of_others(task, request, plain, periods, span)
    guessed, left = None, None
    whole = _as_a_whole(task)
    asked = Request.of(whole, narrowed, request.unit, epsilon)
    if guess:
        guessed = black_box(whole, asked, runs=runs, progress=lambda done, every: say(f"run {done} of {every}"))
    if look:
        left = traced(whole, asked, progress=say)
    method = mechanism_for(task, request).method
    return Audited(name, task.name, method, request.unit.to_dict(), replayed, guessed, left, others)


def _as_a_whole(task: Task) -> Task:
    """Without slices, as invented rows have no executors; what is replayed is drawn slice by slice."""
    return task_from_dict({name: given for name, given in task.to_dict().items() if name != "slices"})
