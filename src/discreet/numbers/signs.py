"""How likely a number is above zero that was measured with noise of a known law.

If nothing else is known of it, that is how likely the noise is below what was measured. If there are other numbers like
it, these tell how far from zero such numbers are: their law is fitted as a mixture of normal ones around zero, of many
widths (M. Stephens, "False discovery rates: a new deal", 2017), and Bayes' rule does the rest.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.spreads import LAPLACE_KURTOSIS

Floats = NDArray[np.float64]
#: in standard deviations; beyond it the law with the heaviest tail is taken
_FAR = 16.0
_ANGLES = np.arange(1, 1 << 13) * (math.pi / 64)
#: widths of the normal laws that are mixed, in standard deviations of the noise
_WIDTHS: Floats = np.exp2(np.arange(-4, 9, dtype=np.float64))
#: what all widths together weigh before anything is seen, in numbers seen
_BEFORE = 0.1
#: numbers of nearly one size are taken together in so many runs
_RUNS, _STEPS = 64, 400


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


def chance_among(
    value: float, variance: float, kurtosis: float, others: Floats, variances: Floats, worth: float
) -> float:
    """The same, if it is one of many such numbers: `others`, which tell as much as `worth` independent ones."""
    deviation = math.sqrt(max(variance, 1e-12))
    noise = np.sqrt(np.maximum(variances, 1e-12))
    shares = _fitted(others / noise, kurtosis, worth)
    # widths are multiples of the typical noise of the others
    places, each = _places(_WIDTHS * float(np.median(noise)) / deviation)
    likely = _density(value / deviation - places, kurtosis)
    weights = (shares[:, None] * each).sum(axis=0) * likely
    total, alone = float(weights.sum()), chance_above_zero(value, variance, kurtosis)
    if total <= 0 or abs(value) > _FAR * deviation:
        return alone
    among = float(weights[places > 0].sum()) / total
    # around zero others can only make it less certain (G. Casella and R. Berger, 1987): this keeps it so in all digits
    return min(among, alone) if value > 0 else max(among, alone)


def _fitted(sizes: Floats, kurtosis: float, worth: float) -> Floats:
    """The shares of the mixture that make these most likely; none is ruled out."""
    places, each = _places(_WIDTHS)
    runs = np.array_split(np.sort(np.minimum(np.abs(sizes), 1e4)), min(_RUNS, sizes.size))
    typical, many = (np.array([of(run) for run in runs], np.float64) for of in (np.mean, len))
    likely = _density(typical[:, None] - places, kurtosis) @ each.T + 1e-300
    shares = np.full(_WIDTHS.size, 1 / _WIDTHS.size)
    for _ in range(_STEPS):
        belongs = shares * likely
        shares = (many / sizes.size / belongs.sum(axis=1)) @ belongs * worth + _BEFORE / _WIDTHS.size
        shares /= shares.sum()
    return shares


def _places(widths: Floats) -> tuple[Floats, Floats]:
    """Places on either side of zero, closer together near it; how likely each is, for normal laws of these widths."""
    half = np.sinh(np.linspace(0.0, 9.0, 200)[1:]) / 60
    places = np.concatenate([-half[::-1], half])
    room = np.gradient(places)
    each = np.exp(-0.5 * (places / widths[:, None]) ** 2) * room
    return places, each / each.sum(axis=1, keepdims=True)


def _density(sizes: Floats, kurtosis: float) -> Floats:
    """Of noise of variance 1: between a normal and a Laplace law, so that the kurtosis is right."""
    share = min(max(kurtosis / LAPLACE_KURTOSIS, 0.0), 1.0)
    normal = np.exp(-0.5 * sizes**2) / math.sqrt(2 * math.pi)
    laplace = np.exp(-math.sqrt(2) * np.abs(sizes)) / math.sqrt(2)
    return np.asarray((1 - share) * normal + share * laplace)
