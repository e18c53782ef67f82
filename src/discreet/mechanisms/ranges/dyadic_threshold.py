"""Keep each tree node with probability min(noisy count / tau, 1), and weigh it up in return.

Source: section 5.2 of sparse-summaries, with threshold sampling. Guarantee and numerics: see `nodes`, `sparse`.
Bias: none (two-sided).
"""

from __future__ import annotations

from discreet.mechanisms.ranges.dyadic import BASE
from discreet.mechanisms.ranges.nodes import TreeNodes
from discreet.mechanisms.table.sparse import SIDED
from discreet.mechanisms.table.threshold import Threshold


class DyadicThreshold(TreeNodes, Threshold):
    tasks = ("ranges",)
    method = "dyadic-threshold"
    parameters = {  # noqa: RUF012
        "tau": "nodes below tau are kept with probability count / tau; any number above 0",
        "size": "without tau: how many nodes an empty table would keep on average",
        "sided": SIDED,
        "base": BASE,
    }
