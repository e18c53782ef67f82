"""Keep each tree node with probability min(noisy count / tau, 1), and weigh it up in return.

Source: section 5.2 of sparse-summaries, with threshold sampling. Guarantee and numerics: see `range_sparse`.
Bias: none (two-sided).
"""

from __future__ import annotations

from discreet.mechanisms.ranges.range_sparse import BASE, TreeNodes
from discreet.mechanisms.table.table_sparse import SAMPLE, SIDED, TAU, of
from discreet.mechanisms.table.threshold import Threshold


class DyadicThreshold(TreeNodes, Threshold):
    method = "dyadic-threshold"
    parameters = of("node", TAU, SAMPLE, SIDED, BASE)
