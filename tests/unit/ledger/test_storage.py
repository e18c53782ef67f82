"""The file of a ledger: where it can be, what is left alone, full disks and locks."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import BadParameter, LedgerError
from discreet.ledger import Charge, Ledger, storage
from discreet.ledger.layout import SETTINGS, lay_out


def charge(ledger: Ledger, release_id: str, epsilon: str = "0.25", request: str = "ab12") -> Charge:
    return ledger.charge(release_id, request, Fraction(epsilon), "ana", f"table {release_id}")


def test_file_is_kept_the_durable_way(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1))
    with ledger._storage.transaction("BEGIN") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert ledger.durable
    assert sorted(os.listdir(path.parent)) == [path.name, f"{path.name}.heads"]


def test_a_locked_ledger_says_so_and_can_still_be_read(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1), timeout=0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(LedgerError, match=r"^ledger locked: .*adult\.ledger for more than 0\.1 s\. .*nothing"):
            charge(ledger, "a")
        assert time.monotonic() - began < 3
        assert ledger.spent == 0
    charge(ledger, "a")
    assert ledger.spent == Fraction(1, 4)


def test_the_slower_of_two_creators_takes_the_ledger_of_the_faster(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overtaken(*arguments: Any) -> None:
        monkeypatch.setattr(storage, "lay_out", lay_out)
        charge(Ledger.open(path, "adult", Fraction(1)), "a")
        lay_out(*arguments)

    monkeypatch.setattr(storage, "lay_out", overtaken)
    assert Ledger.open(path, "adult", Fraction(1)).spent == Fraction(1, 4)
    assert sorted(os.listdir(path.parent)) == [path.name, f"{path.name}.heads"]


def test_full_database_charges_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1))
    pages = path.stat().st_size // 4096
    with monkeypatch.context() as limited:
        limited.setattr(storage, "SETTINGS", (*SETTINGS, f"PRAGMA max_page_count = {pages + 1}"))
        with pytest.raises(LedgerError, match=r"disk is full.*same name"):
            ledger.charge("a", "ab", Fraction(1, 4), "ana", "long " * 4000)
        assert ledger.spent == 0
    charge(ledger, "a")
    ledger.verify()


def test_places_where_no_ledger_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("words")
    for place in (tmp_path / "file" / "x.ledger", tmp_path / "absent" / "x.ledger"):
        with pytest.raises(LedgerError, match=r"x\.ledger: the ledger cannot be created there .*writable folder"):
            Ledger.open(place, "adult", Fraction(1))
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger.open(tmp_path, "adult", Fraction(1))
    with pytest.raises(LedgerError, match=r"cannot be opened.*exists"):
        Ledger.read(tmp_path / "absent.ledger")
    with pytest.raises(BadParameter, match="path"):
        Ledger.open("a\0b", "adult", None)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("content", [b"", b"age,sex\n" * 200, b"SQLite format 3\0" + bytes(4080), None])
def test_a_file_that_is_no_ledger_is_left_alone(path: Path, content: bytes | None) -> None:
    if content is None:
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE entries (seq INTEGER)")
        content = path.read_bytes()
    path.write_bytes(content)
    attempts: tuple[Callable[[], object], ...] = (lambda: Ledger.open(path, "adult", None), lambda: Ledger.read(path))
    for attempt in attempts:
        with pytest.raises(LedgerError, match=r"adult\.ledger.*(is not a Discreet ledger|damaged)"):
            attempt()
    assert path.read_bytes() == content


def test_charges_left_in_a_log_without_its_ledger_are_not_lost(path: Path) -> None:
    log = path.with_name(path.name + "-wal")
    log.write_bytes(b"charges")
    with pytest.raises(LedgerError, match=r"missing, but adult\.ledger-wal .* Put it back"):
        Ledger.open(path, "adult", Fraction(1))
    assert log.read_bytes() == b"charges"
    assert not path.exists()


def test_reading_changes_nothing_and_cannot_charge(path: Path) -> None:
    charge(Ledger.open(path, "adult", Fraction(1)), "a")
    before = path.read_bytes()
    reader = Ledger.read(path)
    assert (reader.spent, reader.left, reader.dataset) == (Fraction(1, 4), Fraction(3, 4), "adult")
    with pytest.raises(LedgerError, match=r"only for reading; .*Ledger\.open"):
        charge(reader, "b")
    assert path.read_bytes() == before
    assert sorted(os.listdir(path.parent)) == [path.name, f"{path.name}.heads"]


def test_a_relative_path_stays_the_same_file(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = Ledger.open("adult #1?.ledger", "adult", Fraction(1))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    charge(ledger, "a")
    assert Ledger.read(tmp_path / "adult #1?.ledger").spent == Fraction(1, 4)


def test_a_new_ledger_is_for_its_owner_alone(tmp_path: Path) -> None:
    Ledger.open(tmp_path / "a.ledger", "people", None).charge("r", "d", Fraction(1), "me", "what")
    for file in tmp_path.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file.name
