"""When a block is divided: a rule of public facts and of the noisy count that was drawn for it.

A block of F parts is divided if its noisy count is above T = max(p sqrt(F) b', (q + ln F) b): b is the scale of its own
look, b' that of the looks its children get, and p, q are the two numbers of `Stop`. Below the first its children would
drown in noise; below the second it may well be empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.transforms.axis import Floats, Integers
from discreet.transforms.block_tree import Generation, TreePlan


@dataclass(frozen=True)
class Stop:
    """How many standard units of its children's noise, and of its own, a block must hold to be divided."""

    children: float
    own: float


@dataclass(frozen=True)
class LookScales:
    """The scales of the looks at blocks of a plan: `unit` is that of a look for all of epsilon."""

    plan: TreePlan
    unit: Fraction

    def scale(self, begin: int, end: int) -> Fraction:
        """Of a look that has the shares of the levels after `begin` up to `end`."""
        return self.unit / self.plan.share(begin, end)

    def first(self, blocks: Generation) -> Floats:
        """The scale of each block's first look."""
        return self._floats(blocks.begin, blocks.end)

    def second(self, blocks: Generation) -> Floats:
        """Of its second look, if it is not divided: all that is left; infinite if nothing is."""
        return self._floats(blocks.end, np.full_like(blocks.end, self.plan.depth))

    def below(self, blocks: Generation) -> Floats:
        """The largest scale of the looks at its children."""
        return self._floats(blocks.end, np.minimum(blocks.end + 1, self.plan.depth))

    def stopped_child(self, blocks: Generation) -> tuple[Floats, Floats]:
        """The scales of both looks at a child that is not divided either."""
        end = np.minimum(blocks.end + 1, self.plan.depth)
        return self.below(blocks), self._floats(end, np.full_like(end, self.plan.depth))

    def _floats(self, begin: Integers, end: Integers) -> Floats:
        depth = self.plan.depth
        table = np.full((depth + 1, depth + 1), np.inf)
        for start in range(depth):
            for stop in range(start + 1, depth + 1):
                table[start, stop] = float(self.scale(start, stop))
        return np.asarray(table[begin, end])


def thresholds(looks: LookScales, stop: Stop, blocks: Generation, fanout: Floats, own: Floats) -> Floats:
    """The noisy count above which each block is divided, a whole number; `own` are the scales of their looks."""
    can = blocks.end < looks.plan.depth
    by_children = stop.children * np.sqrt(fanout) * np.where(can, looks.below(blocks), 0.0)
    by_own = (stop.own + np.log(fanout)) * own
    return np.where(can, np.ceil(np.maximum(by_children, by_own)), np.inf)
