"""How likely a number is above zero, against laws that are known in closed form."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

from discreet.numbers.signs import chance_above_zero


def test_normal_and_laplace_noise() -> None:
    for size in (0.1, 0.7, 1.5, 3.0, 6.0):
        assert chance_above_zero(2 * size, 4.0, 0.0) == pytest.approx(NormalDist().cdf(size))
        laplace = 1 - math.exp(-math.sqrt(2) * size) / 2
        assert chance_above_zero(2 * size, 4.0, 3.0) == pytest.approx(laplace)
        assert chance_above_zero(-2 * size, 4.0, 3.0) == pytest.approx(1 - laplace)


def test_the_sum_of_two_laplace_variables() -> None:
    """Of scale 1 each: Pr[sum > x] = (2 + x) / 4 exp(-x), variance 4, excess kurtosis 3/2."""
    for x in (0.2, 1.0, 3.0, 8.0):
        assert chance_above_zero(x, 4.0, 1.5) == pytest.approx(1 - (2 + x) / 4 * math.exp(-x), abs=2e-5)


def test_without_noise_the_sign_is_known() -> None:
    assert [chance_above_zero(number, 0.0, 3.0) for number in (2.0, -1.0, 0.0)] == [1.0, 0.0, 0.5]
    assert chance_above_zero(1e6, 1.0, 1.0) == pytest.approx(1.0)
