"""A priority sample of the whole noisy table, of which only the occupied cells are looked at.

Source: section 3.3 of sparse-summaries, with the errata: the guess of tau must not show.
How: a guess t splits the empty cells into those of priority at least t, drawn as in threshold sampling with limit t,
and the rest, not drawn. If fewer than count + 1 items reach t, the guess is halved and the empty cells whose priority
lies in between are added; nothing is drawn twice. Once count + 1 items reach t, the highest are those of the table.
Law: that of giving every cell of the noisy table (empty or not) the priority |v| / r and keeping the highest `count`.
A cell of value zero, or below the filter, has no priority and is never kept.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.noise.draw import CHUNK, Drawer
from discreet.noise.priorities import Items, Pair, highest
from discreet.noise.skips import placed, positions
from discreet.noise.survivors import Between, Kept, Rule, kept_share, signs, sizes
from discreet.noise.wide import merged_order, same_form

#: the exponent of 1.0 as a float stores it
_ONE = 1023


@dataclass(frozen=True)
class Sample:
    """Indices of the given values in the sample, ranks and values of the empty cells in it; tau None: all are in."""

    chosen: NDArray[np.int64]
    ranks: NDArray[Any]
    values: NDArray[np.int64]
    tau: float | None


def priority_sample(values: NDArray[np.int64], empty: int, rule: Rule, count: int, drawer: Drawer) -> Sample:
    """The sample of size `count` over occupied cells with these noisy `values` and `empty` empty ones."""
    if count < 1:
        raise BadParameter(f"a priority sample needs a size of at least 1, not {count}")
    strengths = np.abs(values) if rule.two_sided else values
    eligible = np.flatnonzero(strengths >= rule.theta)
    occupied = _items(strengths if eligible.size == strengths.size else strengths[eligible], None, drawer)
    power = _guess(occupied, empty, rule, count)
    drawn = _Drawn.first(empty, rule, power, drawer)
    # without a power every eligible cell has been drawn; the test leaves a margin, so that no bit is read for it
    while power is not None and _reaching(occupied, power) + _reaching(drawn.items, power) <= count:
        lower = power - 1 if power > 0 and 2 ** (power - 1) > rule.theta else None
        drawn = drawn.extended(empty, rule, power, lower, drawer)
        power = lower
    if power is not None:  # more than `count` are above, so whatever is surely below is out, and sets no tau
        able = occupied.may_reach(2.0**power)
        eligible, occupied = eligible[able], occupied.taken(able)
    cut = highest(Pair(occupied, drawn.items), count, drawer.stream)
    old, new = np.split(cut.chosen, [np.searchsorted(cut.chosen, eligible.size)])
    new = new - eligible.size
    return Sample(eligible[old], np.take(drawn.ranks, new, axis=0), drawn.values[new], cut.tau)


def _items(strengths: NDArray[np.int64], power: int | None, drawer: Drawer) -> Items:
    words = np.empty(strengths.size, np.uint64)
    drawer.stream.fill(words)
    return Items(strengths, np.full(strengths.size, -1 if power is None else power, np.int16), words)


def _reaching(items: Items, power: int) -> int:
    """How many items surely have a priority above 2**power."""
    return int(np.count_nonzero(items.lows > 2.0**power))


def _limited(rule: Rule, power: int | None) -> Rule:
    return replace(rule, limit=None if power is None else Fraction(2**power))


def _guess(occupied: Items, empty: int, rule: Rule, count: int) -> int | None:
    """The largest power of two that count + 1 items probably reach; a bad guess costs time and nothing else."""
    reached = np.cumsum(_by_power(occupied.lows)[::-1])[::-1]
    lowest = next(power for power in range(64) if 2**power > rule.theta)
    highest_ = max(reached.size, lowest) + 1 + max(0, math.ceil(math.log2(max(empty, 1))))

    def enough(power: int) -> bool:
        drawn = kept_share(_limited(rule, power)) * empty
        here = int(reached[power]) if power < reached.size else 0
        return here + drawn - 4 * math.sqrt(drawn) >= count + 1

    fails = bisect.bisect_left(range(lowest, highest_), True, key=lambda power: not enough(power))
    return lowest + fails - 1 if fails else None


def _by_power(lows: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many have which power of two as their floor, up to the highest one; whatever is below 1 counts as 1."""
    found = np.zeros(1 << 11, np.int64)
    for start in range(0, lows.size, CHUNK):
        found += np.bincount(lows[start : start + CHUNK].view(np.int64) >> 52, minlength=found.size)
    found[_ONE] += found[:_ONE].sum()
    return found[_ONE : max(_ONE, int(np.flatnonzero(found).max(initial=0))) + 1]


@dataclass(frozen=True)
class _Drawn:
    """Empty cells that have been drawn: ranks (rising), noisy values, and their places in the contest."""

    ranks: NDArray[Any]
    values: NDArray[np.int64]
    items: Items

    @classmethod
    def first(cls, empty: int, rule: Rule, power: int | None, drawer: Drawer) -> _Drawn:
        """Those of priority at least t = 2**power, or all eligible ones.

        Given that size / r >= t, r is uniform below size / t, so the priority is t / U; a size above t always reaches
        it, and has priority size / U.
        """
        limited = _limited(rule, power)
        ranks = positions(Kept(limited), empty, drawer)
        strengths = sizes(limited, len(ranks), drawer)
        return cls(ranks, signs(rule, strengths, drawer), _items(strengths, power, drawer))

    def extended(self, empty: int, rule: Rule, power: int, lower: int | None, drawer: Drawer) -> _Drawn:
        """With those of priority at least 2**lower but below 2**power (or all that are left) as well."""
        above, below = _limited(rule, power), _limited(rule, lower)
        left = positions(Between(Kept(below), Kept(above)), empty - len(self.ranks), drawer)
        ranks, preceding = placed(left, self.ranks)
        items = _below(below, lower, power, len(ranks), drawer)
        values = signs(rule, items.sizes, drawer)
        before, ranks = same_form(self.ranks, ranks)
        order = merged_order(preceding, len(before))
        every = self.items + items
        return _Drawn(
            np.concatenate([before, ranks])[order],
            np.concatenate([self.values, values])[order],
            every.taken(order),
        )


def _below(rule: Rule, lower: int | None, power: int, count: int, drawer: Drawer) -> Items:
    """As in `_Drawn.first`, given that the priority is below 2**power: whatever reaches it is drawn again."""
    found = Items(np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.uint64))
    while found.sizes.size < count:
        ask = 2 * (count - found.sizes.size) + 16
        items = _items(sizes(rule, ask, drawer), lower, drawer)
        inside = _surely_under(items, power)
        found = found + items.taken(inside)
    return found.taken(np.arange(count))


def _surely_under(items: Items, power: int) -> NDArray[np.bool_]:
    """top / U < 2**power, that is U > top / 2**power, a whole number of 2**-64: the first word decides.

    The top is a size below 2**62, or the next lower power of two.
    """
    if power > 62:
        return items.words >= np.uint64(1 << 63)  # the top is 2**(power - 1) for every size there is
    tops = np.maximum(items.sizes, np.where(items.powers < 0, 0, np.int64(1) << np.maximum(items.powers, 0)))
    small = tops < 1 << power
    border = np.where(small, tops, 0).astype(np.uint64) << np.uint64(64 - power)  # power >= 1
    return np.asarray(small & (items.words >= border))
