"""One description of who is counted, two compilers of it: our own SQL counts exactly what ibis over DuckDB counts."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.privacy import Unit
from discreet.private.engines import counting_query
from discreet.private.engines.base import Source
from discreet.private.engines.counting_query import count, count_sets
from discreet.private.engines.opening import open_source
from discreet.private.engines.period_source import PeriodSource
from discreet.private.engines.row_histories import histories
from discreet.private.engines.session import UNLIMITED
from discreet.private.fit_queries import row_counts
from discreet.private.rows import Rows
from discreet.schema import Attribute, Nominal, Ordinal, Schema, Span
from discreet.schema.reading import Reading
from tests.unit.private.engines.by_ibis import ByIbis
from tests.unit.private.engines.plain_counting import ROW, SALT, SCHEMA, csv, frame, made_rows, shown
from tests.unit.private.engines.test_user_identity import NOBODY, SAME, _spelt
from tests.unit.private.engines.value_cases import CASES

WAYS: dict[str, Callable[[Any], Source]] = {"own": open_source, "ibis": ByIbis}
#: no bound for a user, a bound of rows, and one of rows in a cell, too
UNITS = {"rows": ROW, "users": Unit("user", 3), "cells": Unit("user", 4, 2)}
WHEN = Reading(part="hour")

#: columns of text, and readings of them that differ in what they do with it
TEXTS: list[str | None] = [
    None, "", " ", "nan", "NaN ", "42", " 42 ", "4_2", "1e2", "-0", "0x10", "99999999999999999999",
    "1152921504606846979", "0.3", "0.30000000000000004", "0.7", "inf", "-inf", "many", "true", "a", "A", "a ", "\u0130",
    "\u03a3", "stra\u00dfe", "e\u0301", "\u00e9", "2024-05-31", "2024-05-31 23:30:00", "2024-05-31 23:30:00-05:00",
    "2024-05-31T23:30:00Z", "epoch", "31.05.2024", "it's", 'so "it" is', "\\'; --", "infinity", "0001-01-01",
    "9999-12-31 23:59:59", "2024-02-30", "\x00", "a\x00b", "\t", "\tNaN\n", "\u00a0",
]  # fmt: skip
READINGS: dict[str, Attribute] = {
    "tens": Ordinal(0, 99, 10, outside="other", null="other"),
    "clamped": Ordinal(-5, 99, 3),
    "singles": Ordinal(0, 400, null="other"),
    "edges": Ordinal(edges=[-50, -42, 0, 42, 43, 60], outside="other"),
    "many edges": Ordinal(edges=[k * k for k in range(60)], outside="other"),
    "huge": Ordinal(2**60, 2**60 + 9, outside="other"),
    "wide": Ordinal(-(2**60), 2**60 - 1, 2**50, outside="other", null="other"),
    "tenths": Ordinal(0.0, 1.0, 0.1, outside="other", null="other"),
    "real edges": Ordinal(edges=[0.0, 0.1, 0.30000000000000004, 0.7, 7.0], outside="other"),
    "months": Ordinal(date(2024, 1, 1), date(2024, 12, 31), "month", outside="other", null="other"),
    "weeks": Ordinal(date(2024, 1, 1), date(2024, 12, 29), "week"),
    "hours": Ordinal(0, 23, outside="other", reading=WHEN),
    "weekdays": Nominal(["Mon", "Fri", "Sun"], outside="other", reading=Reading(part="weekday")),
    "years": Ordinal(2020, 2029, outside="other", reading=Reading(format="%d.%m.%Y", part="year")),
    "written": Ordinal(date(2024, 1, 1), date(2024, 12, 31), outside="other", reading=Reading(format="%d.%m.%Y")),
    "mapped": Ordinal(0, 9, outside="other", reading=Reading(map={"many": 9, "it's": 8, "\\'; --": 7})),
    "labels": Nominal(["a", "A", "1", "it's", 'so "it" is', "\\'; --", "42"], outside="other", null="other"),
    "any case": Nominal(["a", "STRASSE", "stra\u00dfe", "\u03c3"], outside="other", reading=Reading(ignore_case=True)),
    "first letters": Nominal(["2", "a", "-"], outside="other", reading=Reading(first=1)),
}


def _numbers() -> dict[str, pa.Array]:
    """The same numbers, and those next to edges, in types that hold them."""
    near = [edge + step for edge in (0.1, 0.3, 0.7, 1.0, 42.0) for step in (-1e-16, 0.0, 1e-16)]
    reals = [None, float("nan"), float("inf"), float("-inf"), -0.0, 1e300, 5e-324, 0.30000000000000004, *near]
    whole = [None, 0, 1, 42, 99, 100, 127]
    return {
        "float64": pa.array(reals, pa.float64()),
        "float32": pa.array([None if one is None else np.float32(one) for one in reals[:5] + near], pa.float32()),
        "int8": pa.array(whole, pa.int8()),
        "int64": pa.array([*whole, 2**60, 2**60 + 3, -(2**63), 2**63 - 1], pa.int64()),
        "uint64": pa.array([*whole, 2**60 + 4, 2**64 - 1], pa.uint64()),
        "decimal": pa.array([None if one is None else f"{one}.50" for one in whole], pa.string()).cast(
            pa.decimal128(9, 2)
        ),
        "bool": pa.array([True, False, None]),
        "date": pa.array([date(2024, 5, 31), date(1, 1, 1), date(9999, 12, 31), None]),
        "moment": pa.array([datetime(2024, 5, 31, 23, 30), datetime(1, 1, 1), datetime(9999, 12, 31), None]),
        "zoned": pa.array([datetime(2024, 5, 31, 23, 30), None], pa.timestamp("us", "America/Sao_Paulo")),
        "categories": pa.array(TEXTS[:-2]).dictionary_encode(),
        "bytes": pa.array([b"a", b"\xff", None]),
        "list": pa.array([[1], None]),
    }


COLUMNS = {"text": pa.array(TEXTS), **_numbers()}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_reading_of_every_type(kind: str) -> None:
    """Row by row: beside the codes stands the number of the row. No rule drops any, so that each row shows them all."""
    column = COLUMNS[kind]
    rows = pa.table({**dict.fromkeys(READINGS, column), "row": np.arange(len(column))})
    for first in range(0, len(READINGS), 7):
        some = list(READINGS)[first : first + 7]
        named = {name: replace(READINGS[name], null="other") for name in some}
        schema = Schema({**named, "row": Ordinal(0, len(column) - 1)})
        found = [shown(count(make(rows), schema, ROW, salt=SALT)) for make in WAYS.values()]
        assert found[0] == found[1]
        assert len(found[0]) == len(column)
    dropped = {name: READINGS[name] for name in ("tens", "months", "labels")}  # by the rule for nulls alone
    schema = Schema({**{name: replace(one, null="drop") for name, one in dropped.items()}, "row": schema["row"]})
    found = [shown(count(make(rows), schema, ROW, salt=SALT)) for make in WAYS.values()]
    assert found[0] == found[1]
    assert 0 < len(found[0]) < len(column)


def test_every_value_case() -> None:
    cases = [(f"x{place}", case) for place, case in enumerate(CASES) if case.duckdb is not None]
    rows = duckdb.connect().sql("SELECT " + ", ".join(f"{case.duckdb} AS {name}" for name, case in cases))
    for first in range(0, len(cases), 20):
        some = cases[first : first + 20]
        kept = Schema({name: case.attribute for name, case in some if case.expected is not None})
        assert shown(count(rows, kept, ROW, salt=SALT)) == shown(count(ByIbis(rows), kept, ROW, salt=SALT))
    dropped = [(name, case) for name, case in cases if case.expected is None]
    for name, case in dropped:
        assert shown(count(ByIbis(rows), Schema({name: case.attribute}), ROW, salt=SALT)) == {}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("streamed", [True, False])
def test_bounded_rows(unit: Unit, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows of the same users, in files of two types: with users in memory, and in one query."""
    if not streamed:
        monkeypatch.setattr(counting_query, "MOST_CELLS", 0)
    rows = made_rows(3_000)
    numbers = frame(rows)
    named = numbers.set_column(5, "user", numbers["user"].cast(pa.string()))
    pq.write_table(numbers.slice(0, 1_500), tmp_path / "a.parquet")
    pq.write_table(named.slice(1_500), tmp_path / "b.parquet")
    parts = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for thing in (numbers, csv(rows, tmp_path) if unit.is_row else parts):
        found = {way: shown(count(make(thing), SCHEMA, unit, salt=SALT)) for way, make in WAYS.items()}
        assert found["own"]
        assert found["own"] == found["ibis"]
        sets = [["age"], ["sex", "flag"]]
        tables = [
            [shown(one) for one in count_sets(make(thing), SCHEMA, sets, unit, salt=SALT)] for make in WAYS.values()
        ]
        assert tables[0] == tables[1]


