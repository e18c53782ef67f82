"""What may be true of users whose weights were bounded, and no measurement tells: worlds to draw counts in.

In each world the users of many records, more than some number, are a group with a taste of its own. How far it differs
from that of the others, how many users a noisy histogram hides, and how often a user repeats an item are drawn anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.summaries.share_steps import Corrections, Weighed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WORLDS = 200
#: ratios of counts to weights that are drawn for each world
RATIOS = 100
#: how evenly the groups mix in items, as of how many draws of users an item has its share of each: decimal logarithms,
#: each as likely; from items that only one group has to items that hardly differ
_MIXING = (-1.0, 3.0)
#: which part of a user's records may be the same item, in the same way
_REPEATED = (-3.0, 0.0)
#: users of twice the records are half as many, where the histogram does not tell
_RARER = 0.5
#: bins are believed if they have more than so many scales of their noise
_BELIEVED = 5
#: in which part of the worlds heavy users have a taste that has nothing to do with that of others
_APART = 0.5
#: so many users of a bin may be hidden in its noise, in scales of it, where nothing else is known
_HIDDEN = 0.3
_SOME, _HALVINGS = 1000, 40
_GRID, _REACH = 2000, 12
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class ShareWorlds:
    """Of each world how counts come from weights; ratios are in parts of the average one."""

    #: of users of many records: their part of all weight, and the ratio of count to weight of them and of the others
    part: Floats
    heavy: Floats
    light: Floats
    mixing: Floats
    #: whether their taste has nothing to do with that of others, and the most weight that an item can have of them
    apart: NDArray[np.bool_]
    most_of_item: Floats
    #: records for each one that counts in the measured total, and for each that the head's measurement shows
    beyond: Floats
    seen: Floats
    #: the variance of a count for its size, from which records happen to be whose
    chance: Floats

    def parts(self, worlds: Ints, part: Floats, weights: Floats, random: Any) -> Floats:
        """worlds x RATIOS: what heavy users may have of items, where they have this part of all weight.

        Of each item's weight; or, where they have a taste that has nothing to do with that of others, so much weight.
        `weights` are those of all items.
        """
        shape, mixing = (worlds.size, RATIOS), self.mixing[worlds]
        heavy = random.standard_gamma((mixing * part)[:, None], shape)
        light = random.standard_gamma((mixing * (1 - part))[:, None], shape)
        every = heavy + light
        mixed = np.where(every > 0, heavy / np.maximum(every, 1e-300), part[:, None])
        alone = np.flatnonzero(self.apart[worlds])
        if alone.size:
            mixed[alone] = _own_weights(part[alone], self.most_of_item[worlds[alone]], weights, random)
        return np.asarray(mixed)

    def ratios(self, worlds: Any, parts: Floats, weights: Floats) -> Floats:
        """Of counts to weights, for items of these weights and parts."""
        mixed = np.where(self.apart[worlds], parts / np.maximum(weights, _TINY), parts)
        return np.asarray(self.light[worlds] + (self.heavy - self.light)[worlds] * np.minimum(mixed, 1.0))

    def may_displace(self, items: Ints, ranks: Ints, others: int, weights: Floats, spread: float) -> NDArray[np.bool_]:
        """worlds x items: whether items that only users of a taste of their own have may take their places.

        An item of theirs that counts as much weighs less, but no less than their records do; as many of the weights of
        all items that are measured with this spread must be as large, and theirs all together. Of those that are not on
        the list only so many `others` are asked for.
        """
        rising = np.sort(weights)
        asked = weights[items] * (self.light / np.maximum(self.heavy, _TINY))[:, None]
        wide = np.minimum(rising.size - np.searchsorted(rising, asked - spread) - items.size, others)
        enough = (self.part * weights.sum())[:, None] / np.maximum(asked, _TINY)
        fits = asked <= self.most_of_item[:, None]
        return np.asarray(self.apart[:, None] & fits & (np.minimum(wide, enough) >= items.size - ranks))

    def part_for(self, worlds: Ints, ratio: Floats) -> Floats:
        """The part of heavy users that gives this average ratio, as far as any does."""
        heavy, light = self.heavy[worlds], self.light[worlds]
        differ = heavy - light > _TINY
        wanted = (ratio - light) / np.where(differ, heavy - light, 1.0)
        return np.asarray(np.where(differ, np.clip(wanted, 0.0, 1.0), self.part[worlds]))


def drawn_worlds(
    items: Weighed, corrections: Corrections, most: int, *, repeats: bool, in_head: float, random: Any
) -> ShareWorlds:
    """Of users of up to `most` records, who may have an item more than once if it `repeats`.

    `in_head` is the part of all weight in the items that were measured again.
    """
    users = _drawn_users(corrections.bins, random)
    records = np.minimum(np.ldexp(1.0, np.arange(users.shape[1])), most)
    records[2:] *= 0.75  # of bins with several numbers, about the middle
    ratio = np.maximum(records / items.bound, 1.0)
    all_records = (users * records).sum(axis=1, keepdims=True)
    weights = users * records / ratio
    weights /= weights.sum(axis=1, keepdims=True)
    average = (weights * ratio).sum(axis=1, keepdims=True)
    # a record at random says where many records begin
    heavy = np.cumsum(users * records, axis=1) > random.random((WORLDS, 1)) * all_records
    part = np.minimum((weights * heavy).sum(axis=1), 1.0)
    ratios = weights * ratio / average
    of_heavy = (ratios * heavy).sum(axis=1) / np.maximum(part, _TINY)
    of_light = (ratios * ~heavy).sum(axis=1) / np.maximum(1 - part, _TINY)
    repeated = 10 ** random.uniform(*_REPEATED, (WORLDS, 1)) if repeats else np.zeros((WORLDS, 1))
    shares = users * records / all_records
    chance = (shares * (1 + repeated * (records - 1)) * (1 - average / ratio) ** 2).sum(axis=1)
    seen = np.ones(WORLDS)
    if repeats:  # else the head's bound takes nothing away
        inside = np.maximum(repeated, in_head) * records
        seen = (shares * np.minimum(corrections.head.bound / inside, 1.0)).sum(axis=1)
    counted = (users * np.minimum(records, corrections.total.bound)).sum(axis=1)
    mixing = 10 ** random.uniform(*_MIXING, WORLDS)
    apart = np.arange(WORLDS) < _APART * WORLDS
    # where an item counts once for a user, all heavy users can have it, and no more
    all_of_them = (users * heavy).sum(axis=1) / np.maximum(of_heavy * average[:, 0], _TINY)
    most_of_item = np.full(WORLDS, np.inf) if repeats else all_of_them
    beyond = all_records[:, 0] / counted
    return ShareWorlds(part, of_heavy, of_light, mixing, apart, most_of_item, beyond, seen, chance)


def _own_weights(part: Floats, most: Floats, weights: Floats, random: Any) -> Floats:
    """worlds x RATIOS: weights that users of a taste of their own have in items, that part of all weight together.

    Some items are as popular with them as others with everybody, but which these are has nothing to do with it. They
    have no more of an item than its weight, so what they like is sought among items as they are.
    """
    places = np.linspace(0, weights.size - 1, _SOME).astype(np.int64)
    some = np.maximum(np.sort(weights)[places], _TINY)
    liked = random.permuted(np.tile(some, (part.size, 1)), axis=1)
    low, high = np.zeros((2, part.size, 1))
    high += 1 / _TINY
    wanted = part * some.sum()
    for _ in range(_HALVINGS):
        times = np.sqrt(np.maximum(low, _TINY) * high)
        enough = np.minimum(np.minimum(times * liked, most[:, None]), some).sum(axis=1) >= wanted
        low, high = np.where(enough[:, None], low, times), np.where(enough[:, None], times, high)
    return np.asarray(np.minimum(high * liked[:, :RATIOS], most[:, None]))


def _drawn_users(bins: Weighed, random: Any) -> Floats:
    """worlds x bins: users that the noisy numbers allow, fewer the more records they would have."""
    scale = float(bins.scale)
    clear = np.maximum(bins.values, 0).astype(np.float64)
    running = np.cumsum(clear)
    median = int(np.searchsorted(running, running[-1] / 2))
    rare = running[-1] * _RARER ** np.maximum(np.arange(clear.size) - median, 0.0)
    expected = np.maximum(rare, np.where(clear > _BELIEVED * scale, clear, 1.0 + _HIDDEN * scale))
    found = np.empty((WORLDS, clear.size))
    for place, (value, usual) in enumerate(zip(bins.values.tolist(), expected, strict=True)):
        counts = np.linspace(max(value - _REACH * scale, 0.0), max(value, 0) + _REACH * scale, _GRID)
        distances = np.abs(value - counts)
        chances = np.exp(-(distances - distances.min()) / scale) / (1 + counts / usual) ** 2
        found[:, place] = random.choice(counts, WORLDS, p=chances / chances.sum())
    found[:, 0] += 1.0  # somebody is there
    return found
