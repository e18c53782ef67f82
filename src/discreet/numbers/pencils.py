"""Two sums whose noise has a known joint law, and what follows for their difference and their ratio.

With N over D the true sums, N - r D is zero at the true ratio r, and what was measured of it has noise of known
variance. So r is not ruled out as long as |n - r d| is within the half-width of that noise (Fieller). Solved for r this
is an interval, or, where D may be zero, nearly anything. Nothing is taken to be normal: half-widths are those of
`spreads`, from the variance and a bound of the kurtosis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import spreads

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pencil:
    """`over` and `under` as they were measured, with the variances of their noise; a row for each question.

    `kurtosis` bounds that of any sum of the draws. `over_share` and `under_share` bound how much of a standard
    deviation any one draw brings into the two sums; infinite where that is not known.
    """

    over: Floats
    under: Floats
    over_variance: Floats
    under_variance: Floats
    covariance: Floats
    kurtosis: float
    over_share: Floats
    under_share: Floats
    smallest_scale: float
    #: what was added up, if this is a sum of several of independent noise
    added: tuple[Pencil, ...] = ()

    @property
    def parts(self) -> tuple[Pencil, ...]:
        return self.added or (self,)

    def beside(self, other: Pencil) -> Pencil:
        """Both added up; their noise is independent."""
        return Pencil(
            self.over + other.over,
            self.under + other.under,
            self.over_variance + other.over_variance,
            self.under_variance + other.under_variance,
            self.covariance + other.covariance,
            max(self.kurtosis, other.kurtosis),
            np.maximum(self.over_share, other.over_share),
            np.maximum(self.under_share, other.under_share),
            min(self.smallest_scale, other.smallest_scale),
            (*self.parts, *other.parts),
        )

    def times(self, over: Floats | float, under: Floats | float) -> Pencil:
        """The two sums multiplied by known numbers."""
        return Pencil(
            self.over * over,
            self.under * under,
            self.over_variance * np.square(over),
            self.under_variance * np.square(under),
            self.covariance * over * under,
            self.kurtosis,
            _of_share(self.over_share, over),
            _of_share(self.under_share, under),
            self.smallest_scale,
            tuple(part.times(over, under) for part in self.added),
        )

    def variance(self, ratio: Floats | float) -> Floats:
        """Of over - ratio * under."""
        found = self.over_variance - 2 * ratio * self.covariance + np.square(ratio) * self.under_variance
        return np.maximum(found, 0.0)

    def kurtosis_at(self, ratio: Floats | float) -> Floats:
        """A bound for over - ratio * under."""
        return self._bound(ratio, ratio, self.variance(ratio))

    def _bound(self, low: Floats | float, high: Floats | float, least: Floats) -> Floats:
        """For all ratios from `low` to `high`, where the variance is at least `least`."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            found = np.sum([part._fourth(low, high) for part in self.parts], axis=0) / least**2
        return np.asarray(np.where(found < self.kurtosis, found, self.kurtosis), np.float64)

    def _fourth(self, low: Floats | float, high: Floats | float) -> Floats:
        """The most that the fourth cumulant can be: no draw brings in more than the shares of both sums allow."""
        furthest = np.maximum(np.abs(low), np.abs(high))
        most = self.over_share + np.where(np.equal(furthest, 0), 0.0, furthest * self.under_share)
        # a parabola is highest at an end
        variance = np.maximum(self.variance(low), self.variance(high))
        return np.asarray(self.kurtosis * np.minimum(np.square(most), variance) * variance)

    def half_widths(self, ratio: Floats | float, level: float) -> Floats:
        """h with Pr[|noise of over - ratio * under| <= h] >= level."""
        variance = self.variance(ratio)
        return spreads.half_widths(variance, self.kurtosis_at(ratio) * variance**2, self.smallest_scale, level)

    def ratios(self, level: float, least: float, most: float) -> tuple[Floats, Floats]:
        """The lowest and highest ratio between `least` and `most` that cannot be ruled out.

        First with the kurtosis of a single draw; then, among what is left, with the largest that any of it allows.
        """
        low, high = self._solved(np.full(self.over.shape, self.kurtosis), level, least, most)
        with np.errstate(invalid="ignore", divide="ignore"):
            nearest = np.where(self.under_variance > 0, self.covariance / self.under_variance, 0.0)
        inner = np.clip(nearest, low, high)
        smallest = self.variance(np.where(np.isfinite(inner), inner, 0.0))
        less = self._bound(low, high, smallest)
        again = self._solved(less, level, least, most)
        return np.maximum(low, again[0]), np.minimum(high, again[1])

    def _solved(self, kurtosis: Floats, level: float, least: float, most: float) -> tuple[Floats, Floats]:
        """All r with (over - r under)**2 <= c**2 variance(r), as the ends of what of it lies in least..most."""
        one = np.ones(self.over.shape)
        square = spreads.half_widths(one, kurtosis, self.smallest_scale, level) ** 2
        leading = self.under**2 - square * self.under_variance
        half = self.over * self.under - square * self.covariance
        rest = self.over**2 - square * self.over_variance
        inside = half**2 - leading * rest
        root = np.sqrt(np.maximum(inside, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            one_end, other_end = (half - root) / leading, (half + root) / leading
        first, last = np.fmin(one_end, other_end), np.fmax(one_end, other_end)
        # a quadratic that opens downwards is met outside of its roots, on both sides
        apart = (leading < 0) & (inside > 0)
        below, above = apart & (first >= least), apart & (last <= most)
        low = np.where(apart, np.where(below | ~above, least, last), first)
        high = np.where(apart, np.where(above | ~below, most, first), last)
        anything = (leading == 0) | ((leading < 0) & ~apart)
        return (
            np.clip(np.where(anything, least, low), least, most),
            np.clip(np.where(anything, most, high), least, most),
        )


def _of_share(share: Floats, by: Floats | float) -> Floats:
    """Of nothing no draw has a share, even where nobody knows how large one is."""
    size = np.abs(by)
    return np.asarray(np.where(size > 0, share * np.where(size > 0, size, 1.0), 0.0), np.float64)
