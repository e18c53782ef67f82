"""Made-up counts of one attribute of many values: occupied cells anywhere, or in clusters."""

from __future__ import annotations

import numpy as np

from discreet.noise import Noise, SeededSource
from discreet.private.counts import Counts
from experiments.shared.tables import Truth, bell, domain

CELLS = 10**6
OCCUPIED = 10**5
CLUSTERS = 100


def uniform(seed: int) -> Truth:
    return bell(domain(CELLS), OCCUPIED, 100, 20, seed)


def skewed(seed: int) -> Truth:
    return clustered(CELLS, OCCUPIED, CLUSTERS, 100, 20, seed)


def clustered(cells: int, occupied: int, runs: int, mean: float, deviation: float, seed: int) -> Truth:
    """As `bell`, but the occupied cells form `runs` runs of equal length without a gap, at random places."""
    length = occupied // runs
    places = np.sort(Noise(SeededSource(20_000 + seed)).subset(cells // length, runs)) * length
    codes = (places[:, None] + np.arange(length)).reshape(-1, 1)
    values = bell(domain(codes.size), codes.size, mean, deviation, seed).counts.counts
    schema = domain(cells)
    return Truth(schema, Counts(schema.sizes, codes, values))
