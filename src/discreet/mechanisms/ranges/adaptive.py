"""A hierarchy of blocks that is divided only where noisy counts are large.

Guarantee: pure epsilon. A noisy total costs its share; then every tree of blocks costs its own: a record lies in one
block of each generation, and the looks at these blocks have shares that add up to the tree's, whatever was divided. What
is divided, and with `guess` left out the plan itself, depends on noisy counts only. Numerics: whole numbers, exact
noise, shares that are fractions. Bias: what is said of a block is centred on its count up to a correction that is exact
for blocks whose children are not divided; see the card.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from discreet.errors import BadParameter
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Mechanism, Request
from discreet.mechanisms.ranges import range_block_plan as planning
from discreet.mechanisms.ranges.range_blocks import looked_at
from discreet.noise import Noise
from discreet.parameters import Parameter, Parameters, Share
from discreet.privacy import as_text, cost, scale_of
from discreet.private.bounded import Bounded
from discreet.summaries.adaptive_blocks import AdaptiveBlocks
from discreet.transforms.block_rules import Looks, Stop
from discreet.transforms.block_tree import TreePlan

TOTAL = Parameter("total", Share(), "The share of epsilon for a noisy total of all records", Fraction(1, 50))


class Adaptive(Mechanism):
    tasks = ("ranges", "table")
    method = "adaptive"
    rehearsal = "empty"
    parameters: ClassVar[Parameters] = (TOTAL,)
    always_leaves_out = ()

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.scale = scale_of(request.epsilon, request.unit.sensitivity)
        singles = Fraction(1, 4) if len(request.schema) > 1 else Fraction(0)
        self.sharing = planning.Sharing(self.value(TOTAL), singles)
        self.stop = Stop(2.5, 3.0)

    def plans(self, rows: float) -> list[TreePlan]:
        return planning.trees(self.request.schema, self.sharing, rows)

    @property
    def cost(self) -> Fraction:
        """Of the total, and of one way down each tree, with as many looks as there are levels."""
        return cost(self.request.unit, self._weight(self.plans(1.0)))

    def _weight(self, plans: list[TreePlan]) -> Fraction:
        looks = [Looks(plan, self.scale) for plan in plans]
        ways = sum(1 / one.scale(level, level + 1) for one in looks for level in range(one.plan.depth))
        return self.sharing.total / self.scale + ways

    def measure(self, data: Bounded, noise: Noise) -> AdaptiveBlocks:
        counts = data.table()
        scale = self.scale / self.sharing.total
        total = noise.add(counts.counts.sum(keepdims=True), scale)
        found = []
        for number, plan in enumerate(self.plans(max(float(total[0]), 1.0))):
            table = counts if len(plan.places) == len(self.request.schema) else counts.marginal(list(plan.places))
            root = np.zeros(1, np.int64) if number else total
            drawn = looked_at(Looks(plan, self.scale), self.stop, table, root, noise)
            found.append(drawn if number else replace(drawn, root_scale=scale))
        return AdaptiveBlocks(self.request.schema, found)

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] proportional to exp(-|x| / s), independent in every look at a block; s is "
            "`scale` over the share of the look",
            "scale": as_text(self.scale),
        }
