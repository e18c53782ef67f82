"""Ledgers as pages: what was spent, when, by whom, under which cap, and whether every entry is as it was written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.charts import Curve, Picture, curve_chart
from discreet.cli.spending import entry_fields, entry_row
from discreet.errors import DiscreetError, LedgerError
from discreet.ledger import Ledger
from discreet.ledger.amounts import NANO
from discreet.ledger.entries import Entry
from discreet.ledger.standing import State
from discreet.privacy import as_text


@dataclass(frozen=True)
class AccountPage:
    """`fault` says what is wrong with the file, if anything is."""

    name: str
    fault: str
    dataset: str
    budget: str
    spent: str
    left: str
    closed: bool
    rows: list[list[str]]
    picture: Picture | None
    entries: list[dict[str, Any]]


def account_of(name: str, path: Path) -> AccountPage:
    try:
        ledger = Ledger.read(path)
    except LedgerError as error:
        raise LedgerError(str(error).replace(str(path), name)) from None
    entries = ledger.entries()
    rows, fields = [entry_row(entry) for entry in entries], [entry_fields(entry) for entry in entries]
    try:
        ledger.verify()
        state = ledger.state()
    except LedgerError as error:
        return AccountPage(name, str(error).replace(str(path), name), "", "", "", "", False, rows, None, fields)
    left = None if state.budget is None else Fraction(state.budget - state.spent, NANO)
    shown = (_cap(state.budget), _text(Fraction(state.spent, NANO)), "no cap" if left is None else _text(left))
    picture = _steps(name, entries, path)
    return AccountPage(name, "", ", ".join(state.datasets), *shown, state.closed is not None, rows, picture, fields)


def outline_of(name: str, path: Path) -> dict[str, str]:
    """What the first page says of a ledger."""
    try:
        ledger = Ledger.read(path)
        left = ledger.left
        return {
            "name": name,
            "spent": _text(ledger.spent),
            "left": "no cap" if left is None else _text(left),
            "fault": "",
        }
    except DiscreetError as error:
        return {"name": name, "spent": "", "left": "", "fault": str(error).replace(str(path), name)}


def _steps(name: str, entries: list[Entry], path: Path) -> Picture | None:
    """What was spent after each entry, and the cap."""
    states, state = [], State()
    for entry in entries:
        state = state.after(entry, str(path))
        states.append(state)
    if len(states) < 2:
        return None
    places, spent, caps = [], [], []
    for number, one in enumerate(states):
        before = states[max(number - 1, 0)]
        places += [number, number]
        spent += [before.spent / NANO, one.spent / NANO]
        caps += [(before.budget or 0) / NANO, (one.budget or 0) / NANO]
    curves = [Curve("spent", places, spent)]
    curves += [Curve("cap", places, caps)] if all(one.budget is not None for one in states) else []
    labels = [entry.time[:10] for entry in entries]
    return curve_chart(f"Spent from {name}, entry by entry", curves, labels=labels, axes=("", "epsilon"))


def _cap(nano: int | None) -> str:
    return "no cap" if nano is None else _text(Fraction(nano, NANO))


def _text(amount: Fraction) -> str:
    return as_text(amount) if amount else "0"
