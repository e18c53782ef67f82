"""The best guess of counts per item and context, from noisy weights of items, of contexts, and of both.

Where nothing else is known, an item's records are shared out over contexts as all records are. Noisy weights of single
edges draw a number away from that, the more, the more items are found to differ. The edges of an item add up to it.
Everything follows from noisy numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.summaries.share_estimates import ShareEstimates
from discreet.summaries.share_steps import Weighed

Floats = NDArray[np.float64]

_TINY = 1e-9
#: the variance of the square of a Laplace draw, in squares of its variance
_OF_SQUARES = 5
_ROUNDS = 4
#: the variance of edges where it cannot be told, in squares of the start
_USUALLY_DIFFER = 1.0


@dataclass(frozen=True, eq=False)
class EdgeEstimates:
    """What is known of items, and what contexts and edges weigh; edges item by item."""

    items: ShareEstimates
    contexts: Weighed
    edges: Weighed

    @cached_property
    def shares(self) -> Floats:
        """Of all records, those of each context."""
        found = np.maximum(self.contexts.values, 0).astype(np.float64)
        total = float(found.sum())
        return found / total if total > 0 else np.full(found.size, 1 / found.size)

    @property
    def share_error(self) -> float:
        """The typical error of a context's share."""
        total = float(np.maximum(self.contexts.values, 0).sum()) / self.contexts.units
        return min(math.sqrt(2) * self.contexts.spread / max(total, _TINY), 1.0)

    @cached_property
    def _start(self) -> Floats:
        """items x contexts: what edges are if items do not differ."""
        return self.items.values[:, None] * self.shares

    @cached_property
    def _factors(self) -> Floats:
        """How many records of each item its weight stands for."""
        kept = self.items.kept
        return np.where(kept > _TINY, self.items.values / np.maximum(kept, _TINY), self.items.factor)

    @cached_property
    def _noise(self) -> Floats:
        """The variance of what is seen of an edge, for each item, as a column."""
        return 2 * (self._factors[:, None] * self.edges.spread) ** 2

    @cached_property
    def _off(self) -> Floats:
        """By how much what is seen of each edge is off from the start."""
        each = self._factors[:, None] / self.edges.units
        return self.edges.values.reshape(self._start.shape) * each - self._start

    @cached_property
    def _differ(self) -> tuple[float, float]:
        """The variance of edges, beyond chance, in squares of the start: what shows clearly, and what there may be.

        Found by moments, less its error and with it. Items that are each in a single context differ by no more than
        about the number of contexts.
        """
        squares = self._off**2 - self._noise - self._start
        found = error = 0.0
        for _ in range(_ROUNDS):
            # edges of little noise weigh most, but no few large items all
            weights = (self._start / np.maximum(self._prior(found) + self._noise, 1e-300)) ** 2
            total = max(float((self._start**2 * weights).sum()), 1e-300)
            found = min(max(float((squares * weights).sum()) / total, 0.0), self.shares.size - 1.0)
            error = math.sqrt(_OF_SQUARES / total)
        shows = max(found - error, 0.0)
        return shows, max(min(found + error, _USUALLY_DIFFER), shows)

    def _prior(self, differ: float) -> Floats:
        """The variance of edges around the start: items that differ, and chance."""
        return differ * self._start**2 + self._start

    @cached_property
    def trust(self) -> Floats:
        """How far each number is drawn from the start to what is seen."""
        prior = self._prior(self._differ[0])
        return np.asarray(prior / np.maximum(prior + self._noise, 1e-300))

    @cached_property
    def values(self) -> Floats:
        """items x contexts; none is negative, and those of an item add up to the item's."""
        found = np.maximum(self._start + self.trust * self._off, 0.0)
        sums = found.sum(axis=1, keepdims=True)
        whole = self.items.values[:, None]
        return np.where(sums > 0, found * (whole / np.maximum(sums, 1e-300)), self._start)

    @cached_property
    def own_variances(self) -> Floats:
        """Of each number if the item's, and the contexts' shares, are right."""
        return (1 - self.trust) ** 2 * self._prior(self._differ[1]) + self.trust**2 * self._noise

    @cached_property
    def parts(self) -> Floats:
        """Of each item's records, those in each context."""
        whole = self.items.values[:, None]
        return np.where(whole > 0, self.values / np.maximum(whole, 1e-300), self.shares)
