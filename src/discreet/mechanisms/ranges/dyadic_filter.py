"""Keep the tree nodes whose noisy count is at least theta, and unless told otherwise only below nodes that were kept.

Source: D-Filter of sparse-summaries, section 5.3. Guarantee and numerics: see `nodes`, `sparse`.
Bias: absent nodes count as zero; every answer bounds what they may hide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.ranges.consistency import CONSISTENCY, Consistent
from discreet.mechanisms.ranges.nodes import BASE
from discreet.mechanisms.table.filter import Filter
from discreet.mechanisms.table.sparse import LARGEST, SIDED, THETA, of
from discreet.noise import Noise


class DyadicFilter(Consistent, Filter):
    tasks = ("ranges",)
    method = "dyadic-filter"
    parameters = (*of("node", THETA, LARGEST), SIDED, BASE, CONSISTENCY)

    def reduced(self, values: NDArray[np.int64], noise: Noise) -> tuple[NDArray[np.int64], float | None]:
        if self.size is None or values.size <= self.size:
            return np.arange(values.size), None
        return noise.largest(np.abs(values), self.size), None
