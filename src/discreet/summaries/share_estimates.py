"""The best guess of counts behind bounded weights: counts behind the noise, brought back to all records.

Weights of users with many records were bounded, and more so in some items than in others. So counts are a power of the
weights: histogram and total say of what sum, the items that were measured again say which powers may be, and each of
these has a measurement of its own. The order of the weights is kept. Everything follows from noisy numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.likely_counts import likely_counts, smooth_posteriors
from discreet.summaries.share_steps import Again, Corrections, Weighed
from discreet.summaries.share_users import ShareUsers, likely_users

Floats = NDArray[np.float64]

#: powers that are tried, and how far from 1 they are expected to be, in parts of what bounding takes away
_POWERS = np.linspace(0.4, 1.6, 61)
_POWER_SPREAD = 0.1
#: how far from any power the counts of single items may be, as a part of them, in the same parts
_UNEXPLAINED = np.array([0.03, 0.2])
#: powers that are less likely than this add nothing
_UNLIKELY = 1e-4
#: typical error of a count's logarithm that is left, in the same parts
_SPREAD = 0.2
#: weights of more scales of noise than this are what was measured: no law moves them, and its grid is coarse there
_CLEAR = 20
#: the variance of a Laplace law's square, in squares of its variance
_FOURTH = 5
#: sums are believed to be as the model says, up to so many standard deviations of their noise
_BELIEVED = 2
_TINY = 1e-9


def all_likely_weights(items: Weighed, listed: Again | None) -> Floats:
    """The weight of each item, in records: by the second look where there was one, which knows more.

    A user's weight is another there, so it says how those items differ, and the first look what they have together.
    """
    found = likely_weights(items)
    if listed is not None:
        found[listed.codes] = _summing_to(float(found[listed.codes].sum()), likely_weights(listed.weights))
    return found


def likely_weights(items: Weighed) -> Floats:
    """The weight behind each noisy one, in records."""
    order = np.argsort(items.values, kind="stable")
    rising, found = items.values[order], np.empty(order.size)
    means = np.where(rising > _CLEAR * float(items.scale), rising, likely_counts(rising, float(items.scale), 0.0))
    found[order] = np.maximum.accumulate(means) / items.units
    return found


@dataclass(frozen=True, eq=False)
class ShareEstimates:
    """What items weigh, and what else was measured of users of up to `most` records; without it, weights are counts.

    If it `repeats`, a user may have an item more than once.
    """

    items: Weighed
    corrections: Corrections | None
    most: int
    repeats: bool

    @cached_property
    def kept(self) -> Floats:
        found = all_likely_weights(self.items, None if self.corrections is None else self.corrections.listed)
        # the law pulls weights together and moves their sum, of which noise alone says more; and where noise hides very
        # many items it may be far too much, more than all records
        if self.corrections is None:
            found[~self._clear] = self._hidden(self._plain_total, found)
        elif found.sum() > self.users.total:
            found[~self._clear] = self._hidden(self._likely_sum, found)
        # where nothing shows, all are alike
        return found if found.sum() > _TINY or self.corrections is None else np.full(found.size, 1 / found.size)

    def _hidden(self, total: float, weights: Floats) -> Floats:
        """The weights that are not clear, such that all sum to the total."""
        return _summing_to(total - float(weights[self._clear].sum()), weights[~self._clear])

    @property
    def _likely_sum(self) -> float:
        """What users weigh in all, by those behind the histogram and, as far as it is known, by noisy weights."""
        weights = self.users.weights(self.items.bound, self.items.units)
        noise, spread = 2 * self.items.values.size * self.items.spread**2, float(weights.var())
        return (float(weights.mean()) * noise + self._plain_total * spread) / max(noise + spread, _TINY)

    @property
    def _clear(self) -> NDArray[np.bool_]:
        return self.items.values > _CLEAR * float(self.items.scale)

    @property
    def _plain_total(self) -> float:
        return float(self.items.values.sum()) / self.items.units

    @cached_property
    def users(self) -> ShareUsers:
        """Those behind the noisy histogram, where users' weights were bounded."""
        assert self.corrections is not None
        return likely_users(self.corrections, self.most)

    @cached_property
    def total(self) -> float:
        kept = float(self.kept.sum())
        return kept if self.corrections is None else max(self.users.total, kept)

    @cached_property
    def factor(self) -> float:
        """How many records there are for each unit of weight."""
        return self.total / max(float(self.kept.sum()), _TINY) if self.corrections is not None else 1.0

    @property
    def _cut(self) -> float:
        """The part of all records that bounding takes away."""
        return 1 - 1 / max(self.factor, 1.0)

    @cached_property
    def _sums(self) -> Floats:
        """Of each power the sum over all items."""
        some = self.kept[self.kept > 0]
        return np.array([float((some**power).sum()) for power in _POWERS])

    @cached_property
    def _head(self) -> _Head:
        assert self.corrections is not None
        weights, head = self.kept[self.corrections.heads], self.corrections.head
        powers = np.where(weights > 0, np.maximum(weights, 1e-300) ** _POWERS[:, None], 0.0)
        counts = self.total * powers / np.maximum(self._sums, _TINY)[:, None]
        own = counts * (self.items.spread / np.maximum(weights, _TINY))
        in_head = float(weights.sum() / self.kept.sum())
        # where items may be repeated, users of very many records have more of the head than counts of them
        seen = self.users.seen(head.bound, in_head) if self.repeats and in_head > 0 else 1.0
        return _Head(head.values / head.units / seen, head.spread / seen, counts, own, self._cut)

    @cached_property
    def power(self) -> float:
        """The mean of powers that may be."""
        return 1.0 if self.corrections is None else float(self._head.of_powers @ _POWERS)

    def _powered(self, power: float) -> Floats:
        some = self.kept > 0
        sums = float((self.kept[some] ** power).sum())
        unit = self.total / sums if sums > 0 else 0.0
        return np.where(some, np.maximum(self.kept, 1e-300) ** power * unit, 0.0)

    @cached_property
    def _found(self) -> tuple[Floats, Floats]:
        """The number of each item, and its variance."""
        if self.corrections is None:
            return self.kept, self._own_variances(self.kept)
        head, heads = self._head, self.corrections.heads
        values, squares = np.zeros((2, self.kept.size))
        some = self.kept > 0
        for place in np.flatnonzero(head.of_powers > _UNLIKELY * head.of_powers.max()):
            counts = self.kept[some] ** _POWERS[place] * (self.total / self._sums[place])
            values[some] += head.of_powers[place] * counts
            squares[some] += head.of_powers[place] * counts**2
        values *= self.total / max(float(values.sum()), _TINY)
        variance = self._own_variances(values) + np.maximum(squares - values**2, 0.0)
        found, variance[heads] = head.found
        # no lower than those that were not measured again, whose order is behind them
        values[heads] = np.maximum(found, np.delete(values, heads).max(initial=0.0))
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
        return self.users.total_error

    @cached_property
    def _posteriors(self) -> tuple[Floats, NDArray[np.int64], Floats]:
        counts, row_of, chances = smooth_posteriors(self.items.values, float(self.items.scale))
        return counts / self.items.units, row_of, chances

    def _counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """The count at each weight, and the variance of its logarithm: that of bounding, and of chance."""
        some = self.kept[self.kept > 0]
        unit = self.total / max(float((some**self.power).sum()), _TINY) if some.size else 0.0
        counts = np.where(weights > 0, np.maximum(weights, 1e-300) ** self.power, 0.0) * unit
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


