"""One user is one user, whatever names them and wherever the rows are kept."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.privacy import Unit
from discreet.private.engines.counting_query import count, count_sets
from discreet.private.engines.row_histories import histories
from discreet.schema import Nominal, Ordinal, Schema
from tests.unit.private.engines.plain_counting import SALT

BIG = 2**53
ID = uuid.UUID("6f9619ff-8b86-d011-b42d-00cf4fc964ff")

#: what names one person, each line another one
SAME: dict[str, list[Any]] = {
    "one": [
        1,
        1.0,
        "1",
        "1.0",
        "01",
        " 1",
        "+1",
        "1e0",
        "1\u00a0",
        True,
        "True",
        "true",
        Decimal("1"),
        Decimal("1.00"),
    ],
    "zero": [0, 0.0, -0.0, "0", "-0", "0.0", "-0.0", False, "False", Decimal("0.0")],
    "half": [0.5, "0.5", ".5", "0.50", Decimal("0.5")],
    "beyond 2**53": [
        BIG,
        BIG + 1,
        float(BIG),
        str(BIG),
        str(BIG + 1),
        f"{BIG}.0",
        "9.007199254740992e15",
        Decimal(BIG),
    ],
    "hundred": [100, "1e2", "1E+2", Decimal("1E+2")],
    "text": ["x", " x", "x ", "\tx\n", "\u3000x", "\ufeffx", b"x"],
    "composed": ["caf\u00e9", "cafe\u0301", " cafe\u0301\u2009", "caf\u00e9".encode()],
    "date": [date(2024, 5, 31), "2024-05-31", datetime(2024, 5, 31), "2024-05-31 00:00:00", "2024-05-31T00:00:00"],
    "uuid": [str(ID), str(ID).upper()],
    "infinite": [float("inf"), "inf", "Infinity"],
    "upper case": ["X"],
    "inner space": ["x x"],
    "not quite": ["1 1"],
    "neighbour of 2**53": [BIG - 1, float(BIG - 1), str(BIG - 1)],
    "negative": [-1, "-1", -1.0],
}
NOBODY = [None, float("nan"), "", " ", "\u00a0\u3000", "\t", "nan", "NaN", " NaN ", Decimal("nan")]

SCHEMA = Schema(x=Ordinal(0, 1))


def people(source: Any) -> int:
    """How many users a source has."""
    return int(count(source, SCHEMA, Unit("u", 1), salt=SALT).counts.sum())


def people_by_other_ways(source: Any) -> set[int]:
    bounded = Unit("u", 1, 1)
    items = histories(source, Schema(x=Nominal(["0"])), Unit("u", 100))
    return {
        int(count(source, SCHEMA, bounded, salt=SALT).counts.sum()),
        int(count_sets(source, SCHEMA, [["x"]], bounded, salt=SALT)[0].counts.sum()),
        items.kept(1, distinct=False, scores=None, salt=SALT).users,
    }


def _spelt(value: Any) -> str | None:
    """How a program such as pandas writes a value into a text file."""
    if isinstance(value, bytes):
        return value.decode()
    return None if value is None else str(value)


def _text(values: list[Any]) -> pa.Table:
    return pa.table({"u": pa.array(list(map(_spelt, values)), pa.string()), "x": [0] * len(values)})


def _parquet(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path)
    return path


def _csv(values: list[Any], folder: Path) -> Any:
    lines = ['"' + (_spelt(value) or "").replace('"', '""') + '",0' for value in values]
    (folder / "rows.csv").write_text("u,x\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return folder / "rows.csv"


def _typed_parts(values: list[Any], folder: Path) -> Any:
    """A Parquet file for each type, among them some that hold the same person."""
    by_type: dict[Any, list[Any]] = {}
    for value in values:
        if not isinstance(value, Decimal) or not value.is_nan():
            by_type.setdefault(type(value), []).append(value.date() if isinstance(value, datetime) else value)
    tables = [pa.table({"u": pa.array(own), "x": [0] * len(own)}) for own in by_type.values()]
    return [_parquet(table, folder / f"part{number}.parquet") for number, table in enumerate(tables)]


def _object_frame(values: list[Any], folder: Path) -> Any:
    return pd.DataFrame({"u": pd.Series(values, dtype=object), "x": 0})


def _sqlite(values: list[Any], folder: Path) -> Any:
    with closing(sqlite3.connect(folder / "rows.db")) as database, database:
        database.execute("CREATE TABLE rows (u TEXT, x BIGINT)")
        database.executemany("INSERT INTO rows VALUES (?, 0)", [(_spelt(value),) for value in values])
    return ibis.sqlite.connect(folder / "rows.db").table("rows")


def _ibis_duckdb(values: list[Any], folder: Path) -> Any:
    backend = ibis.duckdb.connect()
    backend.con.register("rows", _text(values))
    return backend.table("rows")


PATHS: dict[str, Callable[[list[Any], Path], Any]] = {
    "csv": _csv,
    "parquet of text": lambda values, folder: _parquet(_text(values), folder / "rows.parquet"),
    "parquet parts by type": _typed_parts,
    "pandas objects": _object_frame,
    "pandas text": lambda values, folder: _text(values).to_pandas(),
    "pandas categories": lambda values, folder: _text(values).to_pandas().astype({"u": "category"}),
    "polars": lambda values, folder: pl.from_arrow(_text(values)),
    "polars objects": lambda values, folder: pl.DataFrame(
        {"u": pl.Series(values, dtype=pl.Object), "x": [0] * len(values)}
    ),
    "arrow": lambda values, folder: _text(values),
    "duckdb": lambda values, folder: duckdb.connect().from_arrow(_text(values)),
    "ibis on duckdb": _ibis_duckdb,
    "ibis on polars": lambda values, folder: ibis.polars.connect({"t": pl.from_arrow(_text(values))}).table("t"),
    "ibis on sqlite": _sqlite,
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_one_rule_on_every_path(path: Callable[[list[Any], Path], Any], tmp_path: Path) -> None:
    everyone = [value for values in SAME.values() for value in values]
    source = path(everyone + NOBODY, tmp_path)
    assert people(source) == len(SAME)
    assert people_by_other_ways(source) == {len(SAME)}
    if path is _sqlite:
        source.get_backend().disconnect()


@pytest.mark.parametrize("values", SAME.values(), ids=SAME)
def test_every_spelling_is_the_same_person(values: list[Any], tmp_path: Path) -> None:
    for name in ("csv", "parquet parts by type", "pandas objects"):
        assert people(PATHS[name](values, tmp_path)) == 1


@pytest.mark.parametrize("value", NOBODY, ids=repr)
def test_nobody_counts_nowhere(value: Any) -> None:
    assert people(_object_frame([value], Path())) == 0


def _parts(folder: Path, *columns: pa.Array) -> list[Path]:
    tables = [pa.table({"u": column, "x": [0] * len(column)}) for column in columns]
    return [_parquet(table, folder / f"part{number}.parquet") for number, table in enumerate(tables)]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([pa.array([BIG + 1]), pa.array([float(BIG)])], 1),
        ([pa.array([BIG + 1]), pa.array([float(BIG + 1)]), pa.array([str(BIG + 1)])], 1),
        ([pa.array([2**62 + 1, 2**62 + 2**11]), pa.array([2.0**62])], 2),
        ([pa.array([2**64 - 1], pa.uint64()), pa.array([2.0**64])], 1),
        ([pa.array([2**24 + 1]), pa.array([2.0**24], pa.float32()), pa.array(["16777217"])], 1),
        ([pa.array([2**24 + 1.0]), pa.array([2.0**24], pa.float32())], 1),
        ([pa.array([Decimal(BIG + 1)], pa.decimal128(38, 0)), pa.array([float(BIG)])], 1),
        ([pa.array([Decimal(10**30 + 1)], pa.decimal128(38, 0)), pa.array([1e30]), pa.array([str(10**30)])], 1),
        ([pa.array([b"caf\xc3\xa9"]), pa.array(["cafe\u0301"])], 1),
        ([pa.array([b"\xff\xfe", b"\xfe\xff"])], 2),
        ([pa.array([ID.bytes], pa.uuid()), pa.array([str(ID).upper()])], 1),
        ([pa.array([date(2024, 5, 31)]), pa.array(["2024-05-31"])], 1),
        ([pa.array([True, False]), pa.array([1, 0]), pa.array(["1", "FALSE"])], 2),
        # whole numbers in every part are exact
        ([pa.array([BIG, BIG + 1, 2**63 - 1, 2**63 - 2])], 4),
        ([pa.array([BIG, BIG + 1]), pa.array([BIG + 1], pa.uint64()), pa.array([7], pa.int8())], 3),
        ([pa.array([Decimal(BIG + 1), Decimal(BIG)], pa.decimal128(38, 0)), pa.array([BIG])], 2),
    ],
)
@pytest.mark.parametrize("careful", [False, True])
def test_parts_of_different_types(
    columns: list[pa.Array], expected: int, careful: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also read the second time, through Arrow, as files are that DuckDB fails on."""
    if careful:
        from discreet.private.engines.file_sources import ParquetSource

        plain: Any = ParquetSource._query
        monkeypatch.setattr(ParquetSource, "_query", lambda *given: plain(*given[:-1], True))
    assert people(_parts(tmp_path, *columns)) == expected
    assert people(_parts(tmp_path, *reversed(columns))) == expected


def test_numbers_that_a_float_confuses_are_never_split(tmp_path: Path) -> None:
    """Every whole number, and the float that some program made of it, in two parts: no float is two users."""
    numbers = [
        sign * (2**power + step) for power in range(53, 63) for step in (-3, -1, 0, 1, 3, 5, 513) for sign in (1, -1)
    ]
    floats = {float(number) for number in numbers}
    texts = pa.array([str(number) for number in numbers])
    for exact in (pa.array(numbers), texts, pa.array(list(map(Decimal, numbers)), pa.decimal128(20, 0))):
        assert people(_parts(tmp_path, exact, pa.array(list(map(float, numbers))))) == len(floats)


def test_typed_columns_of_pandas(tmp_path: Path) -> None:
    for column, expected in [
        (pd.Series([1, 1, None, 2], dtype="Int64"), 2),
        (pd.Series([1.0, 1.0, float("nan"), -0.0, 0.0]), 2),
        (pd.Series([True, False, None], dtype="boolean"), 2),
        (pd.Series([BIG, BIG + 1]), 2),
        (pd.Series([" a", "a", "", None, "e\u0301", "\u00e9"], dtype="string"), 2),
    ]:
        assert people(pd.DataFrame({"u": column, "x": 0})) == expected
