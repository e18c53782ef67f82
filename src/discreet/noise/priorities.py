"""The items of highest priority size / r, r uniform in (0, 1], with every bit of r that the answer needs.

Source: priority sampling (Duffield, Lund, Thorup), section 3.3 of sparse-summaries.
Numerics: a priority is top / U with U uniform and known to 64 bits at first. Floats order the items; those that they
cannot tell from the cut are ordered by reading more bits of their U. The (s + 1)th priority is rounded once, from
as many bits as decide the rounding. So the outcome is that of infinitely precise r.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Floats, Ints, Marks, Words
from discreet.kernels.priorities import least_priorities
from discreet.noise import levels
from discreet.noise.source import Stream, word

_SLOP = 2.0**-48
#: from so many items on, so many of the lows are looked at to find where the cut is
_MANY, _SAMPLE = 1 << 16, 1 << 15
#: a word of at least this size bounds a priority from both sides within a factor of 1 + 2**-31
_TELLING = np.uint64(1 << 32)
#: so a priority with such a word is below a bound if its low is below this part of the bound
_NEAR = 1 - 2.0**-30
#: the exponent of 1.0 as a float stores it
_ONE = 1023


@dataclass
class _Priority:
    """top / U, where the first `bits` bits of U are `prefix`."""

    item: int
    top: Fraction
    prefix: int
    bits: int = 64

    def bounds(self) -> tuple[Fraction, Fraction | None]:
        """Lowest and highest value that the unread bits leave open; None where there is no highest."""
        whole = self.top * (1 << self.bits)
        return whole / (self.prefix + 1), whole / self.prefix if self.prefix else None

    def read(self, stream: Stream) -> None:
        self.prefix, self.bits = self.prefix << 64 | word(stream), self.bits + 64


def _compare(stream: Stream, one: _Priority, other: _Priority) -> int:
    """Which is higher? Two different items are never equal: their bits differ somewhere."""
    while True:
        (low, high), (other_low, other_high) = one.bounds(), other.bounds()
        if high is not None and high <= other_low:
            return -1
        if other_high is not None and other_high <= low:
            return 1
        one.read(stream)
        other.read(stream)


@dataclass(frozen=True)
class Contestants:
    """Items in a contest: priority max(size, floor) / U, the first 64 bits of U being the word."""

    sizes: Ints
    levels: NDArray[np.int16]  # of the floors
    words: Words

    def __add__(self, other: Contestants) -> Contestants:
        return Contestants(
            np.concatenate([self.sizes, other.sizes]),
            np.concatenate([self.levels, other.levels]),
            np.concatenate([self.words, other.words]),
        )

    def taken(self, which: NDArray[Any]) -> Contestants:
        return Contestants(self.sizes[which], self.levels[which], self.words[which])

    @cached_property
    def _bounds(self) -> tuple[Floats, Ints, Ints]:
        lows, exponents = np.empty(self.sizes.size), np.zeros(1 << 11, np.int64)
        out = lows, lows.view(np.int64), exponents
        vague = least_priorities(self.sizes, self.levels, self.words, levels.FLOATS, 1 - _SLOP, _TELLING, *out)
        by_power = exponents[_ONE:]
        by_power[0] += exponents[1:_ONE].sum()  # not those of size zero
        return lows, np.flatnonzero(self.words < _TELLING) if vague else np.empty(0, np.int64), by_power

    @property
    def lows(self) -> Floats:
        """Floats that are surely below each priority."""
        return self._bounds[0]

    @property
    def vague(self) -> Ints:
        """Those whose priority may be far above its low."""
        return self._bounds[1]

    @property
    def by_power(self) -> Ints:
        """How many lows have which power of two as their floor; whatever is below 1 counts as 1."""
        return self._bounds[2]

    def around(self, least: float, most: float) -> tuple[Marks, Ints]:
        """Marks of those surely above `most`, and the indices of others that may reach `least`."""
        # a size of zero has no priority, and a low of zero; every other has a low above one half
        above, able = self.lows > most, self.lows >= max(least * _NEAR, 0.5)
        able[self.vague] = self.sizes[self.vague] > 0
        able ^= above  # whatever is above is able
        return above, np.flatnonzero(able)

    def highs(self, which: Ints) -> Floats:
        """Floats that are surely above the priorities of some items."""
        tops = np.maximum(self.sizes[which], levels.FLOATS[self.levels[which]])
        with np.errstate(divide="ignore"):
            return np.asarray(tops / (self.words[which] * 2.0**-64) * (1 + _SLOP))

    def contenders(self, count: int) -> Marks:
        """Marks of all that may be among the `count` highest. No bit is read: those that are left open stay open."""
        able = np.flatnonzero(self.sizes)
        if able.size > count:
            rank = self.lows.size - count
            able = able[self.highs(able) >= np.partition(self.lows, rank)[rank]]
        marks = np.zeros(self.sizes.size, np.bool_)
        marks[able] = True
        return marks

    def exactly(self, i: int) -> _Priority:
        level, top = int(self.levels[i]), Fraction(int(self.sizes[i]))
        return _Priority(i, top if level == levels.NONE else max(top, levels.value(level)), int(self.words[i]))


@dataclass(frozen=True)
class Cut:
    """The `chosen` items (their indices, rising), and the priority just below theirs; None if none is below."""

    chosen: Ints
    tau: float | None


def highest(
    items: Contestants, count: int, stream: Stream, within: tuple[float, float] = (0.0, math.inf)
) -> Cut | None:
    """The `count` items of highest priority; or None if, before any bit is read, the cut may lie beyond `within`."""
    total = items.lows.size
    if total <= count:
        return Cut(np.arange(total), None) if within == (0.0, math.inf) else None
    rank = total - count - 1
    near, bottom, top = _not_told_apart(items, float(np.partition(items.lows, rank)[rank]))
    if not within[0] <= bottom <= top <= within[1]:
        return None
    ranked = [items.exactly(item) for item in near.tolist()]
    ranked.sort(key=cmp_to_key(lambda one, other: _compare(stream, one, other)), reverse=True)
    inside = items.lows > top
    more = count - int(np.count_nonzero(inside))
    inside[[entry.item for entry in ranked[:more]]] = True
    return Cut(np.flatnonzero(inside), _rounded(ranked[more], stream))


def likely_cut(lows: Sequence[Floats], count: int) -> tuple[float, float]:
    """Between which two values the low of the item just below the `count` highest probably lies, from a sample."""
    total = sum(part.size for part in lows)
    if total < _MANY or total <= count:
        return 0.0, math.inf
    sample = np.sort(np.concatenate([part[:: total // _SAMPLE] for part in lows]))
    place, spread = (total - count) * sample.size // total, 2 * math.isqrt(sample.size)
    least = float(sample[place - spread]) if place >= spread else 0.0
    return least, float(sample[place + spread]) if place + spread < sample.size else math.inf


def _not_told_apart(items: Contestants, low: float) -> tuple[Ints, float, float]:
    """All items whose interval meets one with this low, or that of an item which does, and so on; and both its ends."""
    close = 2.0**-16
    for least, most in ((low * (1 - close), low * (1 + close)), (0.0, math.inf)):  # nearly always close by is enough
        candidates = np.union1d(np.flatnonzero((items.lows >= least) & (items.lows <= most)), items.vague)
        lows, highs = items.lows[candidates], items.highs(candidates)
        bottom = top = low
        while True:
            meets = (highs >= bottom) & (lows <= top)
            wider = float(lows[meets].min()), float(highs[meets].max())
            if wider == (bottom, top):
                break
            bottom, top = wider
        if bottom * _NEAR >= least and top <= most:
            break
    return candidates[meets], bottom, top


def _rounded(entry: _Priority, stream: Stream) -> float:
    """The priority as the nearest float, proved."""
    while True:
        low, high = entry.bounds()
        if high is not None and float(low) == float(high):
            return float(low)
        entry.read(stream)
