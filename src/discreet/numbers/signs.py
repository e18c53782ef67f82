"""How likely a number is above zero that was measured with noise of a known law, if nothing else is known of it."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from discreet.numbers.spreads import LAPLACE_KURTOSIS

#: in standard deviations; beyond it the law with the heaviest tail is taken
_FAR = 16.0
_ANGLES = np.arange(1, 1 << 13) * (math.pi / 64)


def chance_above_zero(value: float, variance: float, kurtosis: float) -> float:
    """Pr[noise < value] for symmetric noise of this variance and excess kurtosis: a sum of equal Laplace variables."""
    if variance <= 0:
        return 0.5 + 0.5 * float(np.sign(value))
    size, share = abs(value) / math.sqrt(variance), min(kurtosis, LAPLACE_KURTOSIS) / LAPLACE_KURTOSIS
    if share >= 1 or size > _FAR:
        above = 1 - math.exp(-math.sqrt(2) * size) / 2
    elif share < 1e-3:
        above = NormalDist().cdf(size)
    else:
        characteristic = np.exp(-np.log1p(share * _ANGLES**2 / 2) / share)
        step = float(_ANGLES[0])
        within = step / math.pi * (size + 2 * float((np.sin(size * _ANGLES) / _ANGLES * characteristic).sum()))
        above = 0.5 + min(max(within, 0.0), 1.0) / 2
    return above if value > 0 else 1 - above
