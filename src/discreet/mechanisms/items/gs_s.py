"""Items grouped by a noisy sample of their records.

Source: GS-S of grouping-smoothing, section 3.2. Guarantee: see `item_groups`. The sample costs its step's share:
with `columns`, one record of each user, chosen at random, is counted, which one user changes by one; with `rows`, all
records of users who are sampled at the rate of `privacy.sampling_rate`; with `none`, all records, and wide noise.
Numerics: exact noise, and ties in the noisy sample in random order, so the order of items never matters.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_groups import GROUP, GroupedItems, Grouping
from discreet.mechanisms.items.item_method import ITEMS
from discreet.naming import GROUP_COLUMNS, SAMPLE_COLUMN
from discreet.noise import Noise
from discreet.numbers.intervals import Rational
from discreet.parameters import choice
from discreet.privacy import sampling_rate, scale_of
from discreet.private.kept import Kept
from discreet.summaries.smoothed_items import OwnSample

SAMPLING = choice(
    "sampling",
    ("columns", "rows", "none"),
    "What items are grouped by: one record of each user (columns), all of some users (rows), or all records (none)",
)


class GsS(GroupedItems):
    method = "gs-s"
    columns = (*GROUP_COLUMNS, SAMPLE_COLUMN)
    parameters = (*ITEMS, GROUP, SAMPLING)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.sampling = self.value(SAMPLING)
        self.needs_rows |= self.sampling != "none"
        self.check_size()

    def check_size(self) -> None:
        self.check_group()

    def default_shares(self) -> dict[str, Fraction]:
        return self.for_each_table({"sample": Fraction(1, 2), "items": Fraction(1, 2)})

    def grouping(self, kept: Kept, step: str, bound: int, noise: Noise) -> Grouping:
        seen, scale, _ = self.noisy_sample(kept, step, bound, noise)
        own = self.own_sample(seen, scale, bound)
        return Grouping(noise.shuffled(seen), self.group_size(seen.size, bound), {}, own)

    def own_sample(self, seen: NDArray[np.int64], scale: Fraction, bound: int) -> OwnSample:
        return OwnSample(seen, scale, {"columns": 1, "none": bound, "rows": None}[self.sampling])

    def noisy_sample(
        self, kept: Kept, step: str, bound: int, noise: Noise
    ) -> tuple[NDArray[np.int64], Fraction, Fraction]:
        """The noisy counts that items are sorted by, their noise's scale, and at which rate users were sampled."""
        name = "sample" if step == "items" else "edge-sample"
        if self.sampling == "rows":
            epsilon = self.epsilon_of(name)
            rate = sampling_rate(epsilon, bound)
            self.pay(epsilon)
            chosen = None if rate == 1 else noise.coin(Rational(rate), kept.users)
            scale = scale_of(epsilon, self.unit_of(1).sensitivity)
            return noise.add(self.sample_table(kept, step, bound, chosen), scale), scale, rate
        first = 1 if self.sampling == "columns" else bound
        scale = self.scale(name, self.unit_of(first))
        return noise.add(self.sample_table(kept, step, first), scale), scale, Fraction(1)
