"""How far noisy counts are off: the measures of sampled-analytics, section 6.3, which `discreet evaluate` takes too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: what the paper puts in place of counts of zero or less before a divergence
LITTLE = 0.01

Floats = NDArray[np.float64]
Counts = NDArray[Any]


def squared_error(noisy: Counts, true: Counts) -> float:
    """The mean of the squared differences."""
    return float(np.mean((np.asarray(noisy, np.float64) - true) ** 2))


def divergence(one: Counts, other: Counts) -> float:
    """Kullback-Leibler, in natural units, of the shares of the first from those of the second."""
    p, q = _shares(one), _shares(other)
    return float(np.sum(p * np.log(p / q)))


def _shares(counts: Counts) -> Floats:
    positive = np.where(counts > 0, counts, LITTLE).astype(np.float64)
    return np.asarray(positive / positive.sum())


def in_top(counts: Counts, many: int) -> Floats:
    """For each item the chance to be among the `many` largest, when equal counts are put in random order."""
    least = np.partition(counts, counts.size - many)[counts.size - many]
    above, level = counts > least, counts == least
    return np.asarray(above + level * ((many - np.count_nonzero(above)) / np.count_nonzero(level)), np.float64)


def precision(noisy: Counts, true: Counts, many: int) -> float:
    """Which share of the `many` largest noisy counts is among the `many` largest true ones, ties in random order."""
    return float(in_top(noisy, many) @ in_top(true, many)) / many


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
