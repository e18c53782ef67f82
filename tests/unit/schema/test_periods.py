"""Periods of dates: how they are written, where they begin and end, and what they leave of a domain."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest

from discreet.errors import BadParameter, BadSpec, UnknownAttribute
from discreet.schema import Nominal, Ordinal, Periods, Reading, Schema

SCHEMA = Schema(day=Ordinal("2025-12-15", "2027-01-20"), sex=Nominal(["f", "m"]))


@pytest.mark.parametrize(
    ("every", "text", "first", "last"),
    [
        ("day", "2026-02-28", "2026-02-28", "2026-02-28"),
        ("week", "2026-W53", "2026-12-28", "2027-01-03"),
        ("week", "2026-W01", "2025-12-29", "2026-01-04"),
        ("month", "2026-02", "2026-02-01", "2026-02-28"),
        ("quarter", "2026-Q4", "2026-10-01", "2026-12-31"),
        ("year", "2026", "2026-01-01", "2026-12-31"),
    ],
)
def test_a_period_has_the_days_of_the_calendar(every: str, text: str, first: str, last: str) -> None:
    span = Periods("day", every).span(text, SCHEMA)
    assert (span.text, str(span.first), str(span.last)) == (text, first, last)


@pytest.mark.parametrize("every", ["day", "week", "month", "quarter", "year"])
def test_every_day_is_in_exactly_one_period(every: str) -> None:
    periods, day, spans = Periods("day", every), date(2025, 12, 15), set()
    while day <= date(2027, 1, 20):
        near = periods._around(day)
        assert near.first <= day <= near.last
        assert periods.span(near.text, SCHEMA) == near
        spans.add(near)
        day += timedelta(days=1)
    ordered = sorted(spans, key=lambda span: span.first)
    for before, after in pairwise(ordered):
        assert before.last + timedelta(days=1) == after.first


@pytest.mark.parametrize(
    ("every", "text"),
    [
        *(
            ("month", text)
            for text in ("2026-13", "2026-00", "2026-1", "2026", "October", "2026-10-01", "", "２０２６-10")
        ),
        ("month", None),
        ("week", "2026-W54"),
        ("week", "2025-W53"),
        ("quarter", "2026-Q5"),
        ("quarter", "2026-Q0"),
        ("day", "2026-02-29"),
        ("year", "26"),
        ("year", "0000"),
    ],
)
def test_what_is_no_period_is_refused_with_an_example(every: str, text: str) -> None:
    periods = Periods("day", every)
    with pytest.raises(BadParameter, match="write it like ") as caught:
        periods.span(text, SCHEMA)
    example = str(caught.value).rpartition("like ")[2]
    assert periods.span(example, SCHEMA).text == example


@pytest.mark.parametrize("text", ["2025-11", "2027-02"])
def test_a_period_outside_of_the_domain_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="outside of day, which is declared from 2025-12-15 to 2027-01-20"):
        Periods("day", "month").span(text, SCHEMA)


def test_the_domain_keeps_the_bins_that_the_period_reaches_into() -> None:
    def narrowed(attribute: Ordinal, text: str = "2026-10", every: str = "month") -> Ordinal:
        schema, periods = Schema(day=attribute), Periods("day", every)
        found = periods.narrowed(schema, periods.span(text, schema))["day"]
        assert isinstance(found, Ordinal)
        assert (found.outside, found.null, found.reading) == (attribute.outside, attribute.null, attribute.reading)
        return found

    days = Ordinal("2026-01-01", "2026-12-31", outside="other", special=["2026-10-05", "2026-11-05"])
    assert narrowed(days).labels == (*(date(2026, 10, day) for day in range(1, 32)), "other")
    assert narrowed(days).special == (date(2026, 10, 5),)
    assert narrowed(Ordinal("2026-01-01", "2026-12-31", "month")).labels == ("2026-10-01..2026-10-31",)
    weeks = narrowed(Ordinal("2025-12-29", "2027-01-03", "week"))
    assert (weeks.labels[0], weeks.labels[-1], weeks.bins) == ("2026-09-28..2026-10-04", "2026-10-26..2026-11-01", 5)
    edges = narrowed(Ordinal(edges=["2026-01-01", "2026-10-10", "2026-11-01", "2027-01-01"]))
    assert edges.labels == ("2026-01-01..2026-10-09", "2026-10-10..2026-10-31")
    assert narrowed(Ordinal("2026-10-20", "2026-12-31")).labels[0] == date(2026, 10, 20)


def test_what_reads_no_data_takes_the_first_whole_period() -> None:
    assert Periods("day", "month").opening(SCHEMA).text == "2026-01"
    assert Periods("day", "month").opening(Schema(day=Ordinal("2026-01-01", "2026-12-31"))).text == "2026-01"
    assert Periods("day", "year").opening(Schema(day=Ordinal("2026-02-01", "2026-12-31"))).text == "2026"


def test_only_dates_that_are_read_as_they_are_tell_periods() -> None:
    with pytest.raises(BadParameter, match='one of "day", "week"'):
        Periods("day", "months")
    with pytest.raises(UnknownAttribute, match="to tell periods by"):
        Periods("date", "month").dates(SCHEMA)
    with pytest.raises(BadSpec, match="holds none"):
        Periods("sex", "month").dates(SCHEMA)
    mapped = Schema(day=Ordinal("2026-01-01", "2026-12-31", reading=Reading(map={"x": "2026-01-01"})))
    with pytest.raises(BadSpec, match="map"):
        Periods("day", "month").dates(mapped)


def test_other_readings_are_other_partitions() -> None:
    def partition(column: str | None = None, written: str | None = None) -> str:
        read = Reading(column, format=written)
        return Periods("day", "month").partition(Schema(day=Ordinal("2026-01-01", "2026-12-31", reading=read)))

    american, european = (partition("When", one) for one in ("%m/%d/%Y", "%d/%m/%Y"))
    assert len({partition(), partition("When"), american, european}) == 4


def test_partitions_of_different_columns_have_different_names() -> None:
    """A column may be called like another one with its format; rows then lie in other periods."""
    read = Schema(d=Ordinal("2024-01-01", "2024-12-31", reading=Reading("d", format="%d/%m/%Y")))
    named = Schema(d=Ordinal("2024-01-01", "2024-12-31", reading=Reading("d (format %d/%m/%Y)")))
    assert Periods("d", "month").partition(read) == "month of d (format %d/%m/%Y)"
    assert Periods("d", "month").partition(named) == 'month of "d (format %d/%m/%Y)"'
