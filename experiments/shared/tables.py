"""Count tables to experiment on: made up from a seed as in the papers, or read from the folder of real data.

The folder is DISCREET_DATA, or ../shared/data. Everything here is repeatable; only the noise of a mechanism is not.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Noise, SeededSource
from discreet.private.counts import Counts
from discreet.schema import Ordinal, Schema


@dataclass(frozen=True, eq=False)
class Truth:
    """A table whose true counts are known to the experimenter."""

    schema: Schema
    counts: Counts

    @property
    def occupied(self) -> int:
        return len(self.counts.counts)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """Every cell's count."""
        return self.counts.dense().reshape(-1)


def domain(*sizes: int) -> Schema:
    return Schema({f"a{place}": Ordinal(0, size - 1) for place, size in enumerate(sizes)})


def bell(schema: Schema, occupied: int, mean: float, deviation: float, seed: int) -> Truth:
    """`occupied` cells anywhere, with counts from a normal law rounded to the nearest positive integer."""
    dice = Noise(SeededSource(seed))
    codes = np.stack(np.unravel_index(dice.subset(schema.cells, occupied), schema.sizes), axis=1)
    law = NormalDist(mean, deviation)
    tails = np.array([law.cdf(value + 0.5) for value in range(1, int(mean + 9 * deviation))])
    uniform = dice.integers(1 << 53, occupied) * 2.0**-53
    return Truth(schema, Counts(schema.sizes, codes, 1 + np.searchsorted(tails, uniform, side="right")))


def data_folder() -> Path:
    return Path(os.environ.get("DISCREET_DATA", "../shared/data"))
