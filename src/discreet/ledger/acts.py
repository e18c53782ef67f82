"""What people may do to an account itself, for a reason: raise its cap, close it, reopen it, let it cover more data.

An act is an entry of the chain like any other, with who did it, when and why.
"""

from __future__ import annotations

import uuid
from fractions import Fraction

from discreet.errors import BadParameter, LedgerError
from discreet.ledger.account import Ledger
from discreet.ledger.amounts import budget_in_words, cap_of, decimal
from discreet.ledger.entries import Entry, checked_text, current_user, kept_name, timestamp
from discreet.ledger.refusals import by_whom
from discreet.ledger.standing import State

_LONGEST = 1_000


def raise_cap(ledger: Ledger, budget: Fraction, reason: str) -> Entry:
    """From now on, releases may cost this much together. A cap is never lowered: to allow nothing more, close."""
    cap = cap_of(budget)
    line = _line("raised", reason, cap)

    def next_entry(state: State) -> Entry:
        if state.budget is None:
            raise LedgerError(f"{ledger.place} has no cap, so there is none to raise; nothing was written")
        if cap is None or cap <= state.budget:
            raise LedgerError(
                f"{ledger.place} has {budget_in_words(state.budget)} already, and {decimal(state.spent)} is spent. A "
                "cap is only ever raised: name more than that or, to allow nothing more, close it (--close)"
            )
        return line

    return ledger.act(next_entry)


def close(ledger: Ledger, reason: str) -> Entry:
    """From now on, nothing is charged; what was paid for can still be finished."""
    line = _line("closed", reason)

    def next_entry(state: State) -> Entry:
        if state.closed is not None:
            raise LedgerError(f"{ledger.place} was closed already, {by_whom(state.closed)}; nothing was written")
        return line

    return ledger.act(next_entry)


def reopen(ledger: Ledger, reason: str) -> Entry:
    """Charges are possible again, up to the cap."""
    line = _line("reopened", reason)

    def next_entry(state: State) -> Entry:
        if state.closed is None:
            raise LedgerError(f"{ledger.place} is open; nothing was written")
        return line

    return ledger.act(next_entry)


def add_dataset(ledger: Ledger, name: str, reason: str) -> Entry:
    """The account covers one more data set about the same people; what its releases cost adds up with the others."""
    line = _line("dataset-added", reason, name=kept_name(checked_text(name, "dataset"), "dataset"))

    def next_entry(state: State) -> Entry:
        if name in state.datasets:
            raise LedgerError(f"{ledger.place} covers data set {name!r} already; nothing was written")
        return line

    return ledger.act(next_entry)


def _line(kind: str, reason: str, nano: int | None = 0, *, name: str | None = None) -> Entry:
    if not isinstance(reason, str) or not reason.strip() or len(reason) > _LONGEST:
        raise BadParameter(
            f"an act needs a reason, in at most {_LONGEST:,} characters: whoever reads the ledger will want it"
        )
    said = kept_name(checked_text(reason.strip(), "reason"), "reason")
    return Entry(0, kind, timestamp(), current_user(), said, nano, name or uuid.uuid4().hex, "")
