"""Ratios and sums of counts that lie in intervals, against all corners."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from discreet.numbers.fractions_of_counts import fraction_bounds, sum_bounds


def column(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float64)[:, None]


def test_the_extremes_are_those_of_the_corners() -> None:
    dice = np.random.default_rng(5)
    for _ in range(200):
        parts = int(dice.integers(1, 5))
        over, under = dice.integers(-3, 4, parts).tolist(), dice.integers(0, 4, parts).tolist()
        low = dice.integers(1, 20, parts).astype(float)
        high = low + dice.integers(0, 20, parts).astype(float)
        if not any(under):
            continue
        corners = np.array(list(product(*zip(low, high, strict=True))))
        ratios = (corners @ over) / (corners @ under)
        least, most = fraction_bounds(over, under, low[:, None], high[:, None])
        assert (least.item(), most.item()) == pytest.approx((ratios.min(), ratios.max()))
        sums = corners @ over
        assert [end.item() for end in sum_bounds(over, low[:, None], high[:, None])] == [sums.min(), sums.max()]


def test_counts_without_an_upper_end() -> None:
    share = fraction_bounds([1, 0], [1, 1], column(5, 10), column(np.inf, 20))
    assert [end.item() for end in share] == [0.2, 1.0]
    share = fraction_bounds([1, 0], [1, 1], column(5, 10), column(8, np.inf))
    assert [end.item() for end in share] == pytest.approx([0.0, 8 / 18])
    ratio = fraction_bounds([1, 0], [0, 1], column(5, 0), column(8, 20))
    assert [end.item() for end in ratio] == [0.25, np.inf]
    sums = sum_bounds([1, -1], column(5, 0), column(8, np.inf))
    assert [end.item() for end in sums] == [-np.inf, 8]
    assert [end.item() for end in sum_bounds([0, 2], column(5, 1), column(np.inf, 3))] == [2, 6]


def test_nothing_over_nothing_says_nothing() -> None:
    share = fraction_bounds([1, 0], [1, 1], column(0, 0), column(3, 4))
    assert [end.item() for end in share] == [0.0, 1.0]
