"""The witness beside a ledger: what it notices, and that no crash makes it wrong."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import LedgerError
from discreet.ledger import Charge, Ledger
from discreet.ledger.heads import heads_file


def opened(path: Path) -> Ledger:
    return Ledger.open(path, "adult", Fraction(1))


def charge(ledger: Ledger, release_id: str) -> Charge:
    return ledger.charge(release_id, "ab12", Fraction("0.1"), "ana", f"table {release_id}")


def known(path: Path) -> list[tuple[int, str]]:
    lines = [line.split() for line in heads_file(path).read_text().splitlines() if len(line) > 60]
    return [(int(number), head) for number, head in lines]


def chain(path: Path) -> list[tuple[int, str]]:
    return [(entry.seq, entry.hash) for entry in Ledger.read(path).entries()]


def test_every_entry_has_a_line_and_the_owner_alone_may_read_it(path: Path) -> None:
    ledger = opened(path)
    assert known(path) == chain(path)
    charge(ledger, "a")
    ledger.record("a", "seal")
    assert known(path) == chain(path)
    assert stat.S_IMODE(heads_file(path).stat().st_mode) == 0o600
    opened(path)
    assert known(path) == chain(path)


def test_a_restored_copy_cannot_be_spent_from(path: Path, tmp_path: Path) -> None:
    live = opened(path)
    charge(live, "a")
    shutil.copy(path, tmp_path / "backup")
    charge(live, "b")
    newest = path.read_bytes()
    shutil.copy(tmp_path / "backup", path)
    for spend in (lambda: opened(path), lambda: charge(live, "c"), lambda: Ledger.read(path).verify()):
        with pytest.raises(LedgerError, match=r"older copy.*(lacks entry 3|entry 3).*"):
            spend()
    path.write_bytes(newest)
    assert not charge(opened(path), "c").repeated


def test_a_copy_restored_under_a_program_that_had_not_seen_the_rest(path: Path, tmp_path: Path) -> None:
    """It is no older than what this program knows; only the witness tells."""
    quiet = opened(path)
    charge(quiet, "a")
    shutil.copy(path, tmp_path / "backup")
    charge(opened(path), "b")
    shutil.copy(tmp_path / "backup", path)
    for _ in range(2):
        with pytest.raises(LedgerError, match="lacks entry 3"):
            charge(quiet, "c")
    with pytest.raises(LedgerError, match="lacks entry 3"):
        quiet.record("a", "seal")


def test_a_chain_cut_short_by_someone_who_knows_the_triggers(path: Path) -> None:
    from discreet.ledger.layout import LAYOUTS, PLAIN

    ledger = opened(path)
    charge(ledger, "a")
    charge(ledger, "b")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER no_delete")
        connection.execute("DELETE FROM entries WHERE seq = 3")
        connection.execute(next(one for one in LAYOUTS[PLAIN] if "no_delete" in one))
    with pytest.raises(LedgerError, match="lacks entry 3"):
        opened(path)


def test_another_ledger_in_its_place(path: Path, tmp_path: Path) -> None:
    charge(opened(path), "a")
    charge(opened(tmp_path / "other"), "a")
    shutil.copy(tmp_path / "other", path)
    with pytest.raises(LedgerError, match="lacks entry 1"):
        opened(path)
    path.unlink()
    with pytest.raises(LedgerError, match=r"missing, but adult.ledger.heads beside it.*start again"):
        opened(path)
    heads_file(path).unlink()
    assert opened(path).spent == 0


@pytest.mark.parametrize("keep", [0, 1, 2, 3])
@pytest.mark.parametrize("torn", [b"", b"4", b"4 abc", b"\n4 0123456789abcdef"])
def test_a_witness_that_a_crash_left_behind_is_completed(path: Path, keep: int, torn: bytes) -> None:
    ledger = opened(path)
    charge(ledger, "a")
    ledger.record("a", "seal")
    charge(ledger, "b")
    lines = "".join(f"{number} {head}\n" for number, head in known(path)[:keep]).encode()
    heads_file(path).write_bytes(lines + torn)
    charge(ledger, "c")  # what runs goes on
    opened(path)
    assert set(known(path)) == set(chain(path))
    assert opened(path).spent == Fraction("0.3")


def test_a_ledger_of_an_earlier_version_begins_one(path: Path) -> None:
    charge(opened(path), "a")
    heads_file(path).unlink()
    path.chmod(0o660)  # shared with colleagues, and so must the witness be
    ledger = opened(path)
    assert known(path) == chain(path)
    assert stat.S_IMODE(heads_file(path).stat().st_mode) == 0o660
    assert not charge(ledger, "b").repeated


@pytest.mark.parametrize("call", ["open", "write", "fsync"])
def test_a_witness_that_cannot_be_written_gives_nothing_away_and_is_made_up_for(
    path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = opened(path)
    real: Callable[..., Any] = getattr(os, call)

    def full(*given: Any) -> Any:
        if call == "open" and str(given[0]) != str(heads_file(path)):
            return real(*given)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(LedgerError, match=r"heads beside it.*cannot be written \(No space left.*same name"):
            charge(ledger, "a")
    again = charge(ledger, "a")
    assert again.repeated
    assert set(known(path)) == set(chain(path))
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        ledger.record("a", "seal")  # the release is about to appear: nothing is spent, and the record stands
    assert ledger.recorded("a") == "seal"
    opened(path)
    assert set(known(path)) == set(chain(path))
    assert ledger.spent == Fraction("0.1")


def test_a_write_that_a_full_disk_cuts_is_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, write = opened(path), os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, text: write(handle, text[:10]))
        with pytest.raises(LedgerError, match="cannot be written"):
            charge(ledger, "a")
    assert charge(ledger, "a").repeated
    opened(path)
    assert set(known(path)) == set(chain(path))


def test_a_witness_that_cannot_be_read_stops_spending_and_not_looking(path: Path) -> None:
    charge(opened(path), "a")
    heads_file(path).unlink()
    heads_file(path).mkdir()
    with pytest.raises(LedgerError, match="may read and write both"):
        opened(path)
    Ledger.read(path).verify()
