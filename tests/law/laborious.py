"""What the law tests of the sparse methods share: the laborious approach, cell by cell, as the paper defines it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.table.table_sparse import Sparse
from discreet.noise import Noise, Rule
from discreet.numbers.intervals import Real
from discreet.privacy import Unit
from tests.laplace_law import LaplaceLaw

BITS = 256


class InTurn(Noise):
    """Tables come in three stretches, which are worked on one after the other: threads would take longer."""

    @property
    def cores(self) -> int:
        return 3

    def side_by_side(self, work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        return [work(item) for item in items]


def method(name: str, cells: int, scale: Fraction, **parameters: Any) -> Sparse:
    schema = discreet.Schema(cell=discreet.Ordinal(1, cells))
    task = discreet.Table(["cell"], method=name, **parameters)
    made = mechanism_for(task, Request(schema, Unit(), 1 / scale, dict(task.parameters)))
    assert isinstance(made, Sparse)
    return made


def rule_of(made: Sparse) -> Rule:
    return Rule(made.alpha, getattr(made, "theta", 1), getattr(made, "tau", None), made.two_sided)


def keeping(value: int, rule: Rule) -> Fraction:
    """The chance that a cell of this noisy count enters the summary."""
    strength = abs(value) if rule.two_sided else value
    if strength < rule.theta:
        return Fraction(0)
    return Fraction(1) if rule.limit is None else min(Fraction(strength) / rule.limit, Fraction(1))


def certified(real: Real) -> Fraction:
    """A number to 256 bits, from below."""
    return Fraction(real.bracket(BITS).low, 1 << BITS)


def closed_form(rule: Rule) -> float:
    """The paper's p_{theta, tau}, true for whole tau only: with real tau it forgets that sums end at floor(tau)."""
    a, theta, tau = float(rule.alpha.fraction), rule.theta, float(rule.limit or 0)
    p: float = 2 / (tau * (1 - a * a)) * (theta * a**theta - (theta - 1) * a ** (theta + 1) - a ** (tau + 1))
    return p if rule.two_sided else p / 2


def value_law(count: int, rule: Rule) -> tuple[int, NDArray[np.float64], float]:
    """Of a cell's value in the summary: the first listed, the probabilities from it on, and that of still lower ones.

    Zero stands for a cell that is not in the summary. Beyond the list every value is kept.
    """
    law = LaplaceLaw(rule.alpha)
    reach = count + rule.theta + math.ceil(rule.limit or 0) + int(14 / law.rate)
    values = np.arange(-reach, count + reach + 1)
    p = law.pmf(values - count) * [float(keeping(v, rule)) for v in values.tolist()]
    below = float(law.tail(count + reach + 1)) if rule.two_sided else 0.0
    p[reach] = 1 - math.fsum(p) - below - float(law.tail(reach + 1))
    return -reach, p, below
