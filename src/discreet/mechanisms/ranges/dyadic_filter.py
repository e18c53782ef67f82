"""Keep the tree nodes whose noisy count is at least theta, by default only those below nodes that were kept.

Source: D-Filter of sparse-summaries, section 5.3. Guarantee and numerics: see `range_sparse`.
Bias: absent nodes count as zero; every answer bounds what they may hide.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.ranges.range_sparse import BASE, CONSISTENCY, CheckedTreeNodes
from discreet.mechanisms.table.filter import Filter
from discreet.mechanisms.table.table_sparse import LARGEST, SIDED, THETA, of
from discreet.noise import Noise


class DyadicFilter(CheckedTreeNodes, Filter):
    method = "dyadic-filter"
    parameters = of("node", THETA, LARGEST, SIDED, BASE, CONSISTENCY)

    def reduced(self, values: NDArray[np.int64], noise: Noise) -> tuple[NDArray[np.int64], dict[str, Any]]:
        return np.arange(values.size), self.facts()
