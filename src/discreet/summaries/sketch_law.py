"""The law of a sketch's errors, read off the sketch itself.

What a row of a Count sketch adds to a cell's count is the noise and the other cells in its bucket, times the cell's
sign. For an empty cell that is the content of a bucket picked at random, with a random sign: so the published buckets,
with both signs, *are* a sample of the law of one row's error, as large as the sketch. (A cell that holds something
contributes to one bucket per row of that sample, which makes it a little too wide.) From it follow, exactly, the law of
a median of independent rows and, by a Fourier transform on a grid, the law of a sum of independent errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.laws import rounded_up

_GRID = 1 << 14


@dataclass(frozen=True, eq=False)
class ErrorLaw:
    """An error that is +size or -size with equal chances; `sizes` rise, `chances` add up to one."""

    sizes: NDArray[np.float64]
    chances: NDArray[np.float64]

    @classmethod
    def of_buckets(cls, table: NDArray[np.int64], least_variance: float) -> ErrorLaw:
        """The law of one row's error. Where chance made the buckets smaller than the noise is, they are stretched."""
        sizes, times = np.unique(np.abs(table), return_counts=True)
        law = cls(sizes.astype(np.float64), times / table.size)
        stretch = math.sqrt(least_variance / law.variance) if 0 < law.variance < least_variance else 1.0
        return cls(law.sizes * stretch, law.chances)

    @cached_property
    def variance(self) -> float:
        return float(np.sum(self.sizes**2 * self.chances))

    def median(self, rows: int) -> ErrorLaw:
        """The law of the median of an odd number of independent errors."""
        below = (1 + np.minimum(np.cumsum(self.chances), 1.0)) / 2
        most = range(rows // 2 + 1, rows + 1)
        at_most = sum(math.comb(rows, k) * below**k * (1 - below) ** (rows - k) for k in most)
        # near one, rounding may make it fall, and a chance negative
        rising = np.maximum.accumulate(np.clip(2 * at_most - 1, 0.0, 1.0))
        return ErrorLaw(self.sizes, np.diff(rising, prepend=0.0))

    def half_widths(self, terms: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        """Widths h with Pr[|sum of that many errors| <= h] >= level.

        Beyond 32 terms their number is rounded up to a grid of ratio 17/16, which widens an interval by at most 3 %.
        """
        distinct, where = np.unique(rounded_up(terms, 5), return_inverse=True)
        return np.array([self._half_width(count, level) for count in distinct.tolist()])[where]

    def _half_width(self, terms: int, level: float) -> float:
        if terms == 0 or self.variance == 0:
            return 0.0
        if terms == 1:
            index = int(np.searchsorted(np.cumsum(self.chances), level))
            return float(self.sizes[min(index, self.sizes.size - 1)])
        stray = (1 - level) / 100
        reach = self._reach(terms, stray)
        step = 2 * reach / _GRID
        # each size is split between two grid points so that its mean stays; that adds variance, taken out at the end
        sizes = np.minimum(self.sizes / step, _GRID // 2 - 1)
        lower = np.floor(sizes).astype(np.int64)
        grid = np.bincount(lower, self.chances * (1 - sizes + lower), _GRID)
        grid += np.bincount(lower + 1, self.chances * (sizes - lower), _GRID)
        shrink = math.sqrt(np.sum(sizes**2 * self.chances) / np.sum(np.arange(_GRID) ** 2.0 * grid))
        wave = np.fft.rfft(grid).real  # of the law with both signs
        power = np.exp(terms * np.log(np.maximum(np.abs(wave), 1e-300)))  # ten times as fast as **
        law = np.fft.irfft(power * np.sign(wave) if terms % 2 else power, _GRID)
        inside = law[0] + np.concatenate([[0.0], 2 * np.cumsum(law[1 : _GRID // 2])])
        # what lies beyond the reach has wrapped around, so it may be counted inside
        return float((np.searchsorted(inside, level + stray) + 1) * step * shrink)

    def _reach(self, terms: int, stray: float) -> float:
        """The sum is beyond this with probability at most `stray`: by Chebyshev, Bernstein, or because it must be."""
        variance, most = terms * self.variance, float(self.sizes[-1])
        far = math.log(2 / stray)
        bernstein = most * far / 3 + math.sqrt((most * far / 3) ** 2 + 2 * variance * far)
        return 1.001 * min(math.sqrt(variance / stray), bernstein, terms * most)


def median_coupling(rows: int) -> float:
    """What takes the place of 1 / rows, the mean's, where two cells share a bucket and the median is asked for.

    Two sums over cells move together as far as both medians follow the shared row. A median follows a row whose error
    has rank u with chance c (u (1 - u))**((rows - 1) / 2), whatever the law; this is rows times the mean square of it.
    """
    binomial = math.comb(rows - 1, rows // 2)
    return rows * binomial**2 * math.factorial(rows - 1) ** 2 / math.factorial(2 * rows - 1)
