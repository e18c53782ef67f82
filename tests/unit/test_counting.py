"""The counting expression against plain Python, over every kind of source."""

from __future__ import annotations

import gzip
import math
import random
import sqlite3
import uuid
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from discreet.counts import Counts
from discreet.engines import count
from discreet.errors import BadParameter, SourceError
from discreet.privacy import Unit
from discreet.schema import Attribute, Nominal, Ordinal, Schema

ROW = Unit("row")
SALT = b"a salt for tests"
Rows = list[dict[str, Any]]

SCHEMA = Schema(
    age=Ordinal(20, 59, 10),
    income=Ordinal(0.0, 1.0, 0.1, outside="drop", null="other"),
    sex=Nominal(["M", "F"], outside="other"),
    day=Ordinal(date(2024, 1, 1), date(2024, 6, 30), "month", outside="other", null="drop"),
    flag=Nominal(["true", "false"], null="other"),
)


# --- plain Python -----------------------------------------------------------------------------------------------


def reference_code(attribute: Attribute, value: Any) -> int | None:
    """The code of a Python value, or None where the row is dropped; written without the engine."""
    other = attribute.size - 1
    rule = {"drop": None, "other": other}
    if value is None or value != value or (isinstance(value, str) and value.strip().lower() in ("", "nan")):
        return rule[attribute.null]
    if isinstance(attribute, Nominal):
        labels = attribute.labels[: attribute.size - attribute.has_other]
        text = reference_text(value)
        return labels.index(text) if text in labels else rule[attribute.outside]
    odd = rule[attribute.null] if attribute.outside == "clamp" else rule.get(attribute.outside)
    try:
        if attribute.kind == "date":
            if isinstance(value, str):
                value = datetime.fromisoformat(value.strip())
            position: float = (value.date() if isinstance(value, datetime) else value).toordinal() - 719163
        else:
            position = value if isinstance(value, int) else float(value)
    except (ValueError, TypeError, AttributeError):
        return odd
    if position != position:
        return rule[attribute.null]
    edges = attribute.edges_array().tolist()
    if attribute.kind == "real" and position == edges[-1]:
        return attribute.bins - 1
    if edges[0] <= position < edges[-1]:
        return bisect_right(edges, position) - 1
    if attribute.outside == "clamp":
        return 0 if position < edges[0] else attribute.bins - 1
    return rule[attribute.outside]


def reference_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def reference_cells(schema: Schema, rows: Rows) -> list[tuple[int, ...] | None]:
    cells = []
    for row in rows:
        codes = [reference_code(attribute, row[name]) for name, attribute in schema.items()]
        cells.append(None if None in codes else tuple(codes))
    return cells  # type: ignore[return-value]


def as_counts(schema: Schema, cells: Counter[tuple[int, ...]]) -> Counts:
    return Counts.from_arrays(schema.sizes, [list(cell) for cell in cells], list(cells.values()))


def reference(schema: Schema, rows: Rows) -> Counts:
    return as_counts(schema, Counter(cell for cell in reference_cells(schema, rows) if cell is not None))


def shown(counts: Counts) -> dict[tuple[int, ...], int]:
    return dict(zip(map(tuple, counts.codes.tolist()), counts.counts.tolist(), strict=True))


# --- every kind of source ---------------------------------------------------------------------------------------


def frame(rows: Rows) -> pa.Table:
    types = {
        "age": pa.int64(),
        "income": pa.float64(),
        "sex": pa.string(),
        "day": pa.date32(),
        "flag": pa.bool_(),
        "user": pa.int64(),
    }
    return pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in types.items()})


def csv_text(rows: Rows, delimiter: str = ",") -> str:
    def cell(value: Any) -> str:
        return "" if value is None else reference_text(value)

    lines = [list(rows[0])] + [[cell(value) for value in row.values()] for row in rows]
    return "\n".join(delimiter.join(line) for line in lines) + "\n"


def csv(rows: Rows, folder: Path) -> Any:
    (folder / "rows.csv").write_text(csv_text(rows))
    return str(folder / "rows.csv")


def packed_csv(rows: Rows, folder: Path) -> Any:
    (folder / "rows.csv.gz").write_bytes(gzip.compress(csv_text(rows).encode()))
    return folder / "rows.csv.gz"


