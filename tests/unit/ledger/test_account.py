"""The account: what it costs, what is left, what is refused."""

from __future__ import annotations

import sys
import threading
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BadParameter, BudgetExceeded, LedgerError
from discreet.ledger import Charge, Ledger
from discreet.ledger.entries import current_user


def charge(ledger: Ledger, release_id: str, epsilon: str = "0.25", request: str = "ab12") -> Charge:
    return ledger.charge(release_id, request, Fraction(epsilon), "ana", f"table {release_id}")


def test_account_of_charges_and_releases(ledger: Ledger) -> None:
    before = datetime.now(UTC)
    paid = charge(ledger, "by-age")
    assert (paid.release_id, paid.request, paid.epsilon, paid.repeated) == (
        "by-age",
        "ab12",
        Fraction(1, 4),
        False,
    )
    assert paid.head == ledger.head()
    assert ledger.recorded("by-age") is None
    ledger.record("by-age", "cd34")
    assert ledger.recorded("by-age") == "cd34"
    opened, charged, recorded = ledger.entries()
    assert (opened.kind, opened.what, opened.epsilon) == ("opened", "adult", Fraction(1))
    assert (charged.kind, charged.who, charged.what) == ("charge", "ana", "table by-age")
    assert (charged.id, charged.digest, charged.epsilon) == ("by-age", "ab12", Fraction(1, 4))
    assert (recorded.kind, recorded.id, recorded.digest, recorded.epsilon) == (
        "release-recorded",
        "by-age",
        "cd34",
        Fraction(0),
    )
    times = [datetime.fromisoformat(entry.time) for entry in (opened, charged, recorded)]
    assert times == sorted(times)
    assert timedelta(0) <= times[1] - before < timedelta(minutes=1)
    assert [charged.hash, recorded.hash] == [paid.head, ledger.head()]
    assert (ledger.spent, ledger.budget, ledger.left) == (Fraction(1, 4), Fraction(1), Fraction(3, 4))
    assert ledger.dataset == "adult"
    ledger.verify()


@pytest.mark.parametrize(
    ("epsilon", "nano"),
    [("1/3", 333_333_334), ("1e-12", 1), ("0.1", 100_000_000), ("0.0000000011", 2), ("1", 10**9)],
)
def test_costs_are_rounded_up_to_nano_epsilon(ledger: Ledger, epsilon: str, nano: int) -> None:
    assert charge(ledger, "a", epsilon).epsilon == Fraction(nano, 10**9) == ledger.spent
    assert charge(ledger, "a", epsilon).repeated


def test_thirds_of_a_budget_never_add_up_to_more_than_it(ledger: Ledger) -> None:
    charge(ledger, "a", "1/3")
    charge(ledger, "b", "1/3")
    with pytest.raises(BudgetExceeded, match=r"spent 0\.666666668, asked 0\.333333334, left 0\.333333332\."):
        charge(ledger, "c", "1/3")
    charge(ledger, "c", "0.333333332")
    assert ledger.left == 0


@pytest.mark.parametrize("budget", ["1/3", "1e-10", "1e10", "0", "-1"])
def test_a_budget_that_cannot_be_kept_exactly_is_refused(path: Path, budget: str) -> None:
    with pytest.raises(BadParameter, match="budget"):
        Ledger.open(path, "adult", Fraction(budget))
    assert not path.exists()


@pytest.mark.parametrize("epsilon", ["0", "-1"])
def test_epsilon_must_be_positive(ledger: Ledger, epsilon: str) -> None:
    with pytest.raises(BadParameter, match="epsilon"):
        charge(ledger, "a", epsilon)
    assert len(ledger.entries()) == 1


def test_cap_is_reached_but_not_passed(ledger: Ledger) -> None:
    charge(ledger, "a", "0.999999999")
    with pytest.raises(BudgetExceeded, match=r"spent 0\.999999999, asked 0\.000000002, left 0\.000000001"):
        charge(ledger, "b", "0.000000002")
    charge(ledger, "c", "0.000000001")
    with pytest.raises(BudgetExceeded, match="no more releases"):
        charge(ledger, "d", "1e-30")
    assert [entry.id for entry in ledger.entries()[1:]] == ["a", "c"]


def test_a_ledger_without_a_cap_counts_until_integers_end() -> None:
    ledger = Ledger.open(None, "adult", None)
    charge(ledger, "a", "1e9")
    assert (ledger.spent, ledger.budget, ledger.left, ledger.durable) == (Fraction(10**9), None, None, False)
    with pytest.raises(BudgetExceeded, match="no budget"):
        charge(ledger, "b", "1e10")


def test_same_request_is_paid_once_and_a_changed_one_is_refused(ledger: Ledger) -> None:
    first = charge(ledger, "a")
    charge(ledger, "b", "0.75")
    again = charge(ledger, "a")  # with nothing left
    assert again.repeated
    assert (again.head, again.time, again.epsilon) == (first.head, first.time, first.epsilon)
    with pytest.raises(LedgerError, match=r"'a' was charged for another request by ana on 20.*new name"):
        charge(ledger, "a", request="ff")
    with pytest.raises(LedgerError, match="another request"):
        charge(ledger, "a", "0.2")
    assert ledger.spent == 1


def test_bytes_of_a_release_are_fixed_once(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="never charged"):
        ledger.record("a", "cd")
    charge(ledger, "a")
    ledger.record("a", "cd")
    ledger.record("a", "cd")
    with pytest.raises(LedgerError, match=r"other bytes.*Discard"):
        ledger.record("a", "ef")
    assert ledger.recorded("a") == "cd"
    assert len(ledger.entries()) == 3


def test_texts_that_are_odd_or_empty(ledger: Ledger) -> None:
    ledger.charge("=a,'\n\"ü", "ab", Fraction(1, 2), "b\udce9a", "tábla")
    assert [(entry.id, entry.who, entry.what) for entry in ledger.entries()[1:]] == [
        ("=a,'\n\"ü", "b\\udce9a", "tábla")
    ]
    ledger.verify()
    for wrong in ("", "a\0b"):
        with pytest.raises(BadParameter, match="release id"):
            charge(ledger, wrong)


def test_ledger_of_another_data_set_or_budget_names_both(path: Path) -> None:
    Ledger.open(path, "adult", Fraction(3))
    with pytest.raises(LedgerError, match="data set 'adult', not of 'census'"):
        Ledger.open(path, "census", Fraction(3))
    with pytest.raises(LedgerError, match=r"a budget of 3, not a budget of 3\.5"):
        Ledger.open(path, "adult", Fraction("3.5"))
    assert Ledger.open(path, "adult", None).budget == 3
    Ledger.open(path.with_name("free"), "adult", None)
    with pytest.raises(LedgerError, match="opened with no budget, not a budget of 1"):
        Ledger.open(path.with_name("free"), "adult", Fraction(1))


def test_threads_share_one_ledger(ledger: Ledger) -> None:
    refused: list[str] = []

    def spend(name: str) -> None:
        for number in range(10):
            try:
                charge(ledger, f"{name}{number}", "0.05")
            except BudgetExceeded:
                refused.append(name)

    threads = [threading.Thread(target=spend, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (ledger.left, len(refused)) == (Fraction(0), 10)
    ledger.verify()


def test_a_process_without_a_user_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number has no name; or there is no `pwd` to ask, as on Windows."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "pwd", None)
    assert current_user() == "unknown"
