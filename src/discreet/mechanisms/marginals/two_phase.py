"""A first look at all tables with a small share of the budget, then noise scales that suit what was seen.

Source: TwoPhase of ireduct, sections 3.2 and 5.2, with the corrected Rescale (errata). Guarantee and numerics: see
`marginal_method`; the second phase depends on the first one's noisy counts only. Bias: a little, see the card.
The default share of 0.05 lies between the best ones that the paper found for 1-way (0.07) and 2-way tables (0.025).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.base import Request
from discreet.mechanisms.marginals.marginal_relative import RELATIVE, Relative
from discreet.noise import Noise
from discreet.parameters import Parameter, Share
from discreet.privacy import LARGEST_SCALE, rounded_up
from discreet.summaries.marginal_tables import Part

SHARE = Parameter("share", Share(), "The first phase's part of epsilon", Fraction(1, 20))


class TwoPhase(Relative):
    method = "two-phase"
    parameters = (*RELATIVE, SHARE)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.share = self.value(SHARE)
        for part in (self.share, 1 - self.share):
            self.check_scale(2 * len(self.cells) / (self.left * part))

    def drawn_tables(self, tables: list[NDArray[np.int64]], noise: Noise) -> list[Part]:
        sanity = self.sanity(self.size(tables, noise))
        first = len(tables) / (self.left * self.share)
        seen = noise.add_blocks(tables, [first] * len(tables))
        needs = [self.need_of_table(noisy, sanity, i) for i, noisy in enumerate(seen)]
        second = rescaled(needs, self.left * (1 - self.share), self.objective)
        again = noise.add_blocks(tables, second)
        draws = zip(seen, again, second, strict=True)
        return [Part.combined([one, other], [first, scale]) for one, other, scale in draws]


def rescaled(needs: list[float], budget: Fraction, objective: str) -> list[Fraction]:
    """The scales of least error: proportional to need**-1/2 for the average, 1 / need for the maximum.

    The sum of 1 / scale is the budget, or a little less from rounding up.
    """
    wanted = [1 / need if objective == "maximum" else 1 / math.sqrt(need) for need in needs]
    total = sum(1 / scale for scale in wanted)
    # a scale that is cut to the largest there is costs at most this more
    left = budget - len(needs) / LARGEST_SCALE if max(wanted) * total > LARGEST_SCALE / 2 * budget else budget
    scales = [Fraction(float(f"{scale * total / float(left):.9g}")) for scale in wanted]
    excess = sum((1 / scale for scale in scales), Fraction(0)) / left
    return [min(rounded_up(scale * max(excess, Fraction(1))), LARGEST_SCALE) for scale in scales]
