"""Intervals for counts behind bounded weights, whatever the data: how many records can hide behind a noisy weight.

A record never weighs more than one, so the weight is the least. The most: users of up to 2**j records give each of them
a known least weight, and a noisy histogram bounds how many such users there are; see the card of `even-shares`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.laws import half_widths
from discreet.privacy import Alpha
from discreet.summaries.share_steps import Corrections, Ints, Weighed

#: parts of what an interval may miss: below for weights and for a second look; above also for the histogram
LOW_WEIGHT, HIGH_WEIGHT, SECOND, BINS = 0.35, 0.25, 0.15, 0.10
_MOST_RECORDS = 1 << 62


def one_sided(weighed: Weighed, draws: NDArray[np.int64], miss: float) -> Ints:
    """What the noise of sums of so many values exceeds on one side with a chance of at most `miss`, in units."""
    return half_widths(Alpha.of(weighed.scale), draws, 1 - 2 * miss)


def most_in_tails(bins: Weighed, miss: float) -> Ints:
    """Of each bin the most users in it and in higher ones, for all bins at once; tails do not rise from bin to bin."""
    sums, widths = _tails(bins, miss)
    return np.maximum(np.minimum.accumulate(sums + widths), 0)


def most_records(bins: Weighed, most: int, asked: NDArray[np.int64], miss: float) -> Ints:
    """The most records in so many items, of users who have up to `most` different ones and each of them once."""
    tails, found, before = most_in_tails(bins, miss).tolist(), np.zeros_like(asked), np.zeros_like(asked)
    for place, upto in enumerate(tails):
        each = np.minimum(asked, min(1 << place, most))
        room = _MOST_RECORDS // 2 - found
        found, before = found + np.minimum((each - before) * min(upto, _MOST_RECORDS // (2 * most)), room), each
    return found


def _tails(bins: Weighed, miss: float) -> tuple[Ints, Ints]:
    sums = np.cumsum(bins.values[::-1])[::-1]
    return sums, one_sided(bins, np.arange(sums.size, 0, -1), miss / sums.size)


@dataclass(frozen=True, eq=False)
class Hidden:
    """How many records of users of up to `most` records can hide; `users` if each item counts once for a user."""

    items: Weighed
    corrections: Corrections
    most: int
    users: bool

    @cached_property
    def _tops(self) -> list[int]:
        """The most records of a user in each bin."""
        return [min(1 << place, self.most) for place in range(self.corrections.bins.values.size)]

    def tails(self, miss: float) -> tuple[Ints, Ints]:
        """Of each bin the fewest and the most users in it and in higher ones; each side at once for all bins."""
        sums, widths = _tails(self.corrections.bins, miss)
        fewest = np.maximum.accumulate((sums - widths)[::-1])[::-1]
        return np.maximum(fewest, 0), most_in_tails(self.corrections.bins, miss)

    def high(self, weight: Ints, asked: Ints, miss: float) -> Ints:
        """The most records of so many items whose weights add up to no more than this many units.

        Heaviest users first: their records weigh least, and each may have most of them. Whole numbers throughout.
        """
        room, found, used = np.maximum(weight, 0), np.zeros_like(weight), 0
        tails = self.tails(miss)[1].tolist()
        for top, upto in zip(reversed(self._tops), reversed(tails), strict=True):
            least = self._least_weight(top)
            new = max(upto - used, 0)
            each = np.minimum(asked, top) if self.users else np.full_like(asked, top)
            many = min(new, _MOST_RECORDS // max(int(each.max(initial=1)), 1)) * each
            take = np.minimum(many, room // least) if least else many
            found, room, used = np.minimum(found + take, _MOST_RECORDS // 2), room - take * least, used + new
        return found

    @property
    def rounding(self) -> float:
        """What a share of the bound may be at most, as a multiple of its weight, which was rounded down."""
        if self.most <= self.items.bound:
            return 1.0
        least = self._least_weight(self.most)
        return 1 + 1 / least if least else np.inf

    def _least_weight(self, records: int) -> int:
        """Of a record of a user with at most so many, in units."""
        bound, units = self.items.bound, self.items.units
        return units if records <= bound else units * bound // records

    def beyond(self, level: float) -> tuple[float, float]:
        """Between which shares of all records lie beyond the bound: left out, if the first of each user counted."""
        fewest, most = self.tails((1 - level) / 2)
        tops = np.array(self._tops, np.float64)
        bottoms = np.append(0.0, tops[:-1]) + 1
        bound = float(self.items.bound)
        # what one user more in the tail adds to the records above and below the bound
        above = [_total(fewest, np.maximum(bottoms - bound, 0)), _total(most, np.maximum(tops - bound, 0))]
        below = [_total(fewest, np.minimum(bottoms, bound)), _total(most, np.minimum(tops, bound))]
        low, high = (above[i] / max(above[i] + below[1 - i], 1.0) for i in range(2))
        return low, min(high, 1.0)


def _total(tails: Ints, each: NDArray[np.float64]) -> float:
    """Of users with these tails, where a user of each bin has so much."""
    return float((np.maximum(tails - np.append(tails[1:], 0), 0) * each).sum())
