"""The laws against brute force: sums by convolution, quantiles by search."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.numbers.laws import SLACK, NoiseSum, half_widths
from discreet.privacy import Alpha
from tests.laplace_law import LaplaceLaw
from tests.mixed_sums import MixedSum

scales = st.fractions(min_value=Fraction(1, 5), max_value=6)


@given(scale=scales)
def test_one_draw_exactly(scale: Fraction) -> None:
    law = LaplaceLaw.of(scale)
    total = sum((law.exact_pmf(x) for x in range(-40, 41)), Fraction(0))
    assert total + 2 * law.exact_tail(41) == 1
    for x in (-3, -1, 0, 1, 2, 7):
        assert law.exact_tail(x) - law.exact_tail(x + 1) == law.exact_pmf(x)
        assert float(law.tail(x)) == pytest.approx(float(law.exact_tail(x)), rel=1e-12)
        assert float(law.pmf(x)) == pytest.approx(float(law.exact_pmf(x)), rel=1e-12)
    xs = np.arange(-2000, 2001)
    assert law.variance == pytest.approx(float(np.sum(law.pmf(xs) * xs.astype(float) ** 2)), rel=1e-9)


@given(scale=scales, level=st.floats(0.01, 0.999999))
def test_half_width_is_the_smallest_that_covers(scale: Fraction, level: float) -> None:
    law = LaplaceLaw.of(scale)
    h = law.half_width(level)

    def covered(width: int) -> Fraction:
        return 1 - 2 * law.exact_tail(width + 1)

    assert covered(h) >= Fraction(level)
    assert h == 0 or covered(h - 1) < Fraction(level)


@settings(max_examples=25)
@given(scale=scales, other=scales, k=st.integers(1, 6), level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_sums_agree_with_convolution(scale: Fraction, other: Fraction, k: int, level: float) -> None:
    equal, mixed = NoiseSum(Alpha.of(scale), k + 1), MixedSum(((Alpha.of(scale), k), (Alpha.of(other), 1)))
    xs = np.arange(-400, 401)
    for law, last in ((equal, scale), (mixed, other)):
        pmf = LaplaceLaw.of(last).pmf(xs)
        for _ in range(k):
            pmf = np.convolve(pmf, LaplaceLaw.of(scale).pmf(xs))
        centre = pmf.size // 2
        covers = np.array([pmf[centre - h : centre + h + 1].sum() for h in range(120)])
        for h in (0, 1, 3, 17, 60):
            assert abs(law.within(h) - covers[h]) < SLACK / 2
        assert law.half_width(level) == int(np.argmax(covers >= level + SLACK))
        spread = np.arange(-centre, centre + 1).astype(float) ** 2
        variance = k * LaplaceLaw.of(scale).variance + LaplaceLaw.of(last).variance
        assert variance == pytest.approx(float(np.sum(pmf * spread)), rel=1e-6)


def test_wide_sums_approach_the_normal_law() -> None:
    for scale in ("0.3", "20", "1e6", "1e12"):
        law, deviation = NoiseSum(Alpha.of(scale), 10**8), (10**8 * LaplaceLaw.of(scale).variance) ** 0.5
        assert law.half_width(0.95) == pytest.approx(1.959964 * deviation, rel=1e-4)


def test_many_widths_at_once_are_never_narrower_and_hardly_wider() -> None:
    alpha = Alpha.of("7.3")
    counts = np.array([0, 1, 2, 100, 128, 129, 1000, 5001, 10**6, 10**9])
    widths = half_widths(alpha, counts, 0.95)
    single = [NoiseSum(alpha, int(count)).half_width(0.95) for count in counts]
    assert np.all(widths >= single)
    assert np.all(widths <= np.ceil(np.array(single) * 1.008))


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 95, float("nan")])
def test_levels_are_shares(level: float) -> None:
    with pytest.raises(BadParameter, match="confidence level"):
        NoiseSum(Alpha.of(1), 2).half_width(level)
