"""Keep exactly `size` tree nodes, those of highest priority noisy count / r, r uniform in (0, 1].

Source: D-Priority of sparse-summaries, section 5.3. Guarantee and numerics: see `nodes`, `sparse`.
Bias: none (two-sided).
"""

from __future__ import annotations

from discreet.mechanisms.ranges.dyadic import BASE
from discreet.mechanisms.ranges.nodes import NODE_SIZE, TreeNodes
from discreet.mechanisms.table.priority import Priority
from discreet.mechanisms.table.sparse import SIDED


class DyadicPriority(TreeNodes, Priority):
    tasks = ("ranges",)
    method = "dyadic-priority"
    parameters = {"size": NODE_SIZE, "sided": SIDED, "base": BASE}  # noqa: RUF012
