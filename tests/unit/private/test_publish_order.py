"""The order of publishing: the charge before the count, the record before the folder, and refusals that are free."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet
from discreet.errors import BadParameter, BudgetExceeded, DiscreetError, SourceError, UnknownAttribute
from discreet.ledger import Ledger
from discreet.mechanisms.table.geometric import Geometric
from discreet.private.open_data import from_counts
from discreet.tasks import task_from_dict
from tests.unit.private.publish_cases import SCHEMA, TASK, charges, failing, hidden, no_more, people, spent

FRAME = pd.DataFrame({"age": [0, 1, 4], "sex": ["f", "m", "f"], "when": pd.to_datetime(["2024-01-01"] * 3)})
KINDS = ["pandas", "polars", "lazy", "arrow", "parquet", "stream", "ibis-duckdb", "ibis-sqlite"]


def test_the_charge_is_on_disk_before_anything_is_counted(tmp_path: Path) -> None:
    seen: list[Fraction] = []
    data = failing(people(tmp_path), lambda: seen.append(spent(tmp_path)))
    data.publish(TASK, "0.75", name="a", to=tmp_path / "a")
    assert seen == [Fraction(3, 4)]


def test_the_record_is_on_disk_before_the_folder_can_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, seen = Path.rename, []

    def renamed(self: Path, target: Path) -> Path:
        seen.append((Ledger.read(tmp_path / "l.ledger").recorded("a"), target.exists(), self.stat().st_mode & 0o077))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", renamed)
    release = people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert [(seal, there) for seal, there, _ in seen] == [(release.manifest["seal"], False)]


def test_until_it_is_complete_nobody_else_can_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync, modes = os.fsync, list[int]()
    data = people(tmp_path)

    def watched(handle: int) -> None:
        modes.extend(stat.S_IMODE((tmp_path / name).stat().st_mode) for name in hidden(tmp_path))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert len(modes) >= 2, "both files are forced to the disk before the folder is renamed"
    assert set(modes) == {0o700}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"epsilon": 0}, BadParameter),
        ({"epsilon": -1}, BadParameter),
        ({"epsilon": float("nan")}, BadParameter),
        ({"epsilon": float("inf")}, BadParameter),
        ({"epsilon": 10**9}, BadParameter),
        ({"epsilon": "1e-40"}, BadParameter),
        ({"epsilon": "much"}, BadParameter),
        ({"epsilon": True}, BadParameter),
        ({"task": discreet.Table(["age", "sexx"])}, UnknownAttribute),
        ({"task": ["age", "sex"]}, BadParameter),
        ({"task": ["age", "sex"], "name": None}, BadParameter),
        ({"task": task_from_dict({"task": "table", "by": ["age"], "method": "geometrik"})}, BadParameter),
        ({"task": task_from_dict({"task": "table", "by": ["age"], "method": "geometric", "theta": 3})}, BadParameter),
        ({"epsilon": "3.000000001"}, BudgetExceeded),
    ],
)
def test_what_is_refused_costs_nothing_and_leaves_nothing(
    tmp_path: Path, change: dict[str, Any], error: type[Exception]
) -> None:
    data = failing(people(tmp_path), no_more)
    request = {"task": TASK, "epsilon": 1, "name": "a", "to": tmp_path / "deep" / "a", **change}
    with pytest.raises(error):
        data.publish(**request)
    assert spent(tmp_path) == 0
    assert charges(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger", "l.ledger.heads"]


def test_a_missing_column_costs_nothing(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"age": [1, 2], "sex": ["f", "m"]})
    unit = discreet.Unit("person", max_rows=2)
    data = discreet.open(table, SCHEMA, unit=unit, ledger=tmp_path / "l.ledger")
    with pytest.raises(SourceError, match="no column 'person'"):
        data.publish(TASK, 1)
    assert charges(tmp_path) == []


@pytest.mark.parametrize("name", ["count", "Stderr", "LOW", "high"])
def test_an_attribute_with_the_name_of_our_columns_costs_nothing(tmp_path: Path, name: str) -> None:
    schema = discreet.Schema({name: discreet.Ordinal(0, 4)})
    data = from_counts(schema, [[0]], [1], ledger=tmp_path / "l.ledger")
    with pytest.raises(BadParameter, match=f"'{name}'.*rename"):
        data.publish(discreet.Table(name), 1)
    assert charges(tmp_path) == []


def test_a_table_of_a_million_million_cells_names_a_method_for_it(tmp_path: Path) -> None:
    schema = discreet.Schema(a=discreet.Ordinal(1, 10**6), b=discreet.Ordinal(1, 10**6))
    data = from_counts(schema, [[0, 0]], [1], ledger=tmp_path / "l.ledger")
    with pytest.raises(BadParameter, match=r"1,000,000,000,000 cells.*Use adaptive"):
        data.publish(discreet.Table(["a", "b"], method="geometric"), 1)
    assert charges(tmp_path) == []


def test_over_budget_says_what_is_spent_asked_and_left(tmp_path: Path) -> None:
    data = people(tmp_path)
    data.publish(TASK, "2.5", name="a", to=tmp_path / "a")
    with pytest.raises(BudgetExceeded, match=r"spent 2\.5, asked 1, left 0\.5"):
        failing(data, no_more).publish(TASK, 1, name="b", to=tmp_path / "b")
    assert spent(tmp_path) == Fraction(5, 2)
    assert not (tmp_path / "b").exists()
    assert hidden(tmp_path) == []
    data.publish(TASK, "0.5", name="b", to=tmp_path / "b")
    assert charges(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("more", [Fraction(1, 10**12), 1])
def test_a_method_that_costs_more_than_epsilon_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: Fraction | int
) -> None:
    monkeypatch.setattr(Geometric, "cost", property(lambda self: self.request.epsilon + more))
    data = failing(people(tmp_path), no_more)
    with pytest.raises(DiscreetError, match="geometric would cost"):
        data.publish(TASK, 1, name="a", to=tmp_path / "a")
    assert charges(tmp_path) == []


def test_a_third_is_charged_rounded_up(tmp_path: Path) -> None:
    release = people(tmp_path).publish(TASK, Fraction(1, 3), name="a", to=tmp_path / "a")
    assert spent(tmp_path) == Fraction(333_333_334, 10**9)
    assert release.manifest["epsilon"] == "1/3"


@pytest.mark.parametrize(
    "limits", [{"threads": 0}, {"threads": "2"}, {"threads": 10**9}, *({"memory_limit": x} for x in ("lots", 4, "0%"))]
)
def test_limits_are_checked_when_they_are_given(limits: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match=next(iter(limits))):
        discreet.open(FRAME, SCHEMA, **limits)


def sources(here: Path) -> dict[str, Any]:
    """The same rows in whatever people hold them in."""
    FRAME.to_parquet(here / "rows.parquet")
    table = pa.Table.from_pandas(FRAME)
    with closing(sqlite3.connect(here / "rows.db")) as database:
        database.execute('CREATE TABLE t (age INTEGER, sex TEXT, "when" TIMESTAMP)')
        cells = [(age, sex, str(when)) for age, sex, when in FRAME.itertuples(index=False)]
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", cells)
        database.commit()
    return {
        "pandas": FRAME,
        "polars": pl.from_pandas(FRAME),
        "lazy": pl.from_pandas(FRAME).lazy(),
        "arrow": table,
        "parquet": here / "rows.parquet",
        "stream": duckdb.connect().from_arrow(pa.RecordBatchReader.from_batches(table.schema, table.to_batches())),
        "ibis-duckdb": ibis.memtable(table),
        "ibis-sqlite": ibis.sqlite.connect(here / "rows.db").table("t"),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_users_that_no_column_can_name_are_found_before_the_charge(tmp_path: Path, kind: str) -> None:
    data = discreet.open(sources(tmp_path)[kind], SCHEMA, unit=discreet.Unit("when", max_rows=1))
    with pytest.raises(SourceError, match="cannot name users"):
        data.publish(TASK, 1)
    assert data.ledger.spent == 0


@pytest.mark.parametrize("kind", KINDS[:-1])  # SQLite cannot choose among the rows of a user
def test_looking_at_types_takes_no_row_away(tmp_path: Path, kind: str) -> None:
    data = discreet.open(sources(tmp_path)[kind], SCHEMA, unit=discreet.Unit("sex", max_rows=2))
    assert data.publish(TASK, 1000).count().value == 3


def test_domains_that_cannot_be_counted_are_found_before_the_charge() -> None:
    uneven = discreet.Ordinal(edges=[1000.0 * i * i for i in range(10_002)])
    for age, task in ((uneven, discreet.Ranges("age")), (discreet.Ordinal(0, 2**60 - 1, 2), discreet.Table("age"))):
        data = discreet.open(FRAME, discreet.Schema(age=age))
        with pytest.raises(BadParameter, match="bins"):
            data.publish(task, 1)
        assert data.ledger.spent == 0


def test_names_of_columns_that_are_no_texts_are_found_by_their_texts() -> None:
    schema = discreet.Schema({"0": discreet.Ordinal(0, 4), "1": discreet.Nominal(["f", "m"])})
    frame = FRAME.set_axis([0, 1, "when"], axis=1)
    release = discreet.open(frame, schema).publish(discreet.Table(["0", "1"], method="geometric"), 1000)
    assert release.count().value == 3


def test_other_delimiters_and_encodings_of_csv_can_be_told(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes("town;n\nKöln;1\nMünchen;2\n".encode("latin-1"))
    schema = discreet.Schema(town=discreet.Nominal(["Köln", "München"]))
    data = discreet.open(tmp_path / "rows.csv", schema, delimiter=";", encoding="latin-1")
    assert data.publish(discreet.Table("town", method="geometric"), 1000).count({"town": "Köln"}).value == 1


@pytest.mark.parametrize("options", [{"delimiter": ";"}, {"encoding": "latin-1"}])
def test_delimiters_and_encodings_are_refused_for_all_but_csv(tmp_path: Path, options: dict[str, Any]) -> None:
    for kind in ("pandas", "parquet"):
        with pytest.raises(BadParameter, match="for CSV files"):
            discreet.open(sources(tmp_path)[kind], SCHEMA, **options)
        (tmp_path / "rows.db").unlink()


@pytest.mark.parametrize("encoding", ["utf-88", "", "hex", "rot13", 8])
def test_encodings_that_are_none_are_refused(tmp_path: Path, encoding: Any) -> None:
    (tmp_path / "rows.csv").write_text("age,sex\n1,f\n")
    with pytest.raises(BadParameter, match="encoding"):
        discreet.open(tmp_path / "rows.csv", SCHEMA, encoding=encoding)


@pytest.mark.parametrize(("what", "given"), [("schema", {"age": 3}), ("unit", "age"), ("task", discreet.Table)])
def test_what_is_no_schema_unit_or_task_is_told_what_is_wanted(what: str, given: Any) -> None:
    frame = pd.DataFrame({"age": [1], "sex": ["f"]})
    asked: dict[str, Any] = {"schema": SCHEMA, "unit": None, "task": TASK, what: given}
    with pytest.raises(BadParameter, match=what):
        discreet.open(frame, asked["schema"], unit=asked["unit"]).publish(asked["task"], 1)
