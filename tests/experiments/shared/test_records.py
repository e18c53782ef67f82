"""Numbers are recorded with their standard errors, in few digits."""

from __future__ import annotations

import pytest

from experiments.shared.records import Runs, figure, line, short


def test_mean_and_standard_error() -> None:
    assert Runs([1.0, 3.0]).pair(5, 3) == [2.0, 1.0]
    assert Runs([4.0]).pair(5, 3) == [4.0, 0.0]
    assert Runs([1.0, 2.0, 4.0]).error == pytest.approx((7 / 3) ** 0.5 / 3**0.5)


def test_equal_numbers_have_no_error_at_all() -> None:
    """Though the mean of three times 0.1 is not 0.1."""
    assert Runs([0.1] * 3).error == 0


def test_curves_and_figures_are_plain() -> None:
    one = line("a", [1, 2], [Runs([1.23456, 1.23456]), Runs([2.0, 4.0])], (3, 1), kept=5)
    assert one == {"name": "a", "x": [1, 2], "y": [1.23, 3.0], "se": [0.0, 1.0], "kept": 5}
    drawn = figure("t", "x", "y", [one], log_x=False)
    assert drawn == {"title": "t", "x": "x", "y": "y", "log_x": False, "log_y": True, "lines": [one]}
    assert short(123456.0) == 123500.0
