"""How far noisy counts are off: the measures of section 6.3, as in `discreet evaluate` and some more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.error_measures import divergence, precision
from experiments.shared.records import Runs

__all__ = ["divergence", "largest", "precision", "precision_by_column", "squared_error", "summed_up"]

Numbers = NDArray[Any]


def squared_error(noisy: Numbers, true: Numbers) -> float:
    """The mean of the squared differences."""
    return float(np.mean((np.asarray(noisy, np.float64) - true) ** 2))


def precision_by_column(noisy: Numbers, true: Numbers, many: int) -> float:
    """The mean of the precision over the columns, without those that have no true count at all."""
    filled = np.flatnonzero(true.sum(axis=0))
    return float(np.mean([precision(noisy[:, place], true[:, place], many) for place in filled]))


def largest(counts: Numbers, many: int) -> list[int]:
    """The places of the largest counts, the largest first; of equal ones the first place comes first."""
    return [int(place) for place in np.argsort(-counts, kind="stable")[:many]]


def summed_up(values: Sequence[float]) -> list[float]:
    """Mean and standard error, in few digits."""
    return Runs(list(values)).pair(5, 3)
