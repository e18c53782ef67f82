"""The middle of some numbers, without numpy's own way to it, which loads masked arrays at its first call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def middle_of(values: NDArray[np.float64]) -> float:
    """The median of at least one number: of an even number of them, halfway between the middle two."""
    ordered, half = np.sort(values, axis=None), values.size // 2
    return float((ordered[half] + ordered[values.size - 1 - half]) / 2)
