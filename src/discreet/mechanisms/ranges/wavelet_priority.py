"""Keep exactly `size` Haar coefficients, those of highest priority |noisy value| / r, r uniform in (0, 1].

Source: section 5.2 of sparse-summaries. Guarantee and numerics: see `nodes`, `sparse`. Bias: none.
"""

from __future__ import annotations

from discreet.mechanisms.ranges.nodes import COEFFICIENT_SIZE, WaveletNodes
from discreet.mechanisms.table.priority import Priority


class WaveletPriority(WaveletNodes, Priority):
    tasks = ("ranges",)
    method = "wavelet-priority"
    parameters = {"size": COEFFICIENT_SIZE}  # noqa: RUF012
