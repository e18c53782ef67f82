"""What an account refuses, in words: another data set or cap than its own, and costs that it cannot bear."""

from __future__ import annotations

from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger.amounts import budget_in_words, decimal
from discreet.ledger.entries import Entry, Scope
from discreet.ledger.standing import State
from discreet.privacy import periods_counted


def by_whom(entry: Entry) -> str:
    return f"by {entry.who} on {entry.time[:10]} ({entry.what})"


def check_purpose(state: State, place: str, dataset: str, cap: int | None) -> None:
    """Refuses unless the account is for this data set and has this cap."""
    if dataset not in state.datasets:
        known = " and ".join(map(repr, state.datasets))
        raise LedgerError(
            f"{place} is the ledger of data set {known}, not of {dataset!r}. Name the right ledger or, if the data are "
            f"the same, call the data set {state.dataset!r}. If they are other data about the same people, so that "
            f"costs must add up: discreet ledger {place} --add-dataset {dataset} --reason WHY"
        )
    if cap is None or cap == state.budget:
        return
    kept = budget_in_words(state.budget)
    opened, raised = "was opened with", ""
    if state.raised is not None:
        opened, raised = "has", f", raised to that {by_whom(state.raised)}"
    higher = state.budget is not None and cap > state.budget
    raise LedgerError(
        f"{place} {opened} {kept}{raised}, not {budget_in_words(cap)}. That is fixed for a ledger: ask for {kept}"
        + (f", or raise it first: discreet ledger {place} --raise {decimal(cap)} --reason WHY" if higher else "")
    )


def check_open(state: State, place: str) -> None:
    if state.closed is not None:
        raise BudgetExceeded(
            f"{place} was closed {by_whom(state.closed)}: nothing more is charged to it. If that should change: "
            f"discreet ledger {place} --reopen --reason WHY"
        )


def check_cap(state: State, place: str, cost: int, scope: Scope) -> None:
    left = state.left_for(scope)
    if cost > left:
        of_period = f" for the rows of {scope.period}" if scope.neighbours else ""
        twice = scope.neighbours and periods_counted(scope.neighbours) > 1
        half = ", half of it for each period, since a row may move to another" if twice else ""
        raise BudgetExceeded(
            f"{place}: data set {scope.dataset or state.dataset!r} has {budget_in_words(state.budget)}{half}; spent "
            f"{decimal(state.spent_in(scope))}{of_period}{_besides(state, scope)}, asked {decimal(cost)}, left "
            f"{decimal(max(left, 0))}. "
            "Nothing was charged: "
            + (f"ask for at most {decimal(left)}" if left > 0 else f"{_subject(scope)} can give no more releases")
        )


def check_all(state: State, place: str, costs: list[tuple[str, int, Scope]]) -> None:
    """Refuses several charges that are too many together, with what each of them would cost."""
    if len(costs) < 2 or state.budget is None:
        return
    scope, total = costs[0][2], sum(cost for _, cost, _ in costs)
    left = state.left_for(scope)
    if total > left:
        listed = ", ".join(f"{name} {decimal(cost)}" for name, cost, _ in costs)
        of_period = f" for {scope.period}" if scope.neighbours else ""
        raise BudgetExceeded(
            f"{place}: {len(costs)} releases cost {decimal(total)} together ({listed}), and {decimal(max(left, 0))} is "
            f"left{of_period} of {budget_in_words(state.budget)}. Nothing was charged: leave some out, lower their "
            "epsilons, or publish those that matter most one by one"
        )


def _besides(state: State, scope: Scope) -> str:
    """What a period shares the cap with: everything that is not for the rows of some period of its kind."""
    shared = state.spent_besides(scope) if scope.neighbours else 0
    return f" and {decimal(shared)} by releases of all rows or of other kinds of periods" if shared else ""


def _subject(scope: Scope) -> str:
    return f"{scope.period} of this data set" if scope.neighbours else "this data set"
