"""Which counts are called unreliable: those whose relative error is above a threshold. Presentation only.

The relative error is the larger of `stderr` and the reach of the interval, as a standard error, over the count: where
`stderr` is a guess, or hidden counts make an interval wide, the interval decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter

FLAG = "flag"
#: flags are the same whichever intervals are asked for
FLAG_LEVEL = 0.95
UNRELIABLE = "unreliable"
_MOST_BANDS = 8
_EXAMPLE = "0.3, or { caution = 0.25, unreliable = 0.5 }"

Thresholds = dict[str, float]


def read_thresholds(given: Any) -> Thresholds | None:
    """By flag, the relative error above which a count carries it, lowest first; one number means "unreliable"."""
    if given is None:
        return None
    bands = given if isinstance(given, Mapping) else {UNRELIABLE: given}
    if not 0 < len(bands) <= _MOST_BANDS:
        raise BadParameter(f"reliable: must be such as {_EXAMPLE}, with at most {_MOST_BANDS} flags")
    for name, error in bands.items():
        if not isinstance(name, str) or not name.strip():
            raise BadParameter(f"reliable: a flag must be a word, not {name!r}; such as {_EXAMPLE}")
        if isinstance(error, bool) or not isinstance(error, int | float) or not 0 < error < float("inf"):
            raise BadParameter(f"reliable: a relative error is a number above 0, not {error!r}; such as {_EXAMPLE}")
    return {name: float(error) for name, error in sorted(bands.items(), key=lambda band: band[1])}


def relative_errors(value: Any, stderr: Any, low: Any, high: Any) -> NDArray[np.float64]:
    """Of counts with their intervals at FLAG_LEVEL; infinite where nothing is known of a count, 0 if it is exact."""
    value, stderr, low, high = (np.asarray(one, np.float64) for one in (value, stderr, low, high))
    reach = np.maximum(high - value, value - low) / NormalDist().inv_cdf(0.5 + FLAG_LEVEL / 2)
    error = np.fmax(stderr, reach)
    positive = value > 0
    return np.asarray(np.where(error == 0, 0.0, np.where(positive, error / np.where(positive, value, 1.0), np.inf)))


def flags(errors: NDArray[np.float64], thresholds: Thresholds) -> list[str]:
    """Of each count the flag of the highest threshold that it passes; "" if it passes none."""
    names = ["", *thresholds]
    return [names[place] for place in np.searchsorted(list(thresholds.values()), errors, side="left").tolist()]


def legend(thresholds: Thresholds) -> str:
    """What flags mean, in words."""
    return ", ".join(f"{name}: relative error above {100 * error:.3g} %" for name, error in thresholds.items())
