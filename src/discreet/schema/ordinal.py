"""Ordinal attributes: integers, reals or dates in declared bins.

All three kinds are kept as whole ticks: integers as they are, dates as days since 1970-01-01, reals as
multiples of one common fraction. So edges never drift: the bin after 0.2 of width 0.1 starts at 0.3.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from discreet.errors import BadSpec, CannotAnswer, OutsideDomain
from discreet.naming import OTHER, rule_problems
from discreet.schema.asked_values import iso, moment_of, number_of, refuse_times, shown_value
from discreet.schema.bins import EPOCH, Edge, bins_of_edges, bins_of_width
from discreet.schema.reading import PART_NUMBERS, PLAIN, Reading, mapped_codes, reading_problems
from discreet.schema.special import codes_of_special

Label = int | date | str

_INFINITE = (math.inf, -math.inf)
_LABEL_START = {"integer": r"(-?\d+)(?:-|\.\.)-?\d+", "real": r"\[(\S+), ", "date": r"(\d{4}-\d\d-\d\d)\.\."}


@dataclass(frozen=True)
class Ordinal:
    """Values with an order, in bins that leave no gap.

    `Ordinal(17, 90)`: the integers 17 to 90, each its own cell.
    `Ordinal(0.0, 10.0, 0.5)`: twenty half-open bins; the last one includes 10.
    `Ordinal(date(2024, 1, 1), date(2024, 12, 31), "month")`: twelve months.
    `Ordinal(edges=[0, 18, 65, 120])`: explicit bins, here 0-17, 18-64 and 65-119.
    `Ordinal(0, 100000, special=[0])`: on zero very many records are expected.

    `Ordinal(reading=Reading("sold", part="hour"))`: the hours 0 to 23 of what the column `sold` holds.

    Both `low` and `high` belong to it; `width` is that of a bin, of dates also "week", "month", "quarter" or "year".

    `outside` says where a value goes that is not declared, `null` where a missing one goes: "drop", not counted;
    "other", a cell of its own; `outside` also "clamp", the nearest end.

    `special` becomes the labels of such values, in the order of their codes, which are in `special_codes`.
    """

    low: Edge | str | None = None
    high: Edge | str | None = None
    width: float | str = 1
    edges: Sequence[Edge | str] | None = field(default=None, kw_only=True)
    outside: str = field(default="clamp", kw_only=True)
    null: str = field(default="drop", kw_only=True)
    special: Sequence[Edge | str] | None = field(default=None, kw_only=True)
    reading: Reading = field(default=PLAIN, kw_only=True)
    kind: str = field(init=False, repr=False)  # compared: 0 to 1 are two integers, but one bin of reals
    special_codes: tuple[int, ...] = field(init=False, repr=False, compare=False)
    mapped: dict[str, int] = field(init=False, repr=False, compare=False)
    _ticks: Sequence[int] = field(init=False, repr=False, compare=False)
    _per_one: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        problems = rule_problems(self.outside, self.null, ("clamp", "drop", OTHER))
        if self.edges is not None and not (self.low is None and self.high is None and self.width == 1):
            problems.append("edges: give either edges or low, high and width, not both")
        problems += reading_problems(self.reading, needs_part=False)
        low, high = self.low, self.high
        if low is None and high is None and isinstance(self.reading, Reading):
            low, high = PART_NUMBERS.get(self.reading.part or "", (None, None))
        try:
            found = bins_of_width(low, high, self.width) if self.edges is None else bins_of_edges(self.edges)
        except BadSpec as error:
            raise BadSpec(problems + error.problems) from None
        problems += self._kind_problems(found.kind) if not problems else []
        if problems:
            raise BadSpec(problems)
        for name, value in vars(found).items():
            object.__setattr__(self, {"ticks": "_ticks", "per_one": "_per_one"}.get(name, name), value)
        object.__setattr__(self, "mapped", mapped_codes(self.reading, self.code))
        codes = codes_of_special(self.special, self.code, self.label)
        object.__setattr__(self, "special_codes", codes)
        object.__setattr__(self, "special", tuple(self.label(code) for code in codes))

    def _kind_problems(self, kind: str) -> list[str]:
        """How values are read must fit what they are."""
        reading, problems = self.reading, []
        if reading.ignore_case:
            problems.append("ignore_case: numbers and dates have no case; leave it out")
        if reading.part is not None and kind == "date":
            problems.append(f"part: the {reading.part} of a date is a number; give low and high as numbers")
        if reading.format is not None and reading.part is None and kind != "date":
            problems.append('format: is for dates; give low and high as dates, or a part such as part = "hour"')
        return problems

    @property
    def bins(self) -> int:
        """The number of declared bins, without the cell for other values."""
        return len(self._ticks) - 1

    @property
    def has_other(self) -> bool:
        """Whether values outside of the domain, or missing ones, have a cell of their own."""
        return OTHER in (self.outside, self.null)

    @property
    def size(self) -> int:
        """How many codes there are: bins, and the cell for other values."""
        return self.bins + self.has_other

    @property
    def first_number(self) -> int | None:
        """The label of code 0, if labels are whole numbers one after the other and nothing else; otherwise None."""
        one_each = self.kind == "integer" and self.has_one_value_each
        return int(self._ticks[0]) if one_each and not self.has_other else None

    @property
    def has_one_value_each(self) -> bool:
        """Whether every bin holds one whole number or one day."""
        return self.kind != "real" and self._ticks[-1] - self._ticks[0] == self.bins

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """One per code: the value itself where every bin holds one value, else text; "other" last."""
        return tuple(self.label(code) for code in range(self.size))

    def label(self, code: int) -> Label:
        """The label of one code, without building those of all others."""
        if not 0 <= code < self.size:
            raise OutsideDomain(f"code {code} is outside 0..{self.size - 1}")
        if code == self.bins:
            return OTHER
        if self.kind == "real":
            closing = "]" if code == self.bins - 1 else ")"
            return f"[{self._show(code)}, {self._show(code + 1)}{closing}"
        first, last = self._ticks[code], self._ticks[code + 1] - 1
        if self.has_one_value_each:
            return first if self.kind == "integer" else _day(first)
        if self.kind == "date":
            return f"{_day(first)}..{_day(last)}"
        if first == last:
            return str(first)
        return f"{first}-{last}" if first >= 0 else f"{first}..{last}"

    def example(self, code: int) -> str | None:
        """A raw value that counts in this cell, as text; None is a missing one."""
        if code == self.bins:
            return None if self.null == OTHER else "none of these"
        return self._show(code)

    def middle(self, code: int) -> int | float | date:
        """The value in the middle of a bin, or just below it: the value itself, if the bin has but one."""
        first, end = self._ticks[code], self._ticks[code + 1]
        if self.kind == "real":
            middle = (first + end) / (2 * self._per_one)
            return middle if middle < self._edge(code + 1) else self._edge(code)
        middle = (first + end - 1) // 2
        return _day(middle) if self.kind == "date" else middle

    def span(self, code: int) -> tuple[float, float]:
        """The lowest and the highest number in a bin of numbers; a bin of reals ends where the next one begins."""
        first, end = self._ticks[code], self._ticks[code + 1]
        return (first / self._per_one, end / self._per_one) if self.kind == "real" else (first, end - 1)

    def code(self, value: object) -> int:
        """The code of a value or label that a question names; `outside` and `null` are for data only."""
        if isinstance(value, str) and value == OTHER and self.has_other:
            return self.bins
        position = self._position(self._start_of_label(value))
        last = self._edge(self.bins)
        if self.kind == "real" and position == last:
            return self.bins - 1
        if not self._edge(0) <= position < last:
            raise OutsideDomain(f"{shown_value(value)} is outside the declared domain {self._span()}")
        if self.kind == "integer" and position != int(position):
            raise OutsideDomain(f"{shown_value(value)} is not a whole number, but this attribute holds whole numbers")
        return self._last_edge_up_to(position)

    def between(self, low: object = None, high: object = None, *, strict: bool = False) -> tuple[int, int]:
        """First and last code of the bins from `low` to `high`, both included; None leaves a side open.

        A range may go beyond the domain, but may not cut a bin. A bin of reals holds its lower edge and not its
        upper one, so the only upper end of reals that can be included is the end of the domain, which the last bin
        holds. `strict` is for reals: the ends are left out.
        """
        if self.kind == "date":
            refuse_times(low, high)
        asked = f"from {shown_value(low)} to {shown_value(high)}"
        bottom, top = self._edge(0), self._edge(self.bins)
        start = bottom if low is None else self._position(low)
        end = top if high is None else self._position(high)
        if low is not None and high is not None and start > end:
            raise OutsideDomain(f"the range {asked} is empty: its ends are swapped")
        if self.kind == "real":
            misses = end < bottom or start > top
        else:  # between whole values the end is the first value after the range
            start = start if low is None or start in _INFINITE else math.ceil(start)
            end = end if high is None or end in _INFINITE else math.floor(end) + 1
            misses = end <= bottom or start >= top
        if misses:
            raise OutsideDomain(f"no value {asked} is in the declared domain {self._span()}")
        first = self._edge_at(max(start, bottom), low)
        stop = self._edge_at(min(end, top), high)
        if first >= stop:
            raise CannotAnswer(f"the range {asked} holds no whole bin; {self._near(first)}")
        if self.kind == "real":
            last, show = self.bins - 1, self._show
            if strict and low is not None and start >= bottom:
                self._refuse_cut(first, low, f">= {show(first)} to take it whole")
            if strict and high is not None and end == top:
                self._refuse_cut(last, high, f"<= {show(stop)} to take it whole, or < {show(last)} to leave it")
            if not strict and end < top:
                whole = f"{'<=' if stop == last else '<'} {show(stop + 1)}"
                self._refuse_cut(stop, high, f"< {show(stop)} to leave it, or {whole} to take it whole")
        return first, stop - 1

    def start(self, value: object) -> int:
        """The number of the bin that starts at a value; `bins` at the end of the domain."""
        position = self._position(value)
        if not self._edge(0) <= position <= self._edge(self.bins):
            raise OutsideDomain(f"{shown_value(value)} is outside the declared domain {self._span()}")
        index = self._last_edge_up_to(position)
        if self._edge(index) != position:
            near = " or ".join(self._show(place) for place in (index, index + 1) if 0 < place < self.bins)
            fix = f"cut at {near}" if near else "there is nothing to cut"
            raise CannotAnswer(f"{shown_value(value)} splits the bin {self.label(index)}; {fix}")
        return index

    def span_label(self, first: int, last: int) -> str:
        """Several bins in words: "18 to 64"; bins of reals end below the next one."""
        if self.kind == "real":
            return f"{self._show(first)} to {'below ' * (last < self.bins - 1)}{self._show(last + 1)}"
        ends: list[Any] = [self._ticks[first], self._ticks[last + 1] - 1]
        if self.kind == "date":
            ends = [_day(end) for end in ends]
        return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"

    def edges_array(self) -> np.ndarray[Any, np.dtype[Any]]:
        """The lower edge of every bin and then the end: `bins + 1` ascending values.

        int64 for integers and dates (days since 1970-01-01), where the end is the first value after the
        domain; float64 for reals, where the end is the last value of the domain.
        """
        if self.kind == "real":
            return np.array([tick / self._per_one for tick in self._ticks], dtype=np.float64)
        if isinstance(self._ticks, range):
            return np.arange(self._ticks.start, self._ticks.stop, self._ticks.step, dtype=np.int64)
        return np.array(self._ticks, dtype=np.int64)

    def to_dict(self) -> dict[str, Any]:
        """What was declared, in plain JSON and TOML types."""
        if self.edges is None:
            bins = {"low": iso(self.low), "high": iso(self.high), "width": self.width}
        else:
            bins = {"edges": [iso(edge) for edge in self.edges]}
        special = {"special": [iso(label) for label in self.special]} if self.special else {}
        rules = {"outside": self.outside, "null": self.null}
        return {"kind": "ordinal", **bins, **rules, **special, **self.reading.to_dict()}

    def _edge(self, index: int) -> float:
        tick = self._ticks[index]
        return tick / self._per_one if self.kind == "real" else tick

    def _last_edge_up_to(self, position: float) -> int:
        """The index of the last edge at or below a position that lies within the domain."""
        ticks = self._ticks
        if not isinstance(ticks, range):
            return bisect_right(range(len(ticks)), position, key=self._edge) - 1
        if self.kind != "real":
            return (int(position) - ticks.start) // ticks.step
        index = int((position - self._edge(0)) / float(self.width))
        while index > 0 and self._edge(index) > position:  # floats may miss by one; the edges decide
            index -= 1
        while index < self.bins and self._edge(index + 1) <= position:
            index += 1
        return index

    def _edge_at(self, position: float, asked: object) -> int:
        index = self._last_edge_up_to(position)
        if self._edge(index) != position:
            raise CannotAnswer(f"{shown_value(asked)} cuts a bin; {self._near(index)}")
        return index

    def _refuse_cut(self, code: int, asked: object, fix: str) -> NoReturn:
        raise CannotAnswer(f"{shown_value(asked)} is in the bin {self.label(code)}, which this range cuts; write {fix}")

    def _near(self, code: int) -> str:
        codes = range(max(0, code - 1), min(self.bins, code + 2))
        return f"the bins around it are {', '.join(str(self.label(near)) for near in codes)}"

    def _position(self, value: object) -> float:
        """Where a value of a question lies, in the attribute's own unit."""
        position: float | None
        if self.kind == "date":
            position = None if (moment := moment_of(value)) is None else moment.toordinal() - EPOCH
        else:
            position = number_of(value)
        if position is None or position != position:  # NaN
            wanted = {"date": "a date such as 2024-01-31", "integer": "a whole number", "real": "a number"}
            raise OutsideDomain(f"{shown_value(value)} is not {wanted[self.kind]}; the domain is {self._span()}")
        return position

    def _start_of_label(self, value: object) -> object:
        """The lower end of the bin that a text label such as '20-29' names; any other value as it is."""
        match = re.match(_LABEL_START[self.kind], value) if isinstance(value, str) else None
        if match is None:
            return value
        start = match.group(1)
        code = self._last_edge_up_to(min(max(self._position(start), self._edge(0)), self._edge(self.bins - 1)))
        if self.label(code) != value:
            raise OutsideDomain(f"{value!r} is not a bin; {self._near(code)}")
        return start

    def _show(self, index: int) -> str:
        if self.kind == "date":
            return str(_day(self._ticks[index]))
        return repr(self._edge(index)).removesuffix(".0")

    def _span(self) -> str:
        if self.kind == "real":
            return f"{self._show(0)} to {self._show(self.bins)}"
        first, last = self._ticks[0], self._ticks[-1] - 1
        return f"{_day(first)} to {_day(last)}" if self.kind == "date" else f"{first} to {last}"


def _day(ticks: int) -> date:
    return date.fromordinal(ticks + EPOCH)
