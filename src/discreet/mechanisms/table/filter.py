"""Keep the cells whose noisy count is at least theta.

Source: algorithm FILTER of sparse-summaries. Guarantee and numerics: see `sparse`.
Bias: cells below theta count as zero; every answer bounds what they may hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from discreet.left_out import LeftOut
from discreet.mechanisms.request import Request
from discreet.mechanisms.table.sparse import LARGEST, SIDED, THETA, Sparse
from discreet.noise import Chosen, Field, Noise
from discreet.parameters import Parameters


class Filter(Sparse):
    tasks = ("table",)
    method = "filter"
    parameters: ClassVar[Parameters] = (THETA, LARGEST, SIDED)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        theta = self.given(THETA)
        self.size = self.given(LARGEST)
        self.theta = self.theta_for(self.size or self.size_or_default()) if theta is None else theta
        self.check_expected(self.rule(self.theta))

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], float | None]:
        kept = self.passing(fields, noise)
        if self.size is not None and sum(part.size for part in kept) > self.size:
            kept = self._cut(fields, kept, self.size, noise)
        return kept, None

    def _cut(self, fields: Sequence[Field], kept: list[Chosen], size: int, noise: Noise) -> list[Chosen]:
        """The largest ones only."""
        passed = [np.flatnonzero(part.marks) for part in kept]
        values = [
            np.concatenate([field.values[old], part.values])
            for field, old, part in zip(fields, passed, kept, strict=True)
        ]
        largest = np.zeros(sum(part.size for part in values), np.bool_)
        largest[noise.largest(np.abs(np.concatenate(values)), size)] = True
        left, start = [], 0
        for old, part in zip(passed, kept, strict=True):
            middle, end = start + old.size, start + old.size + part.values.size
            marks = np.zeros_like(part.marks)
            marks[old[largest[start:middle]]] = True
            left.append(Chosen(marks, part.ranks[largest[middle:end]], part.values[largest[middle:end]]))
            start = end
        return left

    def summary_facts(self, tau: float | None) -> dict[str, Any]:
        return {"theta": self.theta, "cut_to": self.size}

    def method_leaves_out(self) -> list[LeftOut]:
        return [*super().method_leaves_out(), self.below_theta()]