@pytest.mark.parametrize("streamed", [True, False])
def test_who_is_one_user(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each user by all their names, and nobody; how often each name is there tells them apart."""
    if not streamed:
        monkeypatch.setattr(counting_query, "MOST_CELLS", 0)
    names = [value for values in [*SAME.values(), NOBODY] for value in values]
    texts = pa.array([_spelt(name) for name in names], pa.string())
    rows = pa.table({"user": texts, "x": np.arange(len(names))})
    for most in (1, 2, 5):
        unit, schema = Unit("user", most), Schema(x=Ordinal(0, len(names) - 1))
        found = {way: shown(count(make(rows), schema, unit, salt=SALT)) for way, make in WAYS.items()}
        assert found["own"] == found["ibis"]
    for kind in (pa.float64(), pa.float32(), pa.int16(), pa.bool_(), pa.large_binary()):
        some: list[Any] = [b"1", b"\xff", b"x "] if kind == pa.large_binary() else [True, False, None, True]
        some = some if kind in (pa.bool_(), pa.large_binary()) else [None if one is None else int(one) for one in some]
        rows = pa.table({"user": pa.array(some, kind), "x": np.arange(len(some))})
        found = {
            way: shown(count(make(rows), Schema(x=Ordinal(0, 9)), Unit("user", 1), salt=SALT))
            for way, make in WAYS.items()
        }
        assert found["own"] == found["ibis"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.uint64()])
def test_histories(kind: Any) -> None:
    choose = random.Random(3)
    who = [choose.randrange(40) for _ in range(2_000)]
    rows = pa.table({"who": pa.array(who).cast(kind), "item": [choose.choice("abc") for _ in who]})
    schema, unit = Schema(item=Nominal(["a", "b", "c"])), Unit("who", 100)
    for distinct, scores in ((False, None), (True, None), (True, np.array([1.0, 3.0, 2.0]))):
        kept = [
            histories(make(rows), schema, unit).kept(4, distinct=distinct, scores=scores, salt=b"s" * 16)
            for make in WAYS.values()
        ]
        assert kept[0].users == kept[1].users > 0
        for first in (1, 4):
            assert np.array_equal(kept[0].table(first), kept[1].table(first))


def test_days_of_one_period() -> None:
    days = pa.array([date(2024, 1, 1) + timedelta(days=k) for k in range(90)])
    span = Span("2024-02", date(2024, 2, 1), date(2024, 2, 29))
    dates = Ordinal(date(2024, 1, 1), date(2024, 12, 31))
    for column in (days, days.cast(pa.string()), days.cast(pa.timestamp("us"))):
        rows = pa.table({"day": column, "x": np.arange(90)})
        found = [
            shown(count(PeriodSource(make(rows), "day", dates, span), Schema(x=Ordinal(0, 89)), ROW, salt=SALT))
            for make in WAYS.values()
        ]
        assert found[0] == found[1] == {(place,): 1 for place in range(31, 60)}


def test_what_a_custodian_is_told_of_rows() -> None:
    rows = frame(made_rows(800))
    found = [
        row_counts(make(rows), SCHEMA, Unit("user", 3), {"ages": ["age", "sex"]}, UNLIMITED) for make in WAYS.values()
    ]
    assert found[0] == found[1]
    assert Rows(open_source(rows), UNLIMITED).has_rows
