"""How likely a number is above zero, against laws that are known in closed form, and how often that is right."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.numbers.signs import Floats, chance_above_zero, chance_among


def test_normal_and_laplace_noise() -> None:
    for size in (0.1, 0.7, 1.5, 3.0, 6.0):
        assert chance_above_zero(2 * size, 4.0, 0.0) == pytest.approx(NormalDist().cdf(size))
        laplace = 1 - math.exp(-math.sqrt(2) * size) / 2
        assert chance_above_zero(2 * size, 4.0, 3.0) == pytest.approx(laplace, abs=1e-4)
        assert chance_above_zero(-2 * size, 4.0, 3.0) == pytest.approx(1 - laplace, abs=1e-4)


def test_the_sum_of_two_laplace_variables() -> None:
    """Of scale 1 each: Pr[sum > x] = (2 + x) / 4 exp(-x), variance 4, excess kurtosis 3/2."""
    for x in (0.2, 1.0, 3.0, 8.0):
        assert chance_above_zero(x, 4.0, 1.5) == pytest.approx(1 - (2 + x) / 4 * math.exp(-x), abs=2e-5)


def test_without_noise_the_sign_is_known() -> None:
    assert [chance_above_zero(number, 0.0, 3.0) for number in (2.0, -1.0, 0.0)] == [1.0, 0.0, 0.5]
    assert chance_above_zero(1e6, 1.0, 1.0) == pytest.approx(1.0)


def among(value: float, others: list[float], worth: float = 40, kurtosis: float = 1.5) -> float:
    return chance_among(value, 4.0, kurtosis, np.array(others), np.full(len(others), 4.0), worth)


def alone(size: float, kurtosis: float) -> float:
    """Of a difference of so many standard deviations that is the only one."""
    return chance_among(size, 1.0, kurtosis, np.zeros(0), np.zeros(0), 0.0)


@pytest.mark.parametrize("kurtosis", [0.0, 1.5, 3.0])
def test_others_make_it_less_certain(kurtosis: float) -> None:
    """The more so the nearer to zero they are."""
    noise = [2 * NormalDist().inv_cdf(place / 200) for place in range(1, 200)]
    for value in (2.0, 5.0, 9.0):
        at_most = chance_above_zero(value, 4.0, kurtosis)
        near, further, wide = (among(value, [times * one for one in noise], 200, kurtosis) for times in (1, 3, 100))
        assert 0.5 <= near < further <= at_most
        assert wide == pytest.approx(at_most, abs=0.02)
        assert among(-value, [5.0, -3.0], 1, kurtosis) == pytest.approx(1 - among(value, [5.0, -3.0], 1, kurtosis))


def test_others_count_from_the_first_one_on() -> None:
    """Without a jump: each further one that is near zero takes a little, each that is far away gives a little."""
    near, far = (
        [among(4.0, [value] * many, many) if many else alone(2.0, 1.5) for many in range(13)] for value in (1.0, 30.0)
    )
    for steps, sign in ((np.diff(near), -1), (np.diff(far), 1)):
        assert np.all(sign * steps > 0)
        assert np.all(np.abs(steps) < 0.2)
    assert near[-1] < 0.6 < alone(2.0, 1.5) < 0.7 < 0.85 < far[-1] < chance_above_zero(4.0, 4.0, 1.5)


def test_among_differences_of_one_size_it_is_bayes_rule() -> None:
    """Normal noise of variance 4, true numbers of variance 9: given x they have mean 9 x / 13."""
    others = [math.sqrt(13) * NormalDist().inv_cdf((place + 0.5) / 2000) for place in range(2000)]
    for value in (0.5, 2.0, 4.0):
        exact = NormalDist(9 * value / 13, math.sqrt(36 / 13)).cdf(0)
        assert among(value, others, 2000, 0.0) == pytest.approx(1 - exact, abs=0.02)


def test_many_alike_and_a_few_that_are_not() -> None:
    """Of 100 numbers ten are far from zero: one in the midst of the others is not sure, one as far out is."""
    noise = [2 * NormalDist().inv_cdf(place / 91) for place in range(1, 91)]
    others = [*noise, 60.0, -75.0, 50.0, -90.0, 66.0, 41.0, -58.0, 83.0, -47.0, 70.0]
    assert among(2.5, others, 100) < 0.65
    assert among(40.0, others, 100) > 0.999


def test_far_beyond_the_noise_nothing_is_in_doubt() -> None:
    for value in (100.0, 1e5, 1e9):
        assert among(value, [0.1, -0.2, 0.3]) == pytest.approx(1.0)
        assert among(-value, [1e12, -1e12]) == pytest.approx(0.0)
    assert among(0.0, [3.0]) == 0.5


def density(sizes: Floats, kurtosis: float) -> Floats:
    """Of normal noise, a sum of two Laplace variables and a single one, of variance 1."""
    far = np.abs(sizes)
    if kurtosis == 0.0:
        return np.asarray(np.exp(-0.5 * far**2) / math.sqrt(2 * math.pi))
    if kurtosis == 1.5:
        return np.asarray((1 + 2 * far) / 2 * np.exp(-2 * far))
    return np.asarray(np.exp(-math.sqrt(2) * far) / math.sqrt(2))


SIZES: Floats = np.arange(0.01, 40.0, 0.04)
CLASSES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.1])
#: the law of true differences, as places above zero that are equally likely, and so below it; of a spread of 1
TRUE_LAWS: dict[str, Floats] = {
    "one size": np.ones(1),
    "normal": np.array([NormalDist().inv_cdf(0.5 + (place + 0.5) / 80) for place in range(40)]),
    "Laplace": -np.log((np.arange(40) + 0.5) / 40) / math.sqrt(2),
}
#: from a spread on: what is said too much, a sum over classes, each by how often it is said
TOO_SURE = {1.0: 0.0005, 0.3: 0.006, 0.1: 0.02}


@pytest.mark.parametrize("kurtosis", [0.0, 1.5, 3.0])
@pytest.mark.parametrize("law", TRUE_LAWS)
def test_a_single_difference_is_right_as_often_as_it_says(law: str, kurtosis: float) -> None:
    """No chance in it: all that can be measured is summed up.

    In each class of what it says: over spreads from a tenth of the noise to ten times the noise taken together, and
    for each spread that is clearly above the noise. Below that, what it says too much in some classes is little.
    """
    said = np.array([alone(size, kurtosis) for size in SIZES])
    group = np.digitize(said, CLASSES)
    everything = np.zeros((2, len(CLASSES) + 1))
    for spread in (0.1, 0.18, 0.3, 0.55, 1.0, 1.8, 3.0, 5.5, 10.0):
        places = spread * TRUE_LAWS[law]
        right, wrong = (
            sum(density(SIZES - sign * place, kurtosis) for place in places) / len(places) for sign in (1, -1)
        )
        hits, certain, many = (
            np.bincount(group, weights, len(CLASSES) + 1)[1:-1]
            for weights in (right, said * (right + wrong), right + wrong)
        )
        everything += np.array([[0, *(certain - hits), 0], [0, *many, 0]])
        if spread > 2:
            assert np.all(hits >= certain - 0.005 * many)
        too_sure = np.maximum(certain - hits, 0).sum() / many.sum()
        assert too_sure < next(most for least, most in TOO_SURE.items() if spread >= least)
        if law == "normal" and spread >= 3.0:  # it does say something
            assert many[said_above(0.9)].sum() > (0.15 if spread < 10 else 0.6) * many.sum()
    assert np.all(everything[0] <= 0.005 * everything[1])


def said_above(least: float) -> NDArray[np.bool_]:
    return CLASSES[:-1] >= least - 1e-9


def test_whole_numbers_are_no_nearer_to_zero_than_one() -> None:
    """So it may be surer; but, while nothing speaks for numbers that are larger, not as if it knew that it is one."""
    nothing = np.zeros(0)
    for value in (0.5, 1.0, 2.0, 4.0):
        by_any, by_whole = (chance_among(value, 1.0, 1.5, nothing, nothing, 0.0, step) for step in (0.0, 1.0))
        assert by_any < by_whole <= chance_above_zero(value, 1.0, 1.5)
        near, far = density(np.array([value - 1, value + 1]), 1.5)
        assert value > 2 or by_whole < near / (near + far)
    far_below = [chance_among(3.0, 1.0, 1.5, nothing, nothing, 0.0, step) for step in (0.0, 1e-3)]
    assert far_below[0] == pytest.approx(far_below[1], abs=1e-3)


@pytest.mark.parametrize("step", [0.0, 1.0])
@pytest.mark.parametrize("scale", [0.15, 0.3, 0.7, 2.0, 10.0])
def test_the_wrong_one_is_named_as_seldom_as_promised(scale: float, step: float) -> None:
    """Two counts with discrete Laplace noise: for every true difference, also where the noise is mostly zero."""
    reach = int(60 * scale) + 30
    steps = np.arange(-reach, reach + 1)
    single = np.exp(-np.abs(steps) / scale)
    single /= single.sum()
    noise = np.convolve(single, single)
    places = np.arange(-2 * reach, 2 * reach + 1)
    variance = float(noise @ places.astype(float) ** 2)
    kurtosis = float(noise @ places.astype(float) ** 4) / variance**2 - 3
    # a is smaller by one, or by more, which is less likely to be missed: wrong is what names a
    for measured in range(1, int(30 * scale) + 4):
        said = chance_among(measured, variance, kurtosis, np.zeros(0), np.zeros(0), 0.0, step)
        assert noise[places >= measured + 1].sum() <= 1 - said + 1e-12
