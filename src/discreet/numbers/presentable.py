"""Counts to show: whole numbers, none below zero, whose parts add up to their total.

The nearest such numbers to noisy ones, where an error counts for less the noisier its number is: v becomes
max(v - t V, 0), V its variance, with the one t at which they add up to the total (a projection). Setting negative ones
to zero instead would make sums too high. Then whole numbers: all are rounded down, and those that lost most get one
more until they add up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.siblings import share_out

Floats = NDArray[np.float64]


def whole_total(value: float) -> int:
    return max(round(float(value)), 0)


def adding_up(values: Floats, variances: Floats, total: int) -> NDArray[np.int64]:
    """Whole numbers of at least zero with this sum."""
    if not values.size:
        return np.zeros(0, np.int64)
    parts = projected(values, np.maximum(variances, 1e-12), float(total))
    whole = np.floor(parts + 1e-9).astype(np.int64)
    missing = total - int(whole.sum())
    order = np.argsort(whole - parts, kind="stable")
    each, some = divmod(max(missing, 0), values.size)
    whole += each
    whole[order[:some]] += 1
    return whole


def adding_up_in_groups(
    values: Floats, variances: Floats, total: int, group: NDArray[np.int64], sums: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The same, where those of some groups have a sum of their own (`sums`; -1: none)."""
    whole, free = np.zeros(values.size, np.int64), sums[group] < 0
    for one in np.unique(group[~free]).tolist():
        mine = group == one
        whole[mine] = adding_up(values[mine], variances[mine], int(sums[one]))
    rest = max(total - int(whole.sum()), 0)
    whole[free] = adding_up(values[free], variances[free], rest)
    return whole


def projected(values: Floats, variances: Floats, total: float) -> Floats:
    """max(v - t V, 0) with the sum `total`, to the last digit; of nothing, nothing."""
    if not values.size:
        return values.copy()
    parts = np.empty_like(values)
    share_out(0, values, variances, total, parts)
    return parts * (total / parts.sum()) if total > 0 else parts
