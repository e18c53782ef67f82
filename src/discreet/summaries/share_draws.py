"""Counts that may be true behind bounded weights, drawn from a model: for how sure a ranking is.

Weights are drawn by a law that is fitted to all noisy ones, and turned into counts in one of many worlds (see
`share_worlds`), taken as often as it fits the items that were measured again. What the total leaves to the other items
is theirs. Everything follows from noisy numbers.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.likely_counts import posteriors_by_others
from discreet.summaries.share_estimates import ShareEstimates
from discreet.summaries.share_steps import Corrections
from discreet.summaries.share_worlds import RATIOS, WORLDS, ShareWorlds, drawn_worlds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: powers of weights that are tried, and how far from 1 they are expected to be, in parts of what bounding takes away
_POWERS = np.linspace(0.4, 1.6, 13)
_POWER_SPREAD = 0.3
#: no measurement of the head is believed more closely than this part of it, for few ratios are tried
_CLOSEST = 0.03
_TINY = 1e-9


class ShareDraws:
    """Behind what was measured."""

    def __init__(self, estimates: ShareEstimates) -> None:
        self._estimates = estimates
        self._tried: _TriedHead | None = None

    def draws(self, items: Ints, draws: int, random: Any) -> Floats:
        """draws x items: counts that may be true."""
        weights = self._drawn_weights(items, draws, random)
        corrections = self._estimates.corrections
        if corrections is None:
            return self._weights[weights]
        tried = self._head(corrections, random)
        powers, worlds, head = tried.drawn(draws, random)
        left = self._left_to_others(powers, head / tried.worlds.beyond[worlds][:, None], corrections)
        parts = tried.worlds.parts(worlds, tried.worlds.part_for(worlds, left), self._estimates.kept, random)
        found = np.empty(weights.shape)
        for draw, (power, world) in enumerate(zip(powers, worlds, strict=True)):
            mine = parts[draw, random.integers(0, RATIOS, items.size)]
            ratios = tried.worlds.ratios(world, mine, self._weights[weights[draw]]) * tried.worlds.beyond[world]
            counts = self._counts[power, weights[draw]] * ratios
            found[draw] = _varied(counts, tried.worlds.chance[world], random.standard_normal(items.size))
        places = np.full(self._estimates.items.values.size, -1)
        places[corrections.heads] = np.arange(corrections.heads.size)
        again = np.flatnonzero(places[items] >= 0)
        found[:, again] = head[:, places[items[again]]]
        return found

    def most_certain(self, items: Ints, others: int, random: Any) -> Floats:
        """How sure it can be at most that these items, largest first, are the largest of them and so many others.

        Draws have some of what users of many records may like. Here it is whatever would move an item from its place,
        in worlds where they have a taste of their own; as likely as the head allows.
        """
        corrections = self._estimates.corrections
        if corrections is None:
            return np.ones(items.size)
        tried = self._head(corrections, random)
        moved = tried.worlds.may_displace(
            items, np.arange(items.size), others, self._estimates.kept, self._estimates.items.spread
        )
        return np.asarray(1 - tried.chances.sum(axis=0) @ moved)

    def _left_to_others(self, powers: Ints, head: Floats, corrections: Corrections) -> Floats:
        """What each draw's head leaves of the total to all other items, in parts of what they usually have."""
        others = np.delete(self._estimates.kept, corrections.heads)
        usual = self._sums_to_total(others).sum(axis=1)[powers]
        left = np.maximum(self._estimates.total - head.sum(axis=1), 0.0)
        return np.asarray(left / np.maximum(usual, _TINY))

    @cached_property
    def _posteriors(self) -> tuple[Floats, Ints, Floats]:
        items = self._estimates.items
        weights, row_of, chances = posteriors_by_others(items.values, float(items.scale))
        return weights / items.units, row_of, np.cumsum(chances, axis=1)

    @property
    def _weights(self) -> Floats:
        """All weights that are drawn."""
        return self._posteriors[0]

    def _drawn_weights(self, items: Ints, draws: int, random: Any) -> Ints:
        """draws x items: which of the weights."""
        weights, row_of, running = self._posteriors
        found = np.empty((draws, items.size), np.int64)
        rows, which = np.unique(row_of[items], return_inverse=True)
        order = np.argsort(which, kind="stable")
        for row, mine in zip(rows, np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True):
            found[:, mine] = np.searchsorted(running[row], random.random((draws, mine.size)) * running[row, -1])
        return np.minimum(found, weights.size - 1)

    @cached_property
    def _counts(self) -> Floats:
        """powers x weights: the count at each weight, where ratios are as on average."""
        return self._sums_to_total(self._weights)

    def _sums_to_total(self, weights: Floats) -> Floats:
        """powers x weights: powers of weights, such that those of all items sum to the total."""
        kept = self._estimates.kept
        sums = np.array([float((kept[kept > 0] ** power).sum()) for power in _POWERS])[:, None]
        powered = np.maximum(weights, 1e-300) ** _POWERS[:, None]
        return np.asarray(np.where(weights > 0, powered * (self._estimates.total / sums), 0.0))

    def _head(self, corrections: Corrections, random: Any) -> _TriedHead:
        """Tried once; with randomness of its own, so that later draws are the same whether or not it was there."""
        if self._tried is None:
            (random,) = random.spawn(1)
            estimates, kept = self._estimates, self._estimates.kept
            in_head = float(kept[corrections.heads].sum() / kept.sum())
            most, repeats = estimates.most, estimates.repeats
            worlds = drawn_worlds(estimates.items, corrections, most, repeats=repeats, in_head=in_head, random=random)
            weights = self._drawn_weights(corrections.heads, RATIOS, random).T
            cut = 1 - float(kept.sum()) / estimates.total
            tried = self._counts[:, weights], self._weights[weights]
            self._tried = _TriedHead(worlds, corrections, tried, kept, cut, random)
        return self._tried


