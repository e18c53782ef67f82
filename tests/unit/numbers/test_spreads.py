"""Half-widths of weighted sums of noise against the exact laws of such sums, by inversion on a lattice.

A sum of steps[i] / 64 times discrete Laplace noise lives on multiples of 1/64. Its law comes from the product of
characteristic functions on a circle so long (80 standard deviations) that what wraps around is below 1e-20.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.numbers import spreads
from discreet.numbers.laws import NoiseSum
from discreet.numbers.spreads import half_widths
from discreet.privacy import Alpha
from tests.laplace_law import LaplaceLaw

GRID = 64
LEVELS = [0.5, 0.6, 0.75, 0.85, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999]
BEYOND = [0.99991, 0.99999, 1 - 1e-7]
#: (weight in 64ths, noise scale) -> how many
Terms = Counter[tuple[int, Fraction]]
HalfWidths = Callable[..., NDArray[np.float64]]


def terms_of(steps: list[int], scale: Fraction, factors: list[int] | None = None) -> Terms:
    return Counter(zip(steps, [scale * factor for factor in factors or [1] * len(steps)], strict=True))


def moments(terms: Terms) -> tuple[float, float]:
    laws = [(step / GRID, LaplaceLaw.of(scale), count) for (step, scale), count in terms.items()]
    return (
        math.fsum(count * weight**2 * law.variance for weight, law, count in laws),
        math.fsum(count * weight**4 * law.fourth_cumulant for weight, law, count in laws),
    )


def covered(terms: Terms) -> NDArray[np.float64]:
    """Pr[|sum| <= h / 64] for h = 0, 1, 2, ..."""
    deviation = GRID * math.sqrt(moments(terms)[0])
    size = 1 << math.ceil(math.log2(80 * deviation + 64))
    angles = 2 * math.pi * np.arange(size // 2 + 1) / size
    logarithm = np.zeros(angles.size)
    for (step, scale), count in terms.items():
        logarithm -= count * np.log1p(2 * LaplaceLaw.of(scale).variance * np.sin(step * angles / 2) ** 2)
    law = np.fft.irfft(np.exp(logarithm), size)
    return float(law[0]) + 2 * np.concatenate([[0.0], np.cumsum(law[1 : size // 2])])


def width(terms: Terms, level: float, widths: HalfWidths = half_widths, more: float = 1.0) -> float:
    """The half-width in 64ths, with `more` times the kurtosis there is."""
    variance, fourth = moments(terms)
    smallest = float(min(scale for _, scale in terms))
    return GRID * float(widths(np.array([variance]), np.array([fourth * more]), smallest, level)[0])


def misses(terms: Terms, levels: list[float], widths: HalfWidths = half_widths, more: float = 1.0) -> list[float]:
    """How often the interval fails, over how often it may: for each level."""
    law = covered(terms)
    places = [min(math.floor(width(terms, level, widths, more) + 1e-6), law.size - 1) for level in levels]
    return [float(1 - law[place]) / (1 - level) for place, level in zip(places, levels, strict=True)]


scales = st.fractions(min_value=Fraction(6, 5), max_value=50, max_denominator=50)
weights = st.one_of(
    st.lists(st.integers(1, GRID), min_size=1, max_size=12),
    st.lists(st.sampled_from([1, 2, 4, 8, 16, 32, 64]), min_size=1, max_size=14),
    st.builds(lambda step, count: [step] * count, st.integers(1, 8), st.integers(1, 40)),
    st.builds(lambda large, small: [GRID] * large + small, st.integers(1, 3), st.lists(st.integers(1, 12), max_size=9)),
)


@settings(max_examples=150)
@given(steps=weights, scale=scales, data=st.data())
def test_exact_laws_are_covered_at_every_level(steps: list[int], scale: Fraction, data: st.DataObject) -> None:
    factors = data.draw(st.none() | st.lists(st.sampled_from([1, 2, 4, 10]), min_size=len(steps), max_size=len(steps)))
    terms = terms_of(steps, scale, factors)
    assert max(misses(terms, LEVELS + BEYOND)) <= 1 + 1e-6


@settings(max_examples=40)
@given(steps=weights, scale=scales, share=st.floats(0.05, 1))
def test_an_upper_bound_on_the_kurtosis_covers_too(steps: list[int], scale: Fraction, share: float) -> None:
    """As for questions of several boxes and for consistent trees, which know no more."""
    terms = terms_of(steps, scale)
    variance, fourth = moments(terms)
    most = LaplaceLaw.of(scale)
    bound = most.fourth_cumulant / most.variance**2 * variance**2 / fourth
    assert max(misses(terms, LEVELS + BEYOND, more=1 + share * (bound - 1))) <= 1 + 1e-6


#: where the claim is tightest: equal weights, whose steps show; few large weights among very many small ones
TIGHT = [
    *(terms_of([GRID] * count, Fraction(scale)) for count in (2, 9, 13, 60, 400) for scale in ("1.21", "1.36", "4.6")),
    *(Counter({(8, Fraction(scale)): 2, (1, Fraction(scale)): 74}) for scale in (20, 500)),
    *(Counter({(8, Fraction(scale)): 1, (1, Fraction(scale)): 177}) for scale in (20, 500)),
    *(Counter({(GRID, Fraction(1)): count, (GRID, Fraction(3)): 1}) for count in (1, 50)),
]


@pytest.mark.parametrize("terms", TIGHT, ids=range(len(TIGHT)))
def test_the_tightest_cases(terms: Terms) -> None:
    assert max(misses(terms, LEVELS)) <= 1 + 1e-6


def no_step(variance: Any, fourth: Any, _: float, level: float) -> NDArray[np.float64]:
    return half_widths(variance, fourth, 1e12, level)


def normal(variance: Any, fourth: Any, smallest: float, level: float) -> NDArray[np.float64]:
    return half_widths(variance, 0 * fourth, smallest, level)


@pytest.mark.parametrize("planted", [no_step, normal])
def test_planted_faults_are_seen(planted: HalfWidths) -> None:
    """Noise without steps, and a normal law, fail in the comparison that the real half-widths pass."""
    assert max(max(misses(terms, LEVELS, planted)) for terms in TIGHT) > 1.03


@settings(max_examples=60)
@given(
    steps=weights,
    scale=st.fractions(min_value=10, max_value=50, max_denominator=50),
    level=st.sampled_from([0.9, 0.95, 0.99]),
)
def test_not_much_wider_than_needed(steps: list[int], scale: Fraction, level: float) -> None:
    """Within 6 % of the exact quantile, give or take one step of the largest weight."""
    terms = terms_of(steps, scale)
    quantile = int(np.argmax(covered(terms) >= level))
    assert width(terms, level) <= 1.06 * quantile + max(steps)


def test_the_lattice_laws_of_this_test_are_right() -> None:
    """Where all weights are equal there is a second computation of the same law, and for one term a closed form."""
    law = covered(terms_of([GRID] * 7, Fraction(3, 2)))
    sums = NoiseSum(Alpha.of(Fraction(3, 2)), 7)
    for h in (0, 1, 5, 20):
        assert law[GRID * h] == pytest.approx(sums.within(h), abs=1e-9)
        assert law[GRID * h + GRID - 1] == pytest.approx(law[GRID * h], abs=1e-12)
    one = LaplaceLaw.of(2)
    assert covered(terms_of([3], Fraction(2)))[3 * 4] == pytest.approx(1 - 2 * float(one.exact_tail(5)), abs=1e-12)


@pytest.mark.parametrize("level", BEYOND)
@pytest.mark.parametrize("kurtosis", [0.0, 0.2, 1.0, 3.0])
def test_beyond_the_table_the_bound_is_proved_and_not_wild(level: float, kurtosis: float) -> None:
    """Wider than the Laplace quantile at kurtosis 3, but not by more than 40 %; and rising in the kurtosis."""
    found = half_widths(np.ones(2), np.array([kurtosis, 3.0]), 1e12, level)
    laplace = -math.log(1 - level) / math.sqrt(2)
    assert found[0] <= found[1]
    assert laplace <= found[1] <= laplace * 1.4
    assert half_widths(np.ones(1), np.array([kurtosis]), 1e12, 0.9999)[0] < found[0]


@settings(max_examples=40)
@given(
    scale=st.fractions(min_value=Fraction(1, 6), max_value=Fraction(6, 5), max_denominator=30),
    steps=st.lists(st.integers(1, GRID), min_size=1, max_size=12) | st.builds(lambda k: [5] * k, st.integers(1, 30)),
)
def test_coarse_noise_is_covered(scale: Fraction, steps: list[int]) -> None:
    """Scales below about 1, where a coefficient is mostly noiseless and a step is all there is."""
    assert max(misses(terms_of(steps, scale), LEVELS)) <= 1 + 1e-6


def test_coarse_noise_takes_the_bound_by_the_fourth_moment() -> None:
    variance, kurtosis = np.array([4.0]), spreads.COARSE + 1
    for level in (0.5, 0.95, 0.9999, 0.99999):
        found = half_widths(variance, kurtosis * variance**2, 0.3, level)
        assert found[0] == pytest.approx(2 * ((3 + kurtosis) / (1 - level)) ** 0.25)


def test_no_noise_has_no_width() -> None:
    assert half_widths(np.array([0.0, -1e-18]), np.zeros(2), 1.0, 0.95).tolist() == [0.0, 0.0]


def test_widths_scale_with_the_unit() -> None:
    """Answers in thousands: every weight times 1000, the widths too."""
    variance, fourth = np.array([3.0, 7.0]), np.array([20.0, 4.0])
    small, large = (half_widths(variance * u**2, fourth * u**4, 5.0, 0.95) for u in (1.0, 1000.0))
    assert large == pytest.approx(1000 * small)
