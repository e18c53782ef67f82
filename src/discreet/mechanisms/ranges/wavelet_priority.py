"""Keep exactly `size` Haar coefficients, those of highest priority |noisy value| / r, r uniform in (0, 1].

Source: section 5.2 of sparse-summaries. Guarantee and numerics: see `range_sparse`. Bias: none.
"""

from __future__ import annotations

from discreet.mechanisms.ranges.range_sparse import WaveletNodes
from discreet.mechanisms.table.priority import Priority
from discreet.mechanisms.table.table_sparse import SIZE, of


class WaveletPriority(WaveletNodes, Priority):
    method = "wavelet-priority"
    parameters = of("coefficient", SIZE)
