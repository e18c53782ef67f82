"""From the declaration of an ordinal attribute to its bins. Mistakes are raised as BadSpec: "key: mistake; fix"."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.errors import BadSpec

Edge = int | float | date

EPOCH = date(1970, 1, 1).toordinal()
LARGEST = 2**61  # keeps every edge, every code and every difference of edges within 64 bits

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_PERIODS = ("week", *_MONTHS)
_WIDEST = 10**300


@dataclass(frozen=True)
class Declared:
    """A checked declaration: the fields in their plain types, and the bins as ticks (see ordinal.py)."""

    kind: str
    low: Edge | None
    high: Edge | None
    width: float | str
    edges: tuple[Edge, ...] | None
    ticks: Sequence[int]
    per_one: int


def bins_of_edges(edges: object) -> Declared:
    """Bins that each start where the one before ends."""
    if isinstance(edges, str) or not isinstance(edges, Sequence | np.ndarray):
        raise BadSpec(["edges: must be a list such as [0, 18, 65, 120]"])
    problems: list[str] = []
    values = [_edge(value, f"edges[{index}]", problems) for index, value in enumerate(edges)]
    if not problems and len(values) < 2:
        problems.append("edges: needs two or more values, the start of every bin and the end of the last")
    if problems:
        raise BadSpec(problems)
    kind = _kind(values, "edges")
    if kind == "real":
        values = [float(value) for value in values]
    problems += [
        f"edges: {after} follows {before}, so bins would overlap or be empty; make the edges ascend"
        for before, after in pairwise(values)
        if not before < after
    ]
    if problems:
        raise BadSpec(problems)
    per_one = math.lcm(*(_exact(value).denominator for value in values))
    ticks = tuple(int(_exact(value) * per_one) for value in values)
    return Declared(kind, None, None, 1, tuple(values), ticks, per_one)


def bins_of_width(low: object, high: object, width: object) -> Declared:
    """Bins of equal width, or one for each calendar period."""
    problems: list[str] = []
    first, last, step = _edge(low, "low", problems), _edge(high, "high", problems), _width(width, problems)
    if problems:
        raise BadSpec(problems)
    kind = _kind([first, last, step] if isinstance(step, float) else [first, last], "low, high and width")
    if kind != "date" and isinstance(step, str):
        raise BadSpec([f"width: {step!r} is for dates; give a number here"])
    if first > last or (kind == "real" and first == last):
        raise BadSpec([f"high: {last} is not above low = {first}; swap them or correct one"])
    if isinstance(step, str):
        return _periods(first, last, step)
    if kind == "real":
        return _reals(float(first), float(last), float(step))
    return _whole(kind, first, last, step)


def _whole(kind: str, low: Any, high: Any, width: int) -> Declared:
    """Bins that each hold `width` integers or days."""
    start = int(_exact(low))
    values = int(_exact(high)) - start + 1
    if values % width:
        lower = values // width * width
        ends = [start + near - 1 for near in (lower, lower + width) if near]
        if kind == "date":
            shown = [str(date.fromordinal(end + EPOCH)) for end in ends if end + EPOCH <= date.max.toordinal()]
        else:
            shown = [str(end) for end in ends]
        many = f"{values} {'days' if kind == 'date' else 'values'}"
        raise BadSpec(
            [f"high: {low} to {high} is {many}, not a multiple of width {width}; use high = {' or '.join(shown)}"]
        )
    return Declared(kind, low, high, width, None, range(start, start + values + width, width), 1)


def _reals(low: float, high: float, width: float) -> Declared:
    start, end, step = _exact(low), _exact(high), _exact(width)
    if step < 2 * math.ulp(max(abs(low), abs(high))):
        raise BadSpec([f"width: {width} is too fine for numbers as large as {low} and {high}; use wider bins"])
    if (end - start) % step:
        count = (end - start) // step
        nearest = " or ".join(repr(float(start + bins * step)) for bins in (count, count + 1) if bins > 0)
        raise BadSpec([f"high: {low} to {high} is not a multiple of width {width}; use high = {nearest}"])
    per_one = math.lcm(start.denominator, step.denominator)
    first, stride, last = (int(value * per_one) for value in (start, step, end))
    return Declared("real", low, high, width, None, range(first, last + stride, stride), per_one)


def _periods(low: date, high: date, period: str) -> Declared:
    problems = []
    if low != period_start(low, period):
        problems.append(f"low: {low} is not the first day of a {period}; use {period_start(low, period)}")
    if high != period_end(high, period):
        problems.append(f"high: {high} is not the last day of a {period}; use {period_end(high, period)}")
    if problems:
        raise BadSpec(problems)
    starts = [low]
    while (end := period_end(starts[-1], period)) < high:
        starts.append(end + timedelta(days=1))
    ticks = (*(start.toordinal() - EPOCH for start in starts), high.toordinal() + 1 - EPOCH)
    return Declared("date", low, high, period, None, ticks, 1)


def period_start(day: date, period: str) -> date:
    if period == "week":
        return day - timedelta(days=day.weekday())
    months = _MONTHS[period]
    return day.replace(month=(day.month - 1) // months * months + 1, day=1)


def period_end(day: date, period: str) -> date:
    start = period_start(day, period)
    if period == "week":
        return start + min(timedelta(days=6), date.max - start)
    month = start.month + _MONTHS[period] - 1
    return date(start.year, month, monthrange(start.year, month)[1])


def _edge(value: object, key: str, problems: list[str]) -> Any:
    """An end or edge in a plain Python type: int, finite float or date. A mistake is added to `problems`."""
    if value is None and key in ("low", "high"):
        problems.append(f"{key}: missing; give the {key}est value of the domain, or give edges")
    elif isinstance(value, datetime):
        problems.append(f"{key}: {value} has a time of day; give a date such as 2024-01-31")
    elif isinstance(value, date):
        return value
    elif isinstance(value, bool | np.bool_):
        problems.append(f"{key}: true and false have no order; declare a nominal attribute")
    elif isinstance(value, int | np.integer):
        if abs(whole := int(value)) < LARGEST:
            return whole
        problems.append(f"{key}: {value} does not fit 64-bit arithmetic; stay within 2**61")
    elif isinstance(value, float | np.floating):
        if math.isfinite(value):
            return float(value) + 0.0  # turns -0.0 into 0.0
        problems.append(f"{key}: {value} cannot end a domain; give a finite number")
    elif isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            problems.append(f"{key}: {value!r} is not a day of the calendar; correct it")
    else:
        problems.append(f"{key}: {value!r} is not a number or a date such as 2024-01-31; write it without quotes")
    return None


def _width(width: object, problems: list[str]) -> Any:
    if isinstance(width, str):
        if width not in _PERIODS:
            problems.append(f"width: {width!r} is unknown; give a number or one of {', '.join(_PERIODS)}")
        return width
    if isinstance(width, bool) or not isinstance(width, int | float | np.integer | np.floating):
        problems.append(f"width: {width!r} is not a number; give a number or one of {', '.join(_PERIODS)}")
        return None
    if isinstance(width, int) and abs(width) > _WIDEST:
        problems.append("width: has too many digits; give a number of at most 300")
        return None
    if not (math.isfinite(width) and width > 0):
        problems.append(f"width: {width} must be a finite number above 0")
        return None
    return int(width) if isinstance(width, int | np.integer) else float(width)


def _kind(values: Sequence[Edge], where: str) -> str:
    dates = sum(isinstance(value, date) for value in values)
    if 0 < dates < len(values):
        raise BadSpec([f"{where.split(',')[0]}: {where} mix dates and numbers; use one kind"])
    if dates:
        return "date"
    return "real" if any(isinstance(value, float) for value in values) else "integer"


def _exact(value: Edge) -> Fraction:
    """The decimal a person wrote, not the binary fraction next to it."""
    if isinstance(value, date):
        return Fraction(value.toordinal() - EPOCH)
    return Fraction(repr(value))
