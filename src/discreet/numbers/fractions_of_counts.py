"""The least and the most that a ratio of sums can be, if each count of disjoint parts lies in an interval of its own.

(n1 c1 + n2 c2 + ...) / (d1 c1 + d2 c2 + ...) with d and c not below zero is highest if the parts with the largest n / d
are as many as they can be and all others as few: one of as many cases as there are parts, and one more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: stands for a count without an upper end
_ENDLESS = 1e200


def fraction_bounds(over: Sequence[float], under: Sequence[float], low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Of each question (column), from the intervals of its parts (rows), which have these weights above and below."""
    n, d = np.array(over, np.float64), np.array(under, np.float64)
    low, high = np.clip(low, 0.0, _ENDLESS), np.clip(high, 0.0, _ENDLESS)
    return -_most(-n, d, low, high), _most(n, d, low, high)


def _most(n: Floats, d: Floats, low: Floats, high: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(d > 0, n / d, np.sign(n) * np.inf), kind="stable")
        best = np.full(low.shape[1], -np.inf)
        counts = low.copy()
        for part in [None, *order.tolist()]:
            if part is not None:
                counts[part] = high[part]
            top, bottom = n @ counts, d @ counts
            # nothing over nothing says nothing
            found = np.where(bottom > 0, top / bottom, np.where(top > 0, np.inf, -np.inf))
            best = np.maximum(best, found)
    best = np.where(np.abs(best) >= np.sqrt(_ENDLESS), np.copysign(np.inf, best), best)
    return np.where(np.abs(best) <= 1 / np.sqrt(_ENDLESS), 0.0, best)


def sum_bounds(weights: Sequence[float], low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The least and the most of a weighted sum of parts."""
    w = np.array(weights, np.float64)[:, None]
    with np.errstate(invalid="ignore"):
        ends = [np.nan_to_num(w * end, nan=0.0, posinf=np.inf, neginf=-np.inf) for end in (low, high)]
    return np.minimum(*ends).sum(axis=0), np.maximum(*ends).sum(axis=0)
