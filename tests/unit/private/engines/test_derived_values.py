"""Readings against plain Python: dates as they are written, parts of dates, first letters, value maps, case."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import SourceError
from discreet.private.engines.counting_query import count
from discreet.schema import Attribute, Nominal, Ordinal, Reading, Schema
from tests.unit.private.engines.plain_counting import ROW, SALT, shown

WRITTEN = "%m/%d/%Y %H:%M"
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MOMENTS = [datetime(2010, 11, 30, 23, 59) + timedelta(hours=37 * step) for step in range(60)]
#: neither dates nor missing; some of them are to DuckDB
ODD = [
    "epoch",
    "infinity",
    "-infinity",
    "today",
    "13/1/2010 8:26",
    "2/30/2011 1:00",
    "12/1/2010 25:00",
    "x" * 300,
    "12",
]


def csv(texts: pa.Table, folder: Path) -> Any:
    pl.from_arrow(texts).write_csv(folder / "rows.csv")  # type: ignore[union-attr]
    return folder / "rows.csv"


def parquet(texts: pa.Table, folder: Path) -> Any:
    pq.write_table(texts, folder / "rows.parquet")
    return folder / "rows.parquet"


def pandas_frame(texts: pa.Table, _: Path) -> Any:
    return texts.to_pandas()


def pandas_objects(texts: pa.Table, _: Path) -> Any:
    return pd.DataFrame(texts.to_pydict(), dtype=object)


def categories(texts: pa.Table, _: Path) -> Any:
    return texts.to_pandas().astype("category")


def polars_frame(texts: pa.Table, _: Path) -> Any:
    return pl.from_arrow(texts)


def arrow(texts: pa.Table, _: Path) -> Any:
    return texts


def ibis_table(texts: pa.Table, _: Path) -> Any:
    return ibis.memtable(texts)


KINDS = [csv, parquet, pandas_frame, pandas_objects, categories, polars_frame, arrow, ibis_table]


def one_digit(moment: datetime) -> str:
    return f"{moment.month}/{moment.day}/{moment.year} {moment.hour}:{moment.minute:02}"


def counted(source: Any, attribute: Attribute) -> dict[Any, int]:
    cells = shown(count(source, Schema(x=attribute), ROW, salt=SALT))
    return {attribute.label(code): number for (code,), number in cells.items()}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_source_reads_alike(kind: Callable[[pa.Table, Path], Any], tmp_path: Path) -> None:
    texts = [*map(one_digit, MOMENTS), *ODD, None, ""]
    table = pa.table({"sold": pa.array(texts, pa.string()), "code": ["AB1", "ab2", "Ä", None] * 17 + ["AB1"] * 3})
    schema = Schema(
        day=Ordinal(
            date(2010, 12, 1), date(2011, 2, 28), "month", outside="drop", reading=Reading("sold", format=WRITTEN)
        ),
        weekday=Nominal(reading=Reading("sold", format=WRITTEN, part="weekday")),
        hour=Ordinal(reading=Reading("sold", format=WRITTEN, part="hour")),
        code=Nominal(["ab", "ä"], outside="other", null="other", reading=Reading(first=2, ignore_case=True)),
    )
    expected = Counter(
        (
            0 if moment.year == 2010 else moment.month,
            moment.weekday(),
            moment.hour,
            {"AB1": 0, "ab2": 0, "Ä": 1, None: 2}[code],
        )
        for moment, code in zip(MOMENTS, table["code"].to_pylist(), strict=False)
        if date(2010, 12, 1) <= moment.date() <= date(2011, 2, 28)
    )
    assert shown(count(kind(table, tmp_path), schema, ROW, salt=SALT)) == expected


def test_parts_of_typed_dates_are_those_of_their_texts() -> None:
    ways = [
        pa.array(MOMENTS, pa.timestamp("us")),
        pa.array(MOMENTS, pa.timestamp("ns")),
        pa.array([moment.replace(tzinfo=UTC) for moment in MOMENTS], pa.timestamp("ms", "Asia/Tokyo")),
        pa.array([moment.isoformat() for moment in MOMENTS]),
        pa.array([moment.isoformat(" ") for moment in MOMENTS]),
        pa.array(
            [moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(hours=-5))).isoformat(" ") for moment in MOMENTS]
        ),
    ]
    for part, of in {
        "weekday": lambda moment: WEEKDAYS[moment.weekday()],
        "month": lambda moment: moment.strftime("%b"),
        "hour": lambda moment: str(moment.hour),
        "year": lambda moment: str(moment.year),
    }.items():
        values = {"hour": [str(hour) for hour in range(24)], "year": ["2010", "2011"]}.get(part)
        attribute = Nominal(values, reading=Reading(part=part))
        for way in ways:
            assert counted(pa.table({"x": way}), attribute) == Counter(map(of, MOMENTS)), (part, way.type)


def test_a_date_without_a_time_of_day_is_midnight() -> None:
    hour = Ordinal(reading=Reading(part="hour"))
    days = [date(2024, 5, 31), None]
    assert counted(pa.table({"x": pa.array(days, pa.date32())}), hour) == {0: 1}
    assert counted(pa.table({"x": ["2024-05-31", "2024/5/31", None]}), hour) == {0: 2}
    assert counted(pd.DataFrame({"x": [datetime(2024, 5, 31), datetime(2024, 5, 31, 7)]}, dtype=object), hour) == {
        0: 1,
        7: 1,
    }


def test_a_format_reads_numbers_too_and_leaves_typed_dates_alone() -> None:
    day = Ordinal(date(2021, 10, 17), date(2021, 10, 19), outside="drop", reading=Reading(format="%Y%m%d"))
    for values in ([20211018, 20211019, 1], [20211018.0, 20211019.0, 0.5], ["20211018", "20211019", "2021-10-18"]):
        assert counted(pa.table({"x": values}), day) == {date(2021, 10, 18): 1, date(2021, 10, 19): 1}
    typed = pa.table({"x": [date(2021, 10, 18), date(2021, 10, 19)]})
    assert counted(typed, day) == {date(2021, 10, 18): 1, date(2021, 10, 19): 1}


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("%d.%m.%y", "1.12.10"),
        ("%d-%b-%Y", "01-dec-2010"),
        ("%A %d %B %Y", "Wednesday 1 December 2010"),
        ("%a, %d %b %Y", "Wed, 01 Dec 2010"),
        ("%m/%d/%Y %I:%M %p", "12/1/2010 8:26 PM"),
        ("%Y-%m-%dT%H:%M:%S.%f", "2010-12-01T20:26:00.125"),
        ("%Y%j", "2010335"),
        ("it's %d 100%% %m '%Y'", "it's 1 100% 12 '2010'"),
        ("%Y/%m/%d %H:%M:%S", " 2010/12/1 20:26:09 "),
    ],
)
def test_every_way_to_write_a_date(written: str, text: str) -> None:
    rows = pa.table({"x": [text, "", None, "1"]})
    day = Ordinal(date(2010, 12, 1), date(2010, 12, 2), outside="drop", reading=Reading(format=written))
    assert counted(rows, day) == {date(2010, 12, 1): 1}
    if "%H" in written or "%p" in written:
        assert counted(rows, Ordinal(reading=Reading(format=written, part="hour"))) == {20: 1}


def test_what_cannot_be_read_follows_the_rules_and_never_fails() -> None:
    rows = pa.table({"x": pa.array([*ODD, None, " ", "nan"], pa.string())})
    for outside, null, expected in (
        ("drop", "drop", {}),
        ("other", "drop", {"other": len(ODD)}),
        ("drop", "other", {"other": 3}),
        ("clamp", "other", {"other": len(ODD) + 3}),
    ):
        day = Ordinal(date(1900, 1, 1), date(2011, 12, 31), outside=outside, null=null, reading=Reading(format=WRITTEN))
        assert counted(rows, day) == expected
        if outside != "clamp":
            weekday = Nominal(reading=Reading(format=WRITTEN, part="weekday"), outside=outside, null=null)
            assert counted(rows, weekday) == expected


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2]]),
        pa.array([b"\xff\x00", b"12/1/2010 8:26"]),
        pa.array([True, False]),
        pa.array([2**62, -(2**62)]),
        pa.array([float("inf"), float("nan")]),
        pa.array([2**62, -(2**62)], pa.timestamp("s")),
        pa.array([2**31 - 1, -(2**31)], pa.date32()),
        pa.array([None, None], pa.null()),
        pa.array([1, 2], pa.time64("us")),
    ],
    ids=lambda values: str(values.type),
)
def test_no_type_makes_reading_fail(values: Any) -> None:
    rows = pa.table({"x": values})
    for attribute in (
        Ordinal(date(2010, 1, 1), date(2010, 12, 31), outside="drop", reading=Reading(format=WRITTEN)),
        Ordinal(reading=Reading(part="hour"), outside="drop"),
        Ordinal(1900, 2100, reading=Reading(part="year", format="%Y"), outside="drop"),
        Nominal(reading=Reading(part="month")),
        Nominal(["12"], reading=Reading(first=2, map={"tr": "12"}, ignore_case=True)),
        Ordinal(0, 9, reading=Reading(map={"x": 9}), outside="drop"),
    ):
        assert sum(counted(rows, attribute).values()) <= 2


def test_maps_give_values_another_name_in_every_type() -> None:
    sex = Nominal(["Female", "Male"], outside="other", reading=Reading(map={2: "Female", "1": "Male", "F": "Female"}))
    assert counted(pa.table({"x": [1, 2, 2, 3]}), sex) == {"Male": 1, "Female": 2, "other": 1}
    assert counted(pa.table({"x": [1.0, 2.0, None]}), sex) == {"Male": 1, "Female": 1}
    assert counted(pa.table({"x": ["1", "F", "f", "Female"]}), sex) == {"Male": 1, "Female": 2, "other": 1}
    age = Ordinal(
        0, 90, 1, outside="drop", reading=Reading(map={"90+": 90, "newborn": 0, "999": "other"}), null="other"
    )
    assert counted(pa.table({"x": ["90+", "newborn", "7", "999", "old"]}), age) == {90: 1, 0: 1, 7: 1, "other": 1}
    assert counted(pa.table({"x": [90, 999, 5, None]}), age) == {90: 1, 5: 1, "other": 2}


def test_labels_are_found_in_any_case_and_no_row_counts_twice() -> None:
    place = Nominal(
        ["Åre", "ÉIRE", "İzmir", "ΟΔΟΣ"], reading=Reading(ignore_case=True, map={"eire": "éire", "EIRE": "éire"})
    )
    texts = ["åre", "ÅRE", "Eire", "éire", "izmir", "İZMİR", "οδοΣ", "are"]
    assert counted(pa.table({"x": texts}), place) == {"Åre": 2, "ÉIRE": 2, "İzmir": 2, "ΟΔΟΣ": 1}


def test_users_are_bounded_over_derived_attributes() -> None:
    rows = pa.table({"who": ["a"] * 5 + ["b"], "sold": [one_digit(MOMENTS[step]) for step in range(6)]})
    schema = Schema(hour=Ordinal(reading=Reading("sold", format=WRITTEN, part="hour")))
    assert count(rows, schema, discreet.Unit("who", 2), salt=SALT).counts.sum() == 3
    same = Schema(who=Nominal(["a", "b"]), again=Nominal(["a"], reading=Reading("who"), outside="other"))
    assert count(rows, same, discreet.Unit("who", 9), salt=SALT).counts.sum() == 6


def test_another_engine_reads_what_it_can(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "rows.db")) as database, database:
        database.execute("CREATE TABLE rows (x TEXT, age BIGINT, sold TIMESTAMP)")
        rows = [("F", 1, "2010-12-01 08:26:00"), ("ma", 2, "2010-12-04 09:00:00"), (None, 999, None)]
        database.executemany("INSERT INTO rows VALUES (?, ?, ?)", rows)
    backend = ibis.sqlite.connect(tmp_path / "rows.db")
    table = backend.table("rows")
    sex = Nominal(["female", "ma"], reading=Reading(map={"f": "female"}, ignore_case=True))
    assert counted(table, sex) == {"female": 1, "ma": 1}
    age = Schema(age=Ordinal(0, 9, outside="drop", reading=Reading(map={"999": 0})))
    assert shown(count(table, age, ROW, salt=SALT)) == {(0,): 1, (1,): 1, (2,): 1}
    first = Schema(part=Nominal(["m"], reading=Reading("x", first=1)))
    assert shown(count(table, first, ROW, salt=SALT)) == {(0,): 1}
    hour = Schema(hour=Ordinal(reading=Reading("sold", part="hour")))
    assert shown(count(table, hour, ROW, salt=SALT)) == {(8,): 1, (9,): 1}
    with pytest.raises(SourceError, match="turn the column into dates"):
        count(table, Schema(x=Ordinal(reading=Reading(part="hour", format=WRITTEN))), ROW, salt=SALT)
    backend.disconnect()


def test_a_release_says_how_it_was_read_and_answers_by_its_labels(tmp_path: Path) -> None:
    rows = pa.table({"sold": [one_digit(moment) for moment in MOMENTS], "sex": ["F", "m"] * 30})
    schema = Schema(
        weekday=Nominal(reading=Reading("sold", format=WRITTEN, part="weekday")),
        sex=Nominal(["Female", "Male"], reading=Reading(map={"F": "Female", "M": "Male"}, ignore_case=True)),
    )
    data = discreet.open(rows, schema)
    data.publish(discreet.Table(["weekday", "sex"], method="geometric"), 1000, to=tmp_path / "out")
    release = discreet.load(tmp_path / "out")
    assert release.schema == schema
    assert release.manifest["schema"]["weekday"]["format"] == WRITTEN
    assert release.count("weekday = 'Tue'").value == sum(moment.weekday() == 1 for moment in MOMENTS)
    assert release.count("sex = 'FEMALE'").value == release.count({"sex": "Female"}).value == 30
    again = discreet.open(release.rows(60, seed=1), release.schema.without_readings())
    assert again.publish(discreet.Table("sex", method="geometric"), 1000).count().value == 60
