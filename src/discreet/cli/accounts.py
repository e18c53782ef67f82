"""`discreet ledger`."""

from __future__ import annotations

from pathlib import Path

from discreet.cli.show import print_json, print_table
from discreet.ledger import Entry, Ledger
from discreet.privacy import as_text


def run(path: Path, as_json: bool) -> None:
    ledger = Ledger.read(path)
    entries = ledger.entries()
    left, budget = ledger.left, ledger.budget
    if as_json:
        print_json(
            {
                "dataset": ledger.dataset,
                "budget": None if budget is None else as_text(budget),
                "spent": as_text(ledger.spent),
                "left": None if left is None else as_text(left),
                "head": ledger.head(),
                "entries": [_fields(entry) for entry in entries],
            }
        )
    else:
        of = "no cap" if budget is None or left is None else f"of {as_text(budget)}, {as_text(left)} left"
        columns = ("time", "entry", "release", "epsilon", "who")
        rows = [_row(entry) for entry in entries]
        print_table(f"{ledger.dataset}: {as_text(ledger.spent)} spent, {of}", columns, rows, right=("epsilon",))
    ledger.verify()


def _row(entry: Entry) -> list[str]:
    when, cost = entry.time[:19].replace("T", " "), as_text(entry.epsilon) if entry.epsilon else ""
    if entry.kind == "opened":
        return [when, f"opened, cap {cost}" if cost else "opened, no cap", "", "", entry.who]
    return [when, entry.kind, entry.id, cost, entry.who]


def _fields(entry: Entry) -> dict[str, str | None]:
    return {
        "time": entry.time,
        "kind": entry.kind,
        "release": entry.id,
        "epsilon": None if entry.epsilon is None else as_text(entry.epsilon),
        "who": entry.who,
        "what": entry.what,
    }
