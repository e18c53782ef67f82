"""The best guess of counts behind bounded weights: counts behind the noise, brought back to all records.

Weights of users with many records were bounded, and more so in some items than in others. So counts are a power of the
weights: the total says of what sum, the items that were measured again say which power, and each of these has a
measurement of its own. The order of the weights is kept. Everything follows from noisy numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.likely_counts import likely_counts, smooth_posteriors
from discreet.summaries.share_steps import Corrections, Weighed

Floats = NDArray[np.float64]

#: powers that are tried, and how far from 1 they are expected to be, in parts of what bounding takes away
_POWERS = np.linspace(0.4, 1.6, 121)
_POWER_SPREAD = 0.6
#: how far from any power the counts of single items are, as a part of them, in the same parts
_UNEXPLAINED = 0.3
#: typical error of a count's logarithm that is left, in the same parts
_SPREAD = 0.2
#: weights of more scales of noise than this are what was measured: no law moves them, and its grid is coarse there
_CLEAR = 20
#: the variance of a Laplace law's square, in squares of its variance
_FOURTH = 5
#: sums are believed to be as the model says, up to so many standard deviations of their noise
_BELIEVED = 2
_TINY = 1e-9


def likely_weights(items: Weighed) -> Floats:
    """The weight behind each noisy one, in records."""
    order = np.argsort(items.values, kind="stable")
    rising, found = items.values[order], np.empty(order.size)
    means = np.where(rising > _CLEAR * float(items.scale), rising, likely_counts(rising, float(items.scale), 0.0))
    found[order] = np.maximum.accumulate(means) / items.units
    return found


@dataclass(frozen=True, eq=False)
class ShareEstimates:
    """What items weigh, and what else was measured; without it, weights are counts."""

    items: Weighed
    corrections: Corrections | None

    @cached_property
    def kept(self) -> Floats:
        found = likely_weights(self.items)
        if self.corrections is None:
            # the law pulls weights together and moves their sum, of which noise alone says more
            found[~self._clear] = _summing_to(self._plain_total - float(found[self._clear].sum()), found[~self._clear])
        # where nothing shows, all are alike
        return found if found.sum() > _TINY or self.corrections is None else np.full(found.size, 1 / found.size)

    @property
    def _clear(self) -> NDArray[np.bool_]:
        return self.items.values > _CLEAR * float(self.items.scale)

    @property
    def _plain_total(self) -> float:
        return float(self.items.values.sum()) / self.items.units

    @cached_property
    def total(self) -> float:
        kept = float(self.kept.sum())
        return kept if self.corrections is None else max(float(self.corrections.total.values[0]), kept)

    @cached_property
    def factor(self) -> float:
        """How many records there are for each unit of weight."""
        return self.total / max(float(self.kept.sum()), _TINY) if self.corrections is not None else 1.0

    @property
    def _cut(self) -> float:
        """The part of all records that bounding takes away."""
        return 1 - 1 / max(self.factor, 1.0)

    @cached_property
    def power(self) -> float:
        if self.corrections is None:
            return 1.0
        head, heads = self.corrections.head, self.corrections.heads
        counts = np.array([self._powered(power)[heads] for power in _POWERS])
        own = counts * (self.items.spread / np.maximum(self.kept[heads], _TINY))
        # scales of what items are off by: the second look's noise, the first one's, and what no power explains
        scale = np.sqrt(head.spread**2 + own**2 + (_UNEXPLAINED * self._cut * counts) ** 2 / 2)
        missed = np.abs(head.values / head.units - counts) / scale + np.log(scale)
        width = max(_POWER_SPREAD * self._cut, 1e-3)
        return float(_POWERS[np.argmin(missed.sum(axis=1) + ((_POWERS - 1) / width) ** 2)])

    def _unit(self, power: float) -> float:
        sums = float((self.kept[self.kept > 0] ** power).sum())
        return self.total / sums if sums > 0 else 0.0

    def _powered(self, power: float) -> Floats:
        return np.where(self.kept > 0, np.maximum(self.kept, 1e-300) ** power * self._unit(power), 0.0)

    @cached_property
    def _found(self) -> tuple[Floats, Floats]:
        """The number of each item, and its variance."""
        values = self._powered(self.power)
        variance = self._own_variances(values)
        if self.corrections is None:
            return values, variance
        heads, head = self.corrections.heads, self.corrections.head
        rest = np.delete(values, heads)
        before, seen = values[heads], head.values / head.units
        noise = 2 * head.spread**2
        own = 2 * (before / np.maximum(self.kept[heads], _TINY) * self.items.spread) ** 2
        differs = float(((seen - before) ** 2 - noise - own).sum()) / max(float((before**2).sum()), _TINY)
        prior = own + min(max(differs, 0.0), self._cut**2) * before**2
        # no lower than those that were not measured again, whose order is behind them
        values[heads] = np.maximum((before * noise + seen * prior) / (noise + prior), rest.max(initial=0.0))
        variance[heads] = noise * prior / (noise + prior)
        return values, variance

    def _own_variances(self, values: Floats) -> Floats:
        """Of counts that were measured once, by the model; no less than what it cannot know of the law of counts.

        How far counts differ is seen as how much more noisy ones differ than noise does, which has an error of its own.
        """
        mean, variance = self._moments
        slope = np.where(self.kept > _TINY, values / np.maximum(self.kept, _TINY), self.factor)
        noise = 2 * (slope * self.items.spread) ** 2
        clear = noise + self._counts(self.kept)[1] * values**2
        unseen = math.sqrt(_FOURTH / values.size) * 2 * (self.factor * self.items.spread) ** 2
        return np.where(self._clear, clear, np.maximum(variance + (mean - values) ** 2, unseen))

    def beyond_noise(self, weights: Floats, kept: Floats, draws: Floats) -> Floats:
        """How far sums of so many weights lie from what the model says, beyond what noise explains; in records."""
        noise = self.items.spread * np.sqrt(2 * draws)
        return self.factor * np.maximum(np.abs(weights - kept) - _BELIEVED * noise, 0.0)

    @property
    def values(self) -> Floats:
        return self._found[0]

    @property
    def variances(self) -> Floats:
        return self._found[1]

    @cached_property
    def total_error(self) -> float:
        """The typical relative error of the total, which all counts share: noise, and what is beyond its bound."""
        if self.corrections is None:
            return math.sqrt(2 * self.items.values.size) * self.items.spread / max(self.total, 1.0)
        bins, total = self.corrections.bins, self.corrections.total
        above = np.flatnonzero(np.ldexp(1.0, np.arange(bins.values.size - 1)) >= total.bound) + 1
        users = max(float(bins.values[above].sum()), 0.0) + bins.spread * math.sqrt(2 * above.size)
        # half as many users have twice as many records: as much in every bin, which is half of it on average
        beyond = users * total.bound * max(above.size / 2, 1.0) if above.size else 0.0
        return math.hypot(math.sqrt(2) * total.spread, beyond) / max(self.total, 1.0)

    @cached_property
    def _posteriors(self) -> tuple[Floats, NDArray[np.int64], Floats]:
        counts, row_of, chances = smooth_posteriors(self.items.values, float(self.items.scale))
        return counts / self.items.units, row_of, chances

    def _counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """The count at each weight, and the variance of its logarithm: that of bounding, and of chance."""
        counts = np.where(weights > 0, np.maximum(weights, 1e-300) ** self.power, 0.0) * self._unit(self.power)
        spread = (_SPREAD * self._cut) ** 2 + (self.factor - 1) / np.maximum(counts, 1.0)
        return counts, np.minimum(spread, 1.0)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """The mean and the variance of each item's count, by the model."""
        weights, row_of, chances = self._posteriors
        counts, spread = self._counts(weights)
        mean = chances @ (counts * np.exp(spread / 2))
        square = chances @ (counts**2 * np.exp(2 * spread))
        return mean[row_of], np.maximum(square - mean**2, 0.0)[row_of]


def _summing_to(total: float, parts: Floats) -> Floats:
    """The parts in proportion, equal ones if there is nothing to go by; none below zero."""
    if total <= 0 or not parts.size:
        return np.zeros(parts.size)
    sums = float(parts.sum())
    return parts * (total / sums) if sums > _TINY else np.full(parts.size, total / parts.size)
