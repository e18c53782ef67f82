"""Drop the Haar coefficients below theta, then keep a priority sample of exactly `size` of the others.

Source: section 5.2 of sparse-summaries. Guarantee and numerics: see `range_sparse`.
Bias: that of `wavelet-filter`; the sampling adds none.
"""

from __future__ import annotations

from discreet.mechanisms.ranges.range_sparse import WaveletNodes
from discreet.mechanisms.table.filter_priority import FilterPriority
from discreet.mechanisms.table.table_sparse import SIZE, THETA, of


class WaveletFilterPriority(WaveletNodes, FilterPriority):
    method = "wavelet-filter-priority"
    parameters = of("coefficient", SIZE, THETA)
