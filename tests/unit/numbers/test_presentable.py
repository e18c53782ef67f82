"""Whole numbers that add up: a projection, checked against what defines one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from discreet.numbers.presentable import adding_up, projected, whole_total

NUMBERS = st.lists(st.tuples(st.floats(-500, 5000), st.floats(0.01, 900)), min_size=1, max_size=30)


@given(NUMBERS, st.integers(0, 20_000))
def test_whole_numbers_of_at_least_zero_that_add_up(numbers: list[tuple[float, float]], total: int) -> None:
    values, variances = (np.array(column) for column in zip(*numbers, strict=True))
    found = adding_up(values, variances, total)
    assert found.dtype == np.int64
    assert found.min() >= 0
    assert found.sum() == total
    assert np.abs(found - projected(values, variances, float(total))).max() <= 1 + 1e-6


def test_it_is_the_nearest_point() -> None:
    dice = np.random.default_rng(5)
    for _ in range(10):
        values, variances, total = dice.normal(3, 9, 6), dice.uniform(0.5, 4, 6), float(dice.uniform(1, 60))

        def distance(x: np.ndarray, values: np.ndarray = values, variances: np.ndarray = variances) -> float:
            return float(np.sum((x - values) ** 2 / variances))

        rules = {"type": "eq", "fun": lambda x, total=total: x.sum() - total}
        best = minimize(distance, np.full(6, total / 6), bounds=[(0, None)] * 6, constraints=rules)
        mine = projected(values, variances, total)
        assert mine.sum() == np.float64(total) or abs(mine.sum() - total) < 1e-9
        assert distance(mine) <= best.fun + 1e-4


def test_numbers_that_add_up_already_stay() -> None:
    assert adding_up(np.array([3.0, 0.0, 7.0]), np.ones(3), 10).tolist() == [3, 0, 7]
    assert adding_up(np.zeros(3), np.ones(3), 0).tolist() == [0, 0, 0]
    assert adding_up(np.empty(0), np.empty(0), 0).tolist() == []
    assert adding_up(np.full(3, -5.0), np.ones(3), 4).sum() == 4


def test_cutting_at_zero_would_make_the_sum_too_high() -> None:
    """Noise around counts of two: cut off, 400 of them add up to far more than 800."""
    noisy = 2 + np.random.default_rng(2).laplace(0, 10, 400)
    assert np.maximum(noisy, 0).sum() > 1800
    assert adding_up(noisy, np.full(400, 200.0), whole_total(800.4)).sum() == 800
