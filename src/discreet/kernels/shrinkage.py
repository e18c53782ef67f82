"""Thresholds for rows of noisy coefficients, such that what is left has the variance that the noise did not bring."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, kernel

_ROUNDS = 200


@kernel
def soft_thresholds(rows: Floats, noise: float, out: Floats) -> None:
    """theta with sum (|x| - theta)_+**2 = sum x**2 - (n - 1) * noise per row of n; the largest |x| if that is < 0.

    The left side is convex and falls from sum x**2, so Newton's method from 0 climbs to the root and never passes it.
    """
    for row in range(rows.shape[0]):
        total, largest = 0.0, 0.0
        for x in rows[row]:
            total += x * x
            largest = max(largest, abs(x))
        target = total - (rows.shape[1] - 1) * noise
        if target <= 0.0:
            out[row] = largest
            continue
        theta = 0.0
        for _ in range(_ROUNDS):
            square, line = 0.0, 0.0
            for x in rows[row]:
                over = abs(x) - theta
                if over > 0.0:
                    square += over * over
                    line += over
            if square - target <= 1e-13 * total or line <= 0.0:
                break
            theta += (square - target) / (2.0 * line)
        out[row] = theta


@kernel
def hard_thresholds(rows: Floats, noise: float, out: Floats) -> None:
    """The largest |x| that is dropped when the fewest are kept whose squares add up to sum x**2 - (n - 1) * noise.

    Of equal |x| all are kept if one is.
    """
    for row in range(rows.shape[0]):
        sizes = np.sort(np.abs(rows[row]))
        left = (sizes * sizes).sum() - (sizes.size - 1) * noise
        place = sizes.size
        while place > 0 and left > 0.0:
            place -= 1
            left -= sizes[place] * sizes[place]
        while 0 < place < sizes.size and sizes[place - 1] == sizes[place]:
            place -= 1
        out[row] = sizes[place - 1] if place > 0 else 0.0


@kernel
def shrink(rows: Floats, thresholds: Floats, soft: bool) -> None:
    for row in range(rows.shape[0]):
        theta = thresholds[row]
        for i in range(rows.shape[1]):
            x = rows[row, i]
            if abs(x) <= theta:
                rows[row, i] = 0.0
            elif soft:
                rows[row, i] = x - theta if x > 0.0 else x + theta
