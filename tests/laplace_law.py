"""The discrete Laplace law with its probabilities, exactly and in floats, and whether a sample has it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.laws import DiscreteLaplace
from tests.statistics import Agreement, compare_law


class LaplaceLaw(DiscreteLaplace):
    def exact_pmf(self, x: int) -> Fraction:
        a = self.alpha.fraction
        return (1 - a) / (1 + a) * a ** abs(x)

    def pmf(self, x: NDArray[np.int64] | int) -> NDArray[np.float64]:
        return np.asarray(math.tanh(self.rate / 2) * np.exp(-self.rate * np.abs(np.asarray(x, np.float64))))

    def exact_tail(self, x: int) -> Fraction:
        """Pr[X >= x]."""
        a = self.alpha.fraction
        return a**x / (1 + a) if x > 0 else 1 - a ** (1 - x) / (1 + a)

    def tail(self, x: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """Pr[X >= x]."""
        at = np.asarray(x, np.float64)
        upper = np.exp(-self.rate * np.where(at > 0, at, 1 - at)) / (1 + math.exp(-self.rate))
        return np.where(at > 0, upper, 1 - upper)


def exceeds(scale: Fraction, draws: int, reach: int) -> float:
    """The chance that so many draws add up to more, by adding one after the other."""
    side = int(40 * scale)
    one, law = LaplaceLaw.of(scale).pmf(np.arange(-side, side + 1)), np.ones(1)
    for _ in range(draws):
        law = np.convolve(law, one)
    return float(law[law.size // 2 + reach + 1 :].sum())


def follows_laplace(sample: NDArray[np.int64], scale: Fraction) -> Agreement:
    """Looks at bins of a quarter of the scale, or of one value, up to twelve scales on both sides, and beyond."""
    width = max(1, int(float(scale) / 4))
    side = int(12 * float(scale) / width) + 2
    tails = LaplaceLaw.of(scale).tail(np.arange(-side, side + 1) * width)
    binned = np.floor_divide(sample.reshape(-1), width)
    return compare_law(binned, -side, tails[:-1] - tails[1:], below=float(1 - tails[0]))
