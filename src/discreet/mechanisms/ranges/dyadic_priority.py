"""Keep exactly `size` tree nodes, those of highest priority noisy count / r, r uniform in (0, 1].

Source: D-Priority of sparse-summaries, section 5.3. Guarantee and numerics: see `range_sparse`.
Bias: none (two-sided).
"""

from __future__ import annotations

from discreet.mechanisms.ranges.range_sparse import BASE, TreeNodes
from discreet.mechanisms.table.priority import Priority
from discreet.mechanisms.table.table_sparse import SIDED, SIZE, of


class DyadicPriority(TreeNodes, Priority):
    method = "dyadic-priority"
    parameters = of("node", SIZE, SIDED, BASE)
