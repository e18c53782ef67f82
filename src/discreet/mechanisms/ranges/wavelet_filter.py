"""Keep the Haar coefficients whose noisy value is at least theta, above or below zero.

Source: section 5.2 of sparse-summaries. Guarantee and numerics: see `range_sparse`.
Bias: absent coefficients count as zero; every answer bounds what they may hide.
"""

from __future__ import annotations

from discreet.mechanisms.ranges.range_sparse import WaveletNodes
from discreet.mechanisms.table.filter import Filter
from discreet.mechanisms.table.table_sparse import LARGEST, THETA, of


class WaveletFilter(WaveletNodes, Filter):
    method = "wavelet-filter"
    parameters = of("coefficient", THETA, LARGEST)
