"""`discreet ledger`: the account, and releases checked against it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from discreet.cli.show import print_json, print_table, text_or_none
from discreet.errors import BadParameter, DiscreetError, LedgerError
from discreet.ledger import Entry, Ledger
from discreet.privacy import as_text
from discreet.release import load


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


def run_against(path: Path, folders: Sequence[Path], asked: bool, as_json: bool) -> None:
    if not asked or not folders:
        raise BadParameter(f"to check releases against a ledger: discreet ledger {path} --against RELEASE ...")
    ledger = Ledger.read(path)
    damage = _damage(ledger)
    verdicts = [(folder, *_verdict(ledger, folder)) for folder in folders]
    if as_json:
        listed = [{"folder": str(folder), "release": name, "fault": fault} for folder, name, fault in verdicts]
        print_json({"ledger": str(path), "fault": damage and str(damage), "releases": listed})
    else:
        rows = [[str(folder), name or "", fault or "in the ledger"] for folder, name, fault in verdicts]
        print_table(f"{path} against {len(rows)} release{'s'[: len(rows) > 1]}", ("folder", "release", "verdict"), rows)
    if damage is not None:
        print(f"discreet: {damage}", file=sys.stderr)
    if damage is not None or any(fault for _, _, fault in verdicts):
        raise SystemExit(1)


def _damage(ledger: Ledger) -> LedgerError | None:
    try:
        ledger.verify()
    except LedgerError as error:
        return error
    return None


def _verdict(ledger: Ledger, folder: Path) -> tuple[str | None, str | None]:
    """The name of a release, and what is wrong with it if anything is."""
    try:
        manifest = load(folder).manifest
    except DiscreetError as error:
        return None, str(error).removeprefix(f"{folder}: ")
    return manifest["id"], ledger.fault_of(manifest)


def _row(entry: Entry) -> list[str]:
    when, cost = entry.time[:19].replace("T", " "), as_text(entry.epsilon) if entry.epsilon else ""
    if entry.kind == "opened":
        return [when, f"opened, cap {cost}" if cost else "opened, no cap", "", "", entry.who]
    return [when, entry.kind, entry.id, cost, entry.who]


def _fields(entry: Entry) -> dict[str, str | None]:
    epsilon = text_or_none(entry.epsilon)
    named = {"time": entry.time, "kind": entry.kind, "release": entry.id, "epsilon": epsilon}
    return {**named, "who": entry.who, "what": entry.what}
