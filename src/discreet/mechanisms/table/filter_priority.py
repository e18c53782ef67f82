"""Drop the cells below theta, then keep a priority sample of exactly `size` of the others.

Source: section 3.4 of sparse-summaries. Guarantee and numerics: see `table_sparse` and `noise/priority_sample`.
Bias: that of `filter`; the sampling adds none.
"""

from __future__ import annotations

from discreet.mechanisms.base import Request
from discreet.mechanisms.table.priority import Priority
from discreet.mechanisms.table.table_slices import SLICES
from discreet.mechanisms.table.table_sparse import SIDED, SIZE, THETA, TOTAL, of


class FilterPriority(Priority):
    method = "filter-priority"
    parameters = of("cell", SIZE, THETA, SIDED, TOTAL, SLICES)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.theta = self.given(THETA) or self.theta_for(self.size)
