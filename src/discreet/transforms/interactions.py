"""What attributes have to do with each other, behind noise: shrunk towards nothing, by how large it is elsewhere.

The interaction in a cell that would hold e records if attributes had nothing to do with each other is taken to be drawn
from a mixture of normal laws of deviations s e^(3/4), for some s from nothing to far beyond all noise; or the cell is
empty, as most are where one attribute follows from another. How often each s occurs, and empty cells, is fitted to the
noisy cells of a table, a little pulled towards what all tables have in common. Constants were chosen on the census
table with eight attributes and on a made-up one with twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.kernels import mixtures
from discreet.transforms.axis import Floats

_POWER = 0.75
_SCALES = np.array([0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 25, 50, 100.0])
#: what all tables have in common counts as much as so many cells
_TRUST = 20.0
_ROUNDS_OF_ALL, _ROUNDS = 25, 15
#: laws are fitted to no more cells, evenly chosen
_MOST_OF_ALL, _MOST = 1 << 15, 1 << 12


@dataclass(frozen=True, eq=False)
class NoisyInteractions:
    """Of one table: what was seen in each cell, what the cell would hold without it, and the variance of the noise."""

    seen: Floats
    expected: Floats
    variance: float

    def columns(self, step: int = 1) -> tuple[Floats, Floats, Floats, Floats]:
        """What was seen, what it would be in an empty cell, the unit of deviations, and the noise."""
        seen = np.ascontiguousarray(self.seen.reshape(-1)[::step])
        expected = np.maximum(self.expected.reshape(-1)[::step], 1e-9)
        return seen, -expected, expected**_POWER, np.full(seen.size, self.variance)


def usual_laws(tables: Sequence[NoisyInteractions]) -> Floats:
    """How often each deviation occurs in all tables together."""
    even = np.full(_SCALES.size + 1, 1 / (_SCALES.size + 1))
    noisy = [table for table in tables if table.variance > 0]  # an attribute of one value interacts with none
    if not noisy:
        return even
    step = 1 + sum(table.seen.size for table in noisy) // _MOST_OF_ALL
    columns = [np.concatenate(one) for one in zip(*(table.columns(step) for table in noisy), strict=True)]
    return mixtures.fit(columns[0], columns[1], columns[2], columns[3], _SCALES, even, 0.0, _ROUNDS_OF_ALL)


def shrunk_interactions(table: NoisyInteractions, usual: Floats) -> Floats:
    """The mean of what is behind each noisy number."""
    if table.variance <= 0:
        return table.seen
    step = 1 + table.seen.size // _MOST
    weights = mixtures.fit(*table.columns(step), _SCALES, usual, _TRUST, _ROUNDS)
    found = np.empty(table.seen.size)
    mixtures.means(*table.columns(), _SCALES, weights, found)
    return found.reshape(table.seen.shape)
