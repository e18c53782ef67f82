"""How likely a number is above zero, against laws that are known in closed form."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from discreet.numbers.signs import chance_above_zero, chance_among


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


def among(value: float, others: list[float], worth: float = 40, kurtosis: float = 1.5) -> float:
    return chance_among(value, 4.0, kurtosis, np.array(others), np.full(len(others), 4.0), worth)


@pytest.mark.parametrize("kurtosis", [0.0, 1.5, 3.0])
def test_others_make_it_less_certain(kurtosis: float) -> None:
    """The more so the nearer to zero they are."""
    noise = [2 * NormalDist().inv_cdf(place / 200) for place in range(1, 200)]
    for value in (2.0, 5.0, 9.0):
        alone = chance_above_zero(value, 4.0, kurtosis)
        near, further, wide = (among(value, [times * one for one in noise], 200, kurtosis) for times in (1, 3, 100))
        assert 0.5 <= near < further <= alone
        assert wide == pytest.approx(alone, abs=0.02)
        assert among(-value, [5.0, -3.0], 1, kurtosis) == pytest.approx(1 - among(value, [5.0, -3.0], 1, kurtosis))


def test_among_differences_of_one_size_it_is_bayes_rule() -> None:
    """Normal noise of variance 4, true numbers of variance 9: given x they have mean 9 x / 13."""
    dice = np.random.default_rng(4)
    others = (dice.normal(0, 3, 4000) + dice.normal(0, 2, 4000)).tolist()
    for value in (0.5, 2.0, 4.0):
        exact = NormalDist(9 * value / 13, math.sqrt(36 / 13)).cdf(0)
        assert among(value, others, 4000, 0.0) == pytest.approx(1 - exact, abs=0.02)


def test_far_beyond_the_noise_nothing_is_in_doubt() -> None:
    assert among(100.0, [0.1, -0.2, 0.3]) == pytest.approx(1.0)
