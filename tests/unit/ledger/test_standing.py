"""Periods of rows: each has the cap for itself, and what is not disjoint adds up."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.errors import BudgetExceeded
from discreet.ledger import Ledger, Scope
from discreet.ledger.acts import add_dataset

MONTH, YEAR = "month of day", "year of day"


def of(period: str, partition: str = MONTH, neighbours: str = "add-remove", dataset: str = "") -> Scope:
    return Scope(dataset, period, partition, neighbours)


def spend(ledger: Ledger, scope: Scope, epsilon: str) -> None:
    ledger.charge(f"r{len(ledger.entries())}", "ab12", Fraction(epsilon), "ana", "a table", scope)


def test_each_period_has_the_cap_for_itself(ledger: Ledger) -> None:
    spend(ledger, of("2026-10"), "0.6")
    spend(ledger, of("2026-11"), "0.9")
    assert (ledger.spent, ledger.left) == (Fraction("0.9"), Fraction("0.1"))
    assert [ledger.left_for(of(f"2026-{month}")) for month in (10, 11, 12)] == [Fraction(n, 10) for n in (4, 1, 10)]
    with pytest.raises(BudgetExceeded, match=r"spent 0\.6 for the rows of 2026-10, asked 0\.5, left 0\.4"):
        spend(ledger, of("2026-10"), "0.5")
    spend(ledger, of("2026-10"), "0.4")
    with pytest.raises(BudgetExceeded, match="2026-10 of this data set can give no more releases"):
        spend(ledger, of("2026-10"), "1e-9")
    spend(ledger, of("2026-12"), "1")
    assert ledger.spent == 1
    assert ledger.left == 0
    ledger.verify()


def test_what_is_spent_for_all_rows_counts_in_every_period(ledger: Ledger) -> None:
    spend(ledger, of("2026-10"), "0.5")
    spend(ledger, Scope(), "0.3")
    assert ledger.spent == Fraction("0.8")
    assert [ledger.left_for(of(period)) for period in ("2026-10", "2026-11")] == [Fraction("0.2"), Fraction("0.7")]
    with pytest.raises(BudgetExceeded):
        spend(ledger, Scope(), "0.3")
    shared = (
        r"spent 0 for the rows of 2026-11 and 0\.3 by releases of all rows or of other kinds of periods, asked 0\.8"
    )
    with pytest.raises(BudgetExceeded, match=shared):
        spend(ledger, of("2026-11"), "0.8")


def test_periods_of_users_add_up(ledger: Ledger) -> None:
    for period in ("2026-10", "2026-11"):
        spend(ledger, of(period, neighbours=""), "0.4")
    assert ledger.left == Fraction("0.2") == ledger.left_for(of("2026-12", neighbours=""))
    with pytest.raises(BudgetExceeded, match=r"spent 0\.8, asked 0\.4"):
        spend(ledger, of("2026-12", neighbours=""), "0.4")


def test_months_and_years_of_the_same_rows_add_up(ledger: Ledger) -> None:
    spend(ledger, of("2026-10"), "0.5")
    spend(ledger, of("2026", YEAR), "0.3")
    spend(ledger, of("2026-10", "month of arrival"), "0.1")
    assert ledger.spent == Fraction("0.9")
    with pytest.raises(BudgetExceeded):
        spend(ledger, of("2026", YEAR), "0.2")


def test_a_replaced_row_may_move_so_two_periods_count(ledger: Ledger) -> None:
    spend(ledger, of("2026-10", neighbours="replace"), "0.3")
    spend(ledger, of("2026-11", neighbours="replace"), "0.4")
    assert ledger.spent == Fraction("0.8"), "twice the largest is no less than the sum of two"
    assert ledger.left_for(of("2026-10", neighbours="replace")) == Fraction("0.2")
    with pytest.raises(BudgetExceeded, match="half of it for each period"):
        spend(ledger, of("2026-10", neighbours="replace"), "0.3")
    spend(ledger, of("2026-10", neighbours="replace"), "0.2")
    assert ledger.left == 0


def test_periods_of_several_data_sets_add_up(ledger: Ledger) -> None:
    add_dataset(ledger, "census", "the same people")
    spend(ledger, of("2026-10"), "0.5")
    spend(ledger, of("2026-10", dataset="census"), "0.5")
    with pytest.raises(BudgetExceeded):
        spend(ledger, of("2026-11", dataset="census"), "0.6")
    assert ledger.left == 0
