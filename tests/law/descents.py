"""The law of noise-down from its definition, as matrices over a window, and paths of answers put together again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Descent, Redraws
from discreet.noise.down import Down
from discreet.privacy import Alpha
from tests.laplace_law import LaplaceLaw

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def window(scale: Fraction) -> Ints:
    """All but about 1e-14 of the noise of a scale."""
    side = int(33 * scale) + 3
    return np.arange(-side, side + 1)


def transition(old: Fraction, new: Fraction, values: Ints) -> Floats:
    """Pr[column | row] for offsets from the count: old noise = new noise + Z, turned round by Bayes' rule."""
    narrow, wide = LaplaceLaw.of(new), LaplaceLaw.of(old)
    a, b = float(wide.alpha.fraction), float(narrow.alpha.fraction)
    nothing = b / a * ((1 - a) / (1 - b)) ** 2
    gap = values[:, None] - values[None, :]
    z = (1 - nothing) * wide.pmf(gap) + nothing * (gap == 0)
    return np.asarray(z * narrow.pmf(values)[None, :] / wide.pmf(values)[:, None])


def joint_law(scales: Sequence[Fraction], marks: Sequence[int], values: Ints) -> Floats:
    """Pr[offset at each of the marks], one axis for each, when the scale goes down step by step."""
    steps = [transition(old, new, values) for old, new in pairwise(scales)]
    law = LaplaceLaw.of(scales[0]).pmf(values)
    for mark in range(marks[0]):
        law = law @ steps[mark]
    for before, after in pairwise(marks):
        law = law[..., None] * reduce(np.matmul, steps[before:after], np.eye(values.size))
    return law


def scales_of(descent: Descent) -> list[Fraction]:
    return [descent.at(k) for k in range(descent.steps + 1)]


def after(start: Ints, redraws: Redraws, step: int) -> Ints:
    """Where the answers are after so many steps: the last redraw of each by then, or where it started."""
    values, by_then = start.copy(), redraws.step <= step
    values[redraws.answer[by_then]] = redraws.offset[by_then]  # of several the last one stays
    return values


def moved(down: Down, new: int, old: int) -> Fraction:
    """Pr[new | old] from the four moves of `noise.down`, each with its own geometric law, in fractions."""
    a_b, r, d = down.product, down.ratio, abs(old)
    new = new if old >= 0 else -new
    probability = down.keep * r**d if new == d else Fraction(0)
    if new >= d:
        return probability + down.outward * r**d * (1 - a_b) * a_b ** (new - d)
    if new < 0:
        return down.across * (1 - a_b) * a_b ** (-1 - new)
    inward = 1 - (down.keep + down.outward) * r**d - down.across
    return inward * (1 - r) * r**new / (1 - r**d)


def down(old: Fraction, new: Fraction) -> Down:
    return Down(Alpha.of(old), Alpha.of(new))
