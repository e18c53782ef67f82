"""The items that most users have, selected by one-shot noise: what `top` adds to a method of `Items`.

Source: our own proof, on the card of `even-shares`. Guarantee: pure epsilon; selecting k costs what one-sided noise of
its scale does, and each of their counts is measured with noise of its own. Numerics: exact noise on whole numbers.
Bias: of items that lost nothing is counted.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_method import LARGEST_CHOICE, ItemMethod
from discreet.mechanisms.items.item_sizes import selecting_is_better, stands_out
from discreet.parameters import Parameter, Whole
from discreet.privacy import as_text, cost, scale_of, selection_cost, selection_scale
from discreet.private.kept import Kept
from discreet.summaries.selected_counts import SelectedCounts, UsersByItems
from discreet.summaries.share_steps import Weighed

if TYPE_CHECKING:
    from discreet.noise import Noise

#: parts of epsilon if items are selected
SELECT_PARTS = {"histogram": Fraction(5, 100), "select": Fraction(70, 100), "counts": Fraction(25, 100)}

TOP = Parameter(
    "top",
    Whole(),
    "How many of the items with most users are wanted; these are selected, and only they counted, where that is better",
    otherwise="all items are counted",
)


class ItemSelection(ItemMethod):
    """A method of `Items` that can be told how many of the largest are wanted."""

    def __init__(self, request: Request) -> None:
        if {"top", "shares"} <= set(request.parameters):
            raise BadParameter("shares: with top the shares are those of the card; leave out shares")
        super().__init__(request)
        self.top = None if "top" not in request.parameters else self.up_to(TOP, self.sizes["items"])
        if self.selects:
            said = {step: as_text(share) for step, share in SELECT_PARTS.items()}
            self.note_choice("shares if items are selected", said, "default; `summary` says whether they were")
        if self.selects and self._selection_scale() > LARGEST_CHOICE:
            raise BadParameter(f"{self.method}: to select needs more of epsilon; raise epsilon, or lower top")

    @property
    def most(self) -> int:
        """How many records of a user may count; where each item counts once, there are no more than items."""
        most = self.request.unit.most
        return min(most, self.sizes["items"]) if self.distinct else most

    @property
    def bounds_users(self) -> bool:
        """Whether a user may have several records, so that there is something to share."""
        return self.most > 1

    @property
    def selects(self) -> bool:
        """Whether the largest may be selected: that is better only where users have as many items."""
        return self.bounds_users and self.top is not None and self.top <= self.most

    def selecting_is_better(self, clear: NDArray[np.float64], scale: float, listed: int) -> bool:
        """If no users stand out, or they have so many items that few of the largest are told apart by them."""
        return not stands_out(clear, scale) or selecting_is_better(clear, self.top or 0, listed=listed > 0)

    def selected(self, kept: Kept, bins: Weighed, noise: Noise) -> SelectedCounts:
        """The items of most users by one-shot noise; then the users of each, with noise of its own.

        The noisy histogram `bins` was paid for before.
        """
        assert self.top is not None
        exact = kept.table(self.most)
        one, scale = self.unit_of(1), self._selection_scale()
        self.pay(selection_cost(one, scale, self.top))
        codes = noise.select(exact, self.top, scale)
        unit = self.unit_of(self.top)
        own = scale_of(self.request.epsilon * SELECT_PARTS["counts"], unit.sensitivity)
        self.pay(cost(unit, 1 / own))
        users = UsersByItems(bins, self.most)
        return SelectedCounts(self.release_schema, codes, noise.add(exact[codes], own), own, scale, users)

    def _selection_scale(self) -> Fraction:
        assert self.top is not None
        return selection_scale(self.request.epsilon * SELECT_PARTS["select"], self.unit_of(1), self.top)

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

    def method_leaves_out(self) -> list[LeftOut]:
        return [LeftOut("selected", {"top": self.top})] if self.selects else []