def tsv_files(rows: Rows, folder: Path) -> Any:
    half = len(rows) // 2
    turned = [dict(reversed(row.items())) for row in rows[half:]]  # columns in another order
    (folder / "1.tsv").write_text(csv_text(rows[:half], "\t"))
    (folder / "2.tsv").write_text(csv_text(turned, "\t"))
    return [folder / "1.tsv", folder / "2.tsv"]


def parquet(rows: Rows, folder: Path) -> Any:
    pq.write_table(frame(rows), folder / "rows.parquet", row_group_size=7)
    return folder / "rows.parquet"


def parquet_pattern(rows: Rows, folder: Path) -> Any:
    """Two files with other types and another order of columns."""
    half = len(rows) // 2
    second = frame(rows[half:])
    second = second.set_column(0, "age", second["age"].cast(pa.string()))
    second = second.set_column(5, "user", second["user"].cast(pa.float64()))
    (folder / "o'dd [name]").mkdir()
    pq.write_table(frame(rows[:half]), folder / "o'dd [name]" / "1.parquet")
    pq.write_table(second.select(second.column_names[::-1]), folder / "o'dd [name]" / "2.parquet")
    return str(folder / "o'dd [[]name]" / "*.parquet")


def pandas_frame(rows: Rows, _: Path) -> Any:
    return frame(rows).to_pandas()


def pandas_objects(rows: Rows, _: Path) -> Any:
    mixed = pd.DataFrame(rows, dtype=object)
    mixed["age"] = [str(age) if index % 2 else age for index, age in enumerate(mixed["age"])]
    return mixed


def polars_frame(rows: Rows, _: Path) -> Any:
    return pl.from_arrow(frame(rows))


def polars_lazy(rows: Rows, _: Path) -> Any:
    made = pl.from_arrow(frame(rows))
    assert isinstance(made, pl.DataFrame)
    return made.with_columns(pl.col("sex").cast(pl.Categorical)).lazy()


def arrow(rows: Rows, _: Path) -> Any:
    return frame(rows)


def arrow_chunks(rows: Rows, _: Path) -> Any:
    whole = frame(rows)
    parts = [whole.slice(start, 5) for start in range(0, max(len(whole), 1), 5)]
    return pa.concat_tables(parts).set_column(2, "sex", pa.concat_tables(parts)["sex"].dictionary_encode())


def duckdb_relation(rows: Rows, _: Path) -> Any:
    connection = duckdb.connect()
    connection.register("rows", frame(rows))
    return connection.sql("SELECT *, 1 AS surplus FROM rows")


def ibis_duckdb(rows: Rows, _: Path) -> Any:
    backend = ibis.duckdb.connect()
    table = frame(rows)
    backend.con.register("given", table)
    backend.raw_sql("CREATE TABLE rows AS SELECT * FROM given")
    return backend.table("rows")


def ibis_memtable(rows: Rows, _: Path) -> Any:
    return ibis.memtable(frame(rows))


KINDS: list[Callable[[Rows, Path], Any]] = [
    csv, packed_csv, tsv_files, parquet, parquet_pattern, pandas_frame, pandas_objects, polars_frame, polars_lazy,
    arrow, arrow_chunks, duckdb_relation, ibis_duckdb, ibis_memtable,
]  # fmt: skip


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> Callable[[Rows, Path], Any]:
    return request.param  # type: ignore[no-any-return]


def made_rows(number: int, users: int = 12) -> Rows:
    choose = random.Random(7)
    edges = SCHEMA["income"].edges_array().tolist()  # type: ignore[union-attr]
    return [
        {
            "age": choose.choice([None, 19, 20, 29, 30, 59, 60, -(2**62), 2**62, 41]),
            "income": choose.choice(
                [None, float("nan"), -0.0, -0.01, 1.0, 1.01, *edges, *(edge - 1e-12 for edge in edges)]
            ),
            "sex": choose.choice([None, "M", "F", "m", "X,\"Y'"[:1]]),
            "day": choose.choice([None, *(date(2023, 12, 30) + timedelta(days=9 * k) for k in range(23))]),
            "flag": choose.choice([None, True, False]),
            "user": choose.choice([None, *range(users)]),
        }
        for _ in range(number)
    ]


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # ibis.create_table, in the test itself
def test_every_kind_counts_like_plain_python(kind: Callable[[Rows, Path], Any], tmp_path: Path) -> None:
    rows = made_rows(400)
    assert count(kind(rows, tmp_path), SCHEMA, ROW, salt=SALT) == reference(SCHEMA, rows)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.parametrize("unit", [Unit("user", 7), Unit("user", 9, 2)], ids=["rows", "rows per cell"])
