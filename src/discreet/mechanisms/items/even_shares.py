"""All records of each user count, with a weight that the user's records share, and what that loses is made up for.

Source: our own; see the card. Guarantee: pure epsilon, from measurements whose costs add up: a histogram of users by
their records, the weights of items, a total, and a second look at the largest ten; with contexts also the weights of
these, and of items in them. Every bound, and which ten are the largest, follows from noisy numbers that were paid for.
Numerics: exact noise on whole numbers; weights are whole units. Bias: numbers are guesses by a model that shrinks small
counts; intervals are not.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.left_out import LeftOut, by_the_unit
from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_method import COUNT, LARGEST_CHOICE, PAIRS, SHARES, ItemMethod, LookedAt
from discreet.mechanisms.items.item_sizes import (
    bound_of_head,
    bound_of_total,
    clear_bins,
    items_of_users,
    most_change,
    number_of_bins,
    stands_out,
    units_for,
    weight_of_users,
)
from discreet.naming import SHARED_COLUMNS
from discreet.noise import Noise
from discreet.parameters import Parameter, Whole
from discreet.privacy import as_text, cost, scale_of, selection_cost, selection_scale
from discreet.private.kept import Histories, Kept
from discreet.summaries import Summary
from discreet.summaries.selected_counts import SelectedCounts
from discreet.summaries.share_estimates import likely_weights
from discreet.summaries.share_steps import Corrections, Ints, Weighed
from discreet.summaries.shared_counts import SharedCounts
from discreet.summaries.shared_edges import SharedEdges

#: parts of epsilon; chosen on five data sets, and flat around these
_PARTS = {
    "histogram": Fraction(8, 100),
    "items": Fraction(80, 100),
    "total": Fraction(4, 100),
    "head": Fraction(8, 100),
}
#: what items have of it is divided if there are contexts; edges have more of it where users have one record
_IN_CONTEXTS = {"items": Fraction(56, 80), "contexts": Fraction(4, 80), "edges": Fraction(20, 80)}
_OF_ONE_RECORD = {"items": Fraction(35, 100), "contexts": Fraction(5, 100), "edges": Fraction(60, 100)}
#: how many items are measured again
HEAD = 10
#: where only the largest are wanted: if all are ranked, and if they are selected; both with the same histogram
_TOP_PARTS = {**_PARTS, "histogram": Fraction(5, 100), "items": Fraction(83, 100)}
_SELECT_PARTS = {"histogram": Fraction(5, 100), "select": Fraction(70, 100), "counts": Fraction(25, 100)}

TOP = Parameter(
    "top",
    Whole(),
    "How many of the items with most users are wanted; these are selected, and only they counted, where that is better",
    otherwise="all items are counted",
)


class EvenShares(ItemMethod):
    method = "even-shares"
    parameters = (PAIRS, COUNT, SHARES, TOP)
    less_noise = "raise epsilon or lower max_rows"
    takes_pairs = False
    columns = SHARED_COLUMNS
    rehearsal = "none"
    spends_all = False  # no user is at all bounds at once

    def __init__(self, request: Request) -> None:
        if {"top", "shares"} <= set(request.parameters):
            raise BadParameter("shares: with top the shares are those of the card; leave out shares")
        super().__init__(request)
        self.needs_rows = self.bounds_users
        self.top = None if "top" not in request.parameters else self.up_to(TOP, self.sizes["items"])
        if self.selects:
            said = {step: as_text(share) for step, share in _SELECT_PARTS.items()}
            self.note_choice("shares if items are selected", said, "default; `summary` says whether they were")
        if self.selects and self._selection_scale() > LARGEST_CHOICE:
            raise BadParameter(f"{self.method}: to select needs more of epsilon; raise epsilon, or lower top")
        if self.in_contexts and self.top is not None:
            raise BadParameter("top: the largest are found among items alone; leave out the context, or top")

    @property
    def bounds_users(self) -> bool:
        """Whether a user may have several records, so that there is something to share."""
        return self.request.unit.most > 1

    @property
    def in_contexts(self) -> bool:
        return len(self.request.schema) > 1

    @property
    def selects(self) -> bool:
        """Whether the largest may be selected: that is better only where users have as many items."""
        return self.bounds_users and self.top is not None and self.top <= self.request.unit.most

    def noted_bound(self) -> int:
        if self.bounds_users:
            why = "from noisy numbers of users by their records; see `summary`"
            self.note_choice("bound", "half of the median number of records of a user", why)
            self.note_choice("bound of the total", "a power of two that few users exceed", why)
            self.note_choice("head", f"the {HEAD} items of the largest noisy weights", "measured again; see `summary`")
        else:
            self.note_choice("bound", 1, "the unit's own: there is nothing to share")
        return self.request.unit.most

    def default_shares(self) -> dict[str, Fraction]:
        if not self.bounds_users:
            return dict(_OF_ONE_RECORD) if self.in_contexts else {"items": Fraction(1)}
        every = dict(_TOP_PARTS if "top" in self.request.parameters else _PARTS)
        if self.in_contexts:
            every |= {step: every["items"] * part for step, part in _IN_CONTEXTS.items()}
        return every

    def widest_change(self) -> Fraction:
        unit = self.request.unit
        return Fraction(unit.widened(most_change(unit.most)).sensitivity if self.bounds_users else unit.sensitivity)

    def published(self, histories: Histories, bound: int, noise: Noise) -> Summary:
        kept = self.kept(histories, bound, noise)
        if not self.bounds_users:
            return self._summary(self._weights(kept, 1, 1, noise), None)
        bins = self._weighed("histogram", kept.bins(number_of_bins(bound)), 1, 1, noise)
        clear = clear_bins(bins.values, float(bins.scale))
        if self.selects and self._selecting_is_better(clear, float(bins.scale)):
            return self._selected(kept, noise)
        weight = weight_of_users(clear, bound)
        units = units_for(weight, bound)
        weights = self._weights(kept, weight, units, noise)
        items = weights["items"]
        one = float(self.unit_of(1).sensitivity / self.epsilon_of("total"))
        most = bound_of_total(clear, one, bound)
        total = self._weighed("total", kept.table(most).sum()[None], most, 1, noise)
        heads = np.argsort(-items.values, kind="stable")[:HEAD]
        head = self._head(kept, heads, items, most, noise)
        return self._summary(weights, Corrections(bins, total, heads, head))

    def looked_at(self, histories: Histories, salt: bytes) -> LookedAt:
        """All records that count, by the weights that the exact numbers of users would give; with top the largest."""
        kept = histories.kept(self.bound, distinct=self.distinct, scores=None, salt=salt)
        counts, epsilon = self.per_item(kept.table(self.bound)), self.epsilon_of("items")
        if not self.bounds_users:
            return LookedAt(counts, counts, Fraction(self.request.unit.sensitivity), epsilon)
        bins = kept.bins(number_of_bins(self.bound)).astype(np.float64)
        largest = np.argsort(-counts, kind="stable")[: self.top]
        if self.selects and self._selecting_is_better(bins, 0.0):
            unit, few = self.unit_of(self.top or 1), counts[largest]
            return LookedAt(few, few, Fraction(unit.sensitivity), self.request.epsilon * _SELECT_PARTS["counts"])
        weight = weight_of_users(bins, self.bound)
        units = units_for(weight, self.bound)
        weights = self.per_item(kept.shares(weight, units, np.arange(self.release_schema.cells))) / units
        change = Fraction(self.request.unit.widened(weight).sensitivity)
        return LookedAt(counts[largest], weights[largest], change, epsilon)

    def _weights(self, kept: Kept, bound: int, units: int, noise: Noise) -> dict[str, Weighed]:
        """Of items, and of contexts and edges; a record is in one edge, so the others' weights are sums of edges'."""
        edges = kept.shares(bound, units, np.arange(self.release_schema.cells))
        exact = {"items": self.per_item(edges)}
        if self.in_contexts:
            exact |= {"contexts": edges.reshape(self.sizes["items"], -1).sum(axis=0), "edges": edges}
        return {step: self._weighed(step, numbers, bound, units, noise) for step, numbers in exact.items()}

    def _summary(self, weights: dict[str, Weighed], corrections: Corrections | None) -> Summary:
        alone, what = self.release_schema.select([self.item]), "users" if self.distinct else "records"
        items = SharedCounts(alone, weights["items"], corrections, most=self.request.unit.most, what=what)
        if not self.in_contexts:
            return items
        return SharedEdges(self.release_schema, items, weights["contexts"], weights["edges"])

    def _selecting_is_better(self, clear: NDArray[np.float64], scale: float) -> bool:
        """Selecting k has noise of k / epsilon; ranking has that of the users' average number of items, or about."""
        return not stands_out(clear, scale) or (self.top or 0) <= items_of_users(clear)

    def _selected(self, kept: Kept, noise: Noise) -> SelectedCounts:
        """The items of most users by one-shot noise; then the users of each, with noise of its own."""
        assert self.top is not None
        exact = kept.table(self.request.unit.most)
        one, scale = self.unit_of(1), self._selection_scale()
        self.pay(selection_cost(one, scale, self.top))
        codes = noise.select(exact, self.top, scale)
        unit = self.unit_of(self.top)
        own = scale_of(self.request.epsilon * _SELECT_PARTS["counts"], unit.sensitivity)
        self.pay(cost(unit, 1 / own))
        return SelectedCounts(self.release_schema, codes, noise.add(exact[codes], own), own, scale)

    def _selection_scale(self) -> Fraction:
        assert self.top is not None
        return selection_scale(self.request.epsilon * _SELECT_PARTS["select"], self.unit_of(1), self.top)

    def noise_law(self) -> dict[str, Any]:
        law = super().noise_law()["law"]
        if self.selects:
            law += "; where items are selected, one-sided noise: Pr[x] proportional to exp(-x / s) for x = 0, 1, 2, ..."
        return {"law": law}

    def _counts_users(self) -> bool:
        if "top" not in self.request.parameters:
            return super()._counts_users()
        if self.request.parameters.get("count", "users") != "users":
            raise BadParameter(
                "top: items are selected by how many users have them; leave out count, or set it to 'users'"
            )
        if self.request.unit.in_cell not in (None, 1):
            return super()._counts_users()
        self.note_choice("count", "users", "top: items are selected by how many users have them")
        return True

    def _head(self, kept: Kept, heads: Ints, items: Weighed, total_bound: int, noise: Noise) -> Weighed:
        """A second look at the largest items: of users no more than there are, of records no more than a bound."""
        if self.distinct:
            bound, units = min(heads.size, self.request.unit.most), 1
        else:
            weights = likely_weights(items)
            bound = bound_of_head(float(weights[heads].sum()) / max(float(weights.sum()), 1e-9), total_bound)
            units = units_for(bound, self.request.unit.most)
        places = np.full(self.sizes["items"], -1, np.int64)
        places[heads] = np.arange(heads.size)
        exact = kept.shares(bound, units, np.repeat(places, self.release_schema.cells // places.size))
        return self._weighed("head", exact, bound, units, noise)

    def _weighed(self, step: str, exact: Ints, bound: int, units: int, noise: Noise) -> Weighed:
        """Numbers that one user changes by at most bound * units in all, with noise that is paid for."""
        unit = self.request.unit
        scale = self.scale(step, unit if unit.is_row else unit.widened(bound * units))
        return Weighed(noise.add(exact, scale), scale, bound, units)

    def unit_leaves_out(self) -> list[LeftOut]:
        unit = self.request.unit
        # a user counts once for an item, and so has as many different items as the unit has rows
        once = self.distinct and not unit.is_row
        return list(by_the_unit(replace(unit, max_rows_per_cell=1) if once else unit))

    def method_leaves_out(self) -> list[LeftOut]:
        return [LeftOut("selected", {"top": self.top})] if self.selects else []
