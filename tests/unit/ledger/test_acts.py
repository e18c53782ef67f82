"""What people do to an account itself: each act has its reason, is an entry of the chain, and follows the rules."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import astuple
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BadParameter, BudgetExceeded, LedgerError
from discreet.ledger import Charge, Entry, Ledger, Scope
from discreet.ledger.acts import add_dataset, close, raise_cap, reopen
from discreet.ledger.entries import EVERYTHING
from discreet.ledger.heads import heads_file
from discreet.ledger.layout import LAYOUTS, PLAIN

ACTS: dict[str, Callable[[Ledger, str], Entry]] = {
    "raise": lambda ledger, reason: raise_cap(ledger, Fraction(5), reason),
    "close": close,
    "add": lambda ledger, reason: add_dataset(ledger, "census", reason),
}


def charge(ledger: Ledger, name: str, epsilon: str = "0.5", scope: Scope = EVERYTHING) -> Charge:
    return ledger.charge(name, "ab12", Fraction(epsilon), "ana", "a table", scope)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("reason", ["", "   ", "x" * 2000])
def test_every_act_needs_a_reason(ledger: Ledger, act: str, reason: str) -> None:
    with pytest.raises(BadParameter, match="reason"):
        ACTS[act](ledger, reason)
    assert [entry.kind for entry in ledger.entries()] == ["opened"]
    done = ACTS[act](ledger, " because ")
    assert (done.what, done.hash) == ("because", ledger.head())
    with pytest.raises(BadParameter, match="reason"):
        reopen(ledger, reason)


def test_a_raised_cap_allows_more_and_is_never_lowered(ledger: Ledger) -> None:
    charge(ledger, "a", "1")
    with pytest.raises(BudgetExceeded):
        charge(ledger, "b")
    before = ledger.head()
    raise_cap(ledger, Fraction(2), "a second year")
    charge(ledger, "b")
    assert (ledger.budget, ledger.spent, ledger.left) == (Fraction(2), Fraction(3, 2), Fraction(1, 2))
    assert ledger.contains_head(before)
    for less in ("2", "1.9", "1.5", "0.1"):
        with pytest.raises(LedgerError, match=r"a budget of 2 already, and 1\.5 is spent.*only ever raised"):
            raise_cap(ledger, Fraction(less), "less")
    with pytest.raises(BadParameter, match="budget"):
        raise_cap(ledger, Fraction(7, 3), "a third")
    ledger.verify()


def test_without_a_cap_there_is_none_to_raise() -> None:
    with pytest.raises(LedgerError, match="no cap"):
        raise_cap(Ledger.open(None, "adult", None), Fraction(3), "why not")


def test_a_spec_with_the_old_cap_is_told_of_the_new_one(path: Path) -> None:
    raise_cap(Ledger.open(path, "adult", Fraction(1)), Fraction(2), "a second year")
    with pytest.raises(
        LedgerError, match=r"has a budget of 2, raised to that by .* \(a second year\), not a budget of 1"
    ):
        Ledger.open(path, "adult", Fraction(1))
    with pytest.raises(LedgerError, match=r"--raise 3 --reason"):
        Ledger.open(path, "adult", Fraction(3))
    assert Ledger.open(path, "adult", Fraction(2)).left == 2


def test_a_closed_ledger_takes_no_charge_until_it_is_reopened_for_a_reason(ledger: Ledger) -> None:
    charge(ledger, "a", "0.25")
    close(ledger, "the study is over")
    with pytest.raises(BudgetExceeded, match=r"closed by .* \(the study is over\).*--reopen"):
        charge(ledger, "b", "0.25")
    assert charge(ledger, "a", "0.25").repeated, "what was paid for can be finished"
    ledger.record("a", "cd34")
    with pytest.raises(LedgerError, match="closed already"):
        close(ledger, "again")
    reopen(ledger, "one more table")
    charge(ledger, "b", "0.25")
    with pytest.raises(LedgerError, match="is open"):
        reopen(ledger, "again")
    assert ledger.spent == Fraction(1, 2)


def test_data_sets_about_the_same_people_add_up(path: Path) -> None:
    first = Ledger.open(path, "adult", Fraction(1))
    charge(first, "a")
    with pytest.raises(LedgerError, match="--add-dataset census"):
        Ledger.open(path, "census", Fraction(1))
    add_dataset(first, "census", "the same people")
    second = Ledger.open(path, "census", Fraction(1))
    assert (second.dataset, second.added_dataset, first.added_dataset) == ("census", "census", "")
    charge(second, "b", "0.4", Scope("census"))
    assert (first.spent, second.left) == (Fraction(9, 10), Fraction(1, 10))
    with pytest.raises(BudgetExceeded):
        charge(second, "c", "0.4", Scope("census"))
    with pytest.raises(LedgerError, match="another request"):
        charge(second, "a", "0.5", Scope("census"))
    with pytest.raises(LedgerError, match="covers data set 'census' already"):
        add_dataset(second, "census", "again")
    with pytest.raises(LedgerError, match=r"'adult' and 'census', not of 'other'"):
        Ledger.open(path, "other", None)


def test_several_charges_are_all_made_or_none(ledger: Ledger) -> None:
    from discreet.ledger import Bill

    bills = [Bill(name, "ab12", Fraction("0.4"), "a table") for name in "abc"]
    with pytest.raises(
        BudgetExceeded, match=r"3 releases cost 1\.2 together \(a 0\.4, b 0\.4, c 0\.4\), and 1 is left"
    ):
        ledger.charge_all(bills, "ana")
    assert len(ledger.entries()) == 1
    assert [paid.repeated for paid in ledger.charge_all(bills[:2], "ana")] == [False, False]
    assert [paid.repeated for paid in ledger.charge_all(bills[:2], "ana")] == [True, True]
    assert ledger.spent == Fraction("0.8")


def test_a_ledger_of_the_first_format_stays_one_until_an_act_needs_the_second(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(3))
    charge(ledger, "a")
    ledger.record("a", "cd34")
    assert version(path) == 1
    before = [entry.hash for entry in ledger.entries()]
    close(ledger, "enough")
    assert version(path) == 2
    assert [entry.hash for entry in ledger.entries()[:3]] == before
    again = Ledger.open(path, "adult", Fraction(3))
    again.verify()
    assert again.recorded("a") == "cd34"
    known = heads_file(path).read_text().split()[1::2]
    assert set(known) == {entry.hash for entry in again.entries()}, "the witness knows acts, too"


def test_an_older_copy_from_before_an_act_is_noticed(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(3))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    older = path.read_bytes()
    close(ledger, "enough")
    for file in path.parent.glob(f"{path.name}-*"):
        file.unlink()
    path.write_bytes(older)
    with pytest.raises(LedgerError, match="older copy"):
        Ledger.open(path, "adult", Fraction(3))


@pytest.mark.parametrize(
    ("kind", "what", "nano", "fault"),
    [
        ("raised", "", 9 * 10**9, "without a reason"),
        ("raised", "less", 10**9, "not above the one before"),
        ("reopened", "why", 0, "a second time"),
        ("dataset-added", " ", 0, "without a reason"),
    ],
)
def test_an_act_that_breaks_the_rules_is_damage_even_with_hashes_that_fit(
    path: Path, kind: str, what: str, nano: int, fault: str
) -> None:
    ledger = Ledger.open(path, "adult", Fraction(3))
    add_dataset(ledger, "census", "the same people")
    forged = Entry(3, kind, "2026-01-01", "eve", what, nano, "forged", "").chained(ledger.head())
    insert(path, forged)
    with pytest.raises(LedgerError, match=fault):
        Ledger.read(path).verify()


def test_a_charge_that_was_slipped_into_a_closed_ledger_is_damage(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(3))
    close(ledger, "enough")
    insert(path, Entry(3, "charge", "2026-01-01", "eve", "a table", 1, "forged", "ab12").chained(ledger.head()))
    with pytest.raises(LedgerError, match="while the account was closed"):
        Ledger.read(path).verify()


def test_the_scope_of_a_charge_is_under_its_hash(path: Path) -> None:
    ledger = Ledger.open(path, "adult", Fraction(3))
    charge(ledger, "a", "1", Scope("", "2026-10", "month of day", "add-remove"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("UPDATE entries SET period = '2026-11' WHERE seq = 2")
        connection.execute(next(one for one in LAYOUTS[PLAIN] if "no_update" in one))
    with pytest.raises(LedgerError, match="not as it was written"):
        Ledger.read(path).verify()


def insert(path: Path, entry: Entry) -> None:
    line = (*astuple(entry)[:9], *astuple(entry.scope))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"INSERT INTO entries VALUES ({','.join('?' * 13)})", line)


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
