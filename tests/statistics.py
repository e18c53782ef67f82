"""Does a sample have the law it claims? With a false-alarm rate that is a theorem, not an approximation.

Every event (a value, a half-line) is a binomial count. By Chernoff's bound a share as far off as f from p has
probability at most exp(-n KL(f, p)); an event is surprising when that falls below the allowed rate divided by twice the
number of events looked at (union bound).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Agreement:
    """The most surprising event: `surprise` = n KL against the `limit` that the false-alarm rate allows."""

    surprise: float
    limit: float
    event: int

    @property
    def holds(self) -> bool:
        return self.surprise <= self.limit


def divergence(shares: NDArray[np.float64], probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """KL of Bernoulli laws, elementwise; infinite where the impossible happened."""
    f, p = np.asarray(shares, np.float64), np.clip(np.asarray(probabilities, np.float64), 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(f > 0, f * np.log(f / p), 0.0)
        miss = np.where(f < 1, (1 - f) * np.log((1 - f) / (1 - p)), 0.0)
    return np.asarray(hit + miss)


def compare(hits: NDArray[np.int64], n: int, probabilities: NDArray[np.float64], false_alarm: float) -> Agreement:
    """Are these numbers of hits in n independent trials compatible with these probabilities?"""
    surprise = n * divergence(np.asarray(hits) / n, probabilities)
    worst = int(np.argmax(surprise))
    return Agreement(float(surprise[worst]), math.log(2 * surprise.size / false_alarm), worst)


def compare_law(
    sample: NDArray[np.int64],
    first: int,
    probabilities: NDArray[np.float64],
    false_alarm: float,
    *,
    below: float = 0.0,
) -> Agreement:
    """Does the sample follow the law with Pr[first + i] = probabilities[i], Pr[less] = below, and the rest above?

    Looks at every value, every half-line, and at "outside".
    """
    p = np.asarray(probabilities, np.float64)
    inside = (sample >= first) & (sample < first + p.size)
    counts = np.bincount((sample[inside] - first).astype(np.int64), minlength=p.size)
    half_lines = int(np.sum(sample < first)) + np.cumsum(counts)
    hits = np.concatenate([counts, half_lines, [sample.size - counts.sum()]])
    outside = max(0.0, 1.0 - math.fsum(p))
    return compare(hits, sample.size, np.concatenate([p, below + np.cumsum(p), [outside]]), false_alarm)
