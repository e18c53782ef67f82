"""What the methods for items share: how many records of a user count, which counts are wanted, what each step costs.

Guarantee: pure epsilon. What is kept of a user follows from that user's records, and from noisy numbers that were paid
for, by choices that are independent from user to user. So one user changes the counts of each step by at most what is
kept, and the steps' costs add up; `measure` derives them again from the scales that were used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, DiscreetError
from discreet.left_out import LeftOut, without_unit
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.items.item_bounds import BOUND, GUESS, QUANTILE, Bound
from discreet.mechanisms.request import Request
from discreet.naming import did_you_mean
from discreet.noise import Noise
from discreet.parameters import Choice, Flag, Form, Parameter, Parameters
from discreet.privacy import IN_CELL, LARGEST_SCALE, Unit, as_text, choice_scale, cost, exact, scale_of
from discreet.private.bounded import Bounded
from discreet.private.kept import Histories, Kept
from discreet.schema import Schema
from discreet.summaries import Summary

MOST_CELLS = 10**8
ALSO = "also_"
#: beyond it, chances fall too slowly for 64 bits
LARGEST_CHOICE = Fraction(2**47)

PAIRS = Parameter(
    "pairs", Flag(), "Besides items, pairs of items that users have in common; usually given as `context`", False
)
COUNT = Parameter(
    "count",
    Choice(("records", "users")),
    "'users': a user counts once for an item, with a context chosen at random",
    "records",
)
SHARES = Parameter(
    "shares",
    Form("a part of epsilon for each step, such as {items = 0.5, edges = 0.5}"),
    "What part of epsilon each step gets",
    otherwise="the method's own, see its card",
)
ITEMS: Parameters = (PAIRS, COUNT, BOUND, QUANTILE, GUESS, SHARES)


class ItemMethod(Mechanism):
    """A method of `Items`: users' records in, noisy counts per item, and per item and context, out."""

    tasks = ("items",)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        schema = request.schema
        self.pairs = PAIRS.read(request.parameters.get("pairs", False))
        self.item = schema.names[0]
        self.distinct = self._counts_users()
        self.has_edges = self.pairs or len(schema) > 1
        self.bound = Bound.of(request, self.default_bound(), self.default_shares()["items"], self.note_choice)
        as_declared = not self.bound.private and self.bound.most == request.unit.most
        # a unit's "one row in a cell" is about cells of the data, which may be finer than items
        self.needs_rows = self.pairs or self.distinct or not as_declared
        if self.pairs and self.bound.most == 1:
            raise BadParameter("pairs of items need users of whom at least 2 records count; raise their bound")
        self.release_schema = _with_pairs(schema, self.item) if self.pairs else schema
        cells = self.release_schema.cells
        if cells > MOST_CELLS:
            raise BadParameter(
                f"{self.method}: {' x '.join(self.release_schema)} makes {cells:,} counts, more than {MOST_CELLS:,}; "
                "leave out a context, or use fewer items or wider bins"
            )
        self.shares = self._shares()
        #: 1 / scale of all steps, for a change of one record, adds up to at most this
        self.budget = 1 / scale_of(request.epsilon, request.unit.sensitivity)
        self._paid = Fraction(0)
        self.check_scale(self.widest_change() / (request.epsilon * min(self.shares.values()) / 2))
        if self.bound.private:
            self.check_choice(self.bound.sensitivity, self.epsilon_of("bound"))

    def widest_change(self) -> Fraction:
        """The most that one unit can change what any step measures."""
        units = [self.unit_of(self.request.unit.most), self.edge_unit(self.bound.most)]
        return Fraction(max(unit.sensitivity for unit in units))

    def check_scale(self, scale: Fraction) -> None:
        """Refuses what would need wider noise than there is, before anything is charged."""
        if scale > LARGEST_SCALE:
            raise BadParameter(
                f"{self.method}: this needs noise of a scale above 2**52; raise epsilon or lower the bound"
            )

    def check_choice(self, sensitivity: int, epsilon: Fraction) -> None:
        """The same for what the exponential mechanism chooses by."""
        if choice_scale(epsilon, sensitivity) > LARGEST_CHOICE:
            raise BadParameter(f"{self.method}: such a choice needs more of epsilon; raise epsilon, or its share")

    @property
    def cost(self) -> Fraction:
        """What all steps together may cost; `measure` checks that the scales it used do not exceed it."""
        return cost(self.request.unit, self.budget)

    @property
    def looks(self) -> int:
        """How many looks at the users' records it will take."""
        return 1 + self.bound.private

    def default_bound(self) -> int:
        """How many records of a user count if nobody says."""
        return self.request.unit.most

    @abstractmethod
    def default_shares(self) -> dict[str, Fraction]:
        """What share of epsilon each step gets; "items" and, if `has_edges`, "edges" are what is published."""

    @abstractmethod
    def published(self, histories: Histories, bound: int, noise: Noise) -> Summary:
        """The summary, with at most `bound` records of each user. The only use of the private records."""

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        histories = data.histories(self.looks)
        bound, self._paid = self.bound.most, Fraction(0)
        if self.bound.private:
            numbers = self.kept(histories, bound, noise).numbers(bound)
            bound = self.bound.chosen(numbers, self.epsilon_of("bound"), noise)
            self.pay(self.bound.price(self.epsilon_of("bound")))
        summary = self.published(histories, bound, noise)
        if self._paid > self.request.epsilon:
            raise DiscreetError("the scales of the noise cost more than epsilon; nothing is published")
        return summary

    def kept(self, histories: Histories, most: int, noise: Noise, scores: NDArray[np.float64] | None = None) -> Kept:
        return histories.kept(most, distinct=self.distinct, scores=scores, salt=noise.salt())

    def unit_of(self, rows: int) -> Unit:
        """The unit when this many of its records count."""
        return self.request.unit.narrowed(rows, per_cell=1 if self.distinct else None)

    def epsilon_of(self, step: str) -> Fraction:
        return self.request.epsilon * self.shares[step]

    def scale(self, step: str, unit: Unit) -> Fraction:
        """The scale for counts of this unit's records in a step, which is paid for hereby."""
        scale = scale_of(self.epsilon_of(step), unit.sensitivity)
        self.pay(cost(unit, 1 / scale))
        return scale

    def pay(self, epsilon: Fraction) -> None:
        self._paid += epsilon

    def noise_law(self) -> dict[str, Any]:
        return {"law": "discrete Laplace: Pr[x] proportional to exp(-|x| / s); for s see `summary`"}

    def unit_leaves_out(self) -> list[LeftOut]:
        """Which records count, the method says itself."""
        return [] if self.request.unit.is_row else [without_unit(self.request.unit)]

    def method_leaves_out(self) -> list[LeftOut]:
        if self.request.unit.is_row:
            return []
        what = "different items" if self.distinct else "records"
        return [LeftOut("user-bound", {"bound": self.bound.text, "what": what})]

    def cell(self) -> dict[str, int]:
        """Of pairs, one of two items."""
        codes = super().cell()
        return {**codes, ALSO + self.item: 1} if self.pairs else codes

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
                f"items: records or users are counted, so {IN_CELL} cannot be {in_cell}; set it to 1 to count "
                "users, or leave it out"
            )
        if in_cell == 1 and asked.get("count") == "records":
            raise BadParameter("count: the unit says that a user counts once in a cell, so users are counted")
        if in_cell == 1 and "count" not in asked:
            self.note_choice("count", "users", "from the unit: one row in a cell")
            return True
        return self.value(COUNT) == "users"

    def _shares(self) -> dict[str, Fraction]:
        """Every step's share of epsilon, as given or by default; they add up to at most 1."""
        wanted = self.default_shares()
        if self.bound.private:
            wanted = {
                "bound": self.bound.share,
                **{step: share * (1 - self.bound.share) for step, share in wanted.items()},
            }
        given = self.request.parameters.get("shares")
        if given is not None:
            if not isinstance(given, Mapping) or not given:
                raise BadParameter(f"shares must say a part of epsilon for each of {', '.join(wanted)}")
            for step in given:
                if step not in wanted:
                    raise BadParameter(
                        f"shares: there is no step {step!r}.{did_you_mean(step, wanted)} "
                        f"The steps are {', '.join(wanted)}"
                    )
            missing = [step for step in wanted if step not in given]
            if missing:
                raise BadParameter(f"shares: {', '.join(missing)} is missing; each step needs a part of epsilon")
            wanted = {step: exact(given[step], f"shares.{step}") for step in wanted}
            if sum(wanted.values()) > 1:
                raise BadParameter("shares: the parts of epsilon add up to more than 1")
        self.note_choice(
            "shares", {step: as_text(share) for step, share in wanted.items()}, "default" if given is None else "given"
        )
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
        items = table.reshape(self.request.schema.sizes[0], -1).sum(axis=1)
        if self.pairs:
            return [items, kept.pairs(rows, directed=not self.distinct).reshape(-1)]
        return [items, table] if self.has_edges else [items]

    @property
    def sizes(self) -> dict[str, int]:
        """How many counts each published table has."""
        return {"items": self.request.schema.sizes[0], "edges": self.release_schema.cells}

    @property
    def views(self) -> list[tuple[str, ...]]:
        """The attributes of each published table: the item's, then all."""
        names = self.release_schema.names
        return [names[:1], names] if self.has_edges else [names[:1]]


def _with_pairs(schema: Schema, item: str) -> Schema:
    return Schema({item: schema[item], ALSO + item: schema[item]})
