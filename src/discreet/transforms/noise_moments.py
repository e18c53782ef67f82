"""How noise on the coefficients of a product of axes adds up in sums over boxes: exact variances, fourth cumulants.

The noise scale is a product too, but the variance of discrete noise is not one of its scale alone. So coefficients are
told apart by the factors of their scales, of which an axis has few: each combination has one variance, and within it
the weights multiply.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.laws import DiscreteLaplace
from discreet.queries import Questions
from discreet.transforms.axis import Axis
from discreet.transforms.box_variances import box_variances

Integers = NDArray[Any]
Floats = NDArray[np.float64]

_CHUNK = 1 << 20


class NoiseMoments:
    """The noise of answers, for noise of this scale on the coefficients of these axes."""

    def __init__(self, axes: Sequence[Axis], scale: Fraction) -> None:
        self.axes = tuple(axes)
        self.scale = scale

    def of(self, questions: Questions) -> tuple[Floats, Floats]:
        """Variance and fourth cumulant of every answer; the latter an upper bound for questions of several boxes."""
        first, end, owner = questions.first, questions.last + 1, questions.owner
        variance = box_variances(owner, questions.count, partial(self._covariances, first, end))
        fourth = self.largest_kurtosis * variance**2
        alone = np.flatnonzero(np.bincount(owner, minlength=questions.count)[owner] == 1)
        fourth[owner[alone]] = self._chunked(alone.size, lambda part: self._fourth(first, end, alone[part]))
        return variance, fourth

    @cached_property
    def largest_kurtosis(self) -> float:
        """Of any single coefficient's noise, and so of any sum."""
        return float((self._fourths / self._variances**2).max())

    def _covariances(self, first: Integers, end: Integers, one: Integers, other: Integers) -> Floats:
        """Of the boxes of two equally long lists."""

        def ends(place: int, rows: Integers) -> tuple[Integers, Integers]:
            return _column(first, place, rows), _column(end, place, rows)

        def part(chosen: slice) -> Floats:
            a, b = one[chosen], other[chosen]
            found = [axis.covariance(ends(place, a), ends(place, b)) for place, axis in enumerate(self.axes)]
            return self._contracted(self._variances, found)

        return self._chunked(one.size, part)

    def _fourth(self, first: Integers, end: Integers, rows: Integers) -> Floats:
        powers = [axis.fourth(_column(first, i, rows), _column(end, i, rows)) for i, axis in enumerate(self.axes)]
        return self._contracted(self._fourths, powers)

    def _chunked(self, count: int, work: Callable[[slice], Floats]) -> Floats:
        step = max(1, _CHUNK // self._variances.size)
        parts = [work(slice(start, start + step)) for start in range(0, count, step)]
        return np.concatenate(parts) if parts else np.zeros(0)

    @staticmethod
    def _contracted(moments: Floats, columns: list[Floats]) -> Floats:
        """Sum over combinations of factors of moments[f1, f2, ...] * columns1[:, f1] * columns2[:, f2] * ..."""
        left = np.tensordot(columns[0], moments, axes=(1, 0))
        for column in columns[1:]:
            left = np.einsum("qf,qf...->q...", column, left)
        return np.asarray(left)

    @cached_property
    def _laws(self) -> NDArray[np.object_]:
        shape = tuple(len(axis.factors) for axis in self.axes)
        combinations = itertools.product(*(axis.factors for axis in self.axes))
        laws = np.empty(math.prod(shape), object)
        laws[:] = [DiscreteLaplace.of(self.scale * math.prod(factors)) for factors in combinations]
        return laws.reshape(shape)

    @cached_property
    def _variances(self) -> Floats:
        return np.asarray(np.vectorize(lambda law: law.variance, otypes=[float])(self._laws))

    @cached_property
    def _fourths(self) -> Floats:
        return np.asarray(np.vectorize(lambda law: law.fourth_cumulant, otypes=[float])(self._laws))


def _column(table: Integers, place: int, rows: Integers) -> Integers:
    return np.ascontiguousarray(table[rows, place])
