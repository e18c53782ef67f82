"""Keep exactly `size` cells, those of highest priority noisy count / r, r uniform in (0, 1].

Source: priority sampling, section 3.3 of sparse-summaries; tau is the priority just below the sample's.
Guarantee and numerics: see `table_sparse` and `noise/priority_sample`. Bias: none (two-sided).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.table.table_sparse import MOST_SURVIVORS, SIDED, SIZE, Sparse, of
from discreet.noise import Chosen, Field, Noise


class Priority(Sparse):
    method = "priority"
    parameters = of("cell", SIZE, SIDED)
    theta = 1

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.size = self.size_or_default()
        if self.size > MOST_SURVIVORS:
            raise BadParameter(f"size must be at most {MOST_SURVIVORS:,}, not {self.size:,}")
        self.likely = self.size

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], dict[str, Any]]:
        sample = noise.prioritised(fields, self.rule(self.theta), self.size, self.rare_theta)
        return sample.parts, self.facts(sample.tau)

    def facts(self, tau: float | None) -> dict[str, Any]:
        return {"theta": self.theta, "tau": tau or 0.0}
