"""Means, variances and sums over the values of an ordinal attribute, from counts of its values.

By the joint law of these counts where it is known: the mean is a ratio of two weighted sums (`numbers.pencils`). Else
from intervals of the counts up to each value and above it, all right together (`numbers.bands`). Where a bin holds
several values, nobody knows where in it records lie: intervals allow for all of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.queries import Boxes, Estimate
from discreet.release.expressions import Expression
from discreet.release.ratios import EMPTY
from discreet.release.value_counts import ByBand, ByLaw, Ends, ValueRuns
from discreet.schema import Ordinal

if TYPE_CHECKING:
    from discreet.release.release import Release

Kind = Literal["mean", "variance", "sum"]
#: into how many runs of values an attribute is cut, where the noise of its values is independent, and where it is not
_RUNS = (1 << 16, 1024, 448)
_RUNS_WITHOUT_LAW = 256
#: around so many public points squares are taken; those near the mean say most
_POINTS = 9
WIDE_BINS = "bins hold several values, and the interval allows for any place in them"
POSSIBLE = "low to high are bounds of what the intervals of counts leave possible"


@dataclass(frozen=True, eq=False)
class Moment:
    """A mean, variance or sum that can be asked for at any level."""

    release: Release
    selected: Boxes
    attribute: int
    kind: Kind

    @property
    def releases(self) -> list[Release]:
        return [self.release]

    def answer(self, level: float) -> Estimate:
        source = self._source()
        low, high = getattr(self, f"_{self.kind}_ends")(source, level)
        nobody = self.kind != "sum" and self.release.counted(self.selected, level).high <= 0
        if nobody:
            low, high = self._least(source.runs), self._most(source)
        value = self._best(source)
        stderr = getattr(source, f"error_of_{self.kind}")()
        value = min(max((low + high) / 2 if math.isnan(value) else value, self._least(source.runs)), self._most(source))
        bounds = isinstance(source, ByBand)
        notes = [
            WIDE_BINS if np.any(source.runs.high > source.runs.low) else "",
            EMPTY if nobody or (math.isnan(stderr) and not bounds) else POSSIBLE if bounds else "",
            self.release.note,
        ]
        return Estimate(
            value,
            stderr,
            min(low, value),
            max(high, value),
            level,
            "; ".join(filter(None, notes)),
            ends="bounds" if bounds else "interval",
            asked=Expression(others=((Fraction(1), self),)),
        )

    def _source(self) -> ByLaw | ByBand:
        schema = self.release.schema
        ordinal = schema[schema.names[self.attribute]]
        assert isinstance(ordinal, Ordinal)
        given = self.release, self.selected, self.attribute
        for most in _RUNS:
            found = ByLaw(*given, ValueRuns.of(ordinal, most))
            functions = np.ones((_POINTS if self.kind == "variance" else 1, found.runs.low.size))
            if found.pencil(functions) is not None:
                return found
            if ordinal.bins <= _RUNS[-1]:
                break
        return ByBand(*given, ValueRuns.of(ordinal, _RUNS_WITHOUT_LAW))

    def _best(self, source: ByLaw | ByBand) -> float:
        records, total, squares, _ = source.plain
        if self.kind == "sum":
            return total
        if records <= 0:
            return math.nan
        mean = total / records
        return mean if self.kind == "mean" else squares / records - mean**2

    def _least(self, runs: ValueRuns) -> float:
        """Whatever the counts."""
        return {"mean": float(runs.low[0]), "variance": 0.0, "sum": 0.0 if runs.low[0] >= 0 else -math.inf}[self.kind]

    def _most(self, source: ByLaw | ByBand) -> float:
        low, high = float(source.runs.low[0]), float(source.runs.high[-1])
        return {"mean": high, "variance": (high - low) ** 2 / 4, "sum": 0.0 if high <= 0 else math.inf}[self.kind]

    def _mean_ends(self, source: ByLaw | ByBand, level: float) -> tuple[float, float]:
        low, high = source.means(Ends.of_values(source.runs), level)
        return low.item(), high.item()

    def _sum_ends(self, source: ByLaw | ByBand, level: float) -> tuple[float, float]:
        low, high = source.sums(level)
        return max(low, self._least(source.runs)), min(high, self._most(source))

    def _variance_ends(self, source: ByLaw | ByBand, level: float) -> tuple[float, float]:
        """The variance is the mean square around any point less the square of its distance from the mean.

        The mean squares around several points hold together with the mean; each of them is a bound.
        """
        runs = source.runs
        points = np.linspace(runs.low[0], runs.high[-1], _POINTS)
        each = 1 - (1 - level) / (_POINTS + 2)  # either end of the mean may spoil either end
        low, high = source.means(Ends.of_squares(runs, points), each)
        mean_low, mean_high = self._mean_ends(source, each)
        furthest = np.maximum(np.abs(points - mean_low), np.abs(points - mean_high))
        nearest = np.where(
            (mean_low <= points) & (points <= mean_high),
            0.0,
            np.minimum(np.abs(points - mean_low), np.abs(points - mean_high)),
        )
        least, most = float(np.max(low - furthest**2)), float(np.min(high - nearest**2))
        return max(least, 0.0), min(max(most, least, 0.0), self._most(source))
