"""How noise adds up in sums over boxes: variances from covariances, and exact moments for a product of axes.

The noise scale is a product too, but the variance of discrete noise is not one of its scale alone. So coefficients are
told apart by the factors of their scales, of which an axis has few: each combination has one variance, and within it
the weights multiply.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from discreet.errors import CannotAnswer
from discreet.numbers.laws import DiscreteLaplace
from discreet.queries import Boxes, Questions
from discreet.transforms.axis import Axis, Floats, Integers

MOST_PARTS = 2000
_CHUNK = 1 << 20


def box_variances(owner: Integers, count: int, covariance: Callable[[Integers, Integers], Floats]) -> Floats:
    """Of each of `count` questions, box i belonging to owner[i]; `covariance` takes two equally long lists of boxes."""
    boxes = np.bincount(owner, minlength=count)
    if boxes.max(initial=0) > MOST_PARTS:
        raise CannotAnswer(
            f"a question consists of {boxes.max():,} boxes of cells whose errors depend on each other; "
            f"at most {MOST_PARTS:,} can be put together. Ask for parts, or for fewer cells"
        )
    variance = np.zeros(count)
    alone = np.flatnonzero(boxes[owner] == 1)
    variance[owner[alone]] = covariance(alone, alone)
    in_order, starts = np.argsort(owner, kind="stable"), np.cumsum(boxes) - boxes
    for many in np.unique(boxes[boxes > 1]):  # questions of as many boxes at once
        one, other = np.triu_indices(many)
        times, alike = np.where(one == other, 1.0, 2.0), np.flatnonzero(boxes == many)
        for chunk in np.array_split(alike, -(-alike.size * one.size // _CHUNK)):
            mine = in_order[starts[chunk][:, None] + np.arange(many)]
            found = covariance(mine[:, one].ravel(), mine[:, other].ravel()).reshape(chunk.size, one.size)
            variance[chunk] = (found * times).sum(axis=1)
    return np.maximum(variance, 0.0)


@dataclass(frozen=True, eq=False)
class NoiseMoments:
    """The noise of answers, for noise of this scale on the coefficients of these axes."""

    axes: Sequence[Axis]
    scale: Fraction

    def of(self, questions: Questions) -> tuple[Floats, Floats]:
        """Variance and fourth cumulant of every answer; the latter an upper bound for questions of several boxes."""
        ranges, owner = list(zip(questions.first.T, (questions.last + 1).T, strict=True)), questions.owner

        def fourths(axis: Axis, first: Integers, end: Integers, part: slice) -> Floats:
            return axis.fourth(first[alone[part]], end[alone[part]])

        variance = box_variances(owner, questions.count, partial(self.covariance, questions))
        fourth = self.largest_kurtosis * variance**2
        alone = np.flatnonzero(np.bincount(owner, minlength=questions.count)[owner] == 1)
        fourth[owner[alone]] = self._contracted(self._moments[1], alone.size, ranges, fourths)
        return variance, fourth

    def covariance(self, boxes: Boxes, one: Integers, other: Integers) -> Floats:
        """Of the noise in pairs of boxes, by their numbers."""

        def along(axis: Axis, first: Integers, end: Integers, part: slice) -> Floats:
            a, b = one[part], other[part]
            return axis.covariance((first[a], end[a]), (first[b], end[b]))

        ranges = list(zip(boxes.first.T, (boxes.last + 1).T, strict=True))
        return self._contracted(self._moments[0], one.size, ranges, along)

    @cached_property
    def largest_kurtosis(self) -> float:
        """Of any single coefficient's noise, and so of any sum."""
        variances, fourths = self._moments
        return float((fourths / variances**2).max())

    def _contracted(
        self, moments: Floats, count: int, ranges: list[tuple[Integers, Integers]], along: Callable[..., Floats]
    ) -> Floats:
        """Sum over combinations of factors of moments[f1, f2, ...] * columns1[:, f1] * columns2[:, f2] * ..."""
        step, found = max(1, _CHUNK // moments.size), [np.zeros(0)]
        for start in range(0, count, step):
            part = slice(start, start + step)
            columns = [along(axis, *ends, part) for axis, ends in zip(self.axes, ranges, strict=True)]
            left = np.tensordot(columns[0], moments, axes=(1, 0))
            for column in columns[1:]:
                left = np.einsum("qf,qf...->q...", column, left)
            found.append(np.asarray(left))
        return np.concatenate(found)

    @cached_property
    def _moments(self) -> Floats:
        """Variances and fourth cumulants of the coefficients' noise, by the factors along each axis."""
        combinations = itertools.product(*(axis.factors for axis in self.axes))
        laws = [DiscreteLaplace.of(self.scale * math.prod(factors)) for factors in combinations]
        found = np.array([[law.variance for law in laws], [law.fourth_cumulant for law in laws]])
        return found.reshape([2, *(len(axis.factors) for axis in self.axes)])
