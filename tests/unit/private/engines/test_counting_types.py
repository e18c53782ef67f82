"""The counting expression over values of any type: labels, objects of mixed types, and what holds no such value."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.errors import SourceError
from discreet.privacy import Unit
from discreet.private.engines.counting_query import count
from discreet.schema import Nominal, Ordinal, Schema
from tests.unit.private.engines.plain_counting import ROW, SALT, one_column, shown

PROJECT = Path(__file__).parents[4]


def test_labels_match_values_of_other_types() -> None:
    nominal = Nominal(["1", "2.5", "3.50", "true", "2024-01-31", "7"], outside="other")
    assert one_column([1.0, 2.5, -0.0, 1e300], nominal) == {(0,): 1, (1,): 1, (6,): 2}
    assert one_column([1, 7, 8], nominal, pa.uint8()) == {(0,): 1, (5,): 1, (6,): 1}
    assert one_column([1, 7, 2**64 - 1], nominal, pa.uint64()) == {(0,): 1, (5,): 1, (6,): 1}
    decimals = [Decimal("1.00"), Decimal("2.50"), Decimal("3.50"), Decimal("100.00")]
    assert one_column(decimals, nominal) == {(0,): 1, (1,): 1, (2,): 1, (6,): 1}
    assert one_column([Decimal(10), Decimal(7)], nominal, pa.decimal128(38, 0)) == {(5,): 1, (6,): 1}
    assert one_column([True, False, None], nominal) == {(3,): 1, (6,): 1}
    assert one_column([date(2024, 1, 31), date(1, 1, 1)], nominal) == {(4,): 1, (6,): 1}
    assert one_column([datetime(2024, 1, 31)], nominal) == {(4,): 1}
    assert one_column([b"7", b"\xff"], nominal) == {(5,): 1, (6,): 1}
    assert one_column([0.1, 0.5], Nominal(["0.1", "0.5"]), pa.float32()) == {(0,): 1, (1,): 1}
    assert one_column(pa.array(["1", None, "x"]).dictionary_encode(), nominal) == {(0,): 1, (6,): 1}
    assert one_column(pa.array([1, None, 9]).dictionary_encode(), nominal) == {(0,): 1, (6,): 1}


def test_labels_are_taken_as_written(tmp_path: Path) -> None:
    labels = ["a,b", 'say "hi"', "two\nlines", "=1+1", "O'Brien", "naïve 😀", "007", "NULL", "\\"]
    schema = Schema(x=Nominal(labels), y=Ordinal(0, 1))
    rows = pd.DataFrame({"x": labels * 2, "y": 1})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    wanted = {(code, 1): 2 for code in range(len(labels))}
    assert shown(count(tmp_path / "rows.csv", schema, ROW, salt=SALT)) == wanted
    assert shown(count(rows, schema, ROW, salt=SALT)) == wanted


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], None, []]),
        pa.array([{"a": 1}, None, {"a": 2}]),
        pa.array([timedelta(days=1), None, timedelta(0)]),
        pa.array([1, None, 2], pa.time32("s")),
        pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
        pd.Series([1 + 2j, None, 3j]),
        pd.Series([object(), None, object()]),
        pd.Series([{1}, None, (2,)]),
        pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3])).where([True, False, True]),
    ],
    ids=lambda values: str(getattr(values, "type", getattr(values, "dtype", ""))),
)
def test_types_that_hold_no_such_value_lie_outside(values: Any) -> None:
    rules: dict[str, Any] = {"outside": "other", "null": "drop"}
    schema = Schema(
        a=Ordinal(0, 9, **rules),
        b=Ordinal(0.0, 9.0, **rules),
        c=Ordinal(date(2024, 1, 1), date(2024, 1, 10), **rules),
        d=Nominal([str(k) for k in range(10)], **rules),
    )
    columns = dict.fromkeys("abcd", values)
    table = pd.DataFrame(columns) if isinstance(values, pd.Series) else pa.table(columns)
    assert shown(count(table, schema, ROW, salt=SALT)) == {(10, 9, 10, 10): 2}


@pytest.mark.parametrize("kind", ["DECIMAL(5, 2)[]", "DECIMAL(5, 2)[1]", "ENUM('1', '2')[]"])
def test_lists_in_a_relation_lie_outside(kind: str) -> None:
    """Their names begin as those of what they are lists of."""
    rows = duckdb.connect().sql(f"SELECT ['1']::{kind} AS a, 'x' AS x")
    rules: dict[str, Any] = {"outside": "other", "null": "drop"}
    for attribute in (
        Ordinal(0, 9, **rules),
        Ordinal(0.0, 10.0, **rules),
        Nominal([f"[{k}]" for k in range(10)], **rules),
    ):
        assert shown(count(rows, Schema(a=attribute), ROW, salt=SALT)) == {(10,): 1}
    if kind.startswith("DECIMAL"):
        with pytest.raises(SourceError, match="cannot name users"):
            count(rows, Schema(x=Nominal(["x"])), Unit("a", 1), salt=SALT)


def test_objects_of_mixed_types() -> None:
    values = [
        1,
        1.0,
        "1",
        True,
        None,
        float("nan"),
        pd.NA,
        pd.NaT,
        Decimal("1"),
        np.int64(1),
        b"1",
        2**2000,
        "\ud800",
    ]
    schema = Schema(x=Nominal(["1", "true"], outside="other"))
    made = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert shown(count(made, schema, ROW, salt=SALT)) == {(0,): 6, (1,): 1, (2,): 2}
    objects = pl.DataFrame({"x": pl.Series([1, "1", None, object()], dtype=pl.Object)})
    assert shown(count(objects, schema, ROW, salt=SALT)) == {(0,): 2, (2,): 1}
    wide = pl.DataFrame({"x": pl.Series([1, 2, None], dtype=pl.Int128)})
    assert shown(count(wide, schema, ROW, salt=SALT)) == {(0,): 1, (2,): 1}


@pytest.mark.parametrize(
    "values",
    [
        [True, False, None],
        [1, 2**53 - 1, None],
        [0.5, 1e300, -0.0],
        [Decimal("1.50"), Decimal("1E+3"), Decimal("sNaN"), Decimal("1E+999999")],
        [datetime(2024, 1, 31, 10, 0, 0, 500000), datetime(2024, 1, 31), datetime.min],
        [datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=5))), datetime.min.replace(tzinfo=UTC)],
        [date(2024, 1, 31), date.max],
        ["?", "true"],
        [b"\xff", b"1"],
        pd.Categorical([True, False]),
    ],
    ids=str,
)
def test_no_row_decides_how_others_are_read(values: Any) -> None:
    """A frame guesses a type from its values, so one more row may change it: the counts of the others must stay."""
    labels = ["1", "1.5", "true", "false", "2024-01-31", "2024-01-31 10:00:00.5", "2023-12-31 20:00:00", "1000", "0.5"]
    rules: dict[str, Any] = {"outside": "other", "null": "other"}
    schema = Schema(
        a=Nominal([*labels, "?"], **rules),
        b=Ordinal(0, 9, **rules),
        c=Ordinal(date(2023, 12, 31), date(2024, 2, 1), **rules),
    )

    def counted(some: Any) -> Counter[tuple[int, ...]]:
        made = pd.DataFrame(dict.fromkeys("abc", pd.Series(some)))
        return Counter(shown(count(made, schema, ROW, salt=SALT)))

    without = counted(values)
    for intruder in (object(), None):
        alone = counted(pd.Series([intruder], dtype=object))
        assert without + alone == counted([*values, intruder])


def test_parquet_types_are_read_alike_by_both_readers(tmp_path: Path) -> None:
    """Text that is not UTF-8 makes the file be read through Arrow: all other columns must say the same."""
    identifiers = [uuid.UUID(int=k) for k in range(3)]
    columns = {
        "uuid": pa.array([one.bytes for one in identifiers], pa.uuid()),
        "json": pa.array(['{"a": 1}', "1", None], pa.json_()),
        "bytes": pa.array([b"1", b"\xff", None]),
        "fixed": pa.array([b"12", b"\xff\x00", None], pa.binary(2)),
        "half": pa.array(np.array([0.5, 1, np.nan], dtype=np.float16)),
        "decimal": pa.array([Decimal("1.50"), Decimal("7.00"), None]),
        "moment": pa.array([0, -1, 2**60], pa.timestamp("ns", "UTC")),
        "far": pa.array([0, 2**62, -(2**62)], pa.timestamp("ms")),
        "time": pa.array([0, 1, None], pa.time64("us")),
        "list": pa.array([[1], None, []]),
        "category": pa.array(["1", "x", None]).dictionary_encode(),
        "flag": pa.array([True, False, None]),
    }
    offsets = pa.array([0, 1, 3, 4], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"M\xff\xfeF")])
    for name, text in (("sound", pa.array(["M", "?", "F"])), ("broken", broken)):
        pq.write_table(pa.table({**columns, "text": text}), tmp_path / f"{name}.parquet")
    labels = [*map(str, identifiers), '{"a": 1}', "1", "12", "0.5", "1.5", "7", "1970-01-01", "x", "true", "M", "F"]
    rules: dict[str, Any] = {"outside": "other", "null": "other"}
    day = Ordinal(date(1969, 12, 31), date(1970, 1, 2), **rules)
    for attribute in (Nominal(labels, **rules), Ordinal(0, 99, **rules), Ordinal(0.0, 9.0, **rules), day):
        schema = Schema(dict.fromkeys(columns, attribute) | {"text": Nominal(["M", "F"], outside="other")})
        sound, flawed = (
            shown(count(tmp_path / f"{one}.parquet", schema, ROW, salt=SALT)) for one in ("sound", "broken")
        )
        assert sound == flawed


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_statistics_of_a_file_do_not_hide_nan(kind: pa.DataType, tmp_path: Path) -> None:
    """They leave NaN out, from which an engine could conclude that there is none."""
    column = pa.array([1.0, float("nan"), 2.0], kind)
    pq.write_table(pa.table({"x": column, "user": column}), tmp_path / "a.parquet")
    rules: dict[str, Any] = {"outside": "clamp", "null": "other"}
    for attribute in (Ordinal(0, 8, **rules), Ordinal(0.0, 9.0, **rules)):
        schema = Schema(x=attribute)
        assert shown(count(tmp_path / "a.parquet", schema, ROW, salt=SALT)) == {(1,): 1, (2,): 1, (9,): 1}
        assert shown(count(tmp_path / "a.parquet", schema, Unit("user", 1), salt=SALT)) == {(1,): 1, (2,): 1}


def test_other_arrow_types() -> None:
    half = pa.array(np.array([0.5, np.nan, 3.0], dtype=np.float16))
    assert one_column(half, Ordinal(0.0, 4.0, 0.5, null="other")) == {(1,): 1, (6,): 1, (8,): 1}
    wide = pa.array([Decimal(3), None], pa.decimal256(60, 2))
    assert one_column(wide, Ordinal(0, 4, null="other")) == {(3,): 1, (5,): 1}
    assert one_column(pa.nulls(3), Ordinal(0, 4, null="other")) == {(5,): 3}
    assert one_column(pa.nulls(3), Nominal(["a"], null="other")) == {(1,): 3}
    raw = [None, pa.array([0, 1, 3, 4], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff\xfeb")]
    for kind in (pa.decimal256(60, 2), pa.decimal256(9, 2), pa.decimal128(9, 2)):
        assert one_column(pa.array([Decimal("3.00"), None], kind), Ordinal(0, 4, null="other")) == {(3,): 1, (5,): 1}
    short = pa.array([Decimal("3.00")], pa.decimal256(9, 2))  # the same label as one of 128 bits
    assert one_column(short, Nominal(["3"], outside="other")) == {(0,): 1}
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 6], pa.int32()), pa.array(["a", None, "x"]))
    assert one_column(runs, Nominal(["a"], outside="other", null="drop")) == {(0,): 2, (1,): 3}
    broken = pa.Array.from_buffers(pa.string(), 3, raw)
    assert one_column(broken, Nominal(["a", "b"], outside="other")) == {(0,): 1, (1,): 1, (2,): 1}


@pytest.mark.parametrize("text", ["2024-05-31 23:30:00-05:00", "2024-05-31T23:30:00.5-0500", "2024-05-31 23:30:00-05"])
def test_a_moment_counts_on_its_day_in_utc_in_text_too(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.csv").write_text(f"x,y\n{text},1\n", encoding="utf-8")
    days = Ordinal(date(2024, 5, 31), date(2024, 6, 1))
    assert shown(count(tmp_path / "rows.csv", Schema(x=days), ROW, salt=SALT)) == {(1,): 1}
    assert one_column([datetime.fromisoformat("2024-05-31T23:30:00-05:00")], days) == {(1,): 1}


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Sao_Paulo"])
def test_days_are_those_of_utc_wherever_the_machine_is(zone: str) -> None:
    """In a process of its own, for the zone of a process is known to its engine from the start."""
    code = """
