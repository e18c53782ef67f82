"""Simulated noise, for statements about releases: how sure a ranking is. Public; it never touches data.

The same release always gives the same statement, hence the fixed seed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.privacy import Alpha
from discreet.summaries.base import Floats

_SEED = 20_261_116


def generator() -> Any:
    return np.random.default_rng(_SEED)


def laplace_sums(scale: Fraction, terms: NDArray[np.int64], draws: int, random: Any) -> Floats:
    """draws x len(terms): sums of so many discrete Laplace draws, each the difference of two geometric ones."""
    chance = float(1 - Alpha.of(scale).fraction)
    sums = np.zeros((draws, terms.size))
    some = np.flatnonzero(terms)
    up, down = (random.negative_binomial(terms[some], chance, (draws, some.size)) for _ in range(2))
    sums[:, some] = up - down
    return sums


def membership(counts: Floats, most: int, random: Any) -> Floats:
    """How often each count is among the `most` largest of a row of simulated ones; ties are broken at random."""
    likely = counts + random.random(counts.shape) * 1e-6
    if most >= counts.shape[1]:
        return np.ones(counts.shape[1])
    best = np.argpartition(-likely, most - 1, axis=1)[:, :most]
    return np.asarray(np.bincount(best.reshape(-1), minlength=counts.shape[1]) / counts.shape[0])
