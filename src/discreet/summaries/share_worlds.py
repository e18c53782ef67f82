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
    #: records for each one that counts in the measured total, and for each that the head's measurement shows
    beyond: Floats
    seen: Floats
    #: the variance of a count for its size, from which records happen to be whose
    chance: Floats

    def ratios(self, worlds: Ints, part: Floats, random: Any) -> Floats:
        """worlds x RATIOS: what items may have, where heavy users have this part of all weight."""
        shape, mixing = (worlds.size, RATIOS), self.mixing[worlds]
        heavy = random.standard_gamma((mixing * part)[:, None], shape)
        light = random.standard_gamma((mixing * (1 - part))[:, None], shape)
        every = heavy + light
        mixed = np.where(every > 0, heavy / np.maximum(every, 1e-300), part[:, None])
        return np.asarray(mixed * self.heavy[worlds][:, None] + (1 - mixed) * self.light[worlds][:, None])

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
    return ShareWorlds(part, of_heavy, of_light, mixing, all_records[:, 0] / counted, seen, chance)


def _drawn_users(bins: Weighed, random: Any) -> Floats:
    """worlds x bins: users that the noisy numbers allow, fewer the more records they would have."""
    scale = float(bins.scale)
    clear = np.maximum(bins.values, 0).astype(np.float64)
    running = np.cumsum(clear)
    median = int(np.searchsorted(running, running[-1] / 2))
    rare = running[-1] * _RARER ** np.maximum(np.arange(clear.size) - median, 0.0)
    expected = np.maximum(rare, np.where(clear > _BELIEVED * scale, clear, 1.0))
    found = np.empty((WORLDS, clear.size))
    for place, (value, usual) in enumerate(zip(bins.values.tolist(), expected, strict=True)):
        counts = np.linspace(max(value - _REACH * scale, 0.0), max(value, 0) + _REACH * scale, _GRID)
        distances = np.abs(value - counts)
        chances = np.exp(-(distances - distances.min()) / scale) / (1 + counts / usual) ** 2
        found[:, place] = random.choice(counts, WORLDS, p=chances / chances.sum())
    found[:, 0] += 1.0  # somebody is there
    return found
