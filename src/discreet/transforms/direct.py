"""Codes as they are: every count is its own coefficient."""

from __future__ import annotations

import numpy as np

from discreet.transforms.axis import Axis, Floats, Integers


class Direct(Axis):
    """The identity: best for attributes of few codes."""

    kind = "direct"

    def __init__(self, size: int) -> None:
        self.size = self.length = size
        self.weight = 1
        self.runs = ((slice(0, size), 1),)
        self.levels = (slice(0, size),)

    def forward(self, lines: Integers) -> None:
        """Nothing to do."""

    def restore(self, lines: Floats) -> None:
        """Nothing to do."""

    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        return np.minimum(one, other).astype(np.float64)[:, None]

    def fourth(self, first: Integers, end: Integers) -> Floats:
        return (end - first).astype(np.float64)[:, None]
