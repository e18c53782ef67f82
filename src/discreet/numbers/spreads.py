"""Half-widths for weighted sums of discrete Laplace noise, from their variance and their excess kurtosis.

With all noise scales well above 1 such a sum behaves as one of Laplace variables. Given variance and kurtosis, these
range from equal weights (a variance-gamma law) to one large weight among many small ones (Laplace plus normal); the
wider of the two is taken. That no sum of other weights is wider is not proved but tested, against exact laws.
The kurtosis may be an upper bound: the widest of all laws of less kurtosis is taken (at low levels a normal one is).
Beyond a level of 0.9999 a proved (Chernoff) bound takes over; and where noise scales are so small that single steps
of the noise show, a proved bound by the fourth moment.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LAPLACE_KURTOSIS = 3.0
#: discrete noise with more kurtosis than this (a scale below about 1) is no longer like Laplace noise
COARSE = 3.5
_TABLED_LEVEL = 0.9999
_KURTOSES = np.linspace(0.0, LAPLACE_KURTOSIS, 25)
_ANGLES = np.arange(1, 1 << 14) * (math.pi / 64)
#: for interpolation, and for mixtures between the two families: both stay below 0.13 %
_MARGIN = 1 + 1.5e-3


def half_widths(variance: Floats, fourth: Floats, smallest_scale: float, level: float) -> Floats:
    """h with Pr[|sum| <= h] >= level, given the variance of each sum and its fourth cumulant, or more than that.

    `smallest_scale` is the least of the draws that are added up, before they are weighted: how far apart the steps of
    the noise may be follows from it.
    """
    safe = np.where(variance > 0, variance, 1.0)
    kurtosis = np.maximum(fourth / safe**2, 0.0)
    deviation = np.sqrt(np.maximum(variance, 0.0))
    if level <= _TABLED_LEVEL:
        multiples = np.interp(np.minimum(kurtosis, LAPLACE_KURTOSIS), _KURTOSES, _tabled(level))
    else:
        multiples = _chernoff(np.minimum(kurtosis, LAPLACE_KURTOSIS), level)
    # noise comes in steps of one: half a step is lost even if all weights are equal, more if one of them dominates
    shown = np.maximum(np.sqrt(kurtosis / LAPLACE_KURTOSIS), 0.5)
    step = shown * np.sqrt(fourth / (6 * safe)) / smallest_scale
    smooth = deviation * multiples * _MARGIN + step
    coarse = deviation * ((3 + kurtosis) / (1 - level)) ** 0.25
    return np.asarray(np.where(kurtosis > COARSE, coarse, smooth))


@lru_cache(maxsize=64)
def _tabled(level: float) -> Floats:
    """Quantiles of the absolute value, in standard deviations, for any kurtosis up to each of the tabled ones."""
    normal, laplace = NormalDist().inv_cdf(0.5 + level / 2), -math.log(1 - level) / math.sqrt(2)
    guess = normal + (laplace - normal) * _KURTOSES[1:-1] / LAPLACE_KURTOSIS
    equal, mixed = (_quantiles(law, guess, level) for law in _characteristics())
    return np.maximum.accumulate(np.concatenate([[normal], np.maximum(equal, mixed), [laplace]]))


@lru_cache(maxsize=1)
def _characteristics() -> tuple[Floats, Floats]:
    """Of equal weights, and of one large weight among many small ones: a row for each kurtosis, at all angles."""
    share = _KURTOSES[1:-1, None] / LAPLACE_KURTOSIS
    equal = np.exp(-np.log1p(share * _ANGLES**2 / 2) / share)
    one = np.sqrt(share)  # this part of the variance in one Laplace term
    return equal, np.exp(-(1 - one) * _ANGLES**2 / 2) / (1 + one * _ANGLES**2 / 2)


def _quantiles(characteristic: Floats, guess: Floats, level: float) -> Floats:
    """h with Pr[|Z| <= h] = level, by Newton's method on the inverted characteristic function of a symmetric law.

    Sums of cos(j x) and sin(j x) over all j = many a + b follow from those of many a x and of b x.
    """
    step, many = _ANGLES[0], math.isqrt(_ANGLES.size + 1)
    square = (len(guess), many, many)
    both = np.zeros((2, len(guess), _ANGLES.size + 1))  # nothing at j = 0
    both[0, :, 1:], both[1, :, 1:] = characteristic / _ANGLES, characteristic
    sines, cosines = both[0].reshape(square), both[1].reshape(square)
    found = guess
    for _ in range(5):
        angle = step * found[:, None] * np.arange(many)
        small = np.stack([np.cos(angle), np.sin(angle)], axis=2)
        large = np.cos(many * angle), np.sin(many * angle)
        of_sines, of_cosines = sines @ small, cosines @ small
        within = step / math.pi * (found + 2 * (large[1] * of_sines[..., 0] + large[0] * of_sines[..., 1]).sum(axis=1))
        density = step / math.pi * (1 + 2 * (large[0] * of_cosines[..., 0] - large[1] * of_cosines[..., 1]).sum(axis=1))
        found = found + (level - within) / density
    return found


def _chernoff(kurtosis: Floats, level: float) -> Floats:
    """The least h with 2 exp(-t h) E exp(t Z) <= 1 - level for some t.

    For weights y (shares of the variance, none above r, the root of the sum of their squares) the logarithm of
    E exp(t Z) is the sum of -log(1 - y t**2 / 2), which is convex in y and so at most -log(1 - r t**2 / 2) / r.
    """
    root = np.sqrt(np.maximum(kurtosis, 1e-9) / LAPLACE_KURTOSIS)[:, None]
    angles = np.sqrt(2 / root) * np.linspace(0.002, 0.9999, 800)[None, :]
    needed = math.log(2 / (1 - level)) - np.log1p(-root * angles**2 / 2) / root
    return np.asarray((needed / angles).min(axis=1))
