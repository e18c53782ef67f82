"""How far noisy counts are off: the measures of sampled-analytics, section 6.3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.metrics import divergence, in_top, precision

__all__ = ["divergence", "in_top", "largest", "precision", "precision_by_column", "short", "squared_error", "summed_up"]

Counts = NDArray[Any]


def squared_error(noisy: Counts, true: Counts) -> float:
    """The mean of the squared differences."""
    return float(np.mean((np.asarray(noisy, np.float64) - true) ** 2))


def precision_by_column(noisy: Counts, true: Counts, many: int) -> float:
    """The mean of the precision over the columns, without those that have no true count at all."""
    filled = np.flatnonzero(true.sum(axis=0))
    return float(np.mean([precision(noisy[:, place], true[:, place], many) for place in filled]))


def largest(counts: Counts, many: int) -> list[int]:
    """The places of the largest counts, the largest first; of equal ones the first place comes first."""
    return [int(place) for place in np.argsort(-counts, kind="stable")[:many]]


def summed_up(values: Sequence[float]) -> list[float]:
    """Mean and standard error, in few digits."""
    same = min(values) == max(values)  # their mean is rounded, and would seem to differ from them
    error = 0.0 if same else float(np.std(values, ddof=1) / np.sqrt(len(values)))
    return [short(float(np.mean(values)), 5), short(error, 3)]


def short(value: float, digits: int = 5) -> float:
    return float(f"{value:.{digits}g}")
