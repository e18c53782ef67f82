"""Keep the cells whose noisy count is at least theta.

Source: algorithm FILTER of sparse-summaries. Guarantee and numerics: see `sparse`.
Bias: cells below theta count as zero; every answer bounds what they may hide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.base import Request
from discreet.mechanisms.sparse import SIDED, THETA, Kept, Sparse, below_counts_as_zero

if TYPE_CHECKING:
    from discreet.noise import Noise


class Filter(Sparse):
    tasks = ("table",)
    method = "filter"
    parameters = {  # noqa: RUF012
        "theta": THETA,
        "size": "keep at most this many cells, the largest; without theta it also sets theta",
        "sided": SIDED,
    }

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        theta = self.given_theta()
        self.size = self.given_size()
        self.theta = self.theta_for(self.size or self.size_or_default()) if theta is None else theta
        self.check_expected(self.rule(self.theta))

    def keep(self, noisy: NDArray[np.int64], empty: int, noise: Noise) -> Kept:
        kept = self.passing(noisy, empty, noise)
        chosen, ranks, values = kept.chosen, kept.ranks, kept.values
        if self.size is not None and chosen.size + values.size > self.size:
            sizes = np.abs(np.concatenate([noisy[chosen], values]))
            largest = noise.largest(sizes, self.size)
            new = largest[largest >= chosen.size] - chosen.size
            chosen, ranks, values = chosen[largest[largest < chosen.size]], ranks[new], values[new]
        return Kept(chosen, ranks, values)

    def summary_facts(self, tau: float | None) -> dict[str, Any]:
        return {"theta": self.theta, "cut_to": self.size}

    def bias(self) -> list[str]:
        return [*super().bias(), below_counts_as_zero(self.theta, self.entry)]