def test_every_kind_bounds_users_alike(kind: Callable[[Rows, Path], Any], unit: Unit, tmp_path: Path) -> None:
    rows = made_rows(300)
    schema = SCHEMA.select(["age", "sex"])
    assert count(kind(rows, tmp_path), schema, unit, salt=SALT) == count(frame(rows), schema, unit, salt=SALT)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
def test_another_engine_counts_like_plain_python(tmp_path: Path) -> None:
    rows = made_rows(200)
    with closing(sqlite3.connect(tmp_path / "rows.db")) as database, database:
        database.execute("CREATE TABLE rows (age BIGINT, sex TEXT, income DOUBLE)")
        database.executemany(
            "INSERT INTO rows VALUES (?, ?, ?)", [(row["age"], row["sex"], row["income"]) for row in rows]
        )
    backend = ibis.sqlite.connect(tmp_path / "rows.db")
    table = backend.table("rows")
    schema = SCHEMA.select(["age", "sex", "income"])
    assert count(table, schema, ROW, salt=SALT) == reference(schema, rows)
    text = table.mutate(age=table.age.cast("string"))
    assert count(text, schema, ROW, salt=SALT) == reference(schema, rows)
    with pytest.raises(SourceError, match=r"sqlite.*export it to Parquet"):
        count(table, schema.select(["sex"]), Unit("age", 1), salt=SALT)
    with pytest.raises(SourceError, match="turn the column into dates"):
        count(table, Schema(sex=Ordinal(date(2024, 1, 1), date(2024, 1, 2))), ROW, salt=SALT)
    backend.disconnect()


def test_no_rows() -> None:
    empty = frame(made_rows(1)).slice(0, 0)
    assert count(empty, SCHEMA, ROW, salt=SALT) == reference(SCHEMA, [])
    assert count(empty, SCHEMA, Unit("user", 3), salt=SALT) == reference(SCHEMA, [])


# --- any value of any type --------------------------------------------------------------------------------------

NUMBERS = [
    "42", " 42 ", "42.0", "42.5", "4.2e1", "-42", "+42", "inf", "-inf", "nan", "", "   ", "many", "4 2", "0x1F",
    "1e999", "99999999999999999999", "12,5", "é", "=1+1", None,
]  # fmt: skip
TEXTS = st.sampled_from(NUMBERS) | st.text(alphabet="0123456789.-+ eM\t'", max_size=6).filter(
    lambda text: "e" not in text and text.strip("\t") == text and "+-" not in text
)
RULES = st.sampled_from(["clamp", "drop", "other"]), st.sampled_from(["drop", "other"])


def one_column(values: Any, attribute: Attribute, kind: pa.DataType | None = None) -> dict[Any, int]:
    table = pa.table({"x": pa.array(values, kind)})
    return shown(count(table, Schema(x=attribute), ROW, salt=SALT))


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXTS, max_size=30), *RULES)
def test_text_where_numbers_are_declared(values: list[str | None], outside: str, null: str) -> None:
    schema = Schema(
        a=Ordinal(-50, 49, 10, outside=outside, null=null),
        b=Ordinal(0.0, 50.0, 2.5, outside=outside, null=null),
        c=Nominal(["42", "42.0", "M"], outside="drop" if outside == "clamp" else outside, null=null),
        d=Ordinal(edges=[-50, -42, 0, 42, 43, 60], outside=outside, null=null),
    )
    rows = [dict.fromkeys("abcd", value) for value in values]
    assert count(pa.table({name: pa.array(values, pa.string()) for name in "abcd"}), schema, ROW, salt=SALT) == (
        reference(schema, rows)
    )


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.floats() | st.integers(-60, 60).map(float) | st.integers(-500, 500).map(lambda k: k / 10),
        max_size=40,
    ),
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-60, 60), max_size=40),
    *RULES,
)
def test_floats_and_integers(floats: list[float], integers: list[int], outside: str, null: str) -> None:
    schema = Schema(
        a=Ordinal(-50, 49, 10, outside=outside, null=null),
        b=Ordinal(-5.0, 5.0, 0.1, outside=outside, null=null),
        c=Nominal([str(k) for k in range(-5, 6)], outside="drop" if outside == "clamp" else outside, null=null),
        d=Ordinal(edges=[-5.0, -0.3, 0.0, 0.1, 0.30000000000000004, 7.0], outside=outside, null=null),
    )
    for values in (floats, integers):
        rows = [dict.fromkeys("abcd", value) for value in values]
        made = pa.table({name: pa.array(values, pa.float64() if values is floats else pa.int64()) for name in "abcd"})
        assert count(made, schema, ROW, salt=SALT) == reference(schema, rows)


