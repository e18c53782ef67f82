"""Rows of other periods, and rows without a date: whether a release of one period sees anything of them."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa

from discreet.audit.losses import losses
from discreet.audit.neighbours import Invented
from discreet.audit.recorder import TapedNoise
from discreet.errors import DiscreetError
from discreet.mechanisms import Request
from discreet.private.open_data import open_data
from discreet.schema import Periods, Schema, Span
from discreet.tasks import Task

_ROWS = 12


def seen_of_others(task: Task, request: Request, schema: Schema, periods: Periods, span: Span) -> list[str]:
    """What shows of one more unit outside of the period, in draws that neighbours must share. Reads no data.

    Where nothing does, releases of two periods lose no more about a row than those of the period that it is in.
    """
    others = {
        f"a unit of {span.first - timedelta(days=1)}": span.first - timedelta(days=1),
        f"a unit of {span.last + timedelta(days=1)}": span.last + timedelta(days=1),
        "a unit without a date": None,
    }
    base = _rows(request, periods, span, {})
    noise = TapedNoise(0)
    if not _published(task, request, schema, periods, span, base, noise):
        return [f"{span.text}: nothing could be published"]
    problems = []
    for what, day in others.items():
        again = TapedNoise(0, noise.tape)
        made = _published(task, request, schema, periods, span, _rows(request, periods, span, {"other": day}), again)
        if not made or again.problem is not None or len(again.tape.steps) != len(noise.tape.steps):
            problems.append(f"{what}: {again.problem or 'other draws are made'}")
        elif any(loss.epsilon for loss in losses(noise.tape, again.tape)):
            problems.append(f"{what}: is counted in the release of {span.text}")
    return problems


def _rows(request: Request, periods: Periods, span: Span, more: dict[str, date | None]) -> pa.Table:
    """Some rows of the period, and one of each further user on the day given."""
    invented = Invented(request.schema, request.unit)
    cells = [cell for cell, _ in zip(invented.cells(), range(_ROWS + len(more)), strict=False)]
    users = [*(f"user {row}" for row in range(_ROWS)), *more]
    table = invented.rows(list(zip(users, cells, strict=True)))
    days = [str(span.first)] * _ROWS + [None if day is None else str(day) for day in more.values()]
    column = pa.array(days, pa.string())
    if periods.attribute in table.column_names:
        return table.set_column(table.column_names.index(periods.attribute), periods.attribute, column)
    return table.append_column(periods.attribute, column)


def _published(
    task: Task, request: Request, schema: Schema, periods: Periods, span: Span, rows: pa.Table, noise: TapedNoise
) -> bool:
    names = dict.fromkeys([*request.schema, periods.attribute])
    data = open_data(rows, schema.select(names), unit=request.unit, periods=periods, threads=1)
    try:
        data.during(span.text).publish(task, request.epsilon, name="audit", noise=noise)
    except DiscreetError:
        return False
    return True