@dataclass(frozen=True, eq=False)
class _Head:
    """What a second look says of its items, beside counts (powers x items) of this own noise."""

    measured: Floats
    scale: float
    counts: Floats
    own: Floats
    cut: float

    @cached_property
    def _off(self) -> Floats:
        """powers x ways in which items may be off x items: by what part of them no power explains their counts."""
        return np.asarray((_UNEXPLAINED * self.cut)[None, :, None] * self.counts[:, None, :])

    @cached_property
    def _chances(self) -> Floats:
        """powers x ways."""
        scale = np.sqrt(self.scale**2 + self.own[:, None, :] ** 2 + self._off**2 / 2)
        missed = np.abs(self.measured - self.counts[:, None, :]) / scale + np.log(scale)
        unusual = ((_POWERS - 1) / max(_POWER_SPREAD * self.cut, 1e-3)) ** 2
        fits = -missed.sum(axis=2) - np.log1p(unusual)[:, None]
        chances = np.exp(fits - fits.max())
        return np.asarray(chances / chances.sum())

    @property
    def of_powers(self) -> Floats:
        return np.asarray(self._chances.sum(axis=1))

    @property
    def found(self) -> tuple[Floats, Floats]:
        """The number of each item and its variance: means of both looks, weighed by their errors."""
        noise, prior = 2 * self.scale**2, 2 * self.own[:, None, :] ** 2 + self._off**2
        means = (self.counts[:, None, :] * noise + self.measured * prior) / (noise + prior)
        chances = self._chances[:, :, None]
        found = (chances * means).sum(axis=(0, 1))
        variance = (chances * (noise * prior / (noise + prior) + (means - found) ** 2)).sum(axis=(0, 1))
        return found, variance


def _summing_to(total: float, parts: Floats) -> Floats:
    """The parts in proportion, equal ones if there is nothing to go by; none below zero."""
    if total <= 0 or not parts.size:
        return np.zeros(parts.size)
    sums = float(parts.sum())
    return parts * (total / sums) if sums > _TINY else np.full(parts.size, total / parts.size)