@pytest.mark.parametrize("width", [0.1, 0.05, 0.003, 0.7, 1e-9, 0.3333])
def test_every_real_edge_begins_its_bin(width: float) -> None:
    attribute = Ordinal(0.0, float(Decimal(repr(width)) * 900), width, outside="drop")
    edges = attribute.edges_array()
    values = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
    rows = [{"x": value} for value in values.tolist()]
    assert one_column(values, attribute) == shown(reference(Schema(x=attribute), rows))
    text = [repr(value) for value in values.tolist()]
    assert one_column(text, attribute) == shown(reference(Schema(x=attribute), rows))


def test_floats_of_32_bits_meet_their_decimals() -> None:
    attribute = Ordinal(0.0, 1.0, 0.1)
    values = np.array([k / 10 for k in range(11)], dtype=np.float32)
    assert one_column(values, attribute) == {(code,): 1 + (code == 9) for code in range(10)}
    edges = Ordinal(edges=[0.0, 0.1, 0.7, 1.0])
    assert one_column(np.array([0.1, 0.7], dtype=np.float32), edges) == {(1,): 1, (2,): 1}


@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.decimal128(38, 0), pa.uint64()])
def test_large_integers_are_exact(kind: pa.DataType) -> None:
    low, width = 2**60, 2**51 + 1
    attribute = Ordinal(low, low + 100 * width - 1, width, outside="drop")
    edges = [low + k * width for k in range(101)]
    values = [edge + step for edge in edges for step in (-1, 0, 1)]
    rows = [{"x": value} for value in values]
    given_values = [str(value) for value in values] if kind == pa.string() else values
    made = pa.array([Decimal(value) for value in values] if kind == pa.decimal128(38, 0) else given_values, kind)
    assert one_column(made, attribute) == shown(reference(Schema(x=attribute), rows))
    single = Ordinal(2**53, 2**53 + 9, outside="drop")
    rows = [{"x": 2**53 + step} for step in range(-1, 11)]
    made = [row["x"] for row in rows]
    made = [str(value) for value in made] if kind == pa.string() else made
    assert one_column(made, single, None if kind == pa.string() else pa.int64()) == {(k,): 1 for k in range(10)}


def test_many_uneven_bins() -> None:
    edges = sorted({0, *(k * k for k in range(1, 200))})
    attribute = Ordinal(edges=edges, outside="other", null="other")
    values = [*range(-3, 200 * 200, 7), None]
    assert one_column(values, attribute) == shown(reference(Schema(x=attribute), [{"x": v} for v in values]))


MOMENTS = [
    date(2024, 2, 29), datetime(2024, 2, 29, 23, 59, 59, 999999), date(1, 1, 1), date(9999, 12, 31), None,
    date(2023, 12, 31), date(2024, 1, 1), date(2025, 12, 31), date(2026, 1, 1), datetime(2024, 12, 30),
]  # fmt: skip


@pytest.mark.parametrize("width", [1, 17 * 43, "week", "month", "quarter", "year"])
@pytest.mark.parametrize("outside", ["clamp", "other"])
def test_dates(width: int | str, outside: str) -> None:
    low, high = (date(2024, 1, 1), date(2025, 12, 28)) if width == "week" else (date(2024, 1, 1), date(2025, 12, 31))
    attribute = Ordinal(low, high, width, outside=outside, null="other")
    wanted = shown(reference(Schema(x=attribute), [{"x": value} for value in MOMENTS]))
    days = [value.date() if isinstance(value, datetime) else value for value in MOMENTS]
    assert one_column(days, attribute, pa.date32()) == wanted
    texts = [None if value is None else value.isoformat() for value in MOMENTS]
    assert one_column(texts, attribute) == wanted
    moments = [datetime(*day.timetuple()[:3], 23, 59, 59) if day else None for day in days]
    unit, zone = ("ms", None) if outside == "clamp" else ("us", "UTC")
    assert one_column(moments, attribute, pa.timestamp(unit, zone)) == wanted


