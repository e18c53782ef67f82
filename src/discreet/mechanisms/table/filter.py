"""Keep the cells whose noisy count is at least theta.

Source: algorithm FILTER of sparse-summaries. Guarantee and numerics: see `table_sparse`.
Bias: cells below theta count as zero; every answer bounds what they may hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.table.table_slices import SLICES
from discreet.mechanisms.table.table_sparse import LARGEST, SIDED, THETA, TOTAL, Sparse, of
from discreet.noise import Chosen, Field, Noise
from discreet.summaries import Summary


class Filter(Sparse):
    method = "filter"
    parameters = of("cell", THETA, LARGEST, SIDED, TOTAL, SLICES)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        theta = self.given(THETA)
        self.size = self.given(LARGEST)
        if self.slices is not None and self.size is not None:
            raise BadParameter("size: no slice knows the largest cells of all; give `theta` instead, or no `slices`")
        self.theta = theta or self.theta_for(self.size or self.size_or_default())
        self.check_expected(self.rule(self.theta))

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], dict[str, Any]]:
        return self.passing(fields, noise), self.facts()

    def finished(
        self, numbers: NDArray[Any], values: NDArray[np.int64], facts: dict[str, Any], noise: Noise
    ) -> Summary:
        if self.size is not None:
            largest = noise.largest(np.abs(values), self.size)
            numbers, values = numbers[largest], values[largest]
        return super().finished(numbers, values, facts, noise)

    def slice_rule(self) -> dict[str, Any]:
        return self.facts()

    def facts(self) -> dict[str, Any]:
        return {"theta": self.theta, "cut_to": self.size}
