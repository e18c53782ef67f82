"""Periods of a date attribute: each day lies in exactly one month, and a release may be about one month only."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from discreet.errors import BadParameter, BadSpec, UnknownAttribute
from discreet.naming import did_you_mean
from discreet.schema.bins import EPOCH, period_end, period_start
from discreet.schema.ordinal import Ordinal
from discreet.schema.schema import Schema

#: how each kind of period is written
WRITTEN = {
    "day": r"(\d{4})-(\d\d)-(\d\d)",
    "week": r"(\d{4})-W(\d\d)",
    "month": r"(\d{4})-(\d\d)",
    "quarter": r"(\d{4})-Q(\d)",
    "year": r"(\d{4})",
}
#: why a release of one period takes no public totals
KNOWN_OF_ALL_ROWS = "known: public totals are those of all rows, and this release is about one period; leave them out"


@dataclass(frozen=True)
class Span:
    """One period: `text` is how it is written, `first` and `last` are its days."""

    text: str
    first: date
    last: date


@dataclass(frozen=True)
class Periods:
    """The periods of a date attribute, by which rows are told apart: `Periods("day", "month")`.

    `every` is "day", "week" (Monday to Sunday, 2026-W41), "month", "quarter" (2026-Q4) or "year".
    """

    attribute: str
    every: str

    def __post_init__(self) -> None:
        if not isinstance(self.attribute, str) or not self.attribute:
            raise BadParameter(f"periods need the name of a date attribute, not {self.attribute!r}")
        if not isinstance(self.every, str) or self.every not in WRITTEN:
            known = ", ".join(f'"{name}"' for name in WRITTEN)
            raise BadParameter(
                f"a period must be one of {known}, not {self.every!r}.{did_you_mean(self.every, WRITTEN)}"
            )

    def dates(self, schema: Schema) -> Ordinal:
        """The attribute of a schema that says when; refuses one whose days are not read off one row as dates."""
        if self.attribute not in schema:
            hint = did_you_mean(self.attribute, schema)
            raise UnknownAttribute(f"there is no attribute {self.attribute!r} to tell periods by.{hint}")
        attribute = schema[self.attribute]
        if not isinstance(attribute, Ordinal) or attribute.kind != "date":
            raise BadSpec([f"period: is for dates, and {self.attribute} holds none; give low and high as dates"])
        if attribute.reading.map:
            raise BadSpec([f"period: {self.attribute} has a map, and days must be read as they are written; remove it"])
        return attribute

    def span(self, text: str, schema: Schema) -> Span:
        """The period of this text; refuses what is no such period, or lies outside of the domain."""
        attribute = self.dates(schema)
        pattern, example = WRITTEN[self.every], self.opening(schema).text
        found = re.fullmatch(pattern, text) if isinstance(text, str) and text.isascii() else None
        if found is None:
            raise BadParameter(f"{text!r} is not a {self.every}; write it like {example}")
        try:
            first = _first_day(self.every, [int(part) for part in found.groups()])
        except ValueError:
            raise BadParameter(f"there is no {self.every} {text} in the calendar; write it like {example}") from None
        span = self._around(first)
        low, high = _ends(attribute)
        if span.last < low or span.first > high:
            raise BadParameter(
                f"{text} lies outside of {self.attribute}, which is declared from {low} to {high}; name another "
                f"{self.every}, or change its low and high"
            )
        return span

    def opening(self, schema: Schema) -> Span:
        """The first period that lies in the domain wholly, or else the first of all: for what reads no data."""
        low, high = _ends(self.dates(schema))
        first = self._around(low)
        if first.first < low and first.last < high:
            second = self._around(first.last + timedelta(days=1))
            first = second if second.last <= high else first
        return first

    def narrowed(self, schema: Schema, span: Span) -> Schema:
        """The schema with those bins of the dates only that the period reaches into: no other can hold a row of it."""
        attribute = self.dates(schema)
        edges = attribute.edges_array().tolist()
        low, after = (day.toordinal() - EPOCH for day in (span.first, span.last + timedelta(days=1)))
        within = [place for place in range(len(edges) - 1) if edges[place] < after and edges[place + 1] > low]
        first, last = edges[within[0]], edges[within[-1] + 1]
        bins: dict[str, Any] = (
            {"low": _day(first), "high": _day(last - 1)}
            if attribute.edges is None
            else {"edges": [_day(edge) for edge in edges[within[0] : within[-1] + 2]]}
        )
        known = zip(attribute.special or (), attribute.special_codes, strict=True)
        special = [label for label, code in known if code in within]
        return Schema({**schema, self.attribute: replace(attribute, **bins, special=special or None)})

    def partition(self, schema: Schema) -> str:
        """What decides in which period a row is: two partitions of one name put every row into the same period."""
        read = self.dates(schema).reading.to_dict()
        column = read.pop("column", self.attribute)
        parts = (f"({key} {_plain_or_quoted(value)})" for key, value in read.items())
        return " ".join([f"{self.every} of {_plain_or_quoted(column)}", *parts])

    def to_dict(self, schema: Schema, span: Span) -> dict[str, str]:
        """For release.json and the digest of a request."""
        return {
            "period": span.text,
            "first": str(span.first),
            "last": str(span.last),
            "attribute": self.attribute,
            "partition": self.partition(schema),
        }

    def _around(self, day: date) -> Span:
        if self.every == "day":
            return Span(str(day), day, day)
        first, last = period_start(day, self.every), period_end(day, self.every)
        week = first.isocalendar()
        text = {
            "week": f"{week.year:04}-W{week.week:02}",
            "month": f"{first.year:04}-{first.month:02}",
            "quarter": f"{first.year:04}-Q{(first.month + 2) // 3}",
            "year": f"{first.year:04}",
        }[self.every]
        return Span(text, first, last)


def _plain_or_quoted(value: object) -> str:
    """As it is, unless it could be taken for more than itself."""
    text = str(value)
    return json.dumps(text) if set(text) & set('()"') else text


def _first_day(every: str, parts: list[int]) -> date:
    if every == "week":
        return date.fromisocalendar(parts[0], parts[1], 1)
    if every == "quarter":
        return date(parts[0], 3 * parts[1] - 2, 1)
    year, month, day = (*parts, 1, 1)[:3]
    return date(year, month, day)


def _ends(attribute: Ordinal) -> tuple[date, date]:
    edges = attribute.edges_array()
    return _day(int(edges[0])), _day(int(edges[-1]) - 1)


def _day(ticks: int) -> date:
    return date.fromordinal(ticks + EPOCH)
