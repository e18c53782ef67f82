"""The least or the most that a sum of some non-negative counts can be, when sums of others lie between known ends.

A linear programme for each question: atoms x >= 0, rows low <= M x <= high, and the sum of some atoms to be made large
or small. Solved by the dual simplex method, which starts from a bound that holds and tightens it with every step, so
that it may be stopped at any time: what it has then is still a bound.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel, light_kernel

#: pivots smaller than this are rounding
_TINY = 1e-9
#: how much of the largest number a bound gives way for rounding
_ROUNDING = 1e-10


@kernel
def _pivot(tableau: Floats, row: int, column: int) -> None:
    """The row's variable and the column's change places."""
    rows, columns = tableau.shape
    inverse = 1.0 / tableau[row, column]
    for k in range(columns):
        tableau[row, k] *= inverse
    tableau[row, column] = inverse
    for i in range(rows):
        if i == row:
            continue
        factor = tableau[i, column]
        if factor == 0.0:
            continue
        for k in range(columns):
            if k != column:
                tableau[i, k] -= factor * tableau[row, k]
        tableau[i, column] = -factor * inverse


@kernel
def _most(members: Floats, low: Floats, high: Floats, weights: Floats, steps: int) -> tuple[float, bool]:
    """An upper bound of the weighted sum of atoms, and whether any atoms fit at all. Row 0 has every atom."""
    rows, atoms = members.shape
    # slack = right - row . x; the last row is the goal, the last column the right-hand side
    tableau = np.zeros((2 * rows + 1, atoms + 1))
    largest = 0.0
    for i in range(rows):
        tableau[2 * i, :atoms], tableau[2 * i, atoms] = members[i], high[i]
        tableau[2 * i + 1, :atoms], tableau[2 * i + 1, atoms] = -members[i], -low[i]
        largest = max(largest, high[i])
    tableau[2 * rows, :atoms] = -weights
    best = int(np.argmax(weights))
    if weights[best] > 0.0:
        _pivot(tableau, 0, best)  # all records in the heaviest atom: from here on the goal is an upper bound
    for _ in range(steps):
        row = int(np.argmin(tableau[: 2 * rows, atoms]))
        if tableau[row, atoms] >= -_ROUNDING * (1.0 + largest):
            break
        column, least = -1, np.inf
        for k in range(atoms):
            if tableau[row, k] < -_TINY:
                ratio = max(tableau[2 * rows, k], 0.0) / -tableau[row, k]
                if ratio < least - _TINY or (ratio < least + _TINY and tableau[row, k] < tableau[row, column]):
                    column, least = k, min(ratio, least)
        if column < 0:
            return 0.0, False
        _pivot(tableau, row, column)
    return tableau[2 * rows, atoms] + _ROUNDING * largest, True


def _steps_of(members: Floats, low: Floats, *_: object) -> int:
    """About how many steps all programmes take, both ways."""
    rows, atoms = members.shape
    return int(8 * rows * rows * atoms * len(low))


@light_kernel(_steps_of, 2**18)
def linear_bounds(
    members: Floats, low: Floats, high: Floats, asked: Floats, steps: int, least: Floats, most: Floats, fits: Ints
) -> None:
    """For every question (a row of `low` and `high`) the least and the most that the `asked` atoms can hold.

    members[i, a] is 1 if atom a is part of sum i; all are part of sum 0. fits[q] is 0 if no counts fit the ends.
    """
    for q in range(low.shape[0]):
        above, fits_above = _most(members, low[q], high[q], asked, steps)
        below, fits_below = _most(members, low[q], high[q], -asked, steps)
        fits[q] = fits_above and fits_below
        least[q], most[q] = max(-below, 0.0), max(above, 0.0)
