"""All records of each user count, with a weight that the user's records share, and what that loses is made up for.

Source: our own; see the card. Guarantee: pure epsilon, from measurements whose costs add up: a histogram of users by
their records, the weights of items, a total, and a second look at the largest ten; where noise hides items, also one
at those of the largest noisy weights, for half of what items have; with contexts also the weights of these, and of
items in them.
Every bound, and which items are looked at again, follows from noisy numbers that were paid for.
Numerics: exact noise on whole numbers; weights are whole units. Bias: numbers are guesses by a model that shrinks small
counts; intervals are not.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.left_out import LeftOut, by_the_unit
from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_method import COUNT, PAIRS, SHARES, LookedAt
from discreet.mechanisms.items.item_selection import SELECT_PARTS, TOP, ItemSelection
from discreet.mechanisms.items.item_sizes import (
    bound_of_head,
    bound_of_total,
    clear_bins,
    listed_for_top,
    listed_items,
    most_change,
    number_of_bins,
    units_for,
    weight_in_list,
    weight_of_users,
)
from discreet.naming import SHARED_COLUMNS
from discreet.private.kept import Histories, Kept
from discreet.summaries import Summary
from discreet.summaries.share_estimates import all_likely_weights
from discreet.summaries.share_steps import Again, Corrections, Ints, Weighed
from discreet.summaries.shared_counts import SharedCounts
from discreet.summaries.shared_edges import SharedEdges

if TYPE_CHECKING:
    from discreet.noise import Noise

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
#: of what items have, if all are looked at once, and if some are looked at twice
_WHOLE, _HALF = Fraction(1), Fraction(1, 2)
#: where only the largest are wanted and all are ranked; the histogram is the same as where they are selected
_TOP_PARTS = {**_PARTS, "histogram": SELECT_PARTS["histogram"], "items": Fraction(83, 100)}


class EvenShares(ItemSelection):
    method = "even-shares"
    parameters = (PAIRS, COUNT, SHARES, TOP)
    less_noise = "raise epsilon or lower max_rows"
    takes_pairs = False
    columns = SHARED_COLUMNS
    rehearsal = "none"
    spends_all = False  # no user is at all bounds at once

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.needs_rows = request.unit.most > 1
        if self.in_contexts and self.top is not None:
            raise BadParameter("top: the largest are found among items alone; leave out the context, or top")

    @property
    def in_contexts(self) -> bool:
        return len(self.request.schema) > 1

    def noted_bound(self) -> int:
        if self.bounds_users:
            why = "from noisy numbers of users by their records; see `summary`"
            self.note_choice("bound", "half of the median number of records of a user", why)
            self.note_choice("bound of the total", "a power of two that few users exceed", why)
            self.note_choice("head", f"the {HEAD} items of the largest noisy weights", "measured again; see `summary`")
        else:
            self.note_choice("bound", 1, "the unit's own: there is nothing to share")
        return self.most

    def default_shares(self) -> dict[str, Fraction]:
        if not self.bounds_users:
            return dict(_OF_ONE_RECORD) if self.in_contexts else {"items": Fraction(1)}
        every = dict(_TOP_PARTS if "top" in self.request.parameters else _PARTS)
        if self.in_contexts:
            every |= {step: every["items"] * part for step, part in _IN_CONTEXTS.items()}
        return every

    def widest_change(self) -> Fraction:
        unit = self.request.unit
        return Fraction(unit.widened(most_change(self.most)).sensitivity if self.bounds_users else unit.sensitivity)

    def published(self, histories: Histories, bound: int, noise: Noise) -> Summary:
        kept = self.kept(histories, bound, noise)
        if not self.bounds_users:
            return self._summary(self._weights(kept, 1, 1, noise), None)
        bins = self._weighed("histogram", kept.bins(number_of_bins(bound)), 1, 1, noise)
        clear = clear_bins(bins.values, float(bins.scale))
        weight = weight_of_users(clear, bound)
        units = units_for(weight, bound)
        listed = self._listed(clear, weight)
        if self.selects and self.selecting_is_better(clear, float(bins.scale), listed):
            return self.selected(kept, bins, noise)
        weights = self._weights(kept, weight, units, noise, _HALF if listed else _WHOLE)
        items = weights["items"]
        again = self._again(kept, items, weight, listed, noise) if listed else None
        most = bound_of_total(clear, self._one("total"), bound)
        total = self._weighed("total", kept.table(most).sum()[None], most, 1, noise)
        heads = np.argsort(-items.values, kind="stable")[:HEAD]
        if again is not None:
            heads = again.codes[np.argsort(-again.weights.values, kind="stable")[:HEAD]]
        head = self._head(kept, heads, all_likely_weights(items, again), most, noise)
        return self._summary(weights, Corrections(bins, total, heads, head, again))

    def looked_at(self, histories: Histories, salt: bytes) -> LookedAt:
        """All records that count, by the weights that the exact numbers of users would give; with top the largest."""
        kept = histories.kept(self.bound, distinct=self.distinct, scores=None, salt=salt)
        counts, epsilon = self.per_item(kept.table(self.bound)), self.epsilon_of("items")
        if not self.bounds_users:
            return LookedAt(counts, counts, Fraction(self.request.unit.sensitivity), epsilon)
        bins = kept.bins(number_of_bins(self.bound)).astype(np.float64)
        largest = np.argsort(-counts, kind="stable")[: self.top]
        weight = weight_of_users(bins, self.bound)
        if self.selects and self.selecting_is_better(bins, 0.0, self._listed(bins, weight)):
            unit, few = self.unit_of(self.top or 1), counts[largest]
            return LookedAt(few, few, Fraction(unit.sensitivity), self.request.epsilon * SELECT_PARTS["counts"])
        units = units_for(weight, self.bound)
        weights = self.per_item(kept.shares(weight, units, np.arange(self.release_schema.cells))) / units
        change = Fraction(self.request.unit.widened(weight).sensitivity)
        return LookedAt(counts[largest], weights[largest], change, epsilon)

    def _one(self, step: str) -> float:
        """The scale of the noise of counts to which a unit adds at most one."""
        return float(self.unit_of(1).sensitivity / self.epsilon_of(step))

    def _listed(self, clear: NDArray[np.float64], weight: int) -> int:
        """How many items are looked at twice; where users are counted only for `top`, as intervals have the first."""
        scale, items = self._one("items"), self.sizes["items"]
        if self.top is not None:
            return listed_for_top(clear, weight, scale, items, HEAD, self.top)
        if self.distinct or self.in_contexts:
            return 0
        return listed_items(clear, weight, scale, items, HEAD)

    def _again(self, kept: Kept, items: Weighed, weight: int, listed: int, noise: Noise) -> Again:
        """A second look at the largest items, with the other half of what items have."""
        codes = np.sort(np.argsort(-items.values, kind="stable")[:listed])
        bound = weight_in_list(weight, listed, items.values.size)
        units = units_for(bound, self.most)
        exact = kept.shares(bound, units, _places(codes, items.values.size))
        return Again(codes, self._weighed("items", exact, bound, units, noise, _HALF))

    def _weights(self, kept: Kept, bound: int, units: int, noise: Noise, part: Fraction = _WHOLE) -> dict[str, Weighed]:
        """Of items, and of contexts and edges; a record is in one edge, so the others' weights are sums of edges'."""
        edges = kept.shares(bound, units, np.arange(self.release_schema.cells))
        exact = {"items": self.per_item(edges)}
        if self.in_contexts:
            exact |= {"contexts": edges.reshape(self.sizes["items"], -1).sum(axis=0), "edges": edges}
        return {step: self._weighed(step, numbers, bound, units, noise, part) for step, numbers in exact.items()}

    def _summary(self, weights: dict[str, Weighed], corrections: Corrections | None) -> Summary:
        alone, what = self.release_schema.select([self.item]), "users" if self.distinct else "records"
        items = SharedCounts(alone, weights["items"], corrections, most=self.most, what=what)
        if not self.in_contexts:
            return items
        return SharedEdges(self.release_schema, items, weights["contexts"], weights["edges"])

    def _head(self, kept: Kept, heads: Ints, weights: NDArray[np.float64], total_bound: int, noise: Noise) -> Weighed:
        """A second look at the largest items: of users no more than there are, of records no more than a bound."""
        if self.distinct:
            bound, units = min(heads.size, self.most), 1
        else:
            bound = bound_of_head(float(weights[heads].sum()) / max(float(weights.sum()), 1e-9), total_bound)
            units = units_for(bound, self.most)
        places = _places(heads, self.sizes["items"])
        exact = kept.shares(bound, units, np.repeat(places, self.release_schema.cells // places.size))
        return self._weighed("head", exact, bound, units, noise)

    def _weighed(
        self, step: str, exact: Ints, bound: int, units: int, noise: Noise, part: Fraction = _WHOLE
    ) -> Weighed:
        """Numbers that one user changes by at most bound * units in all, with noise that is paid for."""
        unit = self.request.unit
        scale = self.scale(step, unit if unit.is_row else unit.widened(bound * units), part)
        return Weighed(noise.add(exact, scale), scale, bound, units)

    def unit_leaves_out(self) -> list[LeftOut]:
        unit = self.request.unit
        # a user counts once for an item, and so has as many different items as the unit has rows
        once = self.distinct and not unit.is_row
        return list(by_the_unit(replace(unit, max_rows_per_cell=1) if once else unit))


def _places(codes: Ints, items: int) -> Ints:
    """Of each item where it is among the codes, -1 for others."""
    places = np.full(items, -1, np.int64)
    places[codes] = np.arange(codes.size)
    return places
