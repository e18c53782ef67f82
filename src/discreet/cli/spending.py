"""`discreet ledger`."""

from __future__ import annotations

from pathlib import Path

from discreet.cli.show import print_json, print_table, text_or_none
from discreet.ledger import Entry, Ledger
from discreet.privacy import as_text


def run(path: Path, as_json: bool) -> None:
    ledger = Ledger.read(path)
    entries = ledger.entries()
    spent, budget, left = as_text(ledger.spent), text_or_none(ledger.budget), text_or_none(ledger.left)
    if as_json:
        account = {"dataset": ledger.dataset, "budget": budget, "spent": spent, "left": left, "head": ledger.head()}
        print_json({**account, "entries": [_fields(entry) for entry in entries]})
    else:
        cap = "no cap" if budget is None else f"of {budget}, {left} left"
        columns = ("time", "entry", "release", "epsilon", "who")
        rows = [_row(entry) for entry in entries]
        print_table(f"{ledger.dataset}: {spent} spent, {cap}", columns, rows, right=("epsilon",))
    ledger.verify()


def _row(entry: Entry) -> list[str]:
    when, cost = entry.time[:19].replace("T", " "), as_text(entry.epsilon) if entry.epsilon else ""
    if entry.kind == "opened":
        return [when, f"opened, cap {cost}" if cost else "opened, no cap", "", "", entry.who]
    return [when, entry.kind, entry.id, cost, entry.who]


def _fields(entry: Entry) -> dict[str, str | None]:
    epsilon = text_or_none(entry.epsilon)
    named = {"time": entry.time, "kind": entry.kind, "release": entry.id, "epsilon": epsilon}
    return {**named, "who": entry.who, "what": entry.what}
