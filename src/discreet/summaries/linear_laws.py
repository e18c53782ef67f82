"""Weighted sums of counts whose noise goes together: of summaries that add up box by box and know their noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.corridors import SideSums
from discreet.numbers.pencils import Pencil
from discreet.queries.questions import Questions
from discreet.queries.selection import Boxes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: from the first and last codes of an attribute, the least and the most of a function of its values
ValueRanges = Callable[[Integers, Integers], tuple[Floats, Floats]]
#: pairs of boxes whose covariance is looked up for one answer, or for all rows of a table
MOST_PAIRS = 1 << 22
_CHUNK = 1 << 19
#: with so many times as many pairs as boxes, the same ones are sought first
_OFTEN = 4


@dataclass(frozen=True, eq=False)
class WeightedBoxes(Questions):
    """For each question a sum of its boxes' counts, box i weighted by weights[i]; boxes of a question are disjoint."""

    weights: Floats

    @classmethod
    def plain(cls, asked: Questions) -> WeightedBoxes:
        return cls(asked.first, asked.last, asked.count, asked.owner, np.ones(len(asked.first)))

    def summed(self, of_boxes: Floats) -> Floats:
        return np.asarray(np.bincount(self.owner, self.weights * of_boxes, self.count), np.float64)

    @property
    def largest(self) -> Floats:
        """The largest weight of each question, whatever its sign."""
        found = np.zeros(self.count)
        np.maximum.at(found, self.owner, np.abs(self.weights))
        return found


@dataclass(frozen=True, eq=False)
class PairedBoxes(Boxes):
    """Boxes without a common cell, with their weights in two sums."""

    over: Floats
    under: Floats

    def weighted(self, weights: Floats) -> WeightedBoxes:
        """One of the sums by itself."""
        used = np.flatnonzero(weights)
        return WeightedBoxes(self.first[used], self.last[used], 1, np.zeros(used.size, np.int64), weights[used])


@dataclass(frozen=True, eq=False)
class KnownLaw:
    """Two sums whose noise has a known joint law: both sides are the sum itself."""

    pencil: Pencil
    step: float

    @classmethod
    def of(cls, pencil: Pencil, over: WeightedBoxes, under: WeightedBoxes) -> KnownLaw:
        return cls(pencil, max(float(np.max(one.largest, initial=0.0)) for one in (over, under)))

    def at(self, ratio: float) -> SideSums:
        value, variance = (self.pencil.over - ratio * self.pencil.under).item(), self.pencil.variance(ratio).item()
        return SideSums(value, value, variance, variance, self.step * (1 + abs(ratio)))


@dataclass(frozen=True, eq=False)
class LinearLaw:
    """Sums over boxes that add up, and the covariance of the noise in pairs of them, by their numbers.

    `kurtosis` bounds that of each draw. `heaviest` bounds the standard deviation that any one draw brings into a sum of
    weights of at most one. `apart` says that boxes without a common cell have independent noise.
    """

    sums: Callable[[Boxes], Floats]
    covariance: Callable[[Boxes, Integers, Integers], Floats]
    kurtosis: float
    smallest_scale: float
    heaviest: float = np.inf
    apart: bool = False

    def pencil(self, over: WeightedBoxes, under: WeightedBoxes) -> Pencil | None:
        """The joint law of two sums; `under` may be one for all. None if they consist of too many boxes."""
        both = Boxes(np.concatenate([over.first, under.first]), np.concatenate([over.last, under.last]))
        values, places = self.sums(both), len(over.first)
        covariances = [
            self._covariances(both, one, other)
            for one, other in (((over, 0), (over, 0)), ((under, places), (under, places)), ((over, 0), (under, places)))
        ]
        if any(found is None for found in covariances):
            return None
        rows = np.zeros(over.count)
        above, below, across = (np.asarray(found, np.float64) + rows for found in covariances)
        over_share, under_share = (_times(form.largest, self.heaviest) + rows for form in (over, under))
        return Pencil(
            over.summed(values[:places]),
            under.summed(values[places:]) + rows,
            above,
            below,
            across,
            self.kurtosis,
            over_share,
            under_share,
            self.smallest_scale,
        )

    def _covariances(
        self, boxes: Boxes, one: tuple[WeightedBoxes, int], other: tuple[WeightedBoxes, int]
    ) -> Floats | None:
        """Of each question's two sums, which are forms with the number of their first box."""
        (left, left_start), (right, right_start) = one, other
        if self.apart and left is right:
            numbers = np.arange(len(left.first))
            own = self._of_pairs(boxes, numbers + left_start, numbers + left_start)
            return left.summed(left.weights * own)
        pairs = _pairs(left, right)
        if pairs is None:
            return None
        a, b, owner = pairs
        found = self._of_pairs(boxes, a + left_start, b + right_start)
        products = left.weights[a] * right.weights[b] * found
        return np.asarray(np.bincount(owner, products, max(left.count, right.count)), np.float64)

    def _of_pairs(self, boxes: Boxes, one: Integers, other: Integers) -> Floats:
        """Each pair is looked at once, though several functions of the same values have the same boxes."""
        if one.size <= _OFTEN * len(boxes.first):
            return self._of_different(boxes, one, other)
        different, same = np.unique(np.concatenate([boxes.first, boxes.last], axis=1), axis=0, return_inverse=True)
        count, (a, b) = len(different), same.reshape(-1)[np.stack([one, other])]
        pairs, place = np.unique(np.minimum(a, b) * count + np.maximum(a, b), return_inverse=True)
        once = Boxes(*np.split(different, 2, axis=1))
        return self._of_different(once, pairs // count, pairs % count)[place.reshape(-1)]

    def _of_different(self, boxes: Boxes, one: Integers, other: Integers) -> Floats:
        parts = (slice(start, start + _CHUNK) for start in range(0, one.size, _CHUNK))
        return np.concatenate([np.zeros(0), *(self.covariance(boxes, one[part], other[part]) for part in parts)])


def _pairs(left: WeightedBoxes, right: WeightedBoxes) -> tuple[Integers, Integers, Integers] | None:
    """All pairs of boxes of one question, and the question; a form of a single question goes with each."""
    each = [np.bincount(form.owner, minlength=form.count) for form in (left, right)]
    rows = max(left.count, right.count)
    if float(np.sum(each[0] * each[1].astype(np.float64))) > MOST_PAIRS:
        return None
    starts = [np.cumsum(counts) - counts for counts in each]
    counts = [np.broadcast_to(one, rows) for one in each]
    starts = [np.broadcast_to(one, rows) for one in starts]
    number = counts[0] * counts[1]
    owner = np.repeat(np.arange(rows), number)
    place = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    width = counts[1][owner]
    return starts[0][owner] + place // width, starts[1][owner] + place % width, owner


def _times(weights: Floats, heaviest: float) -> Floats:
    """A weight of nothing brings nothing, even if nobody knows how much a draw can bring."""
    return np.where(weights > 0, np.where(weights > 0, weights, 1.0) * heaviest, 0.0)


def common_cells(boxes: Boxes, one: Integers, other: Integers) -> Floats:
    """How many cells two boxes have in common."""
    first = np.maximum(boxes.first[one], boxes.first[other])
    last = np.minimum(boxes.last[one], boxes.last[other])
    return np.asarray(np.prod(np.maximum(last - first + 1.0, 0.0), axis=1))
