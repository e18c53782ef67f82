"""Drop the tree nodes below theta and those below a missing one, then keep a priority sample of `size` of the others.

Source: D-Filter-Priority of sparse-summaries, section 5.3, with the check after the filter and before the sampling.
Guarantee and numerics: see `nodes`, `sparse`. Bias: that of `dyadic-filter`; the sampling adds none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.ranges.consistency import CONSISTENCY, Consistent
from discreet.mechanisms.ranges.nodes import BASE
from discreet.mechanisms.table.filter_priority import FilterPriority
from discreet.mechanisms.table.sparse import SIDED, SIZE, THETA, of
from discreet.noise import Field, Noise


class DyadicFilterPriority(Consistent, FilterPriority):
    tasks = ("ranges",)
    method = "dyadic-filter-priority"
    parameters = (*of("node", SIZE, THETA), SIDED, BASE, CONSISTENCY)

    def reduced(self, values: NDArray[np.int64], noise: Noise) -> tuple[NDArray[np.int64], float | None]:
        sample = noise.prioritised([Field(values, 0)], self.rule(self.theta), self.size)
        return np.flatnonzero(sample.parts[0].marks), sample.tau