@pytest.mark.parametrize(
    "kind", [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC")]
)
def test_moments_beyond_any_calendar(kind: pa.DataType) -> None:
    values = [2**63 - 2, -(2**63), 2**62, -(2**62), 0, -1, None]
    attribute = Ordinal(date(1969, 12, 31), date(1970, 1, 1), outside="other", null="drop")
    assert one_column(values, attribute, kind) == {(0,): 1, (1,): 1, (2,): 4}
    nominal = Nominal(["1970-01-01"], outside="other", null="drop")
    assert one_column(values, nominal, kind) == {(0,): 1, (1,): 5}


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
    rules = {"outside": "other", "null": "drop"}
    schema = Schema(
        a=Ordinal(0, 9, **rules),
        b=Ordinal(0.0, 9.0, **rules),
        c=Ordinal(date(2024, 1, 1), date(2024, 1, 10), **rules),
        d=Nominal([str(k) for k in range(10)], **rules),
    )
    columns = dict.fromkeys("abcd", values)
    table = pd.DataFrame(columns) if isinstance(values, pd.Series) else pa.table(columns)
    assert shown(count(table, schema, ROW, salt=SALT)) == {(10, 9, 10, 10): 2}


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
    rules = {"outside": "other", "null": "other"}
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
    rules = {"outside": "other", "null": "other"}
    day = Ordinal(date(1969, 12, 31), date(1970, 1, 2), **rules)
    for attribute in (Nominal(labels, **rules), Ordinal(0, 99, **rules), Ordinal(0.0, 9.0, **rules), day):
        schema = Schema(dict.fromkeys(columns, attribute) | {"text": Nominal(["M", "F"], outside="other")})
        sound, flawed = (
            shown(count(tmp_path / f"{one}.parquet", schema, ROW, salt=SALT)) for one in ("sound", "broken")
        )
        assert sound == flawed


def test_other_arrow_types() -> None:
    half = pa.array(np.array([0.5, np.nan, 3.0], dtype=np.float16))
    assert one_column(half, Ordinal(0.0, 4.0, 0.5, null="other")) == {(1,): 1, (6,): 1, (8,): 1}
    wide = pa.array([Decimal(3), None], pa.decimal256(60, 2))
    assert one_column(wide, Ordinal(0, 4, null="other")) == {(3,): 1, (5,): 1}
    assert one_column(pa.nulls(3), Ordinal(0, 4, null="other")) == {(5,): 3}
    assert one_column(pa.nulls(3), Nominal(["a"], null="other")) == {(1,): 3}
    raw = [None, pa.array([0, 1, 3, 4], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff\xfeb")]
    broken = pa.Array.from_buffers(pa.string(), 3, raw)
    assert one_column(broken, Nominal(["a", "b"], outside="other")) == {(0,): 1, (1,): 1, (2,): 1}


def test_tables_with_more_cells_than_64_bits_hold() -> None:
    schema = Schema({f"x{k}": Ordinal(0, 2**30 - 1) for k in range(5)})
    values = [[k, 2**30 - 1 - k, 5, 2**29, k % 3] for k in range(50)] * 2
    made = pa.table({f"x{k}": pa.array([row[k] for row in values]) for k in range(5)})
    assert shown(count(made, schema, ROW, salt=SALT)) == {tuple(row): 2 for row in values}
    bounded = count(made.append_column("u", pa.array([1] * 100)), schema, Unit("u", 10), salt=SALT)
    assert bounded.counts.sum() == 10


def test_too_many_bins_to_compute() -> None:
    with pytest.raises(BadParameter, match="wider"):
        one_column([1], Ordinal(0, 2**60 - 1, 2))
    with pytest.raises(BadParameter, match="fewer"):
        one_column([1], Ordinal(edges=np.cumsum(np.linspace(1, 2, 10_100)).tolist()))


# --- users ------------------------------------------------------------------------------------------------------


def test_users_within_the_bound_keep_every_row() -> None:
    rows = made_rows(300, users=40)
    busiest = max(Counter(row["user"] for row in rows if row["user"] is not None).values())
    with_user = [row for row in rows if row["user"] is not None]
    assert count(frame(rows), SCHEMA, Unit("user", busiest), salt=SALT) == reference(SCHEMA, with_user)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=40),
    st.integers(1, 6),
    st.none() | st.integers(1, 4),
    st.binary(min_size=1),
)
def test_bounds_hold_for_every_user(rows: list[tuple[int, int]], most: int, per_cell: int | None, salt: bytes) -> None:
    # the user is also an attribute, so that the counts show what was kept of each
    table = pa.table({"u": pa.array([u for u, _ in rows], pa.int64()), "x": pa.array([x for _, x in rows], pa.int64())})
    schema = Schema(u=Ordinal(0, 3), x=Ordinal(0, 2))
    kept = shown(count(table, schema, Unit("u", most, per_cell), salt=salt))
    for person in range(4):
        have = Counter(x for u, x in rows if u == person)
        capped = {x: min(n, per_cell or n) for x, n in have.items()}
        mine = {cell[1]: n for cell, n in kept.items() if cell[0] == person}
        assert sum(mine.values()) == min(most, sum(capped.values()))
        assert all(n <= capped[x] for x, n in mine.items())


def test_what_is_kept_of_a_user_does_not_depend_on_others() -> None:
    schema = Schema(u=Ordinal(0, 9), x=Ordinal(0, 99))
    choose = random.Random(3)
    rows = [(u, choose.randrange(100)) for u in range(10) for _ in range(50)]

    def kept(some: list[tuple[int, int]], user: int) -> dict[Any, int]:
        table = pa.table({"u": [u for u, _ in some], "x": [x for _, x in some]})
        return {cell: n for cell, n in shown(count(table, schema, Unit("u", 5), salt=SALT)).items() if cell[0] == user}

    assert kept(rows, 4) == kept([row for row in rows if row[0] in (4, 7)], 4)


@pytest.mark.parametrize("unit", [Unit("user", 4), Unit("user", 5, 2)])
def test_order_chunks_and_threads_do_not_matter(unit: Unit, tmp_path: Path) -> None:
    rows = made_rows(5000, users=300)
    schema = SCHEMA.select(["age", "sex", "day"])
    wanted = count(frame(rows), schema, unit, salt=SALT, threads=1)
    random.Random(5).shuffle(rows)
    assert count(frame(rows), schema, unit, salt=SALT, threads=4) == wanted
    pq.write_table(frame(rows[::-1]), tmp_path / "rows.parquet", row_group_size=100)
    assert count(tmp_path / "rows.parquet", schema, unit, salt=SALT, threads=2) == wanted
    assert count(csv(rows, tmp_path), schema, unit, salt=SALT, threads=3) == wanted
    assert count(frame(rows), schema, unit, salt=b"another") != wanted


def _chi_square(observed: Counter[Any], law: dict[Any, float]) -> float:
    total = sum(observed.values())
    assert set(observed) <= set(law)
    statistic = sum((observed[key] - total * share) ** 2 / (total * share) for key, share in law.items())
    return float(chi2.sf(statistic, len(law) - 1))


@pytest.mark.parametrize("text", [False, True], ids=["numbered", "named"])
def test_the_choice_is_uniform(text: bool) -> None:
    """Rows 0, 1, 2, 2, 2, 3 of each of many users, of which two are kept: every pair of rows is as likely."""
    users, cells = 6000, [0, 1, 2, 2, 2, 3]
    pairs = [(cells[i], cells[j]) for i in range(6) for j in range(i + 1, 6)]
    law = {pair: share / len(pairs) for pair, share in Counter(pairs).items()}
    people = np.repeat(np.arange(users), len(cells))
    names = pa.array([f"person {k}" for k in people]) if text else pa.array(people)
    table = pa.table({"name": names, "u": people, "x": np.tile(cells, users)})
    counts = count(table, Schema(u=Ordinal(0, users - 1), x=Ordinal(0, 3)), Unit("name", 2), salt=b"fresh")
    kept: dict[int, list[int]] = {}
    for (person, cell), n in shown(counts).items():
        kept.setdefault(person, []).extend([cell] * n)
    assert _chi_square(Counter(tuple(sorted(pair)) for pair in kept.values()), law) > 1e-9
    # and neighbours in the numbering of users are independent
    both = Counter((kept[k][0], kept[k + 1][0]) for k in range(0, users, 2))
    single = Counter(pair[0] for pair in pairs)
    joint = {(a, b): single[a] * single[b] / 225 for a in single for b in single}
    assert _chi_square(both, joint) > 1e-9


def test_the_choice_is_uniform_over_salts() -> None:
    table = pa.table({"u": [1] * 8, "x": [0, 0, 0, 0, 0, 1, 1, 2]})
    schema, unit = Schema(x=Ordinal(0, 2)), Unit("u", 1)
    seen = Counter(next(iter(shown(count(table, schema, unit, salt=bytes([k]))))) for k in range(30))
    assert _chi_square(seen, {(0,): 5 / 8, (1,): 2 / 8, (2,): 1 / 8}) > 1e-9


def test_one_user_with_a_million_rows() -> None:
    cells = np.zeros(1_000_000, dtype=np.int64)
    cells[:250_000] = 1
    people = np.full(1_000_000, 77)
    table = pa.table({"u": np.append(people, [1, 2, 3]), "x": np.append(cells, [2, 2, 2])})
    counts = shown(count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1000), salt=SALT))
    assert counts[(0,)] + counts[(1,)] == 1000
    assert abs(counts[(1,)] - 250) < 7 * math.sqrt(1000 * 0.25 * 0.75)
    assert counts[(2,)] == 3
    capped = shown(count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1000, 400), salt=SALT))
    assert capped == {(0,): 400, (1,): 400, (2,): 3}


