"""What the methods for items share: how many records of a user count, which counts are wanted, what each step costs.

Guarantee: pure epsilon. What is kept of a user follows from that user's records, and from noisy numbers that were paid
for, by choices that are independent from user to user. So one user changes the counts of each step by at most what is
kept, and the steps' costs add up; `measure` derives them again from the scales that were used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_bounds import BOUND, GUESS, chosen_bound
from discreet.mechanisms.noise_scales import SharedBudget
from discreet.naming import TOP_COLUMNS, did_you_mean, refuse_columns
from discreet.parameters import Form, Parameter, Parameters, choice
from discreet.privacy import Unit, as_text, choice_cost, choice_scale, cost, exact, scale_of
from discreet.private.bounded import Bounded
from discreet.private.counts import NeverShown
from discreet.private.kept import Histories, Kept
from discreet.schema import Schema
from discreet.summaries import Summary
from discreet.summaries.left_records import RANDOM, LeftRecords

if TYPE_CHECKING:
    from discreet.noise import Noise

MOST_CELLS = 10**8
ALSO = "also_"
#: beyond it, chances fall too slowly for 64 bits
LARGEST_CHOICE = Fraction(2**47)

PAIRS = Parameter(
    "pairs",
    Form("true or false"),  # specs may say 1, or whatever else Python takes for true
    "Whether pairs of items that users have in common are counted too; usually given as `context`",
    False,
)
COUNT = choice("count", ("records", "users"), "'users' counts a user once for an item, with a context chosen at random")
SHARES = Parameter(
    "shares",
    Form("a part of epsilon for each step, such as {items = 0.5, edges = 0.5}"),
    "How epsilon is divided among the steps",
    otherwise="the method's own, see its card",
)
ITEMS: Parameters = (PAIRS, COUNT, BOUND, GUESS, SHARES)


@dataclass(frozen=True, eq=False, repr=False)
class LookedAt(NeverShown):
    """Exact and private: each item's count, and the weight that noise is added to; what a unit changes, at which
    epsilon."""

    counts: NDArray[np.int64]
    weights: NDArray[Any]
    change: Fraction
    epsilon: Fraction


class ItemMethod(SharedBudget):
    """A method of `Items`: users' records in, noisy counts per item, and per item and context, out."""

    tasks = ("items",)
    less_noise = "raise epsilon or lower the bound"
    takes_pairs: ClassVar[bool] = True
    #: columns of its releases, besides those of every release of items
    columns: tuple[str, ...] = ()
    #: how many records of a user count by default, if the unit allows as many: noise grows with the bound, and most of
    #: what counts say shows in few records of each user
    usual_bound: ClassVar[int] = 10
    #: how the records that count are chosen
    chosen_by: ClassVar[str] = RANDOM

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        schema = request.schema
        self.pairs = bool(request.parameters.get("pairs", False))
        self.item = schema.names[0]
        self.distinct = self._counts_users()
        #: the tables that are published, each of which has steps of its own
        self.steps = ("items", "edges") if self.pairs or len(schema) > 1 else ("items",)
        #: how many records of a user count
        self.bound = self.noted_bound()
        #: how many looks at the users' records it will take
        self.looks = 1
        # a unit's "one row in a cell" is about cells of the data, which may be finer than items
        self.needs_rows = self.pairs or self.distinct or self.bound != request.unit.most
        if self.pairs and self.bound == 1:
            raise BadParameter("bound: pairs of items need at least 2 records of a user; raise the bound")
        if self.pairs:
            self.release_schema = Schema({self.item: schema[self.item], ALSO + self.item: schema[self.item]})
        cells = self.release_schema.cells
        if cells > MOST_CELLS:
            raise BadParameter(
                f"{self.method}: {' x '.join(self.release_schema)} makes {cells:,} counts, more than {MOST_CELLS:,}; "
                "leave out a context, or use fewer items or wider bins"
            )
        self.shares = self._shares()
        self._paid = Fraction(0)
        self.check_scale(self.widest_change() / (request.epsilon * min(self.shares.values()) / 2))
        refuse_columns(schema, (*TOP_COLUMNS, *self.columns), self.method)
        if self.pairs and not self.takes_pairs:
            raise BadParameter(f"{self.method} cannot count pairs of items; use lpa, sra or hpa for them")

    def noted_bound(self) -> int:
        return chosen_bound(self.request, self.usual_bound, self.default_shares()["items"], self.note_choice)

    def widest_change(self) -> Fraction:
        """The most that one unit can change what any step measures."""
        units = [self.unit_of(self.request.unit.most), self.edge_unit(self.bound)]
        return Fraction(max(unit.sensitivity for unit in units))

    def check_choice(self, sensitivity: int, epsilon: Fraction) -> None:
        """Refuses a choice by the exponential mechanism that would be nearly even, before anything is charged."""
        if choice_scale(epsilon, sensitivity) > LARGEST_CHOICE:
            raise BadParameter(f"{self.method}: a private choice needs more of epsilon; raise epsilon, or its share")

    @abstractmethod
    def default_shares(self) -> dict[str, Fraction]:
        """What share of epsilon each step gets; "items" and, with contexts or pairs, "edges" are what is published."""

    def for_each_table(self, shares: dict[str, Fraction]) -> dict[str, Fraction]:
        """Steps for items alone; or for items and edges, with half of epsilon each and names of their own."""
        if len(self.steps) == 1:
            return shares
        both = {name: share / 2 for name, share in shares.items()}
        edges = {("edges" if name == "items" else f"edge-{name}"): share for name, share in both.items()}
        return {**both, **edges}

    @abstractmethod
    def published(self, histories: Histories, bound: int, noise: Noise) -> Summary:
        """The summary, with at most `bound` records of each user. The only use of the private records."""

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        histories = data.histories(self.looks)
        self._paid = Fraction(0)
        summary = self.published(histories, self.bound, noise)
        self.check_paid(self._paid)
        return summary

    def kept(self, histories: Histories, most: int, noise: Noise, scores: NDArray[np.float64] | None = None) -> Kept:
        return histories.kept(most, distinct=self.distinct, scores=scores, salt=noise.salt())

    def looked_at(self, histories: Histories, salt: bytes) -> LookedAt:
        """For the custodian alone, before anything is spent: what a plain method would count, without noise."""
        bound = min(self.bound, self.usual_bound)
        kept = histories.kept(bound, distinct=self.distinct, scores=None, salt=salt)
        counts = self.tables(kept, bound)[0]
        return LookedAt(counts, counts, Fraction(self.unit_of(bound).sensitivity), self.epsilon_of("items"))

    def left_records(self, bound: int) -> LeftRecords:
        """What is known of the records that do not count."""
        what = "different items" if self.distinct else "records"
        return LeftRecords(bound, self.request.unit.most, self.chosen_by, what)

    def unit_of(self, rows: int) -> Unit:
        """The unit when this many of its records count."""
        return self.request.unit.narrowed(rows, per_cell=1 if self.distinct else None)

    def epsilon_of(self, step: str) -> Fraction:
        return self.request.epsilon * self.shares[step]

    def choose(self, step: str, losses: NDArray[np.int64], sensitivity: int, noise: Noise) -> int:
        """An index of low loss, drawn by the exponential mechanism and paid for."""
        scale = choice_scale(self.epsilon_of(step), sensitivity)
        self.pay(choice_cost(scale, sensitivity))
        return noise.choose(losses, scale)

    def scale(self, step: str, unit: Unit, part: Fraction = Fraction(1)) -> Fraction:
        """The scale for counts of this unit's records in a step, or part of one; this pays for it."""
        scale = scale_of(self.epsilon_of(step) * part, unit.sensitivity)
        self.pay(cost(unit, 1 / scale))
        return scale

    def noisy_total(self, kept: Kept, rows: int, noise: Noise, scale: Fraction) -> int:
        """How many records count, when at most this many of each user do."""
        return int(noise.add(kept.table(rows).sum()[None], scale)[0])

    def pay(self, epsilon: Fraction) -> None:
        self._paid += epsilon

    def noise_law(self) -> dict[str, Any]:
        return {"law": "discrete Laplace: Pr[x] proportional to exp(-|x| / s); for s see `summary`"}

    def unit_leaves_out(self) -> list[LeftOut]:
        """Without the unit's own bound: `method_leaves_out` says which records count."""
        unit = self.request.unit
        return [] if unit.is_row else [LeftOut("no-unit", {"unit": unit.column})]

    def method_leaves_out(self) -> list[LeftOut]:
        found = super().method_leaves_out()
        if self.request.unit.is_row:
            return found
        what = "different items" if self.distinct else "records"
        return [LeftOut("user-bound", {"bound": str(self.bound), "what": what}), *found]

    def up_to(self, parameter: Parameter[int], most: int) -> int:
        """A whole number as it was given or by default, of at most what this request allows."""
        value = self.value(parameter)
        if value > most:
            raise BadParameter(f"{parameter.name} must be a whole number from 1 to {most}, not {value!r}")
        return value

    def _counts_users(self) -> bool:
        asked, in_cell = self.request.parameters, self.request.unit.in_cell
        if in_cell not in (None, 1):
            raise BadParameter(
                f"items: records or users are counted, so max_rows_per_cell cannot be {in_cell}; set it to 1 to count "
                "users, or leave it out"
            )
        if in_cell == 1 and asked.get("count") == "records":
            raise BadParameter(
                "count: with max_rows_per_cell = 1 users are counted, not records; leave it out, or set it to 'users'"
            )
        if in_cell == 1 and "count" not in asked:
            self.note_choice("count", "users", "from the unit: one row in a cell")
            return True
        return self.value(COUNT) == "users"

    def _shares(self) -> dict[str, Fraction]:
        """Every step's share of epsilon, as given or by default; they add up to at most 1."""
        wanted, origin = self.default_shares(), "default"
        if (given := self.request.parameters.get("shares")) is not None:
            wanted, origin = _given_shares(given, list(wanted)), "given"
        self.note_choice("shares", {step: as_text(share) for step, share in wanted.items()}, origin)
        return wanted

    def edge_unit(self, rows: int) -> Unit:
        """The unit of the counts per item and context, or of pairs: these may be more than its records."""
        if not self.pairs:
            return self.unit_of(rows)
        both = rows * (rows - 1)
        return self.request.unit.widened(max(both // 2 if self.distinct else both, 1))

    def tables(self, kept: Kept, rows: int) -> list[NDArray[np.int64]]:
        """The exact counts per item, and per item and context or pair, flat."""
        table = kept.table(rows)
        edges = kept.pairs(rows, directed=not self.distinct).reshape(-1) if self.pairs else table
        return [self.per_item(table), edges][: len(self.steps)]

    def per_item(self, table: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts of all cells to those of the items."""
        return np.asarray(table.reshape(self.sizes["items"], -1).sum(axis=1))

    @property
    def sizes(self) -> dict[str, int]:
        """How many counts each published table has."""
        return {"items": self.request.schema.sizes[0], "edges": self.release_schema.cells}

    @property
    def views(self) -> list[tuple[str, ...]]:
        """The attributes of each published table: the item's, then all."""
        names = self.release_schema.names
        return [names[:1], names][: len(self.steps)]


def _given_shares(given: Any, steps: list[str]) -> dict[str, Fraction]:
    if not isinstance(given, Mapping) or not given:
        raise BadParameter(f"shares must give a part of epsilon to each of {', '.join(steps)}")
    for step in given:
        if step not in steps:
            hint = did_you_mean(step, steps)
            raise BadParameter(f"shares: there is no step {step!r}.{hint} The steps are {', '.join(steps)}")
    if missing := [step for step in steps if step not in given]:
        raise BadParameter(f"shares: {', '.join(missing)} is missing; each step needs a part of epsilon")
    shares = {step: exact(given[step], f"shares.{step}") for step in steps}
    if sum(shares.values()) > 1:
        raise BadParameter("shares: the parts of epsilon add up to more than 1; lower some of them")
    return shares
