"""What changing, damaging or replacing a ledger leads to: it is noticed, and buys nothing."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import astuple, replace
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger import Charge, Ledger, layout
from discreet.ledger.heads import heads_file
from discreet.ledger.layout import LAYOUTS, PLAIN

REST = "digest, hash FROM entries WHERE seq = 2"


def charge(ledger: Ledger, release_id: str, epsilon: str = "0.25", request: str = "ab12") -> Charge:
    return ledger.charge(release_id, request, Fraction(epsilon), "ana", f"table {release_id}")


def tamper(path: Path, *statements: str) -> None:
    """Change the file as someone would who knows about the triggers: take them off, then put them back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for trigger in ("no_update", "no_delete", "no_replace"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in (*statements, *LAYOUTS[PLAIN][1:]):
            connection.execute(statement)


@pytest.fixture(scope="module")
def three_charges(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("ledger") / "adult.ledger"
    ledger = Ledger.open(path, "adult", Fraction(1))
    for release_id in "abc":
        charge(ledger, release_id)
    return path.read_bytes()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET nano = 0 WHERE seq = 2",
        "DELETE FROM entries WHERE seq = 2",
        f"INSERT OR REPLACE INTO entries SELECT 2, kind, time, who, what, 0, id, {REST}",
        f"INSERT OR REPLACE INTO entries SELECT 5, kind, time, who, what, 0, id, {REST}",
        f"INSERT INTO entries SELECT -1, kind, time, who, what, 0, 'new', {REST}",
    ],
)
def test_entries_are_only_ever_appended(path: Path, three_charges: bytes, statement: str) -> None:
    path.write_bytes(three_charges)
    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
        connection.commit()
    assert Ledger.open(path, "adult", None).spent == Fraction(3, 4)


@pytest.mark.parametrize(
    "statement",
    [
        *(f"UPDATE entries SET {column} = {column} || 'x' WHERE seq = 3" for column in ("time", "who", "what", "id")),
        *(f"UPDATE entries SET {column} = 'aa' WHERE seq = 3" for column in ("digest", "hash")),
        "UPDATE entries SET who = x'00ff' WHERE seq = 3",
        "UPDATE entries SET nano = nano - 1 WHERE seq = 3",
        "UPDATE entries SET kind = 'release-recorded' WHERE seq = 3",
        "UPDATE entries SET nano = 9000000000 WHERE seq = 1",
        "UPDATE entries SET nano = NULL WHERE seq = 1",
        "DELETE FROM entries WHERE seq = 3",
        "DELETE FROM entries WHERE seq = 1",
        "DELETE FROM entries",
    ],
)
def test_tampering_is_detected(path: Path, three_charges: bytes, statement: str) -> None:
    path.write_bytes(three_charges)
    tamper(path, statement)
    with pytest.raises(LedgerError, match=r"adult\.ledger.*(changed by hand|damaged).*backup"):
        Ledger.read(path).verify()
    with pytest.raises(LedgerError):
        Ledger.open(path, "adult", None)


def test_an_entry_with_a_hash_that_fits_still_breaks_the_chain(path: Path, three_charges: bytes) -> None:
    path.write_bytes(three_charges)
    entries = Ledger.read(path).entries()
    cheaper = replace(entries[2], nano=1).chained(entries[1].hash)
    tamper(path, f"UPDATE entries SET nano = 1, hash = '{cheaper.hash}' WHERE seq = 3")
    with pytest.raises(LedgerError, match="entry 4"):
        Ledger.open(path, "adult", None)


def test_a_second_opening_cannot_raise_the_budget(path: Path, three_charges: bytes) -> None:
    path.write_bytes(three_charges)
    entries = Ledger.read(path).entries()
    again = replace(entries[0], seq=5, nano=9 * 10**9, id="another").chained(entries[3].hash)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?)", astuple(again)[:9])
        connection.commit()
    with pytest.raises(LedgerError, match="entry 5"):
        Ledger.open(path, "adult", None)


def test_a_damaged_index_cannot_hide_a_charge(path: Path, three_charges: bytes) -> None:
    assert three_charges.count(b"chargeb") == 1  # the table keeps other words between the two
    path.write_bytes(three_charges.replace(b"chargeb", b"chargex"))
    with pytest.raises(LedgerError, match=r"damaged.*index"):
        Ledger.open(path, "adult", None)


def test_tampering_under_a_running_program_buys_nothing(path: Path) -> None:
    live = Ledger.open(path, "adult", Fraction(1))
    charge(live, "a")
    tamper(path, "UPDATE entries SET nano = 9000000000 WHERE seq = 1")
    with pytest.raises(BudgetExceeded, match="a budget of 1;"):
        charge(live, "b", "2")
    charge(live, "c")
    tamper(path, "UPDATE entries SET nano = 0 WHERE seq = 3")
    with pytest.raises(LedgerError, match="entry 3"):
        charge(live, "d")


def test_missing_trigger_is_detected(path: Path, three_charges: bytes) -> None:
    path.write_bytes(three_charges)
    tamper(path)
    assert Ledger.open(path, "adult", Fraction(1)).spent == Fraction(3, 4)  # triggers off and on again
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER no_delete")
    with pytest.raises(LedgerError, match="triggers"):
        Ledger.open(path, "adult", Fraction(1))


def test_restored_older_copy_is_noticed(path: Path, tmp_path: Path) -> None:
    live = Ledger.open(path, "adult", Fraction(1))
    first = charge(live, "a").head
    shutil.copy(path, tmp_path / "backup")
    second = charge(live, "b").head
    assert live.contains_head(first)
    assert live.contains_head(second)
    assert live.spent == Fraction(1, 2)
    shutil.copy(tmp_path / "backup", path)
    with pytest.raises(LedgerError, match="older copy"):
        Ledger.open(path, "adult", Fraction(1))
    restored = Ledger.read(path)
    assert restored.contains_head(first)
    assert not restored.contains_head(second)
    with pytest.raises(LedgerError, match="older copy"):
        charge(live, "c")


def test_who_has_seen_the_newer_one_notices_an_older_copy_without_its_witness(path: Path, tmp_path: Path) -> None:
    live = Ledger.open(path, "adult", Fraction(1))
    charge(live, "a")
    shutil.copy(path, tmp_path / "backup")
    charge(live, "b")
    assert live.spent == Fraction(1, 2)
    shutil.copy(tmp_path / "backup", path)
    path.with_name(f"{path.name}.heads").unlink()
    with pytest.raises(LedgerError, match="older copy"):
        charge(live, "c")


def test_a_ledger_begun_again_with_the_same_words_has_another_chain(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "timestamp", lambda: "2026-01-01T00:00:00+00:00")
    head = Ledger.open(path, "adult", Fraction(1)).head()
    path.unlink()
    heads_file(path).unlink()
    assert not Ledger.open(path, "adult", Fraction(1)).contains_head(head)


def test_damaged_bytes_and_newer_formats_are_refused(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(1))
    for number in range(30):
        charge(ledger, f"r{number}", "0.01")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LedgerError, match=r"damaged.*backup"):
        Ledger.open(path, "adult", Fraction(1))
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
    attempts: tuple[Callable[[], object], ...] = (lambda: Ledger.open(path, "adult", None), lambda: Ledger.read(path))
    for attempt in attempts:
        with pytest.raises(LedgerError, match=r"format 3.*newer"):
            attempt()
