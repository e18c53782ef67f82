"""From the declaration of an ordinal attribute to its bins, with every mistake named at once."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import cast

import numpy as np

Edge = int | float | date

EPOCH = date(1970, 1, 1).toordinal()
LARGEST = 2**61  # keeps every edge, every code and every difference of edges within 64 bits

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_PERIODS = ("week", *_MONTHS)


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


def declared_ticks(low: object, high: object, width: object, edges: object, problems: list[str]) -> Declared | None:
    """The bins that were declared; on mistakes None, and a "key: mistake; fix" for each in `problems`."""
    if edges is not None:
        if low is not None or high is not None or width != 1:
            problems.append("edges: give either edges or low, high and width, not both")
        return _from_edges(edges, problems)
    return _from_width(low, high, width, problems)


def _from_edges(edges: object, problems: list[str]) -> Declared | None:
    if isinstance(edges, str) or not isinstance(edges, Sequence | np.ndarray):
        problems.append("edges: must be a list such as [0, 18, 65, 120]")
        return None
    known = [_edge(value, f"edges[{index}]", problems) for index, value in enumerate(edges)]
    if None in known:
        return None
    values = cast("list[Edge]", known)
    if len(values) < 2:
        problems.append("edges: needs two or more values, the start of every bin and the end of the last")
        return None
    kind = _kind(values, "edges", problems)
    if kind is None:
        return None
    if kind == "real":
        values = [float(cast(float, value)) for value in values]
    wrong = [(before, after) for before, after in pairwise(values) if not before < after]  # type: ignore[operator]
    problems += [
        f"edges: {after} follows {before}, so bins would overlap or be empty; make the edges ascend"
        for before, after in wrong
    ]
    if wrong:
        return None
    per_one = math.lcm(*(_exact(value).denominator for value in values))
    ticks = tuple(int(_exact(value) * per_one) for value in values)
    return Declared(kind, None, None, 1, tuple(values), ticks, per_one)


def _from_width(low: object, high: object, width: object, problems: list[str]) -> Declared | None:
    before = len(problems)
    ends: list[Edge] = []
    for key, value in (("low", low), ("high", high)):
        if value is None:
            problems.append(f"{key}: missing; give the {key}est value of the domain, or give edges")
        elif (edge := _edge(value, key, problems)) is not None:
            ends.append(edge)
    step = _width(width, problems)
    if len(problems) > before or step is None:
        return None
    kind = _kind([*ends, step] if isinstance(step, float) else ends, "low, high and width", problems)
    if kind is None:
        return None
    first, last = ends
    if kind != "date" and isinstance(step, str):
        problems.append(f"width: {step!r} is for dates; give a number here")
        return None
    if first > last or (kind == "real" and first == last):  # type: ignore[operator]
        problems.append(f"high: {last} is not above low = {first}; swap them or correct one")
        return None
    if kind == "date":
        return _dates(cast(date, first), cast(date, last), cast("int | str", step), problems)
    if kind == "real":
        return _reals(float(cast(float, first)), float(cast(float, last)), float(step), problems)
    return _integers(cast(int, first), cast(int, last), cast(int, step), problems)


def _integers(low: int, high: int, width: int, problems: list[str]) -> Declared | None:
    values = high - low + 1
    if values % width:
        nearest = _nearest(values, width)
        problems.append(
            f"high: {low} to {high} is {values} values, not a multiple of width {width}; "
            f"use high = {' or '.join(str(low + near - 1) for near in nearest)}"
        )
        return None
    return Declared("integer", low, high, width, None, range(low, high + 1 + width, width), 1)


def _reals(low: float, high: float, width: float, problems: list[str]) -> Declared | None:
    start, end, step = _exact(low), _exact(high), _exact(width)
    if step < 2 * math.ulp(max(abs(low), abs(high))):
        problems.append(f"width: {width} is too fine for numbers as large as {low} and {high}; use wider bins")
        return None
    if (end - start) % step:
        count = int((end - start) // step)
        nearest = [float(start + bins * step) for bins in (count, count + 1) if bins > 0]
        problems.append(
            f"high: {low} to {high} is not a multiple of width {width}; use high = {' or '.join(map(repr, nearest))}"
        )
        return None
    per_one = math.lcm(start.denominator, step.denominator)
    first, stride, last = (int(value * per_one) for value in (start, step, end))
    return Declared("real", low, high, width, None, range(first, last + stride, stride), per_one)


def _dates(low: date, high: date, width: int | str, problems: list[str]) -> Declared | None:
    if isinstance(width, int):
        days = (high - low).days + 1
        if days % width:
            ends = [low.toordinal() + near - 1 for near in _nearest(days, width)]
            fix = " or ".join(str(date.fromordinal(end)) for end in ends if end <= date.max.toordinal())
            problems.append(f"high: {low} to {high} is {days} days, not a multiple of width {width}; use high = {fix}")
            return None
        start = low.toordinal() - EPOCH
        return Declared("date", low, high, width, None, range(start, start + days + width, width), 1)
    before = len(problems)
    if not _starts(low, width):
        problems.append(f"low: {low} is not the first day of a {width}; use {period_start(low, width)}")
    if high < date.max and not _starts(high + timedelta(days=1), width):
        problems.append(f"high: {high} is not the last day of a {width}; use {period_end(high, width)}")
    if len(problems) > before:
        return None
    starts = [low]
    while (end := period_end(starts[-1], width)) < high:
        starts.append(end + timedelta(days=1))
    ticks = (*(start.toordinal() - EPOCH for start in starts), high.toordinal() + 1 - EPOCH)
    return Declared("date", low, high, width, None, ticks, 1)


def _nearest(values: int, width: int) -> list[int]:
    lower = values // width * width
    return [lower, lower + width] if lower else [width]


def period_start(day: date, period: str) -> date:
    if period == "week":
        return day - timedelta(days=day.weekday())
    months = _MONTHS[period]
    return day.replace(month=(day.month - 1) // months * months + 1, day=1)


def _starts(day: date, period: str) -> bool:
    return day == period_start(day, period)


def period_end(day: date, period: str) -> date:
    start = period_start(day, period)
    if period == "week":
        return start + timedelta(days=6)
    last_month = start.month + _MONTHS[period] - 1
    if last_month == 12:
        return date(start.year, 12, 31)
    return date(start.year, last_month + 1, 1) - timedelta(days=1)


def _edge(value: object, key: str, problems: list[str]) -> Edge | None:
    """An end or edge in a plain Python type: int, finite float or date; on a mistake None."""
    if isinstance(value, datetime):
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
        problems.append(f"{key}: {value} is no end of a domain; give a finite number")
    elif isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            problems.append(f"{key}: {value!r} is no day of the calendar")
    else:
        problems.append(f"{key}: {value!r} is no number and no date such as 2024-01-31; write it without quotes")
    return None


def _width(width: object, problems: list[str]) -> int | float | str | None:
    if isinstance(width, str):
        if width in _PERIODS:
            return width
        problems.append(f"width: {width!r} is unknown; give a number or one of {', '.join(_PERIODS)}")
        return None
    if isinstance(width, bool) or not isinstance(width, int | float | np.integer | np.floating):
        problems.append(f"width: {width!r} is no number")
        return None
    if not (math.isfinite(width) and width > 0):
        problems.append(f"width: {width} must be a finite number above 0")
        return None
    return int(width) if isinstance(width, int | np.integer) else float(width)


def _kind(values: Sequence[Edge], where: str, problems: list[str]) -> str | None:
    dates = sum(isinstance(value, date) for value in values)
    if 0 < dates < len(values):
        problems.append(f"{where.split(',')[0]}: {where} mix dates and numbers; use one kind")
        return None
    if dates:
        return "date"
    return "real" if any(isinstance(value, float) for value in values) else "integer"


def _exact(value: Edge) -> Fraction:
    """The decimal a person wrote, not the binary fraction next to it."""
    if isinstance(value, date):
        return Fraction(value.toordinal() - EPOCH)
    return Fraction(repr(value))
