"""What counts are behind noisy ones: the mean of each, given all of them.

Empirical Bayes: a law of the counts over a grid is fitted to the noisy values (expectation maximisation), and each
value's mean given that law follows. Noisy values in, nothing else: post-processing.
Numerics: a Laplace law stands for noise and chance of sampling together, with the sum of their variances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDS = 100
#: steps of the grids in standard deviations of what is added to a count, and in parts of the count
_STEP, _PART = 0.25, 0.02


def likely_counts(values: NDArray[np.int64], scale: float, unseen: float) -> Floats:
    """The mean of the count behind each of rising noisy values; rising as well, and at least 0.

    `scale` is that of the noise. Counts are those of a sample: which part of the whole is `unseen` is how much of its
    mean a count varies by.
    """
    highest = float(values[-1])
    if highest <= 0:
        return np.zeros(values.size)
    new = np.append(True, values[1:] != values[:-1])
    distinct, times = values[new].astype(np.float64), np.diff(np.append(np.flatnonzero(new), values.size))
    below = -_grid(max(-distinct[0], 1.0), scale, 0.0, _STEP / 2)[:0:-1]
    seen = np.concatenate([below, _grid(highest, scale, unseen, _STEP / 2)])
    weights = np.bincount(np.searchsorted((seen[1:] + seen[:-1]) / 2, distinct), times, seen.size).astype(np.float64)
    seen, weights = seen[weights > 0], weights[weights > 0]
    means = np.interp(distinct, seen, _means(seen, weights, _grid(highest, scale, unseen, _STEP), scale, unseen))
    return np.repeat(means, times)


def _means(seen: Floats, weights: Floats, counts: Floats, scale: float, unseen: float) -> Floats:
    """The mean count behind each of the values seen so many times."""
    # no narrower than the grid is there, so that no value is out of reach of all counts
    width = np.sqrt(scale**2 + unseen * counts / 2 + (_PART / 2 * counts) ** 2)
    chances = np.exp(-np.abs(seen[:, None] - counts) / width) / width
    law = np.full(counts.size, 1 / counts.size)
    for _ in range(_ROUNDS):
        law *= (weights / (chances @ law)) @ chances / weights.sum()
    return np.maximum.accumulate((chances @ (law * counts)) / (chances @ law))


def _grid(highest: float, scale: float, unseen: float, step: float) -> Floats:
    """From 0 to at least `highest`, in steps just small enough to tell differences."""
    points = [0.0]
    while points[-1] < highest:
        last = points[-1]
        points.append(last + max(step * (2 * scale**2 + unseen * last) ** 0.5, _PART * last))
    return np.array(points)
