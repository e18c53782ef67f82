"""Drop the tree nodes below theta and those below a missing one, then keep a priority sample of `size` of the others.

Source: D-Filter-Priority of sparse-summaries, section 5.3, with the check after the filter and before the sampling.
Guarantee and numerics: see `range_sparse`. Bias: that of `dyadic-filter`; the sampling adds none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.ranges.range_sparse import BASE, CONSISTENCY, CheckedTreeNodes
from discreet.mechanisms.table.filter_priority import FilterPriority
from discreet.mechanisms.table.table_sparse import SIDED, SIZE, THETA, of
from discreet.noise import Field, Noise


class DyadicFilterPriority(CheckedTreeNodes, FilterPriority):
    method = "dyadic-filter-priority"
    parameters = of("node", SIZE, THETA, SIDED, BASE, CONSISTENCY)

    def reduced(self, values: NDArray[np.int64], noise: Noise) -> tuple[NDArray[np.int64], dict[str, Any]]:
        sample = noise.prioritised([Field(values, 0)], self.rule(self.theta), self.size)
        return np.flatnonzero(sample.parts[0].marks), self.facts(sample.tau)
