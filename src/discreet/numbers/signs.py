"""How likely a number is above zero that was measured with noise of a known law.

Noise alone does not say: of numbers that are all tiny, half are on the wrong side of zero, however far out the noise
put some of them. So a law of such numbers is needed, and it is not known. It is taken to be normal around zero, or a
mixture of two or three normal laws, of any widths from far below the noise to far above it; or all of them, or most,
are so small that they cannot be told from zero. What was measured, of this number and of others like it if there are
any, says which of these laws are likely; and Bayes' rule does the rest.
Many others leave one law, few leave several, none leave all: there is no number of others from which on they count.
Whole numbers that are not zero are at least one away from it, so no law of them is narrower than that.

Noise is taken as a normal law whose variance is itself drawn, from a gamma law: so are sums of equal Laplace variables.
Sums of normal laws being normal, all integrals but that over the variance are in closed form.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from discreet.numbers.spreads import LAPLACE_KURTOSIS

Floats = NDArray[np.float64]
#: widths of normal laws of the true numbers, in standard deviations of the noise; first that of none to speak of
_WIDTHS: Floats = np.append(0.0, np.exp2(np.arange(-7, 9, dtype=np.float64)))
#: how likely laws are before anything is seen: by how many widths above zero they have, whether zero is one more, and
#: how much each width may weigh in them, the smallest first
_MIXTURES = (
    (0.125, 0, True, ((1.0,),)),
    (0.375, 1, True, ((0.5, 0.5), (0.8, 0.2), (0.95, 0.05), (0.99, 0.01))),
    (0.25, 1, False, ((1.0,),)),
    (0.1875, 2, False, ((0.2, 0.8), (0.5, 0.5), (0.8, 0.2), (0.95, 0.05))),
    (0.0625, 3, False, ((0.34, 0.33, 0.33), (0.6, 0.3, 0.1), (0.8, 0.15, 0.05), (0.9, 0.08, 0.02))),
)
#: variances of the noise at which integrals are summed up
_PLACES = 48
_NORMAL = 1e-3


def chance_above_zero(value: float, variance: float, kurtosis: float) -> float:
    """Pr[noise < value] for symmetric noise of this variance and excess kurtosis: of numbers that may be anything."""
    if variance <= 0:
        return 0.5 + 0.5 * float(np.sign(value))
    parts, shares = _variances(kurtosis)
    above = float(shares @ _normal(abs(value) / np.sqrt(variance * parts)))
    return above if value > 0 else 1 - above


def chance_among(
    value: float, variance: float, kurtosis: float, others: Floats, variances: Floats, worth: float, step: float = 0.0
) -> float:
    """The same of a number that is one of many: `others`, which tell as much as `worth` independent ones.

    It is not zero, and no nearer to zero than `step`. Others may be.
    """
    alone = chance_above_zero(value, variance, kurtosis)
    if variance <= 0:
        return alone
    parts, shares = _variances(kurtosis)
    deviation = math.sqrt(variance)
    size = abs(value) / deviation
    widths = np.maximum(_WIDTHS, step / deviation)[:, None]
    wide = widths**2 + parts
    likely = shares * _density(size, wide)
    above = likely * _normal(size * widths / np.sqrt(parts * wide))
    laws, before = _laws()
    weights = (before * _fit(others / deviation, variances / variance, kurtosis, worth)) @ laws
    total = float(weights @ likely.sum(axis=1))
    if total <= 0:  # further out than any law has it
        return alone
    # a law around zero can only make it less certain (G. Casella and R. Berger, 1987): this keeps it so in all digits
    among = min(float(weights @ above.sum(axis=1)) / total, max(alone, 1 - alone))
    return among if value > 0 else 1 - among


def _fit(others: Floats, variances: Floats, kurtosis: float, worth: float) -> Floats:
    """How likely what was measured of others is by each law."""
    laws, _ = _laws()
    if not others.size:
        return np.ones(len(laws))
    parts, shares = _variances(kurtosis)
    wide = _WIDTHS[:, None] ** 2 + variances[:, None, None] * parts
    sizes = np.minimum(np.abs(others), 2 * _WIDTHS[-1])
    likely = _density(sizes[:, None, None], wide) @ shares
    logs = np.log(likely @ laws.T + 1e-300).sum(axis=0) * (worth / others.size)
    return np.asarray(np.exp(logs - logs.max()))


@lru_cache(maxsize=1)
def _laws() -> tuple[Floats, Floats]:
    """The weights of widths in each law, and how likely that law is before anything is seen."""
    single = np.eye(_WIDTHS.size)
    laws, before = [], []
    for likely, many, with_zero, mixtures in _MIXTURES:
        widths = combinations(range(1, _WIDTHS.size), many)
        chosen = np.array([single[[*([0] if with_zero else []), *some]] for some in widths])
        laws.append(np.concatenate([np.asarray(mixed) @ chosen for mixed in mixtures]))
        before.append(np.full(len(laws[-1]), likely / len(laws[-1])))
    return np.concatenate(laws), np.concatenate(before)


@lru_cache(maxsize=256)
def _variances(kurtosis: float) -> tuple[Floats, Floats]:
    """Of noise of variance 1: the variances of the normal laws that it is a mixture of, and their shares."""
    if kurtosis < _NORMAL:
        return np.ones(1), np.ones(1)
    shape = LAPLACE_KURTOSIS / kurtosis
    low = math.log(shape) - min(16.0, 9 / math.sqrt(shape))
    high = math.log(shape + 8 * math.sqrt(shape) + 24)
    logs = np.linspace(low, high, _PLACES)
    density = shape * logs - np.exp(logs)
    shares = np.exp(density - density.max())
    shares /= shares.sum()
    parts = np.exp(logs)
    return parts / float(shares @ parts), shares


def _density(sizes: Floats | float, variances: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * np.square(sizes) / variances) / np.sqrt(variances))


def _normal(sizes: Floats) -> Floats:
    """The normal law below each of these."""
    return np.asarray(1 - np.asarray(_beyond(sizes / math.sqrt(2)), np.float64) / 2)


_beyond = np.frompyfunc(math.erfc, 1, 1)
