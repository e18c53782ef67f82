"""Keep exactly `size` cells, those of highest priority noisy count / r, r uniform in (0, 1].

Source: priority sampling, section 3.3 of sparse-summaries; tau is the priority just below the sample's.
Guarantee and numerics: see `sparse` and `noise/priority_sample`. Bias: none (two-sided).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.sparse import MOST_SURVIVORS, SIDED, SIZE, Kept, Sparse

if TYPE_CHECKING:
    from discreet.noise import Noise


class Priority(Sparse):
    tasks = ("table",)
    method = "priority"
    parameters = {"size": SIZE, "sided": SIDED}  # noqa: RUF012
    theta = 1

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.size = self.size_or_default()
        if self.size > MOST_SURVIVORS:
            raise BadParameter(f"size must be at most {MOST_SURVIVORS:,}, not {self.size:,}")

    def keep(self, noisy: NDArray[np.int64], empty: int, noise: Noise) -> Kept:
        rule = self.rule(self.theta)
        if self.theta > self.rare_theta:  # the few empty cells that pass compete as if they were occupied
            ranks, values = self.survivors(rule, empty, noise)
            sample = noise.prioritised(np.concatenate([noisy, values]), 0, rule, self.size)
            old, new = np.split(sample.chosen, [np.searchsorted(sample.chosen, noisy.size)])
            return Kept(old, ranks[new - noisy.size], values[new - noisy.size], sample.tau)
        sample = noise.prioritised(noisy, empty, rule, self.size)
        return Kept(sample.chosen, sample.ranks, sample.values, sample.tau)

    def summary_facts(self, tau: float | None) -> dict[str, Any]:
        return {"theta": self.theta, "tau": tau or 0.0}
