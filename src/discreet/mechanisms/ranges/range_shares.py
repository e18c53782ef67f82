"""How epsilon is best shared among levels of blocks, given what questions ask of each.

With P_k a question made even within the blocks of level k, t_k the mean of |P_k|^2 - |P_(k-1)|^2 over questions, and
s_k the cells of a block, least squares has the mean error sum_k t_k / (sum over j >= k of s_j e_j^2), in units of the
variance of noise that has all of epsilon. The shares e_k are those of the least error.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: shares are whole multiples of this
STEP = Fraction(1, 1000)
#: no level has less (unless there are very many), so that no question has an error beyond all others
LEAST = Fraction(1, 50)
_ROUNDS = 60


def best_shares(asked: Floats, cells: Floats) -> tuple[Floats, Floats]:
    """The shares of each row of t_k and s_k, and their error.

    The slope along e_j is w_j / e_j with w_j = s_j e_j^2 (sum over k <= j of t_k / information_k^2), so at the best
    shares w is in proportion to e. If each level were alone, e^(2/3) w^(1/3) would be right at once; it soon is.
    """
    shares = np.full(asked.shape, 1 / asked.shape[1])
    for _ in range(_ROUNDS):
        squares = cells * shares**2
        slopes = squares * np.cumsum(asked / _from_below(squares) ** 2, axis=1)
        shares = np.cbrt(shares**2 * slopes / slopes.sum(axis=1, keepdims=True))
        shares = _lifted(shares / shares.sum(axis=1, keepdims=True))
    return shares, (asked / _from_below(cells * shares**2)).sum(axis=1)


def _lifted(shares: Floats) -> Floats:
    """Shares of which none is below the least; what that takes the others give in proportion."""
    least = min(float(LEAST), 1 / (2 * shares.shape[1]))
    low = shares < least
    others = np.where(low, 0.0, shares)
    left = 1 - least * low.sum(axis=1, keepdims=True)
    return np.asarray(np.where(low, least, others * (left / others.sum(axis=1, keepdims=True))))


def _from_below(squares: Floats) -> Floats:
    """The information that each level and those below it have."""
    return np.asarray(np.cumsum(squares[:, ::-1], axis=1)[:, ::-1])


def as_fractions(shares: Floats) -> list[Fraction]:
    """Multiples of `STEP` that add up to 1."""
    steps = shares / float(STEP)
    whole = np.floor(steps).astype(np.int64)
    missing = STEP.denominator - int(whole.sum())
    whole[np.argsort(whole - steps, kind="stable")[:missing]] += 1
    return [int(count) * STEP for count in whole]
