"""How many users have how many records, behind a noisy histogram and a noisy total: drawn from a model.

From bin to bin the number of users changes by a factor, and the factor by little: twice as many records have a part of
the users, and four times as many rather a smaller part of these than a larger one. So bins that noise hides are guessed
from those below them. What is drawn follows from points that are spread evenly, as in numerical integration: nothing is
random, and the same noisy numbers always give the same draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from discreet.summaries.share_steps import Corrections, Weighed

Floats = NDArray[np.float64]

DRAWS = 256
#: by what the number of users is multiplied from bin to bin
_FACTORS = np.array([16, 8, 4, 2.5, 1.6, 1.1, 0.8, 0.6, 0.45, 0.33, 0.22, 0.13, 0.06])
#: how likely it is to be the next one, by how many places further down, or up
_SAME, _DOWN, _UP = 0.5, 0.5, 0.05
#: how much less likely users are above a bin that has none, and for how many none stands there
_AGAIN, _NOBODY = 0.05, 0.3
#: how far numbers of users are from what a factor says, as a scale of their logarithms
_LOOSE = 0.25
#: the error of the mean number of records in a bin, as a part of it
_OF_MEAN = 0.12
#: bins of more scales of noise than this are what was measured
_CLEAR = 20
_POINTS, _REACH = 80, 12
_STEEPEST = 3.0


@dataclass(frozen=True, eq=False)
class ShareUsers:
    """draws x bins: users, and the records of each; of all draws the total of records."""

    users: Floats
    records: Floats
    totals: Floats

    @cached_property
    def total(self) -> float:
        """Of least expected error, as a part of what is true: a few draws of very many records do not decide."""
        return float((1 / self.totals).sum() / (1 / self.totals**2).sum())

    @property
    def total_error(self) -> float:
        """How far off it is in two of three draws, as a part of it, or half of how far in all but one of twenty."""
        usual, seldom = np.quantile(np.abs(self.totals / self.total - 1), [2 / 3, 0.95])
        return float(max(usual, seldom / 2))

    def weights(self, bound: int, units: int) -> Floats:
        """Of each draw what all users weigh, if a user's records share the weight of a bound, in units rounded down."""
        each = np.where(self.records > bound, bound - self.records / (2 * units), self.records)
        return np.asarray((self.users * np.maximum(each, 0.0)).sum(axis=1))

    def seen(self, bound: int, part: float) -> float:
        """Which part of all records is seen if no more than a bound count of this part of each user's records."""
        every = self.users * self.records
        kept = (self.users * np.minimum(self.records, bound / part)).sum(axis=1)
        weights = 1 / self.totals**2
        return float((weights * kept / every.sum(axis=1)).sum() / weights.sum())


def likely_users(corrections: Corrections, most: int) -> ShareUsers:
    """Of users of up to `most` records, by what was measured of them."""
    points = _Points()
    bins, total = corrections.bins, corrections.total
    users = _drawn(bins, points)
    highest = np.minimum(np.ldexp(1.0, np.arange(bins.values.size)), most)
    lowest = np.minimum(np.append(1.0, highest[:-1] + 1), highest)
    off = 1 + _OF_MEAN * np.sqrt(3) * (2 * points.columns(bins.values.size) - 1)
    records = np.clip(_means(users, lowest, highest) * off, lowest, highest)
    counted = (users * np.minimum(records, total.bound)).sum(axis=1)
    beyond = (users * np.maximum(records - total.bound, 0.0)).sum(axis=1)
    # as far as it is believed, each draw is moved to what the noisy total may have behind it
    noise = total.spread * _laplace(points.columns(1)[:, 0])
    believed = counted.var() / max(counted.var() + 2 * total.spread**2, 1e-9)
    moved = counted + believed * (float(total.values[0]) - noise - counted)
    return ShareUsers(users, records, np.maximum(moved, users.sum(axis=1)) + beyond)


class _Points:
    """Numbers from 0 to 1, one for each draw, spread evenly in each column and in columns together (Kronecker)."""

    def __init__(self) -> None:
        self._last = 1

    def columns(self, many: int) -> Floats:
        found = np.empty((DRAWS, many))
        for column in range(many):
            self._last = next(n for n in count(self._last + 1) if all(n % part for part in range(2, math.isqrt(n) + 1)))
            found[:, column] = (np.arange(1, DRAWS + 1) * math.sqrt(self._last)) % 1.0
        return found


