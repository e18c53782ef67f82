"""The items of highest priority size / r, r uniform in (0, 1], with every bit of r that the answer needs.

Source: priority sampling (Duffield, Lund, Thorup), section 3.3 of sparse-summaries.
Numerics: a priority is top / U with U uniform and known to 64 bits at first. Floats order the items; those that they
cannot tell from the cut are ordered by reading more bits of their U. The (s + 1)th priority is rounded once, from
as many bits as decide the rounding. So the outcome is that of infinitely precise r.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise.source import Stream, word

_SLOP = 2.0**-48
#: a word of at least this size bounds a priority from both sides within a factor of 1 + 2**-31
_TELLING = np.uint64(1 << 32)
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
        both.__dict__["lows"] = np.concatenate([self.lows, other.lows])
        return both

    def taken(self, which: NDArray[Any]) -> Items:
        return Items(self.sizes[which], self.powers[which], self.words[which])

    @cached_property
    def lows(self) -> NDArray[np.float64]:
        """Floats that are surely below each priority."""
        known = self.words * 2.0**-64
        known += 2.0**-64
        tops = np.maximum(self.sizes, _FLOORS[self.powers])
        tops *= 1 - _SLOP
        tops /= known
        return np.asarray(tops)

    def highs(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """Floats that are surely above the priorities of some items."""
        tops = np.maximum(self.sizes[which], _FLOORS[self.powers[which]])
        with np.errstate(divide="ignore"):
            return np.asarray(tops / (self.words[which] * 2.0**-64) * (1 + _SLOP))

    def exactly(self, i: int) -> _Priority:
        power = int(self.powers[i])
        return _Priority(i, max(int(self.sizes[i]), 0 if power < 0 else 1 << power), int(self.words[i]))


@dataclass(frozen=True)
class Cut:
    """The `chosen` items (their indices, rising), and the priority just below theirs; None if none is below."""

    chosen: NDArray[np.int64]
    tau: float | None


def highest(items: Items, count: int, stream: Stream) -> Cut:
    """The `count` items of highest priority."""
    total = items.sizes.size
    if total <= count:
        return Cut(np.arange(total), None)
    cut = int(np.argpartition(items.lows, total - count - 1)[total - count - 1])
    near, top = _not_told_apart(items, cut)
    above = np.flatnonzero(items.lows > top)
    ranked = [items.exactly(int(i)) for i in near]
    ranked.sort(key=cmp_to_key(lambda one, other: _compare(stream, one, other)), reverse=True)
    more = count - above.size
    chosen = np.sort(np.concatenate([above, [entry.item for entry in ranked[:more]]]).astype(np.int64))
    return Cut(chosen, _rounded(ranked[more], stream))


def _not_told_apart(items: Items, cut: int) -> tuple[NDArray[np.int64], float]:
    """Every item whose interval meets that of the cut, or that of an item which does, and so on; their highest end."""
    vague = np.flatnonzero(items.words < _TELLING)
    bottom, top = items.lows[cut], items.highs(np.array([cut]))[0]
    while True:
        telling = np.flatnonzero((items.lows >= bottom * (1 - 2.0**-30)) & (items.lows <= top))
        candidates = np.union1d(telling, vague)
        highs = items.highs(candidates)
        meets = (highs >= bottom) & (items.lows[candidates] <= top)
        near = candidates[meets]
        wider = items.lows[near].min(), highs[meets].max()
        if wider == (bottom, top):
            return near, float(top)
        bottom, top = wider


def _rounded(entry: _Priority, stream: Stream) -> float:
    """The priority as the nearest float, proved."""
    while True:
        low, high = entry.bounds()
        if high is not None and float(low) == float(high):
            return float(low)
        entry.read(stream)