@pytest.mark.parametrize(
    "users",
    [
        pa.array([1.0, 1.0, float("nan"), -0.0, 0.0, None]),
        pa.array(["1", "1.0", "", "0.0", "0", None]),
        pa.array([Decimal("1.0"), Decimal("1.0"), None, Decimal("0.0"), Decimal("0.0"), None]),
        pa.array([True, True, None, False, False, None]),
        pa.array(["1", "1", None, "0", "0", None]).dictionary_encode(),
    ],
    ids=["float", "text", "decimal", "boolean", "dictionary"],
)
def test_one_user_is_one_user(users: pa.Array) -> None:
    table = pa.table({"u": users, "x": [0] * 6})
    assert shown(count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1), salt=SALT)) == {(0,): 2}


def test_a_column_that_cannot_name_users() -> None:
    table = pa.table({"u": [[1], [2]], "x": [0, 0]})
    with pytest.raises(SourceError, match="'u' cannot name users"):
        count(table, Schema(x=Ordinal(0, 2)), Unit("u", 1), salt=SALT)


def test_the_unit_may_be_an_attribute_too() -> None:
    table = pa.table({"x": [0, 0, 1, 2]})
    assert shown(count(table, Schema(x=Ordinal(0, 2)), Unit("x", 1), salt=SALT)) == {
        (0,): 1,
        (1,): 1,
        (2,): 1,
    }


@pytest.mark.parametrize("salt", [b"", "text", None])
def test_a_salt_is_needed(salt: Any) -> None:
    with pytest.raises(BadParameter, match="salt"):
        count(pa.table({"x": [0]}), Schema(x=Ordinal(0, 2)), ROW, salt=salt)


@pytest.mark.parametrize("limits", [{"threads": 0}, {"memory_limit": "lots"}])
def test_wrong_limits(limits: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        count(pa.table({"x": [0]}), Schema(x=Ordinal(0, 2)), ROW, salt=SALT, **limits)


def test_a_table_larger_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    users = np.arange(1_500_000) % 1_000_003
    table = pa.table({"u": users, "x": users % 5})
    counts = shown(count(table, Schema(x=Ordinal(0, 4)), Unit("u", 2, 1), salt=SALT, memory_limit="40MB"))
    assert counts == dict(sorted(Counter((int(k),) for k in (np.arange(1_000_003) % 5)).items()))
    assert list(tmp_path.iterdir()) == []
