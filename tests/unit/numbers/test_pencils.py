"""What cannot be ruled out of a ratio, against trying ratio after ratio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from discreet.numbers import spreads
from discreet.numbers.pencils import Pencil


def pencil(over: float, under: float, variances: tuple[float, float, float], kurtosis: float = 3.0) -> Pencil:
    unknown = np.array([np.inf])
    a, b, c, d, e = (np.array([float(number)]) for number in (over, under, *variances))
    return Pencil(a, b, c, d, e, kurtosis, unknown, unknown, 50.0)


@pytest.mark.parametrize(
    ("over", "under", "variances", "limits"),
    [
        (300, 1000, (400, 900, 350), (0, 1)),
        (30, 1000, (400, 900, 350), (0, 1)),
        (980, 1000, (400, 900, 580), (0, 1)),
        (1100, 1000, (400, 900, 350), (0, 1)),  # more than all: ends at one
        (300, 40, (400, 900, 350), (0, np.inf)),  # what is below may be nothing
        (-200, 40, (400, 900, -350), (-np.inf, np.inf)),
        (-200, 900, (400, 900, 0), (-5, 5)),
        (5, 8, (400, 900, 350), (0, 1)),  # nothing but noise
        (300, -50, (100, 900, 0), (0, 1)),
        (100, 20, (1, 900, 0), (0, 30)),
    ],
)
def test_every_ratio_that_is_not_ruled_out_is_in_the_interval(
    over: float, under: float, variances: tuple[float, float, float], limits: tuple[float, float]
) -> None:
    one = pencil(over, under, variances)
    for level in (0.5, 0.8, 0.95, 0.99):
        low, high = (end.item() for end in one.ratios(level, *limits))
        tried = np.clip(np.concatenate([np.linspace(-30, 30, 6001), np.linspace(0, 1, 2001)]), *limits)
        possible = tried[[abs(over - r * under) <= one.half_widths(r, level).item() for r in tried]]
        assert low <= high
        assert np.all((possible >= low - 1e-9) & (possible <= high + 1e-9))
        if 0 < possible.size < tried.size and max(-low, high) < 29:
            slack = 0.02 + 0.02 * (high - low)
            assert possible.min() - low < slack or low == limits[0]
            assert high - possible.max() < slack or high == limits[1]


def test_a_ratio_below_which_there_may_be_nothing_has_no_upper_end() -> None:
    low, high = pencil(300, 40, (400, 900, 350)).ratios(0.95, 0, np.inf)
    assert high.item() == np.inf
    assert low.item() > 0


def test_what_each_draw_brings_at_most_makes_intervals_shorter() -> None:
    """Sums of many draws are near to normal ones; a single draw may be anything."""
    single = pencil(300, 1000, (400, 900, 350))
    many = replace(single, over_share=np.array([0.1]), under_share=np.array([0.1]))
    for level in (0.95, 0.99):
        wide, narrow = (np.diff(np.concatenate(one.ratios(level, 0, 1))).item() for one in (single, many))
        assert narrow < wide
    assert many.kurtosis_at(0.3).item() < 0.01
    normal = spreads.half_widths(np.ones(1), np.zeros(1), 50.0, 0.95).item()
    assert many.half_widths(0.0, 0.95).item() == pytest.approx(20 * normal, rel=0.01)


_NUMBERS = ("over", "under", "over_variance", "under_variance", "covariance")


def test_independent_noise_adds_up() -> None:
    one, two = pencil(300, 1000, (400, 900, 350)), pencil(20, 100, (4, 9, 3), kurtosis=4.0)
    both = one.beside(two).times(2.0, -1.0)
    assert [getattr(both, name).item() for name in _NUMBERS] == [640, -1100, 1616, 909, -706]
    # the fourth cumulants add up too: most of it is that of the wider noise, whatever the kurtosis of the other
    assert one.beside(two).kurtosis_at(0.0).item() == pytest.approx((3 * 400**2 + 4 * 4**2) / 404**2)
    with_itself = one.beside(one)
    assert with_itself.kurtosis_at(0.5).item() == pytest.approx(1.5)
