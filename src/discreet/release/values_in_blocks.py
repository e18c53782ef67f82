"""Means and sums over values where a release has blocks of cells: what they lie between, with the noise of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.numbers.corridors import Corridor
from discreet.numbers.pencils import Floats
from discreet.queries import Boxes
from discreet.queries.questions import Codes
from discreet.release.value_counts import ValueRuns, cut, measured_sums, span_of
from discreet.schema import Ordinal

if TYPE_CHECKING:
    from discreet.release.release import Release

#: from the lowest and highest values in some ranges, the least and the most of a function of them
Function = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class ByBlocks:
    """Where sums over values lie between two others of known noise."""

    release: Release
    selected: Boxes
    attribute: int
    runs: ValueRuns
    ordinal: Ordinal

    def corridor(self, function: Function) -> Corridor | None:
        """Sums of a function of the values of all records, over the number of records."""
        with_value = cut(self.selected, self.attribute, span_of(self.runs))

        def ranges(first: Codes, last: Codes) -> tuple[Floats, Floats]:
            return function(self._values(first)[0], self._values(last)[1])

        found = self.release.summary.value_sides(with_value, self.attribute, ranges)
        return None if found is None else Corridor((found,))

    def _values(self, codes: Codes) -> tuple[Floats, Floats]:
        """The lowest and the highest of each."""
        known, place = np.unique(codes, return_inverse=True)
        spans = np.array([self.ordinal.span(code) for code in known.tolist()], np.float64).reshape(-1, 2)
        return spans[place, 0], spans[place, 1]

    def _known(self, function: Function) -> Corridor:
        found = self.corridor(function)
        assert found is not None  # `means` tries before it chooses this
        return found

    def means(self, around: Floats | None, level: float) -> tuple[Floats, Floats]:
        """Of the values, or of their squared distances from some points."""
        mean, square = self._guesses
        if around is None:
            ends = [self._ends(values, mean, level)]
        else:
            guesses = square - 2 * around * mean + around**2
            ends = [
                self._ends(squares_around(point), guess, level)
                for point, guess in zip(around.tolist(), guesses.tolist(), strict=True)
            ]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    def _ends(self, function: Function, guess: float, level: float) -> tuple[float, float]:
        least, most = (float(end) for end in (np.min(function(*self._span)[0]), np.max(function(*self._span)[1])))
        return self._known(function).ratios(level, min(max(guess, least), most), least, most)

    @property
    def _span(self) -> tuple[Floats, Floats]:
        return self.runs.low[:1], self.runs.high[-1:]

    @property
    def _guesses(self) -> tuple[float, float]:
        """The means of values and of their squares; of a value in the middle, if there may be nobody."""
        records, total, squares, _ = self.plain
        if records > 0:
            return total / records, squares / records
        middle = float(self.runs.low[0] + self.runs.high[-1]) / 2
        return middle, middle**2

    def sums(self, level: float) -> tuple[float, float]:
        return self._known(values).at(0.0).ends(level)

    @cached_property
    def plain(self) -> tuple[float, float, float, None]:
        return *measured_sums(self.release, self.selected, self.attribute, self.runs), None

    def error_of_mean(self) -> float:
        return self._error(values, self._guesses[0])

    def error_of_sum(self) -> float:
        return self._known(values).at(0.0).stderr

    def error_of_variance(self) -> float:
        """Of the squares around the mean, which itself is off by little."""
        mean, square = self._guesses
        return self._error(squares_around(mean), square - mean**2)

    def _error(self, function: Function, ratio: float) -> float:
        records = self.plain[0]
        return self._known(function).at(ratio).stderr / records if records > 0 else math.nan


def values(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    return low, high


def squares_around(point: float) -> Function:
    def squares(low: Floats, high: Floats) -> tuple[Floats, Floats]:
        below, above = low - point, high - point
        nearest = np.maximum(np.maximum(below, -above), 0.0)
        return nearest**2, np.maximum(below**2, above**2)

    return squares
