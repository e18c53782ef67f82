"""The items of highest priority size / r, r uniform in (0, 1], with every bit of r that the answer needs.

Source: priority sampling (Duffield, Lund, Thorup), section 3.3 of sparse-summaries.
Numerics: a priority is top / U with U uniform and known to 64 bits at first. Floats order the items; those that they
cannot tell from the cut are ordered by reading more bits of their U. The (s + 1)th priority is rounded once, from
as many bits as decide the rounding. So the outcome is that of infinitely precise r.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.priorities import least_priorities
from discreet.noise.source import Stream, word

_SLOP = 2.0**-48
#: how many of the lows are looked at to find the cut
_SAMPLE = 1 << 13
#: a word of at least this size bounds a priority from both sides within a factor of 1 + 2**-31
_TELLING = np.uint64(1 << 32)
#: so a priority with such a word is below a bound if its low is below this part of the bound
_NEAR = 1 - 2.0**-30
#: 2**power by power, and zero for -1
_FLOORS = np.append(np.exp2(np.arange(1024.0)), 0.0)


@dataclass
class _Priority:
    """top / U, where the first `bits` bits of U are `prefix`."""

    item: int
    top: int
    prefix: int
    bits: int = 64

    def bounds(self) -> tuple[Fraction, Fraction | None]:
        """Lowest and highest value that the unread bits leave open; None where there is no highest."""
        whole = self.top << self.bits
        return Fraction(whole, self.prefix + 1), Fraction(whole, self.prefix) if self.prefix else None

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
class Items:
    """Items in a contest: priority max(size, 2**power) / U, the first 64 bits of U being the word."""

    sizes: NDArray[np.int64]
    powers: NDArray[np.int16]  # -1: no floor
    words: NDArray[np.uint64]

    def __add__(self, other: Items) -> Items:
        both = Items(
            np.concatenate([self.sizes, other.sizes]),
            np.concatenate([self.powers, other.powers]),
            np.concatenate([self.words, other.words]),
        )
        both.__dict__["_bounds"] = (
            np.concatenate([self.lows, other.lows]),
            np.concatenate([self.vague, other.vague + self.sizes.size]),
        )
        return both

    def taken(self, which: NDArray[Any]) -> Items:
        return Items(self.sizes[which], self.powers[which], self.words[which])

    @cached_property
    def _bounds(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        lows = np.empty(self.sizes.size)
        vague = least_priorities(self.sizes, self.powers, self.words, _FLOORS, 1 - _SLOP, _TELLING, lows)
        return lows, np.flatnonzero(self.words < _TELLING) if vague else np.empty(0, np.int64)

    @property
    def lows(self) -> NDArray[np.float64]:
        """Floats that are surely below each priority."""
        return self._bounds[0]

    @property
    def vague(self) -> NDArray[np.int64]:
        """Those whose priority may be far above its low."""
        return self._bounds[1]

    def may_reach(self, bound: float) -> NDArray[np.bool_]:
        """Those whose priority is not surely below a bound."""
        may: NDArray[np.bool_] = self.lows >= bound * _NEAR
        may[self.vague] = self.sizes[self.vague] > 0
        return may

    def highs(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """Floats that are surely above the priorities of some items."""
        tops = np.maximum(self.sizes[which], _FLOORS[self.powers[which]])
        with np.errstate(divide="ignore"):
            return np.asarray(tops / (self.words[which] * 2.0**-64) * (1 + _SLOP))

    def exactly(self, i: int, name: int) -> _Priority:
        power = int(self.powers[i])
        return _Priority(name, max(int(self.sizes[i]), 0 if power < 0 else 1 << power), int(self.words[i]))


class Contest:
    """Items in several parts, of each only those that `left` names (rising); none are copied but the lows."""

    def __init__(self, parts: Sequence[Items], left: Sequence[NDArray[np.int64] | None]) -> None:
        self._parts, self._left = parts, left
        lows = [part.lows if of is None else part.lows[of] for part, of in zip(parts, left, strict=True)]
        self.starts = np.cumsum([0, *(part.size for part in lows)])
        self.lows: NDArray[np.float64] = np.concatenate(lows)

    @cached_property
    def vague(self) -> NDArray[np.int64]:
        found = []
        for part, of, start in zip(self._parts, self._left, self.starts, strict=False):
            vague = part.vague if of is None else np.flatnonzero(np.isin(of, part.vague, assume_unique=True))
            found.append(vague + start)
        return np.concatenate(found)

    def taken(self, which: NDArray[np.int64]) -> Items:
        """Some items, by rising indices."""
        found = [
            part.taken(mine if of is None else of[mine])
            for part, of, mine in zip(self._parts, self._left, self.split(which), strict=True)
        ]
        return reduce(operator.add, found)

    def split(self, which: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Rising indices of the contest as those of each part among its own that are left."""
        pieces = np.split(which, np.searchsorted(which, self.starts[1:-1]))
        return [piece - start for piece, start in zip(pieces, self.starts, strict=False)]

    def highs(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.taken(which).highs(np.arange(which.size))


@dataclass(frozen=True)
class Cut:
    """The `chosen` items (their indices, rising), and the priority just below theirs; None if none is below."""

    chosen: NDArray[np.int64]
    tau: float | None


def highest(items: Items | Contest, count: int, stream: Stream) -> Cut:
    """The `count` items of highest priority."""
    total = items.lows.size
    if total <= count:
        return Cut(np.arange(total), None)
    rank = total - count - 1
    near, top = _not_told_apart(items, _ranked(items.lows, rank))
    closer = items.taken(near)
    ranked = [closer.exactly(i, int(item)) for i, item in enumerate(near)]
    ranked.sort(key=cmp_to_key(lambda one, other: _compare(stream, one, other)), reverse=True)
    inside = items.lows > top
    more = count - int(np.count_nonzero(inside))
    inside[[entry.item for entry in ranked[:more]]] = True
    return Cut(np.flatnonzero(inside), _rounded(ranked[more], stream))


def _ranked(lows: NDArray[np.float64], rank: int) -> float:
    """What stands at `rank` in rising order. A sample tells between which two values to look, so little is copied."""
    sample = np.sort(lows[:: max(1, lows.size // _SAMPLE)])
    place, spread = rank * sample.size // lows.size, 4 * math.isqrt(sample.size)
    least, most = sample[max(0, place - spread)], sample[min(sample.size - 1, place + spread)]
    below, between = int(np.count_nonzero(lows < least)), lows[(lows >= least) & (lows <= most)]
    if not below <= rank < below + between.size:
        below, between = 0, lows
    return float(np.partition(between, rank - below)[rank - below])


def _not_told_apart(items: Items | Contest, low: float) -> tuple[NDArray[np.int64], float]:
    """All items whose interval meets one with this low, or that of an item which does, and so on; their highest end."""
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
    return candidates[meets], top


def _rounded(entry: _Priority, stream: Stream) -> float:
    """The priority as the nearest float, proved."""
    while True:
        low, high = entry.bounds()
        if high is not None and float(low) == float(high):
            return float(low)
        entry.read(stream)
