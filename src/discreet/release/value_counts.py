"""What a release tells about functions of an attribute's values: means and sums over the records that have them.

`ByLaw` uses the joint law of the counts of all values, `ByBand` intervals of the counts up to each value and above it;
for what lies between the two see `values_in_blocks`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.numbers.bands import Band
from discreet.numbers.pencils import Floats, Pencil
from discreet.queries import Boxes, Questions, cut_questions
from discreet.queries.questions import Codes
from discreet.schema import Ordinal
from discreet.summaries.linear_laws import WeightedBoxes

if TYPE_CHECKING:
    from discreet.release.release import Release


@dataclass(frozen=True, eq=False)
class ValueRuns:
    """Codes of an attribute in runs, with the lowest and the highest value of each."""

    codes: Codes
    low: Floats
    high: Floats

    @classmethod
    def of(cls, ordinal: Ordinal, most: int) -> ValueRuns:
        """Each code alone, if they are not more than `most`."""
        count = min(ordinal.bins, most)
        starts = [place * ordinal.bins // count for place in range(count)]
        ends = [*starts[1:], ordinal.bins]
        spans = [(ordinal.span(a)[0], ordinal.span(b - 1)[1]) for a, b in zip(starts, ends, strict=True)]
        low, high = np.array(spans, np.float64).T
        return cls(np.stack([np.array(starts), np.array(ends) - 1], axis=1), low, high)

    @property
    def middle(self) -> Floats:
        return (self.low + self.high) / 2


@dataclass(frozen=True, eq=False)
class Ends:
    """Functions of the values, a row each: the least and the most in every run, of what rises and of what falls."""

    rising_low: Floats
    rising_high: Floats
    falling_low: Floats
    falling_high: Floats

    @classmethod
    def of(cls, runs: ValueRuns, around: Floats | None) -> Ends:
        """Of the values, or of their squared distances from some points."""
        return cls.of_values(runs) if around is None else cls.of_squares(runs, around)

    @classmethod
    def of_values(cls, runs: ValueRuns) -> Ends:
        nothing = np.zeros((1, runs.low.size))
        return cls(runs.low[None], runs.high[None], nothing, nothing)

    @classmethod
    def of_squares(cls, runs: ValueRuns, around: Floats) -> Ends:
        """(value - c) ** 2 for each c: one part falls up to c, the other rises from there."""
        above = [np.maximum(end[None] - around[:, None], 0.0) ** 2 for end in (runs.low, runs.high)]
        below = [np.maximum(around[:, None] - end[None], 0.0) ** 2 for end in (runs.high, runs.low)]
        return cls(*above, *below)


@dataclass(frozen=True, eq=False)
class ByLaw:
    """Where the counts of values have a joint law that is known."""

    release: Release
    selected: Boxes
    attribute: int
    runs: ValueRuns

    def pencil(self, functions: Floats) -> Pencil | None:
        """Sums of functions (rows) of the values of all records, over the number of records."""
        asked = cut(self.selected, self.attribute, self.runs.codes)
        everyone = cut(self.selected, self.attribute, span_of(self.runs))
        rows = len(functions)
        owner = np.repeat(np.arange(rows), len(asked.first))
        first, last = (np.tile(ends, (rows, 1)) for ends in (asked.first, asked.last))
        over = WeightedBoxes(first, last, rows, owner, functions[:, asked.owner].reshape(-1))
        return self.release.summary.pencil(over, WeightedBoxes.plain(everyone))

    def _known(self, functions: Floats) -> Pencil:
        found = self.pencil(functions)
        assert found is not None  # `means` tries before it chooses this
        return found

    def means(self, around: Floats | None, level: float) -> tuple[Floats, Floats]:
        """Of the values, or of their squared distances from some points."""
        ends = Ends.of(self.runs, around)
        least, most = ends.rising_low + ends.falling_low, ends.rising_high + ends.falling_high
        low = self._known(least).ratios(level, float(least.min()), float(least.max()))[0]
        return low, self._known(most).ratios(level, float(most.min()), float(most.max()))[1]

    def sums(self, level: float) -> tuple[float, float]:
        low, high = (self._known(end[None]) for end in (self.runs.low, self.runs.high))
        return (low.over - low.half_widths(0.0, level)).item(), (high.over + high.half_widths(0.0, level)).item()

    @cached_property
    def plain(self) -> tuple[float, float, float, Pencil]:
        """The sums of all ones, values and squares; and the joint law of the last two over the first."""
        middle = self.runs.middle
        found = self._known(np.stack([middle, middle**2]))
        return float(found.under[0]), float(found.over[0]), float(found.over[1]), found

    def error_of_mean(self) -> float:
        records, total, _, pencil = self.plain
        return math.sqrt(pencil.variance(total / records)[0]) / records if records > 0 else math.nan

    def error_of_sum(self) -> float:
        return math.sqrt(self.plain[3].over_variance[0])

    def error_of_variance(self) -> float:
        """Of the squares around the mean, which itself is off by little."""
        records, total, _, _ = self.plain
        if records <= 0:
            return math.nan
        squares = self._known((self.runs.middle - total / records)[None] ** 2)
        return math.sqrt(squares.variance(squares.over / records).item()) / records


@dataclass(frozen=True, eq=False)
class ByBand:
    """Whatever the method: what intervals of counts leave possible."""

    release: Release
    selected: Boxes
    attribute: int
    runs: ValueRuns
    _bands: dict[float, Band] = field(default_factory=dict)

    def _band(self, level: float) -> Band:
        if level not in self._bands:
            self._bands[level] = self._asked_for(level)
        return self._bands[level]

    def _asked_for(self, level: float) -> Band:
        codes = self.runs.codes
        rows = len(codes)
        # on either side of an answer so many ends must hold
        each = 1 - (1 - level) / (2 * rows)
        first, last = codes[0, 0], codes[-1, 1]
        up_to = np.stack([np.full(rows - 1, first), codes[:-1, 1]], axis=1)
        above = np.stack([codes[1:, 0], np.full(rows - 1, last)], axis=1)
        asked = cut(self.selected, self.attribute, np.concatenate([up_to, above, [[first, last]]]))
        found = self.release.answers(asked, each)
        low, high = (np.asarray(end, np.float64) for end in (found.low, found.high))
        here, there = slice(0, rows - 1), slice(rows - 1, 2 * rows - 2)
        return Band(low[here], high[here], low[there], high[there], float(low[-1]), float(high[-1]))

    def means(self, around: Floats | None, level: float) -> tuple[Floats, Floats]:
        ends, band = Ends.of(self.runs, around), self._band(level)
        turned = band.turned()
        low = [
            band.least_of_mean(rising) + turned.least_of_mean(falling[::-1])
            for rising, falling in zip(ends.rising_low, ends.falling_low, strict=True)
        ]
        high = [
            band.most_of_mean(rising) + turned.most_of_mean(falling[::-1])
            for rising, falling in zip(ends.rising_high, ends.falling_high, strict=True)
        ]
        return np.array(low), np.array(high)

    def sums(self, level: float) -> tuple[float, float]:
        return self._band(level).ends_of_sum(self.runs.low, self.runs.high)

    @cached_property
    def plain(self) -> tuple[float, float, float, None]:
        """From counts up to each value: what leaves out small counts knows these, but hardly those of single values."""
        first, last = self.runs.codes[0, 0], self.runs.codes[:, 1]
        up_to = cut(self.selected, self.attribute, np.stack([np.full_like(last, first), last], axis=1))
        counts = np.diff(_measured(self.release, up_to), prepend=0.0)
        return *_sums(counts, self.runs), None

    def error_of_mean(self) -> float:
        """Bounds have no typical error."""
        return math.nan

    error_of_sum = error_of_variance = error_of_mean


def measured_sums(release: Release, selected: Boxes, attribute: int, runs: ValueRuns) -> tuple[float, float, float]:
    """The sums of all ones, values and squares, as measured."""
    return _sums(_measured(release, cut(selected, attribute, runs.codes)), runs)


def _measured(release: Release, asked: Questions) -> Floats:
    found = release.answers(asked, 0.5)
    return np.asarray(found.value if found.besides is not None else found.measured, np.float64)


def _sums(counts: Floats, runs: ValueRuns) -> tuple[float, float, float]:
    return float(counts.sum()), float(counts @ runs.middle), float(counts @ runs.middle**2)


def cut(selected: Boxes, attribute: int, codes: Codes) -> Questions:
    """For each range of codes, how many are selected and have one of them."""
    return cut_questions(selected, {attribute: codes})


def span_of(runs: ValueRuns) -> Codes:
    return np.array([[runs.codes[0, 0], runs.codes[-1, 1]]])
