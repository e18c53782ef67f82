"""What accuracy an epsilon buys, before any is spent: row by row as it is found."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any

from discreet.charts import Picture
from discreet.cli.plan_charts import pictures
from discreet.cli.plan_tables import error_text, fields_of, least_text, needed_fields
from discreet.cli.predicting import Wish, like_of, request_of
from discreet.errors import BadParameter
from discreet.ledger import Ledger
from discreet.plan import MethodPlan, Plan, growing
from discreet.planning.least_epsilon import Needed, least_epsilons
from discreet.planning.odds import in_words
from discreet.privacy import LARGEST_EPSILON, as_text, exact
from discreet.spec import ReleaseSpec, Spec
from discreet.web.custodian.spec_files import mark_of, text_of
from discreet.web.shell.limits import Fields, number, text

_MOST_EPSILONS = 8
_KEPT = 64


@dataclass(frozen=True)
class PlanWish:
    """What the form of a plan says."""

    epsilons: list[Fraction]
    error: float
    share: float

    @classmethod
    def read(cls, fields: Fields, release: ReleaseSpec) -> PlanWish:
        parts = [part.strip() for part in text(fields, "epsilon").split(",") if part.strip()]
        epsilons = [exact(part, "epsilon") for part in parts] or [
            release.epsilon / 2,
            release.epsilon,
            2 * release.epsilon,
        ]
        if len(epsilons) > _MOST_EPSILONS or not all(0 < one <= LARGEST_EPSILON for one in epsilons):
            raise BadParameter(f"epsilon: give 1 to {_MOST_EPSILONS} numbers above 0 and up to {LARGEST_EPSILON}")
        error, share = number(fields, "error", 0.0), number(fields, "share", 0.0)
        try:
            Wish(error=error or None, share=share or None)
        except BadParameter as wrong:
            raise BadParameter(str(wrong).removeprefix("--")) from None
        if not math.isfinite(error):
            raise BadParameter("error: write a number, such as 50")
        return cls(sorted(set(epsilons)), error, share)


@dataclass(frozen=True)
class Row:
    """One method at one epsilon."""

    method: str
    auto: str
    cells: list[str]
    refused: str


class Plans:
    """Plans that were made before are kept, as long as the spec stays as it is."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, Plan] = OrderedDict()
        self._lock = Lock()

    def each(self, path: Path, spec: Spec, release: ReleaseSpec, asked: PlanWish) -> Iterator[PlanTable]:
        """A table for each epsilon; its rows are found while somebody reads them."""
        mark = mark_of(text_of(path))
        for epsilon in asked.epsilons:
            key = (path, mark, release.name, epsilon, asked.share)
            yield PlanTable(epsilon, bool(asked.share), self._steps(key, spec, release, asked, epsilon))

    def _steps(self, key: Any, spec: Spec, release: ReleaseSpec, asked: PlanWish, epsilon: Fraction) -> Iterator[Plan]:
        """The plan as it grows; at once if it was made before. One method at a time, whoever asks."""
        if key in self._kept:
            yield self._kept[key]
            return
        wish = Wish(share=asked.share or None)
        request, like = request_of(spec, release, wish, epsilon), like_of(spec, release, wish)
        steps, found = growing(release.task, request, like=like, share=asked.share or 0.95), None
        while True:
            with self._lock:  # not while somebody reads: a page that is left must not keep others waiting
                following = next(steps, None)
            if following is None:
                break
            found = following
            yield found
        assert found is not None
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def needed(self, spec: Spec, release: ReleaseSpec, asked: PlanWish) -> list[Needed]:
        wish = Wish(error=asked.error, share=asked.share or None)
        with self._lock:
            request, like = request_of(spec, release, wish, release.epsilon), like_of(spec, release, wish)
            return least_epsilons(release.task, request, wish.goals(release), like=like)


class PlanTable:
    """The table of one epsilon, of which `columns`, `rows` and `notes` are read in this order."""

    def __init__(self, epsilon: Fraction, within: bool, steps: Iterator[Plan]) -> None:
        self.title, self._within, self._steps = f"epsilon {as_text(epsilon)}", within, steps
        self._found: Plan | None = None

    def begin(self) -> None:
        """Until it is known what its columns are about."""
        while self._found is None or not self._found.classes:
            if not self._goes_on():
                return

    @property
    def columns(self) -> list[str]:
        return list(self._so_far.classes)

    @property
    def rows(self) -> Iterator[Row]:
        shown, more = 0, True
        while more:
            for one in self._so_far.methods[shown:]:
                yield self._row(one)
            shown = len(self._so_far.methods)
            more = self._goes_on()

    @property
    def notes(self) -> list[str]:
        return [self._so_far.words, *self._so_far.advice]

    def whole(self) -> Plan:
        while self._goes_on():
            pass
        return self._so_far

    def _goes_on(self) -> bool:
        found = next(self._steps, None)
        self._found = found or self._found
        return found is not None

    @property
    def _so_far(self) -> Plan:
        self.begin()
        assert self._found is not None
        return self._found

    def _row(self, one: MethodPlan) -> Row:
        cells = [error_text(one.errors[label], self._within) for label in self.columns] if one.errors else []
        return Row(one.method, one.auto, cells, one.refused)


def rows_needed(found: Sequence[Needed]) -> list[Row]:
    return [
        Row(one.method, one.auto, [*map(least_text, one.by_class.values()), least_text(one.epsilon)], one.refused)
        for one in found
    ]


def drawn(name: str, plans: Sequence[Plan]) -> list[Picture]:
    return pictures([(name, found) for found in plans])


def plan_json(plans: Sequence[Plan], needed: Sequence[Needed], asked: PlanWish, release: ReleaseSpec) -> dict[str, Any]:
    goals = Wish(error=asked.error or None, share=asked.share or None).goals(release) if needed else {}
    least = needed_fields(goals, needed) if needed else None
    return {"plans": [fields_of(found) for found in plans], "least": least}


def odds(spec: Spec, release: ReleaseSpec) -> str:
    return in_words(release.epsilon, spec.unit)


@dataclass(frozen=True)
class Budget:
    """How the account stands, and how it would stand after a release."""

    cap: str
    spent: str
    left: str
    after: str
    enough: bool


def budget_of(spec: Spec, epsilon: Fraction) -> Budget | None:
    """None without a ledger; an account that is not there yet has spent nothing."""
    if spec.ledger is None:
        return None
    path = Path(spec.resolve(spec.ledger))
    spent, cap = Fraction(0), spec.budget
    if path.is_file():
        ledger = Ledger.read(path)
        spent, cap = ledger.spent, ledger.budget
    if cap is None:
        return Budget("no cap", _text(spent), "no cap", "no cap", True)
    left = cap - spent
    after = left - epsilon
    return Budget(_text(cap), _text(spent), _text(left), _text(after) if after >= 0 else "not enough", after >= 0)


def _text(amount: Fraction) -> str:
    return as_text(amount) if amount else "0"


def period_needed(spec: Spec, release: ReleaseSpec) -> bool:
    return spec.periods is not None and not release.all_rows
