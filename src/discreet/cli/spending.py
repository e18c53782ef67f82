"""`discreet ledger`: the account, what people do to it, and releases checked against it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.cli.show import print_json, print_table, text_or_none
from discreet.errors import BadParameter, DiscreetError, LedgerError
from discreet.ledger import Entry, Ledger, Scope, acts
from discreet.ledger.amounts import NANO, epsilon_of
from discreet.ledger.entries import ACTS
from discreet.ledger.refusals import by_whom
from discreet.ledger.standing import State
from discreet.privacy import as_text, exact


@dataclass(frozen=True)
class Act:
    """What is to be done to the account, and why; at most one thing."""

    raise_to: str | None
    close: bool
    reopen: bool
    add_dataset: str | None
    reason: str | None

    @property
    def asked(self) -> bool:
        return any((self.raise_to, self.close, self.reopen, self.add_dataset, self.reason))

    def run(self, path: Path, as_json: bool, *, alone: bool) -> None:
        reason, wanted = self.reason or "", self._wanted()
        if len(wanted) != 1 or not alone:
            raise BadParameter(
                "give one of --raise, --close, --reopen and --add-dataset, with its --reason, such as: "
                f'discreet ledger {path} --raise 5 --reason "a second year of the study"'
            )
        if not reason.strip():
            raise BadParameter(
                'an act needs a reason: add --reason "..."; it is kept in the ledger for all who read it'
            )
        entry = wanted[0](Ledger.open(path, Ledger.read(path).dataset, None), reason)
        if as_json:
            print_json(entry_fields(entry))
        else:
            print(f"{path}: {_words(entry)} {by_whom(entry)}")

    def _wanted(self) -> list[Callable[[Ledger, str], Entry]]:
        found: list[Callable[[Ledger, str], Entry]] = []
        if self.raise_to is not None:
            cap = exact(self.raise_to, "--raise")
            found.append(lambda ledger, reason: acts.raise_cap(ledger, cap, reason))
        found += [acts.close] if self.close else []
        found += [acts.reopen] if self.reopen else []
        if self.add_dataset is not None:
            name = self.add_dataset
            found.append(lambda ledger, reason: acts.add_dataset(ledger, name, reason))
        return found


def run(path: Path, as_json: bool) -> None:
    ledger = Ledger.read(path)
    entries, state = ledger.entries(), ledger.state()
    spent, budget, left = as_text(ledger.spent), text_or_none(ledger.budget), text_or_none(ledger.left)
    if as_json:
        account = {"dataset": ledger.dataset, "budget": budget, "spent": spent, "left": left, "head": ledger.head()}
        more = {"datasets": list(state.datasets), "closed": state.closed is not None, "periods": _periods(state)}
        print_json({**account, **more, "promises": _promises(state, entries), "entries": [*map(entry_fields, entries)]})
    else:
        rest = "unspent" if state.closed else "left"
        cap = "no cap" if budget is None else f"of {budget}, {left} {rest}"
        closed = "" if state.closed is None else f"; closed {by_whom(state.closed)}: nothing more is charged"
        _show(f"{', '.join(state.datasets)}: {spent} spent, {cap}{closed}", entries)
        if periods := _periods(state):
            columns = ("data set", "by", "period", "spent", "left")
            print_table("periods of rows", columns, [[str(one[name] or "") for name in columns] for one in periods])
        for promise in _promises(state, entries):
            print(promise)
    ledger.verify()


def _show(title: str, entries: list[Entry]) -> None:
    """The entries, with the columns that some of them need."""
    acted = any(entry.kind in ACTS for entry in entries)
    several = any(entry.scope.dataset for entry in entries)
    columns = ["time", "entry", "release", "epsilon", "who", *(["data set"] * several), *(["reason"] * acted)]
    rows = []
    for entry in entries:
        more = [entry.scope.dataset] * several + [entry.what if entry.kind in ACTS else ""] * acted
        rows.append([*entry_row(entry), *more])
    print_table(title, columns, rows, right=("epsilon",))


def _periods(state: State) -> list[dict[str, str | None]]:
    """What was spent for the rows of each period, and what is left of the cap for it."""
    found = []
    for (dataset, partition, neighbours), parts in state.periods.items():
        for period, spent in sorted(parts.items()):
            left = None if state.budget is None else state.left_for(Scope(dataset, period, partition, neighbours))
            named = {"data set": dataset or state.dataset, "by": partition, "period": period}
            found.append({**named, "spent": _text(spent), "left": None if left is None else _text(left)})
    return found


def _promises(state: State, entries: list[Entry]) -> list[str]:
    """What holds for whom, where periods are told apart."""
    said, total = [], _text(state.spent)
    for partition, neighbours in dict.fromkeys((one[1], one[2]) for one in state.periods):
        moved = "" if neighbours == "add-remove" else "; one that is replaced may move to another, so both count"
        said.append(
            f"Promise for rows ({neighbours}): each is in one period only, by the {partition}{moved}. So a row loses "
            f"at most {total} by all releases together; somebody with rows in several periods loses that for each."
        )
    added = {one.scope.partition for one in entries if one.kind == "charge" and one.scope.period} - {
        one[1] for one in state.periods
    }
    users = "one may be in every period, so periods add up; nobody loses more than"
    return said + [f"Promise for users, by {one}: {users} {total} by all releases together." for one in sorted(added)]


def _text(nano: int) -> str:
    return as_text(Fraction(nano, NANO)) if nano else "0"


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
    from discreet.release import load

    try:
        manifest = load(folder).manifest
    except DiscreetError as error:
        return None, str(error).removeprefix(f"{folder}: ")
    return manifest["id"], ledger.fault_of(manifest)


def _words(entry: Entry) -> str:
    """What happened, in a few words."""
    if entry.kind in ("opened", "raised"):
        cap = "no cap" if entry.nano is None else f"cap {_text(entry.nano)}"
        return f"{entry.kind}, {cap}" if entry.kind == "opened" else f"cap raised to {_text(entry.nano or 0)}"
    return f"data set {entry.id} added" if entry.kind == "dataset-added" else entry.kind


def entry_row(entry: Entry) -> list[str]:
    when = entry.time[:19].replace("T", " ")
    if entry.kind == "opened" or entry.kind in ACTS:
        return [when, _words(entry), "", "", entry.who]
    return [when, entry.kind, entry.id, _text(entry.nano) if entry.nano else "", entry.who]


def entry_fields(entry: Entry) -> dict[str, Any]:
    epsilon = text_or_none(epsilon_of(entry.nano))
    named = {"time": entry.time, "kind": entry.kind, "release": entry.id, "epsilon": epsilon}
    scope = {"dataset": entry.scope.dataset, "period": entry.scope.period}
    return {**named, "who": entry.who, "what": entry.what, **{key: one for key, one in scope.items() if one}}
