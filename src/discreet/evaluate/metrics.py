"""How far noisy counts are off, by the measures of sampled-analytics, section 6.3."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: what the paper puts in place of counts of zero or less before a divergence
LITTLE = 0.01

Floats = NDArray[np.float64]
Array = NDArray[Any]


def divergence(one: Array, other: Array) -> float:
    """Kullback-Leibler, in natural units, of the shares of the first from those of the second."""
    p, q = _shares(one), _shares(other)
    return float(np.sum(p * np.log(p / q)))


def _shares(counts: Array) -> Floats:
    positive = np.where(counts > 0, counts, LITTLE).astype(np.float64)
    return np.asarray(positive / positive.sum())


def in_top(counts: Array, many: int) -> Floats:
    """For each item the chance to be among the `many` largest, when equal counts are put in random order."""
    least = np.partition(counts, counts.size - many)[counts.size - many]
    above, level = counts > least, counts == least
    return np.asarray(above + level * ((many - np.count_nonzero(above)) / np.count_nonzero(level)), np.float64)


def precision(noisy: Array, true: Array, many: int) -> float:
    """The share of the `many` largest noisy counts that is among the `many` largest true ones, ties in random order."""
    return float(in_top(noisy, many) @ in_top(true, many)) / many
