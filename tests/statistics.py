"""Does a sample have the law it claims? With a false-alarm rate that is a theorem, not an approximation.

All tests together raise a false alarm with probability at most FAMILY. Each comparison has an equal share of it
(union bound), `conftest.py` counts them over all processes, and a run with more than COMPARISONS of them fails. So
bits may be, and are, those of production.

Every event (a value, a half-line) is a binomial count. By Chernoff's bound a share as far off as f from p has
probability at most exp(-n KL(f, p)); an event is surprising when that falls below the comparison's share divided by
twice the number of events looked at (union bound again).

A planted error must be found as surely. Of an error whose surprise is four times the limit or more, chance hides less
than one in 10^13: with a limit near 40, the root of twice the surprise is about normal, of variance 1, around 18, and
would have to fall below 9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FAMILY = 1e-9
COMPARISONS = 100_000
ROUNDING = 1e-15

_made = 0


def share() -> float:
    """The false alarm that one more comparison may have."""
    global _made
    _made += 1
    return FAMILY / COMPARISONS


def made() -> int:
    """How many comparisons this process has made."""
    return _made


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


def compare(hits: NDArray[np.int64], n: int, probabilities: NDArray[np.float64]) -> Agreement:
    """Are these numbers of hits in n independent trials compatible with these probabilities?"""
    surprise = n * divergence(np.asarray(hits) / n, probabilities)
    worst = int(np.argmax(surprise))
    return Agreement(float(surprise[worst]), math.log(2 * surprise.size / share()), worst)


def at_least(hits: float, n: int, probability: float) -> bool:
    """Are so many hits in n independent trials compatible with this probability, or with a larger one?

    Chernoff's bound holds for parts of a hit as well, anything between 0 and 1 in each trial (Hoeffding).
    """
    agreement = compare(np.array([hits]), n, np.array([probability]))
    return hits >= probability * n or agreement.holds


def mean_agrees(errors: NDArray[np.float64], slack: float = 1.0) -> bool:
    """Have these errors the mean zero? For a law symmetric about zero, the sum is beyond x root sums of squares with
    probability at most 2 exp(-x**2 / 2) (Efron). Where the law is only about symmetric, `slack` widens x."""
    allowed = slack * math.sqrt(2 * math.log(2 / share()))
    return abs(float(errors.sum())) <= allowed * math.sqrt(float(np.sum(errors**2)))


def compare_two(first: NDArray[np.int64], n: int, second: NDArray[np.int64], m: int) -> Agreement:
    """Is there for each event one probability that explains both numbers of hits?

    By Chernoff each sample is further than L = log(4 events / share) from the truth, in n KL, with probability
    at most 2 exp(-L). So an event is surprising when every p is beyond L of one of the two.
    """
    f, g = first / n, second / m
    low, high = f.copy(), g.copy()
    for _ in range(60):
        middle = (low + high) / 2
        nearer = n * divergence(f, middle) < m * divergence(g, middle)
        low, high = np.where(nearer, middle, low), np.where(nearer, high, middle)
    middle = (low + high) / 2
    surprise = np.where(f == g, 0.0, np.minimum(n * divergence(f, middle), m * divergence(g, middle)))
    worst = int(np.argmax(surprise))
    return Agreement(float(surprise[worst]), math.log(4 * surprise.size / share()), worst)


def compare_law(
    sample: NDArray[np.int64], first: int, probabilities: NDArray[np.float64], *, below: float = 0.0
) -> Agreement:
    """Does the sample follow the law with Pr[first + i] = probabilities[i], Pr[less] = below, and the rest above?

    Looks at every value, every half-line, and at "outside". Sums of probabilities are off by rounding, so a
    value outside may have a chance where floats leave none.
    """
    p = np.asarray(probabilities, np.float64)
    inside = (sample >= first) & (sample < first + p.size)
    counts = np.bincount((sample[inside] - first).astype(np.int64), minlength=p.size)
    half_lines = int(np.sum(sample < first)) + np.cumsum(counts)
    hits = np.concatenate([counts, half_lines, [sample.size - counts.sum()]])
    sums = np.concatenate([below + np.cumsum(p), [1.0 - math.fsum(p)]])
    return compare(hits, sample.size, np.concatenate([p, np.clip(sums, ROUNDING, 1 - ROUNDING)]))
