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
#: how many standard errors are taken off the number of others that are as large, for some of them are so by noise
_DOUBT = 2.0


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


def smooth_posteriors(values: NDArray[np.int64], scale: float) -> tuple[Floats, NDArray[np.int64], Floats]:
    """What each of noisy values (in any order) may have behind it: counts, which row is the value's, rows of chances.

    The same fit, but smoothed over neighbouring counts in every round: for statements about chances a law must not have
    gaps that are there by chance alone. The count 0, which many may share, stays apart.
    """
    counts, row_of, chances, law = _smooth_fit(values, scale)
    posterior = chances * law
    return counts, row_of, posterior / posterior.sum(axis=1, keepdims=True)


def posteriors_by_others(values: NDArray[np.int64], scale: float) -> tuple[Floats, NDArray[np.int64], Floats]:
    """The same, but each value by the law of all others, and of one more that may have any count.

    A largest value that noise made large draws the fitted law to itself, and would so confirm itself; and the few
    largest would confirm each other. So no more others are as large than there surely are.
    """
    counts, row_of, chances, law = _smooth_fit(values, scale)
    posterior = chances * law
    own = _smoothed(posterior / posterior.sum(axis=1, keepdims=True))
    others = _surely(np.maximum(values.size * law - own, 0.0))
    posterior = chances * (others + 1 / counts.size)
    return counts, row_of, posterior / posterior.sum(axis=1, keepdims=True)


def _surely(numbers: Floats) -> Floats:
    """How many have each count (the last axis), if those from a count on are fewer by what chance may have made."""
    found = numbers.copy()
    from_here_on = np.cumsum(numbers[..., ::-1], axis=-1)[..., ::-1]
    least = np.maximum(from_here_on - _DOUBT * np.sqrt(from_here_on), 0.0)
    found[..., 1:] = -np.diff(least[..., 1:], append=0.0)
    return found


def _smooth_fit(values: NDArray[np.int64], scale: float) -> tuple[Floats, NDArray[np.int64], Floats, Floats]:
    """Counts, the row of each value, chances of seeing rows given counts, and the law of counts."""
    highest, lowest = max(float(values.max()), scale), max(-float(values.min()), scale)
    counts = _grid(highest, scale, 0.0, _STEP)
    points = np.concatenate([-_grid(lowest, scale, 0.0, _STEP / 2)[:0:-1], _grid(highest, scale, 0.0, _STEP / 2)])
    near = np.searchsorted((points[1:] + points[:-1]) / 2, values)
    used, row_of, times = np.unique(near, return_inverse=True, return_counts=True)
    chances = _chances(points[used], counts, scale, 0.0)
    law = np.full(counts.size, 1 / counts.size)
    for _ in range(_ROUNDS):
        law = _smoothed(law * ((times / (chances @ law)) @ chances))
        law /= law.sum()
    return counts, row_of, chances, law


def _smoothed(law: Floats) -> Floats:
    """Over neighbouring counts (the last axis); the count 0 apart."""
    found, rest = law.copy(), law[..., 1:]
    found[..., 1:] = rest / 2
    found[..., 1:-1] += rest[..., 1:] / 4
    found[..., 2:] += rest[..., :-1] / 4
    return found


def _means(seen: Floats, weights: Floats, counts: Floats, scale: float, unseen: float) -> Floats:
    """The mean count behind each of the values seen so many times."""
    chances = _chances(seen, counts, scale, unseen)
    law = np.full(counts.size, 1 / counts.size)
    for _ in range(_ROUNDS):
        law *= (weights / (chances @ law)) @ chances / weights.sum()
    return np.maximum.accumulate((chances @ (law * counts)) / (chances @ law))


def _chances(seen: Floats, counts: Floats, scale: float, unseen: float) -> Floats:
    """Of seeing each value (row) where each count (column) is."""
    # no narrower than the grid is there, so that no value is out of reach of all counts
    width = np.sqrt(scale**2 + unseen * counts / 2 + (_PART / 2 * counts) ** 2)
    return np.asarray(np.exp(-np.abs(seen[:, None] - counts) / width) / width)


def _grid(highest: float, scale: float, unseen: float, step: float) -> Floats:
    """From 0 to at least `highest`, in steps just small enough to tell differences."""
    points = [0.0]
    while points[-1] < highest:
        last = points[-1]
        points.append(last + max(step * (2 * scale**2 + unseen * last) ** 0.5, _PART * last))
    return np.array(points)
