"""Keep the cells whose noisy count is at least theta.

Source: algorithm FILTER of sparse-summaries. Guarantee and numerics: see `table_sparse`.
Bias: cells below theta count as zero; every answer bounds what they may hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.mechanisms.base import Request
from discreet.mechanisms.table.table_sparse import LARGEST, SIDED, THETA, Sparse, of
from discreet.noise import Chosen, Field, Noise


class Filter(Sparse):
    method = "filter"
    parameters = of("cell", THETA, LARGEST, SIDED)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        theta = self.given(THETA)
        self.size = self.given(LARGEST)
        self.theta = theta or self.theta_for(self.size or self.size_or_default())
        self.check_expected(self.rule(self.theta))

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], dict[str, Any]]:
        kept = self.passing(fields, noise)
        if self.size is not None and sum(part.size for part in kept) > self.size:
            kept = self._cut(fields, kept, self.size, noise)
        return kept, self.facts()

    def facts(self) -> dict[str, Any]:
        return {"theta": self.theta, "cut_to": self.size}

    def _cut(self, fields: Sequence[Field], kept: list[Chosen], size: int, noise: Noise) -> list[Chosen]:
        """The largest ones only."""
        pairs = zip(fields, kept, strict=True)
        values = [np.concatenate([field.values[part.marks], part.values]) for field, part in pairs]
        ends = np.cumsum([mine.size for mine in values])
        largest = np.zeros(ends[-1], np.bool_)
        largest[noise.largest(np.abs(np.concatenate(values)), size)] = True
        left = []
        for part, mine in zip(kept, np.split(largest, ends[:-1]), strict=True):
            occupied, empty = np.split(mine, [mine.size - part.values.size])
            marks = part.marks.copy()
            marks[marks] = occupied
            left.append(Chosen(marks, part.ranks[empty], part.values[empty]))
        return left
