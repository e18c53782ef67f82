"""Least squares for counts of all blocks of nested levels, each level with noise of its own variance.

From the cells up, a block's own noisy count and the sum of what its parts say are averaged by their variances; from the
top down, what that changes is given to the parts in proportion to their variances. That is least squares over all
counts there are. What is left of the noise, for two sums over boxes of cells: a box has a share in every block, 0 or 1
in a cell and above the mean of the parts' shares, weighed by their variances. With V the variance of a block as what
lies in it estimates it, S that of the sum of its parts, and f and g the shares of both boxes, the covariance is

    the sum over levels of (sum of V f g over its blocks) - (sum of S f g over the blocks of the level above).

Attributes whose parts are equal on every level multiply: V and S do not depend on them, and shares are plain fractions.
The others have arrays over their parts, computed once for each different pair of ranges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.laws import DiscreteLaplace
from discreet.queries import Boxes, Questions
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.nested_levels import NestedLevels
from discreet.transforms.noise_moments import box_variances

_CHUNK = 1 << 20
#: what is this small beside what it was taken off is rounding
_ROUNDING = 1e-13

Ranges = tuple[Integers, Integers]


class LevelFit:
    """What noise of these laws, one for each level, allows to say about cells and boxes."""

    def __init__(self, levels: NestedLevels, laws: Sequence[DiscreteLaplace]) -> None:
        self.levels, self.laws = levels, laws
        attributes = range(len(levels.schema))
        by_attribute = list(zip(*levels.splits, strict=True))
        self._uneven = [a for a in attributes if any(split.width is None for split in by_attribute[a])]
        self._even = [a for a in attributes if a not in self._uneven]
        self._last = len(levels.splits) - 1

    @cached_property
    def _variances(self) -> tuple[list[Floats], list[Floats]]:
        """V of every block, and S of those above the cells; one entry stands for all parts of an even attribute."""
        within = [np.full((1,) * len(self.levels.schema), self.laws[-1].variance)]
        sums: list[Floats] = []
        for level in reversed(range(self._last)):
            total, own = self._added(level, within[0]), self.laws[level].variance
            sums.insert(0, total)
            within.insert(0, total * (own / (total + own)))
        return within, sums

    def _added(self, level: int, below: Floats) -> Floats:
        """Sums over the parts of each block; along an axis of length 1 all parts are alike."""
        for axis, begins in enumerate(self.levels.children[level]):
            if axis in self._even:
                below = below * float(begins[1])
            elif below.shape[axis] == 1:
                shape = [-1 if other == axis else 1 for other in range(below.ndim)]
                below = below * np.diff(begins).astype(np.float64).reshape(shape)
            else:
                below = np.add.reduceat(below, begins[:-1], axis=axis)
        return below

    def cells(self, measured: Sequence[NDArray[np.int64]]) -> Floats:
        """The estimate of every cell, from the noisy counts of all levels."""
        within, sums = self._variances
        tables, parts = [measured[-1].astype(np.float64)], list[Floats]()
        for level in reversed(range(self._last)):
            total = self.levels.sums(level, tables[0])
            gain = sums[level] / (sums[level] + self.laws[level].variance)
            parts.insert(0, total)
            tables.insert(0, total + gain * (measured[level] - total))
        for level in range(self._last):
            change = (tables[level] - parts[level]) / sums[level]
            below = tables[level + 1]
            if within[level + 1].size == 1:
                self.levels.give(level, change * within[level + 1].item(), below)
            else:
                given = np.zeros_like(below)
                self.levels.give(level, change, given)
                below += within[level + 1] * given
        return tables[-1][tuple(slice(size) for size in self.levels.schema.sizes)]

    def moments(self, questions: Questions) -> tuple[Floats, Floats]:
        """Variance of every answer, and an upper bound of its fourth cumulant.

        The weight of a count in an answer is its covariance with the estimate of the block, over the noise's variance.
        Cells of the block have covariances above zero, which add up to the variance of its estimate, all others
        below zero, and no more than that together: so no weight exceeds V over the noise's variance.
        """
        variance = box_variances(questions.owner, questions.count, partial(self.covariance, questions))
        kurtosis = [law.fourth_cumulant / law.variance**2 for law in self.laws]
        heaviest = max(k * brought for k, brought in zip(kurtosis, self._brought, strict=True))
        return variance, np.minimum(max(kurtosis) * variance, heaviest) * variance

    @cached_property
    def _brought(self) -> list[float]:
        """The most variance that a count of each level brings into an answer."""
        largest = [float(within.max()) for within in self._variances[0]]
        return [(most / law.variance) * most for most, law in zip(largest, self.laws, strict=True)]

    @property
    def heaviest(self) -> float:
        """The largest standard deviation that one count brings into a sum of cells with weights from -1 to 1.

        Cells inside and outside of its block may then pull the same way, each with as much as in an answer.
        """
        return 2 * math.sqrt(max(self._brought))

    def covariance(self, boxes: Boxes, one: Integers, other: Integers) -> Floats:
        """Of the noise that is left in pairs of boxes, by their numbers."""
        ends, found = boxes.last + 1, np.empty(one.size)
        for start in range(0, one.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            pair = [(boxes.first[some[part]], ends[some[part]]) for some in (one, other)]
            found[part] = self._covariance(*pair)
        return found

    def _covariance(self, one: Ranges, other: Ranges) -> Floats:
        """Of two boxes each, first codes and ends in a column for each attribute."""
        own, above = self._uneven_sums(one, other)
        total, even_above = np.zeros(len(one[0])), np.zeros(len(one[0]))
        for level in range(self._last + 1):
            even = self._even_sums(level, one, other)
            found, less = own[level] * even, above[level] * even_above
            change = found - less
            total += np.where(np.abs(change) > _ROUNDING * found, change, 0.0)
            even_above = even
        return total

    def _even_sums(self, level: int, one: Ranges, other: Ranges) -> Floats:
        """The sum of f g over all products of parts of the even attributes."""
        found = np.ones(len(one[0]))
        for a in self._even:
            split = self.levels.splits[level][a]
            found *= split.shared((one[0][:, a], one[1][:, a]), (other[0][:, a], other[1][:, a])) / split.mean_width
        return found

    def _uneven_sums(self, one: Ranges, other: Ranges) -> tuple[Floats, Floats]:
        """For every level the sums of V f g, and of S f g one level above, over the parts of the uneven attributes."""
        columns = np.concatenate([ends[:, self._uneven] for ends in (*one, *other)], axis=1)
        if self._uneven:
            different, which = np.unique(columns, axis=0, return_inverse=True)
            which = which.reshape(-1)
        else:
            different, which = columns[:1], np.zeros(len(columns), np.int64)
        found = np.empty((2, self._last + 1, len(different)))
        step = max(1, _CHUNK // max(within.size for within in self._variances[0]))
        for start in range(0, len(different), step):
            part = slice(start, start + step)
            a, b, c, d = np.split(different[part], 4, axis=1)
            found[:, :, part] = self._sums_of((a, b), (c, d))
        return found[0][:, which], found[1][:, which]

    def _sums_of(self, one: Ranges, other: Ranges) -> Floats:
        within, sums = self._variances
        cells = np.prod(np.maximum(np.minimum(one[1], other[1]) - np.maximum(one[0], other[0]), 0), axis=1)
        same = all(np.array_equal(*pair) for pair in zip(one, other, strict=True))
        shares = self._shares(one)
        own, above = [], [np.zeros(len(cells))]
        for level, (f, g) in enumerate(zip(shares, shares if same else self._shares(other), strict=True)):
            both = (f * g).reshape(-1, len(cells))
            own.append(within[level].reshape(-1) @ both)
            above.append(sums[level].reshape(-1) @ both)
        return np.stack([[*own, self.laws[-1].variance * cells], above])

    def _shares(self, ranges: Ranges) -> list[Floats]:
        """On every level above the cells: the share of each range, along the last axis, in each part."""
        within, sums = self._variances
        found: list[Floats] = []
        for level in reversed(range(self._last)):
            if found:
                share = self._added(level, within[level + 1][..., None] * found[0]) / sums[level][..., None]
            else:
                share = np.ones((*sums[level].shape, len(ranges[0])))
                for column, a in enumerate(self._uneven):
                    part = self.levels.splits[level][a].fractions(ranges[0][:, column], ranges[1][:, column]).T
                    share *= part.reshape([len(part) if axis == a else 1 for axis in range(sums[level].ndim)] + [-1])
            found.insert(0, share)
        return found
