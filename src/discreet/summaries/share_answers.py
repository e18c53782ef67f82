"""Answers from bounded weights: the best guess, an interval for any data, and what the weight alone says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.summaries.base import Answers, Besides, Floats
from discreet.summaries.share_steps import Ints, Weighed


@dataclass(frozen=True, eq=False)
class WeighedAnswers:
    """Of each question the weight that was measured and the half-width of its noise, in units; the rest in records."""

    weight: Ints
    half: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]
    value: Floats
    stderr: Floats

    def told(self, weighed: Weighed, bounded: str, rounding: float) -> Answers:
        """With `bounded` records of each user that weigh in full; "" if no user's weights were bounded.

        `rounding` is what even shares are at most, in parts of the weights, which were rounded down.
        """
        # the model knows more than an interval of a single weight, which is made as wide as it takes to hold the answer
        low = np.minimum(self.low, np.floor(self.value)).astype(np.int64)
        high = np.maximum(self.high, np.ceil(self.value)).astype(np.int64)
        units = weighed.units
        seen = self.weight / units
        if not bounded:
            return Answers(self.value, self.stderr, low, high, plain=seen)
        name = f"when each user counts at most {bounded}, shared out evenly"
        below, above = (np.maximum((self.weight + side * self.half) / units, 0.0) for side in (-1, 1))
        # where some records weigh nothing at all, no weight tells how many these are
        most = above * rounding if np.isfinite(rounding) else np.full_like(above, np.inf)
        besides = Besides(name, np.maximum(seen, 0.0), below, most)
        parts = {"noise": self.half / units, "not kept": np.maximum(high - above, 0.0)}
        return Answers(self.value, self.stderr, low, high, seen, besides, parts)

    @classmethod
    def joined(cls, parts: Sequence[tuple[Ints, WeighedAnswers]]) -> WeighedAnswers:
        """Of all questions, from those with these numbers."""
        order = np.argsort(np.concatenate([numbers for numbers, _ in parts]))
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for _, part in parts])[order] for name in names))
