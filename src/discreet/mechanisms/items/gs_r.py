"""Items grouped at random.

Source: GS-R of grouping-smoothing, section 3.1. Guarantee: see `item_groups`; the groups are chance alone.
Numerics: exact noise on whole group sums. Bias: smoothing, and records above the bound.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_groups import GROUP, GroupedItems, Grouping
from discreet.mechanisms.items.item_method import ITEMS
from discreet.noise import Noise
from discreet.private.kept import Kept


class GsR(GroupedItems):
    method = "gs-r"
    parameters = (*ITEMS, GROUP)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.check_group()

    def default_shares(self) -> dict[str, Fraction]:
        return self.for_each_table({"items": Fraction(1)})

    def grouping(self, kept: Kept, step: str, bound: int, noise: Noise) -> Grouping:
        count = self.sizes[step]
        return Grouping(noise.shuffled(np.zeros(count, np.int64)), self.group_size(count, bound), {})
