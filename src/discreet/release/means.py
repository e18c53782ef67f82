"""Means, variances and sums over the values of an ordinal attribute, from counts of its values.

By the joint law of these counts where it is known: the mean is a ratio of two weighted sums (`numbers.pencils`). Where
blocks of cells have such a law, it is known what these sums lie between (`numbers.corridors`). Else from intervals of
the counts up to each value and above it, all right together (`numbers.bands`). Where a bin holds
several values, nobody knows where in it records lie: intervals allow for all of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.queries import Boxes, Estimate
from discreet.release.expressions import Expression, Quantity, Term, key
from discreet.release.ratios import EMPTY
from discreet.release.value_counts import ByBand, ByLaw, ValueRuns
from discreet.release.values_in_blocks import ByBlocks, values
from discreet.schema import Ordinal

if TYPE_CHECKING:
    from discreet.release.release import Release

Kind = Literal["mean", "variance", "sum"]
Source = ByLaw | ByBlocks | ByBand
#: into how many runs of values an attribute is cut, where the noise of its values is independent, and where it is not
_RUNS = (1 << 16, 1024, 448)
_RUNS_IN_BLOCKS, _RUNS_WITHOUT_LAW = 4096, 256
#: around so many points squares are taken, of all that the mean may be
_POINTS = 5
WIDE_BINS = "bins hold several values, and the interval allows for any place in them"
WIDE_RUNS = "its many values are taken in runs, and the interval allows for any place in them"
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

    def joined(self, share: Fraction, other: Quantity, times: Fraction) -> Term | None:
        """The same question once more."""
        return (share + times, self) if isinstance(other, Moment) and self._question == other._question else None

    @property
    def _question(self) -> tuple[object, ...]:
        cells = self.selected
        return key(self.release), cells.first.tolist(), cells.last.tolist(), self.attribute, self.kind

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
        runs = source.runs
        wide = WIDE_RUNS if np.any(runs.codes[:, 1] > runs.codes[:, 0]) else WIDE_BINS
        notes = [
            wide if np.any(runs.high > runs.low) else "",
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

    def _source(self) -> Source:
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
        blocks = ByBlocks(*given, ValueRuns.of(ordinal, _RUNS_IN_BLOCKS), ordinal)
        if blocks.corridor(values) is not None:
            return blocks
        return ByBand(*given, ValueRuns.of(ordinal, _RUNS_WITHOUT_LAW))

    def _best(self, source: Source) -> float:
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

    def _most(self, source: Source) -> float:
        low, high = float(source.runs.low[0]), float(source.runs.high[-1])
        return {"mean": high, "variance": (high - low) ** 2 / 4, "sum": 0.0 if high <= 0 else math.inf}[self.kind]

    def _mean_ends(self, source: Source, level: float) -> tuple[float, float]:
        low, high = source.means(None, level)
        return low.item(), high.item()

    def _sum_ends(self, source: Source, level: float) -> tuple[float, float]:
        low, high = source.sums(level)
        return max(low, self._least(source.runs)), min(high, self._most(source))

    def _variance_ends(self, source: Source, level: float) -> tuple[float, float]:
        """The mean square around the mean: around all that the mean may be.

        Whatever the true mean is, the mean square around it lies in its own interval. So where the mean is in its
        interval, the variance is between the ends of the mean squares around what is in there; both intervals
        leave a quarter of the rest beyond each end of the answer.
        """
        rest = 1 - level
        low, high = self._mean_ends(source, 1 - rest / 4)
        points = np.linspace(low, high, _POINTS)
        least, most = source.means(points, 1 - rest / 2)
        between = ((high - low) / (_POINTS - 1) / 2) ** 2  # a mean square is lower by no more between two points
        return max(float(np.min(least)) - between, 0.0), min(max(float(np.max(most)), 0.0), self._most(source))
