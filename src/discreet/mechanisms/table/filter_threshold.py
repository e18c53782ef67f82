"""Drop the cells below theta, then keep each of the others with probability min(noisy count / tau, 1).

Source: section 3.4 of sparse-summaries, for any real tau. Guarantee and numerics: see `table_sparse`.
Bias: that of `filter`; the sampling adds none.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.mechanisms.table.table_slices import SLICES
from discreet.mechanisms.table.table_sparse import GUESS, SAMPLE, SIDED, TAU, THETA, TOTAL, of
from discreet.mechanisms.table.threshold import Threshold

#: how many times the wanted size an empty table sends through the filter, to be sampled down
PASSING = 4


class FilterThreshold(Threshold):
    method = "filter-threshold"
    parameters = of("cell", THETA, TAU, SAMPLE, GUESS, SIDED, TOTAL, SLICES)

    def limits(self) -> tuple[int, Fraction]:
        theta, tau = self.given(THETA), self.given(TAU)
        if theta and tau:
            return theta, tau
        size = self.size_or_default()
        theta = theta or self.theta_for(PASSING * size)
        return theta, tau or self.tau_for(size, theta, self.rows)
