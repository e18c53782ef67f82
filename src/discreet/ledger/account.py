"""The account itself: charging it, recording releases, and checking what it says."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.charts.small_bars import html_table, small_bar
from discreet.errors import LedgerError, without_secrets
from discreet.ledger.amounts import NANO, budget_in_words, cap_of, cost_of, decimal, epsilon_of
from discreet.ledger.entries import EVERYTHING, Bill, Charge, Entry, Scope, checked_text, kept_name, timestamp
from discreet.ledger.faults import damaged
from discreet.ledger.layout import append, check_format, check_tables, find, heads, rows
from discreet.ledger.refusals import check_all, check_cap, check_open, check_purpose
from discreet.ledger.standing import State
from discreet.ledger.storage import Storage


class Ledger:
    """An account: `Ledger.open` to charge it, `Ledger.read` to look. Safe in threads, processes and forks."""

    def __init__(self, path: str | Path | None, timeout: float, *, read_only: bool = False) -> None:
        self._storage = Storage(path, timeout, read_only=read_only)
        self._place, self._witness = self._storage.place, self._storage.witness()
        self._state, self._dataset = State(), ""

    @classmethod
    def open(cls, path: str | Path | None, dataset: str, budget: Fraction | None, *, timeout: float = 30.0) -> Ledger:
        """The ledger of `dataset` at `path`, created if absent; None keeps the account in memory only."""
        ledger, dataset, cap = cls(path, timeout), checked_text(dataset, "dataset"), cap_of(budget)
        ledger._storage.create_if_absent(dataset, cap)
        ledger._check_format()
        ledger.verify()
        check_purpose(ledger._state, ledger._place, dataset, cap)
        ledger._dataset = dataset
        ledger._complete_witness()
        return ledger

    @classmethod
    def read(cls, path: str | Path, *, timeout: float = 30.0) -> Ledger:
        """An existing ledger, to look at. `entries` shows even a damaged one; `verify` and totals do not."""
        ledger = cls(path, timeout, read_only=True)
        ledger._check_format()
        return ledger

    @property
    def durable(self) -> bool:
        return self._storage.durable

    @property
    def place(self) -> str:
        """Where it is kept, in words."""
        return self._place

    @property
    def dataset(self) -> str:
        """The data set that it was opened for now; of one that is only read, the first that it was made for."""
        return self._dataset or self._now().dataset

    @property
    def added_dataset(self) -> str:
        """The same, but nothing for the first one: as entries name it."""
        return "" if self.dataset == self._now().dataset else self.dataset

    @property
    def id(self) -> str:
        """Which ledger this is, whatever it is called and wherever it lies."""
        return self._now().first

    @property
    def budget(self) -> Fraction | None:
        return epsilon_of(self._now().budget)

    @property
    def spent(self) -> Fraction:
        return Fraction(self._now().spent, NANO)

    @property
    def left(self) -> Fraction | None:
        """What may still be charged for all rows; None when the ledger has no cap."""
        return self.left_for(EVERYTHING)

    def left_for(self, scope: Scope) -> Fraction | None:
        """What may still be charged for the rows of one period."""
        state = self._now()
        return None if state.budget is None else Fraction(state.left_for(scope), NANO)

    def state(self) -> State:
        """All that the entries add up to, in nano-epsilons."""
        return self._now()

    def __repr__(self) -> str:
        with suppress(LedgerError):
            return f"<Ledger of {self.dataset!r}: {self._in_words()}>"
        return f"<Ledger {self._place}, which cannot be read>"

    def _repr_html_(self) -> str:
        """What was spent, by whom and for what."""
        charges = [entry for entry in self.entries() if entry.kind == "charge"]
        spent = [entry.nano or 0 for entry in charges]
        most = max([*spent, self._now().budget or 0], default=0)
        lines = [
            [entry.time, entry.who, entry.id, decimal(nano), small_bar(nano, nano, nano, most)]
            for entry, nano in zip(charges, spent, strict=True)
        ]
        return html_table(["time", "who", "release", "epsilon"], lines, {3}, [f"{self.dataset}: {self._in_words()}"])

    def _in_words(self) -> str:
        state = self._now()
        left = "" if state.budget is None else f", {decimal(state.left_for(EVERYTHING))} left"
        return f"{decimal(state.spent)} spent of {budget_in_words(state.budget)}{left}"

    def head(self) -> str:
        return self._now().head

    def contains_head(self, head: str) -> bool:
        """Whether this account ever stood at `head`: if not, it is an older copy, or another ledger."""
        return any(entry.hash == head for entry in self.entries())

    def around(self, head: str) -> tuple[State, State]:
        """How the account stood just before the entry of this hash, and just after it."""
        before = State()
        for entry in self.entries():
            after = before.after(entry, self._place)
            if entry.hash == head:
                return before, after
            before = after
        raise LedgerError(f"{self._place}: has no entry {head}; name the ledger that it is in")

    def entries(self) -> list[Entry]:
        with self._storage.transaction("BEGIN") as connection:
            return list(rows(connection, "ORDER BY seq"))

    def charge(
        self, release_id: str, request: str, epsilon: Fraction, who: str, what: str, scope: Scope = EVERYTHING
    ) -> Charge:
        """Spend `epsilon` for good, or find that this very request has already been paid for."""
        return self.charge_all([Bill(release_id, request, epsilon, what, scope)], who)[0]

    def charge_all(self, bills: Sequence[Bill], who: str) -> list[Charge]:
        """Each of these charges, as an entry of its own, or none of them if they are too many together."""
        who, found = checked_text(who, "who"), []
        asked = [_checked(bill) for bill in bills]
        with self._spending() as (connection, state):
            unpaid = [(bill, cost) for bill, cost in asked if find(connection, "charge", bill.release_id) is None]
            check_all(state, self._place, [(bill.release_id, cost, bill.scope) for bill, cost in unpaid])
            for bill, cost in asked:
                earlier = paid = find(connection, "charge", bill.release_id)
                if paid is None:
                    self._check_cap(state, cost, bill.scope)
                    line = Entry(0, "charge", timestamp(), who, bill.what, cost, bill.release_id, bill.request)
                    paid = append(connection, state, replace(line, scope=bill.scope))
                    state = state.after(paid, self._place)
                elif (paid.digest, paid.nano, paid.scope) != (bill.request, cost, bill.scope):
                    raise LedgerError(
                        f"{self._place}: release {bill.release_id!r} was charged for another request by {paid.who} "
                        f"on {paid.time}. Give the changed release a new name; nothing was charged"
                    )
                found.append((paid, earlier is not None))
        self._witness.write([(paid.seq, paid.hash) for paid, _ in found])
        return [
            Charge(paid.id, paid.digest, Fraction(paid.nano or 0, NANO), paid.time, paid.hash, repeated)
            for paid, repeated in found
        ]

    def act(self, next_entry: Callable[[State], Entry]) -> Entry:
        """One of the `acts`: writes the entry that follows from how the account stands, which may be refused."""
        with self._spending() as (connection, state):
            entry = append(connection, state, next_entry(state))
            state.after(entry, self._place)
        self._witness.write([(entry.seq, entry.hash)])
        return entry

    def record(self, release_id: str, digest: str) -> None:
        """Fix the bytes of a charged release by their digest; a second, different digest is refused."""
        release_id, digest = checked_text(release_id, "release id"), checked_text(digest, "release digest")
        with self._spending() as (connection, state):
            paid, earlier = find(connection, "charge", release_id), find(connection, "release-recorded", release_id)
            if paid is None:
                raise LedgerError(f"{self._place}: release {release_id!r} was never charged: charge it first")
            if earlier is None:
                line = replace(paid, kind="release-recorded", time=timestamp(), nano=0, digest=digest)
                earlier = append(connection, state, line)
            elif earlier.digest != digest:
                raise LedgerError(
                    f"{self._place}: release {release_id!r} was recorded with other bytes on {earlier.time}. "
                    "Discard this output and use the recorded one"
                )
        with suppress(LedgerError):  # nothing is spent here, and the record must stand: the next opening writes it
            self._witness.write([(earlier.seq, earlier.hash)])

    def charged(self, release_id: str) -> str | None:
        """The digest of the request that this release was charged for."""
        return self._digest("charge", release_id)

    def recorded(self, release_id: str) -> str | None:
        """The seal of the release that was published."""
        return self._digest("release-recorded", release_id)

    def fault_of(self, release: Mapping[str, Any]) -> str | None:
        """Why this account does not know a release with this manifest (`release.manifest`); None if it does."""
        said = release["ledger"]
        if not said["durable"]:
            return "charged to an account in memory, which no ledger knows"
        with self._storage.transaction("BEGIN") as connection:
            paid, recorded = (find(connection, kind, release["id"]) for kind in ("charge", "release-recorded"))
        if paid is None or (paid.hash, paid.digest) != (said["head"], release["request"]):
            return "its charge is not in this ledger, which is an older copy or another one"
        if paid.scope.period != release.get("period", {}).get("period", ""):
            return f"it was charged for {paid.scope.period or 'all rows'}, and is about other rows"
        if recorded is None:
            return "charged, but its bytes were never recorded, or the copy is from before that"
        return None if recorded.digest == release["seal"] else "not the bytes that were recorded"

    def _digest(self, kind: str, release_id: str) -> str | None:
        with self._storage.transaction("BEGIN") as connection:
            entry = find(connection, kind, checked_text(release_id, "release id"))
        return None if entry is None else entry.digest

    def verify(self) -> None:
        """Check the file, its append-only triggers, the whole chain and its witness; LedgerError says what is wrong."""
        news = self._witness.news(everything=True)
        with self._storage.transaction("BEGIN") as connection:
            check_tables(connection, self._place)
            self._catch_up(connection, State())
            self._witness.confirm(news, heads(connection))

    @contextmanager
    def _spending(self) -> Iterator[tuple[sqlite3.Connection, State]]:
        """A transaction that may write, on a ledger that knows all that its witness does."""
        news = self._witness.news()
        with self._storage.transaction("BEGIN IMMEDIATE") as connection:
            state = self._catch_up(connection)
            self._witness.confirm(news, heads(connection, news.first))
            yield connection, state

    def _complete_witness(self) -> None:
        """Write what an earlier version or a crash left out."""
        known = self._witness.news(everything=True).lines
        with self._storage.transaction("BEGIN") as connection:
            self._witness.write(sorted(heads(connection).items() - known))

    def _now(self) -> State:
        with self._storage.transaction("BEGIN") as connection:
            return self._catch_up(connection)

    def _catch_up(self, connection: sqlite3.Connection, start: State | None = None) -> State:
        """Check the entries after `start`; by default, those that this object has not checked before."""
        known = self._state
        again = next(rows(connection, "WHERE seq = ?", known.seq), None)
        if known.seq and (again is None or again.hash != known.head):
            raise LedgerError(
                f"{self._place}: entry {known.seq}, which this program has seen, is gone: an older copy or "
                "another ledger was put in its place. Put the right one back; nothing was charged"
            )
        state = known if start is None else start
        for entry in rows(connection, "WHERE seq > ? ORDER BY seq", state.seq):
            state = state.after(entry, self._place)
        if not state.seq:
            raise damaged(self._place, "it has no entries")
        self._state = state
        return state

    def _check_format(self) -> None:
        with self._storage.transaction("BEGIN") as connection:
            check_format(connection, self._place)

    def _check_cap(self, state: State, cost: int, scope: Scope) -> None:
        check_open(state, self._place)
        check_cap(state, self._place, cost, scope)


def _checked(bill: Bill) -> tuple[Bill, int]:
    """The bill as an entry can hold it, and what it costs."""
    release_id, request = checked_text(bill.release_id, "release id"), checked_text(bill.request, "request digest")
    what, cost = without_secrets(checked_text(bill.what, "what")), cost_of(bill.epsilon)
    return replace(bill, release_id=kept_name(release_id, "the name of a release"), request=request, what=what), cost
