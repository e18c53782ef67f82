"""The whole law of `geometric` on a tiny domain, over all neighbours, in fractions; a lower bound on its epsilon."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.privacy import Unit, exp_negative
from discreet.private.open_data import from_counts
from tests.laplace_law import LaplaceLaw
from tests.statistics import share

SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 1), y=discreet.Ordinal(0, 1))
TASK = discreet.Table(["x", "y"])
Ints = NDArray[np.int64]


def neighbours(unit: Unit) -> list[tuple[int, ...]]:
    """Every change of the four cells that one unit can make."""
    rows = unit.max_rows or 1
    added = [v for v in product(range(rows + 1), repeat=4) if sum(v) <= rows]
    if unit.neighbours == "add-remove":
        return [*added, *(tuple(-x for x in v) for v in added)]
    return [tuple(a - b for a, b in zip(v, w, strict=True)) for v in added for w in added]


@pytest.mark.parametrize("unit", [Unit(), Unit(neighbours="replace"), Unit("u", max_rows=2)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(37, 100)])
def test_no_output_tells_more_than_epsilon_between_any_neighbours(unit: Unit, epsilon: Fraction) -> None:
    """max over outputs of Pr[z | T] / Pr[z | T'] is alpha**-distance per cell: compared with exp(epsilon) exactly."""
    request = Request(SCHEMA, unit, epsilon)
    mechanism = mechanism_for(TASK, request)
    law = LaplaceLaw(mechanism.alpha)  # type: ignore[attr-defined]
    exp_epsilon = 1 / Fraction(exp_negative(epsilon, 200)[1], 2**200)  # a lower bound on exp(epsilon)
    worst = Fraction(0)
    for change in neighbours(unit):
        ratio = Fraction(1)
        for step in change:
            ratio *= max(law.exact_pmf(z) / law.exact_pmf(z - step) for z in range(-4, 5))
        worst = max(worst, ratio)
    assert worst <= exp_epsilon
    assert worst >= exp_epsilon * (1 - Fraction(1, 10**15))  # and nothing is given away


def test_planted_replace_charged_as_add_remove_is_caught() -> None:
    """A mechanism that took the scale of add-remove would pass exp(epsilon) on a replaced record."""
    epsilon = Fraction(1, 2)
    law = LaplaceLaw.of(1 / epsilon)
    exp_epsilon = 1 / Fraction(exp_negative(epsilon, 200)[0], 2**200)
    worst = max(
        math.prod([max(law.exact_pmf(z) / law.exact_pmf(z - step) for z in range(-4, 5)) for step in change])
        for change in neighbours(Unit(neighbours="replace"))
    )
    assert worst > exp_epsilon


def epsilon_lower_bound(first: Ints, second: Ints) -> float:
    """The largest epsilon that two samples of one noisy cell prove, over half-lines and points, both directions.

    Each share is moved to the edge of its Hoeffding interval at the Bonferroni level.
    """
    values = np.arange(-20, 32)
    events = []
    for sample in (first, second):
        points = np.array([np.mean(sample == v) for v in values])
        events.append(np.concatenate([points, np.cumsum(points), 1 - np.cumsum(points)]))
    slack = np.sqrt(np.log(4 * events[0].size / share()) / (2 * first.size))
    best = 0.0
    for p, q in (events, events[::-1]):
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.log(np.maximum(p - slack, 0) / (q + slack))
        best = max(best, float(np.nanmax(bound)))
    return best


def noisy_cell(count: int, epsilon: str, n: int) -> Ints:
    schema = discreet.Schema(x=discreet.Ordinal(1, n))
    codes = np.arange(n)[:, None]
    data = from_counts(schema, codes, np.full(n, count))
    return np.asarray(data.publish(discreet.Table(["x"], method="geometric"), epsilon).to_arrow()["count"], np.int64)


def test_the_epsilon_that_samples_prove_stays_below_the_stated_one() -> None:
    n = 400_000
    proved = epsilon_lower_bound(noisy_cell(5, "1", n), noisy_cell(6, "1", n))
    assert 0.9 < proved <= 1.0


def test_the_same_bound_catches_noise_at_half_the_scale() -> None:
    n = 400_000
    assert epsilon_lower_bound(noisy_cell(5, "2", n), noisy_cell(6, "2", n)) > 1.0
