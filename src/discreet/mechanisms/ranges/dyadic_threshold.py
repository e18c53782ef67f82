"""Keep each tree node with probability min(noisy count / tau, 1), and weigh it up in return.

Source: section 5.2 of sparse-summaries, with threshold sampling. Guarantee and numerics: see `nodes`, `sparse`.
Bias: none (two-sided).
"""

from __future__ import annotations

from discreet.mechanisms.ranges.nodes import BASE, TreeNodes
from discreet.mechanisms.table.sparse import SAMPLE, SIDED, TAU, of
from discreet.mechanisms.table.threshold import Threshold


class DyadicThreshold(TreeNodes, Threshold):
    tasks = ("ranges",)
    method = "dyadic-threshold"
    parameters = (*of("node", TAU, SAMPLE), SIDED, BASE)
