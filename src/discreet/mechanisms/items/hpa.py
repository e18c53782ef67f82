"""Few records of each user, those about the most popular items.

Source: HPA of sampled-analytics, algorithm 2; its noisy counts are computed once, after the loop over users (errata).
Guarantee: see `item_method`. The popularity that guides the choice is itself noisy and paid for (or public); given it,
what is kept of a user follows from that user's records. Numerics: exact noise on whole numbers.
Bias: counts are of the kept records only, and so those of unpopular items are lower than sra's.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_cells import RESCALE, ItemCells
from discreet.mechanisms.items.item_method import ITEMS
from discreet.noise import Noise
from discreet.parameters import Form, Parameter, Whole
from discreet.private.kept import Histories, Kept
from discreet.schema import Nominal
from discreet.summaries.left_records import POPULAR

POPULARITY_SHARE = Fraction(1, 10)
PROBE = Parameter(
    "probe", Whole(), "From how many records of each user, chosen at random, the popularity is estimated (d)", 1
)
SCORES = Parameter(
    "scores",
    Form("{item = score}"),
    "Public scores to use instead of a private popularity; items without one have 0",
    otherwise="a noisy popularity",
)


class Hpa(ItemCells):
    method = "hpa"
    parameters = (*ITEMS, RESCALE, PROBE, SCORES)
    always_leaves_out = ("popular-first",)
    chosen_by = POPULAR

    def __init__(self, request: Request) -> None:
        self.scores = _public_scores(request)
        super().__init__(request)
        self.needs_rows = True
        if self.scores is None:
            self.looks += 1
            self.probe = self.up_to(PROBE, request.unit.most)
        elif "probe" in request.parameters:
            raise BadParameter("probe: with public scores no popularity is estimated; leave out probe or scores")
        else:
            self.note_choice("scores", f"public, for {np.count_nonzero(self.scores):,} items", "given")

    def default_shares(self) -> dict[str, Fraction]:
        shares = super().default_shares()
        if self.scores is not None:
            return shares
        rest = {step: share * (1 - POPULARITY_SHARE) for step, share in shares.items()}
        return {"popularity": POPULARITY_SHARE, **rest}

    def select(self, histories: Histories, bound: int, noise: Noise) -> Kept:
        return self.kept(histories, bound, noise, self._popularity(histories, noise))

    def _popularity(self, histories: Histories, noise: Noise) -> NDArray[np.float64]:
        """A score for each item; only their order matters, so they need not add up to 1."""
        if self.scores is not None:
            return self.scores
        seen = self.kept(histories, self.probe, noise).table(self.probe)
        noisy = noise.add(self.per_item(seen), self.scale("popularity", self.unit_of(self.probe)))
        return np.maximum(noisy, 0).astype(np.float64)


def _public_scores(request: Request) -> NDArray[np.float64] | None:
    given = request.parameters.get("scores")
    if given is None:
        return None
    attribute = request.schema[request.schema.names[0]]
    if not isinstance(given, Mapping) or not given:
        raise BadParameter(f'scores must give items a number each, such as {{"{attribute.label(0)}": 2.5}}')
    scores = np.zeros(attribute.size)
    for label, score in given.items():
        if isinstance(score, bool) or not isinstance(score, int | float) or not np.isfinite(score):
            raise BadParameter(f"scores: {label!r} has {score!r}, which is not a number; give a number")
        first, last = attribute.node(label) if isinstance(attribute, Nominal) else (attribute.code(label),) * 2
        if first != last:
            raise BadParameter(f"scores: {label!r} is a group of items; give each item its own score")
        scores[first] = score
    return scores