def _drawn(bins: Weighed, points: _Points) -> Floats:
    """draws x bins: users that the noisy numbers and the model allow; one at least."""
    scale, values = bins.spread, bins.values.astype(np.float64)
    grid = np.append(0.0, np.geomspace(0.5, max(float(values.max()), 0.0) + _REACH * scale, _POINTS))
    distances = np.abs(values[:, None] - grid)
    seen = np.exp(-(distances - distances.min(axis=1, keepdims=True)) / scale) + 1e-300
    steps, turns = _steps(grid), _turns()
    forward = np.empty((values.size, grid.size, _FACTORS.size))
    state = np.repeat(seen[0][:, None], _FACTORS.size, axis=1)
    for place in range(values.size):
        if place:
            state = np.einsum("uf,fuv->vf", forward[place - 1] @ turns, steps) * seen[place][:, None]
        forward[place] = state / state.sum()
    found = np.empty((DRAWS, values.size))
    chances = np.broadcast_to(forward[-1], (DRAWS, *forward[-1].shape))
    for place in range(values.size - 1, -1, -1):
        many, factor = np.divmod(_picked(chances.reshape(DRAWS, -1), points), _FACTORS.size)
        found[:, place] = grid[many]
        if place:
            chances = forward[place - 1] * turns[:, factor].T[:, None, :] * steps[factor, :, many][:, :, None]
    clear = np.flatnonzero(values > _CLEAR * scale)
    found[:, clear] = values[clear] - scale * _laplace(points.columns(clear.size))
    found[:, 0] += found.sum(axis=1) < 1
    return np.maximum(found, 0.0)


def _steps(grid: Floats) -> Floats:
    """factors x users x users of the next bin: how likely these are, by how far their logarithm is from a factor's.

    Points of the grid stand for equal parts of a logarithm's range. All that is less than the first of them is no user,
    however far less: else users would appear in bin after bin, if there are many empty ones.
    """
    logs = np.log(np.maximum(grid, _NOBODY))
    spread = np.maximum(_LOOSE, 1 / np.sqrt(np.maximum(grid, 1.0)))
    above = (logs[None, :] - logs[:, None] - np.log(_FACTORS)[:, None, None]) / spread[:, None]
    found = np.exp(-np.abs(above))
    part = (logs[2] - logs[1]) / spread
    least = above[:, :, 1] - part / 2
    found[:, :, 0] = np.where(least > 0, 2 - np.exp(-np.abs(least)), np.exp(-np.abs(least))) / part
    found[:, 0, 1:] *= _AGAIN
    return np.asarray(found / found.sum(axis=2, keepdims=True))


def _turns() -> Floats:
    """From factor to factor: the same, a smaller one, seldom a larger one."""
    ahead = np.arange(_FACTORS.size)[None, :] - np.arange(_FACTORS.size)[:, None]
    down = (1 - _SAME) * (1 - _DOWN) * _DOWN ** (np.maximum(ahead, 1) - 1.0)
    found = np.where(ahead < 0, _UP ** np.abs(ahead), np.where(ahead == 0, _SAME, down))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _picked(chances: Floats, points: _Points) -> NDArray[np.int64]:
    """One of each row, in proportion."""
    running = np.cumsum(chances, axis=1)
    found = (running < points.columns(1) * running[:, -1:]).sum(axis=1)
    return np.asarray(np.minimum(found, running.shape[1] - 1))


def _means(users: Floats, lowest: Floats, highest: Floats) -> Floats:
    """The mean number of records of the users in each bin, by a power law between the neighbouring bins."""
    density = np.log(np.maximum(users, 0.5) / (highest - lowest + 1))
    slopes = np.zeros_like(density)
    if density.shape[1] > 1:
        slopes[:, 1:-1] = (density[:, 2:] - density[:, :-2]) / 2
        slopes[:, 0], slopes[:, -1] = density[:, 1] - density[:, 0], density[:, -1] - density[:, -2]
    slopes = np.clip(slopes, -_STEEPEST, _STEEPEST) / np.log(2)
    numbers = lowest[:, None] + (highest - lowest)[:, None] * np.linspace(0, 1, 17)
    weights = np.exp(slopes[:, :, None] * np.log(numbers / numbers[:, 8:9]))
    return np.asarray((weights * numbers).sum(axis=2) / weights.sum(axis=2))


def _laplace(uniform: Floats) -> Floats:
    """Of scale 1."""
    centred = uniform - 0.5
    return np.asarray(-np.sign(centred) * np.log1p(-2 * np.minimum(np.abs(centred), 0.4999999)))
