"""Drop the cells below theta, then keep a priority sample of exactly `size` of the others.

Source: section 3.4 of sparse-summaries. Guarantee and numerics: see `sparse` and `noise/priority_sample`.
Bias: that of `filter`; the sampling adds none.
"""

from __future__ import annotations

from discreet.mechanisms.base import Request
from discreet.mechanisms.table.priority import Priority
from discreet.mechanisms.table.sparse import SIDED, SIZE, THETA, below_counts_as_zero


class FilterPriority(Priority):
    method = "filter-priority"
    parameters = {"size": SIZE, "theta": THETA, "sided": SIDED}  # noqa: RUF012

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        theta = self.given_theta()
        self.theta = self.theta_for(self.size) if theta is None else theta

    def bias(self) -> list[str]:
        return [*super().bias(), below_counts_as_zero(self.theta, self.entry)]
