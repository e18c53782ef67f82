"""Means and sums inside of bands of counts, against tables that lie in them."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.numbers.bands import Band


def around(counts: np.ndarray, slack: float) -> Band:
    """The band of counts up to each value and above it, so much to either side."""
    up_to = np.cumsum(counts)[:-1].astype(float)
    above = counts.sum() - up_to
    lows = [np.maximum(side - slack, 0) for side in (up_to, above)]
    total = float(counts.sum())
    return Band(lows[0], up_to + slack, lows[1], above + slack, max(total - slack, 0), total + slack)


def inside(band: Band, counts: np.ndarray) -> bool:
    up_to = np.cumsum(counts)[:-1]
    above = counts.sum() - up_to
    within = (band.up_to_low <= up_to) & (up_to <= band.up_to_high)
    within &= (band.above_low <= above) & (above <= band.above_high)
    return bool(within.all() and band.total_low <= counts.sum() <= band.total_high)


def test_no_table_in_the_band_has_a_mean_beyond_the_bounds() -> None:
    dice = np.random.default_rng(3)
    tried, nearest = 0, np.inf
    for _ in range(60):
        counts = dice.integers(0, 12, 4)
        values = np.sort(dice.integers(-5, 9, 4)).astype(float)
        band = around(counts, 4)
        most, least = band.most_of_mean(values), band.least_of_mean(values)
        bottom, top = band.ends_of_sum(values, values)
        for _ in range(200):
            other = np.maximum(counts + dice.integers(-3, 4, 4), 0)
            if not inside(band, other) or not other.sum():
                continue
            tried += 1
            mean = float(other @ values) / other.sum()
            assert least - 1e-9 <= mean <= most + 1e-9
            assert bottom - 1e-9 <= other @ values <= top + 1e-9
            nearest = min(nearest, (most - mean) / max(most - least, 1e-9))
    assert tried > 1000
    assert nearest < 0.1  # bounds are not idle


def test_exact_counts_leave_one_mean() -> None:
    counts, values = np.array([3, 0, 5, 2]), np.array([1.0, 2.0, 4.0, 8.0])
    band = around(counts, 0)
    mean = float(counts @ values) / 10
    assert (band.least_of_mean(values), band.most_of_mean(values)) == pytest.approx((mean, mean))
    assert band.ends_of_sum(values, values) == pytest.approx((39.0, 39.0))


def test_without_upper_ends_a_mean_is_anything_and_a_sum_has_none() -> None:
    endless = np.full(3, np.inf)
    band = Band(np.zeros(3), endless, np.zeros(3), endless, 0.0, np.inf)
    values = np.array([1.0, 2.0, 4.0, 8.0])
    assert (band.least_of_mean(values), band.most_of_mean(values)) == (1.0, 8.0)
    assert band.ends_of_sum(values, values) == (0.0, np.inf)
    assert Band(*(np.zeros(0),) * 4, 1.0, 3.0).most_of_mean(np.array([7.0])) == 7.0
