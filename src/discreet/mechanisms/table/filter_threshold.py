"""Drop the cells below theta, then keep each of the others with probability min(noisy count / tau, 1).

Source: section 3.4 of sparse-summaries, for any real tau. Guarantee and numerics: see `sparse`.
Bias: that of `filter`; the sampling adds none.
"""

from __future__ import annotations

from discreet.left_out import LeftOut
from discreet.mechanisms.request import Request
from discreet.mechanisms.table.sparse import SAMPLE, SIDED, TAU, THETA
from discreet.mechanisms.table.threshold import Threshold

#: how many times the wanted size an empty table sends through the filter, to be sampled down
PASSING = 4


class FilterThreshold(Threshold):
    method = "filter-threshold"
    parameters = (THETA, TAU, SAMPLE, SIDED)

    def __init__(self, request: Request) -> None:
        super(Threshold, self).__init__(request)
        theta, tau = self.given(THETA), self.given(TAU)
        size = None if theta is not None and tau is not None else self.size_or_default()
        self.theta = self.theta_for(PASSING * (size or 1)) if theta is None else theta
        self.tau = self.tau_for(size or 1, self.theta) if tau is None else tau
        self.check_expected(self.rule(self.theta, self.tau))

    def method_leaves_out(self) -> list[LeftOut]:
        return [*super().method_leaves_out(), self.below_theta()]
