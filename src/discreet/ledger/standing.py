"""What the entries of an account add up to, entry by entry; what no rule allows is damage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from discreet.ledger.amounts import LARGEST
from discreet.ledger.entries import ACTS, GENESIS, Entry, Scope
from discreet.ledger.faults import damaged
from discreet.privacy import periods_counted

#: data set, what decides in which period a row is, and how neighbours differ
Group = tuple[str, str, str]


@dataclass(frozen=True)
class State:
    """What the checked entries add up to."""

    seq: int = 0
    head: str = GENESIS
    datasets: tuple[str, ...] = ()
    budget: int | None = None
    #: charged for all rows, or for users, whose periods add up
    added_up: int = 0
    #: charged for the rows of one period each, which are in no other
    periods: Mapping[Group, Mapping[str, int]] = field(default_factory=dict)
    raised: Entry | None = None
    closed: Entry | None = None
    #: the hash of the first entry, which no other ledger has
    first: str = ""

    @property
    def dataset(self) -> str:
        """The data set that the account was opened for."""
        return self.datasets[0] if self.datasets else ""

    @property
    def spent(self) -> int:
        """What no unit has lost more than."""
        return self.added_up + sum(_most(group, parts) for group, parts in self.periods.items())

    def spent_in(self, scope: Scope) -> int:
        """Charged for this period; for a scope without one of its own, what is spent in all."""
        return self.periods.get(_group(scope), {}).get(scope.period, 0) if scope.neighbours else self.spent

    def spent_besides(self, scope: Scope) -> int:
        """Charged for anything but periods of this kind, which a row of any of them has lost as well."""
        group = _group(scope)
        return self.spent - _most(group, self.periods.get(group, {}))

    def left_for(self, scope: Scope) -> int:
        """What may still be charged for this scope."""
        cap = LARGEST if self.budget is None else self.budget
        if not scope.neighbours:
            return cap - self.spent
        room = cap - self.spent_besides(scope)
        return room // periods_counted(scope.neighbours) - self.spent_in(scope)

    def after(self, entry: Entry, place: str) -> State:
        first = self.seq == 0
        if (entry.kind == "opened") != first or entry.chained(self.head) != entry:
            raise damaged(place, f"entry {entry.seq} is not as it was written")
        if first:
            return State(entry.seq, entry.hash, (entry.what,), entry.nano, first=entry.hash)
        if (fault := self.fault(entry)) is not None:
            raise damaged(place, f"entry {entry.seq}: {fault}")
        return replace(self._with(entry), seq=entry.seq, head=entry.hash)

    def fault(self, entry: Entry) -> str | None:
        """Why this entry may not come next, whoever wrote it."""
        if entry.kind in ACTS and not entry.what.strip():
            return f"{entry.kind} without a reason"
        if entry.kind == "charge":
            if self.closed is not None:
                return "charged while the account was closed"
            known = entry.scope.dataset in ("", *self.datasets[1:])
            return None if known else f"charged for data set {entry.scope.dataset!r}, which the account does not cover"
        if entry.kind == "raised":
            higher = self.budget is not None and entry.nano is not None and entry.nano > self.budget
            return None if higher else "a cap that is not above the one before"
        if entry.kind in ("closed", "reopened"):
            return f"{entry.kind} a second time" if (entry.kind == "closed") == (self.closed is not None) else None
        if entry.kind == "dataset-added" and entry.id in self.datasets:
            return f"data set {entry.id!r} a second time"
        return None

    def _with(self, entry: Entry) -> State:
        if entry.kind == "charge":
            return self._charged(entry.scope, entry.nano or 0)
        if entry.kind == "raised":
            return replace(self, budget=entry.nano, raised=entry)
        if entry.kind in ("closed", "reopened"):
            return replace(self, closed=entry if entry.kind == "closed" else None)
        if entry.kind == "dataset-added":
            return replace(self, datasets=(*self.datasets, entry.id))
        return self

    def _charged(self, scope: Scope, cost: int) -> State:
        if not scope.neighbours:
            return replace(self, added_up=self.added_up + cost)
        group = _group(scope)
        parts = {**self.periods.get(group, {}), scope.period: self.spent_in(scope) + cost}
        return replace(self, periods={**self.periods, group: parts})


def _group(scope: Scope) -> Group:
    return scope.dataset, scope.partition, scope.neighbours


def _most(group: Group, parts: Mapping[str, int]) -> int:
    """What one row can lose by all periods together, of which it is in one, or moves from one to another."""
    return periods_counted(group[2]) * max(parts.values(), default=0)