from datetime import UTC, date, datetime
import pyarrow as pa
from tests.unit.private.engines.plain_counting import one_column
from discreet.schema import Ordinal
days = Ordinal(date(2024, 5, 30), date(2024, 6, 1))
moments = [datetime(2024, 5, 31, hour, 30, tzinfo=UTC) for hour in (0, 23)]
for size in ("s", "us", "ns"):
    assert one_column(moments, days, pa.timestamp(size, "UTC")) == {(1,): 2}
assert one_column(["2024-05-31 18:30:00-05:00", "2024-05-31 08:30:00+08:00"], days) == {(1,): 2}
"""
    environment = {**os.environ, "TZ": zone}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_texts_without_an_offset_count_on_the_day_they_name() -> None:
    days = Ordinal(date(2024, 5, 31), date(2024, 6, 1), outside="clamp")
    plain = ["2024-05-31", "2024/5/31", "2024-05-31 23:59:59", "2024-05-31T23:59:59Z", "2024-05-31 24:00:00"]
    assert one_column(plain, days) == {(0,): 5}
    far = ["290309-12-22 (BC) 00:00:00+10", "999999-01-01", "9999-12-31 23:30:00-05:00", "x:30-05:00"]
    assert one_column(far, days) == {(0,): 1, (1,): 2}
