"""Several releases at once: all are checked, then all are charged, then rows are read, once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import BudgetExceeded, DiscreetError, LedgerError, PublishFailed, UnknownAttribute
from discreet.ledger import Ledger
from discreet.noise import ZeroNoise
from discreet.private.counts import Counts
from discreet.private.engines.shared_rows import shared
from discreet.private.engines.table_sources import ArrowSource
from discreet.private.publish import Data
from discreet.private.rows import BoundedRows, Rows
from tests.unit.private.publish_cases import charges, failing, people

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 9, outside="drop"),
    sex=discreet.Nominal(["f", "m"]),
    ward=discreet.Nominal([f"w{number}" for number in range(300)], outside="other"),
)
ROWS = pa.table(
    {
        "age": [str(number % 13) for number in range(900)],
        "sex": ["fmx"[number % 3] for number in range(900)],
        "ward": [f"w{number % 310}" for number in range(900)],
        "who": [str(number % 7) if number % 5 else f"{number % 7}.0" for number in range(900)],
    }
)
UNIT = discreet.Unit("who", max_rows=40)
WANTED: dict[str, tuple[Any, Any]] = {
    "ages": (discreet.Table(["age"], method="geometric"), "0.5"),
    "both": (discreet.Table(["age", "sex"], method="geometric"), "0.5"),
    "pairs": (discreet.Marginals(ways=2, method="equal"), "0.5"),
}


def opened(here: Path, source: Any = ROWS, **options: Any) -> Data:
    return discreet.open(source, SCHEMA, **{"ledger": here / "l.ledger", "budget": 3, "dataset": "people", **options})


def test_each_is_charged_and_written_by_itself(tmp_path: Path) -> None:
    data = opened(tmp_path, unit=UNIT)
    made = data.publish_all(WANTED, to=tmp_path / "out")
    assert list(made) == list(WANTED)
    kinds = [(entry.kind, entry.id) for entry in data.ledger.entries()[1:]]
    assert kinds == [*(("charge", name) for name in WANTED), *(("release-recorded", name) for name in WANTED)]
    assert data.ledger.spent == Fraction(3, 2)
    for name, release in made.items():
        assert discreet.load(tmp_path / "out" / name).manifest == release.manifest
        assert data.ledger.fault_of(release.manifest) is None
        assert release.publishable


def test_all_charges_are_on_disk_before_a_row_is_read(tmp_path: Path) -> None:
    seen: list[int] = []
    data = failing(people(tmp_path), lambda: seen.append(len(charges(tmp_path))))
    data.publish_all({name: (discreet.Table(["age"]), 1) for name in "abc"}, to=tmp_path)
    assert seen == [3, 3, 3]


def test_rows_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, tables = list[frozenset[str]](), ArrowSource.tables

    @contextmanager
    def watched(self: ArrowSource, wanted: Any, limits: Any, careful: bool) -> Iterator[list[Any]]:
        with tables(self, wanted, limits, careful) as parts:
            if self._table.num_rows:
                read.append(frozenset(wanted.values()))
            yield parts

    monkeypatch.setattr(ArrowSource, "tables", watched)
    opened(tmp_path, unit=UNIT).publish_all(WANTED)
    assert read == [{"age", "sex", "ward", "who"}]


@pytest.mark.parametrize("unit", [discreet.Unit(), UNIT, discreet.Unit("who", max_rows=40, max_rows_per_cell=2)])
@pytest.mark.parametrize("kind", ["arrow", "csv", "csv with a flaw", "files of two types"])
def test_what_is_read_once_is_what_each_would_read(tmp_path: Path, unit: discreet.Unit, kind: str) -> None:
    source: Any = ROWS
    if kind == "files of two types":  # in which a tenth is not the same number
        tenths = [int(float(who)) + 0.1 for who in ROWS["who"].to_pylist()]
        source = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
        for path, real in zip(source, (pa.float64(), pa.float32()), strict=True):
            pq.write_table(ROWS.set_column(3, "who", pa.array(tenths, real)), path)
    elif kind != "arrow":
        pc.write_csv(ROWS, tmp_path / "rows.csv")
        source = tmp_path / "rows.csv"
        if kind == "csv with a flaw":
            source.write_bytes(source.read_bytes() + b'5,f,w1,\xff"x\n')
    data = opened(tmp_path, source, unit=unit)
    schemas = [SCHEMA.select(names) for names in (["age"], ["sex", "age"], ["ward", "sex"])]
    assert isinstance(data.origin, Rows)
    with shared(data.origin, schemas, unit) as together:
        for schema in schemas:
            alone, once = (origin.bounded(schema, unit, b"one salt") for origin in (data.origin, together))
            assert same(alone.table(), once.table())
            some = [[0], list(range(len(schema)))]
            assert all(same(*pair) for pair in zip(alone.tables(some), once.tables(some), strict=True))
            if not unit.is_row:
                kept = [one.histories(1).kept(5, distinct=True, scores=None, salt=b"8 bytes!") for one in (alone, once)]
                assert kept[0].table(5).sum() == kept[1].table(5).sum()
                assert kept[0].users == kept[1].users == (8 if kind == "csv with a flaw" else 7)


def same(one: Counts, other: Counts) -> bool:
    return one.sizes == other.sizes and np.array_equal(one.dense(), other.dense())


def test_each_release_has_noise_and_salt_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    salts, table = list[bytes](), BoundedRows.table

    def watched(self: BoundedRows) -> Counts:
        salts.append(self.salt)
        return table(self)

    monkeypatch.setattr(BoundedRows, "table", watched)
    task = discreet.Table(["ward"], method="geometric")
    made = opened(tmp_path, unit=UNIT).publish_all(dict.fromkeys("abc", (task, "0.01")))
    assert len(set(salts)) == 3
    noisy = [release.to_arrow().column("count").to_pylist() for release in made.values()]
    assert len({tuple(one) for one in noisy}) == 3


def test_a_budget_that_is_too_small_for_all_is_said_before_any_charge(tmp_path: Path) -> None:
    data = opened(tmp_path, budget=1)
    with pytest.raises(BudgetExceeded, match=r"3 releases cost 1\.5 together.*Nothing was charged"):
        failing(data, lambda: pytest.fail("rows were read")).publish_all(WANTED, to=tmp_path / "out")
    assert data.ledger.spent == 0
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("release", "error"),
    [
        ((discreet.Table(["hat"]), 1), UnknownAttribute),
        ((discreet.Table(["age"], method="filter", size=0), 1), DiscreetError),
        ((discreet.Table(["age"]), 0), DiscreetError),
    ],
)
def test_one_that_cannot_be_made_stops_all_before_any_charge(tmp_path: Path, release: Any, error: type) -> None:
    data = opened(tmp_path)
    with pytest.raises(error):
        data.publish_all({**WANTED, "wrong": release}, to=tmp_path / "out")
    assert len(data.ledger.entries()) == 1


def test_a_folder_that_is_taken_stops_all_before_any_charge(tmp_path: Path) -> None:
    (tmp_path / "out" / "pairs").mkdir(parents=True)
    data = opened(tmp_path)
    with pytest.raises(DiscreetError, match="exists already"):
        data.publish_all(WANTED, to=tmp_path / "out")
    assert len(data.ledger.entries()) == 1


def test_what_is_there_is_loaded_and_what_is_elsewhere_left_out(tmp_path: Path) -> None:
    data = opened(tmp_path)
    first = data.publish(*WANTED["ages"], name="ages", to=tmp_path / "out" / "ages")
    data.publish(*WANTED["both"], name="both", to=tmp_path / "elsewhere")
    made = data.publish_all(WANTED, to=tmp_path / "out")
    assert list(made) == ["ages", "pairs"]
    assert made["ages"].manifest == first.manifest
    assert data.ledger.spent == Fraction(3, 2)
    again = data.publish_all(WANTED, to=tmp_path / "out")
    assert [again[name].manifest["seal"] for name in again] == [made[name].manifest["seal"] for name in made]
    assert data.ledger.spent == Fraction(3, 2)


def test_a_changed_request_under_a_name_that_is_elsewhere_is_refused(tmp_path: Path) -> None:
    data = opened(tmp_path)
    data.publish(*WANTED["both"], name="both", to=tmp_path / "elsewhere")
    with pytest.raises(LedgerError, match="published before"):
        data.publish_all({**WANTED, "both": (discreet.Table(["sex"]), "0.5")}, to=tmp_path / "out")
    assert data.ledger.spent == Fraction(1, 2)


def test_a_run_that_broke_off_is_finished_at_no_further_cost(tmp_path: Path) -> None:
    looks: list[int] = []

    def third_time() -> None:
        looks.append(1)
        if len(looks) == 2:
            raise ValueError("a disk that failed")

    data = people(tmp_path)
    wanted = {name: (discreet.Table(["age"]), "0.5") for name in "abc"}
    with pytest.raises(PublishFailed, match="publishing 'b' failed"):
        failing(data, third_time).publish_all(wanted, to=tmp_path)
    assert (tmp_path / "a").is_dir()
    assert not (tmp_path / "b").exists()
    spent = data.ledger.spent
    made = data.publish_all(wanted, to=tmp_path)
    assert list(made) == ["a", "b", "c"]
    assert data.ledger.spent == spent == Fraction(3, 2)
    assert len(Ledger.read(tmp_path / "l.ledger").entries()) == 7


def test_being_stopped_between_charges_and_rows_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {name: (discreet.Table(["age"]), "0.5") for name in "ab"}

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    data = people(tmp_path)
    monkeypatch.setattr(Data, "_read_once", stopped)
    with pytest.raises(
        KeyboardInterrupt, match=r"after the budget was charged; not published yet: a, b\. The same call"
    ):
        data.publish_all(wanted, to=tmp_path)
    monkeypatch.undo()
    assert list(data.publish_all(wanted, to=tmp_path)) == ["a", "b"]
    assert data.ledger.spent == 1


def test_test_noise_is_handed_to_all(tmp_path: Path) -> None:
    made = opened(tmp_path).publish_all(WANTED, noise=ZeroNoise())
    assert not any(release.publishable for release in made.values())
    assert made["ages"].count().value == sum(number % 13 < 10 for number in range(900))