class _TriedHead:
    """Counts that items measured again may have, by powers and worlds, and how well these fit what was measured.

    `tried`: counts, powers x items x tries, where ratios are as on average, and the weights, items x tries.
    """

    def __init__(
        self,
        worlds: ShareWorlds,
        corrections: Corrections,
        tried: tuple[Floats, Floats],
        kept: Floats,
        cut: float,
        random: Any,
    ) -> None:
        head = corrections.head
        self.worlds, self._counts, self._weights = worlds, *tried
        self._measured = (head.values / head.units)[:, None]
        self._spread = np.maximum(head.spread, _CLOSEST * np.abs(self._measured))
        every, tries = np.arange(WORLDS), self._weights.shape
        self._parts = worlds.parts(every, worlds.part, kept, random)
        self._picks, self._normals = random.integers(0, RATIOS, tries), random.standard_normal(tries)
        unusual = (_POWERS - 1) / max(_POWER_SPREAD * cut, 1e-3)
        fits = np.array(
            [np.log(self._fitting(power, every)[1].mean(axis=2)).sum(axis=1) for power in range(_POWERS.size)]
        )
        fits -= unusual[:, None] ** 2 / 2
        fits = np.exp(fits - fits.max())
        self.chances = fits / fits.sum()

    def _fitting(self, power: int, worlds: Ints) -> tuple[Floats, Floats]:
        """worlds x items x tries: counts, and how well they fit."""
        column = worlds[:, None, None]
        ratios = self.worlds.ratios(column, self._parts[worlds][:, self._picks], self._weights)
        counts = self._counts[power] * ratios * self.worlds.beyond[column]
        counts = _varied(counts, self.worlds.chance[worlds][:, None, None], self._normals)
        missed = np.abs(self._measured - counts * self.worlds.seen[worlds][:, None, None])
        return counts, np.exp(-missed / self._spread) + 1e-30

    def drawn(self, draws: int, random: Any) -> tuple[Ints, Ints, Floats]:
        """Of each draw the power, the world, and the count of each item of the head."""
        chosen = random.choice(self.chances.size, draws, p=self.chances.reshape(-1))
        powers, worlds = np.unravel_index(chosen, self.chances.shape)
        found = np.empty((draws, self._measured.size))
        for power in np.unique(powers):
            mine = np.flatnonzero(powers == power)
            counts, fits = self._fitting(int(power), worlds[mine])
            running = np.cumsum(fits, axis=2)
            picked = (running < random.random((*running.shape[:2], 1)) * running[:, :, -1:]).sum(axis=2)
            found[mine] = np.take_along_axis(counts, picked[:, :, None], axis=2)[:, :, 0]
        return powers, worlds, found


def _varied(counts: Floats, chance: Any, normals: Floats) -> Floats:
    """With the chance of whose the records are."""
    variance = np.minimum(chance / np.maximum(counts, 1.0), 1.0)
    return np.asarray(counts * np.exp(np.sqrt(variance) * normals))
