"""Linear programmes against scipy's, and what is still right when they stop early or nothing fits."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.kernels.linear_bounds import linear_bounds


def sums_of(attributes: int) -> tuple[Any, Any]:
    """Everything, single attributes and pairs, each inside a box; and the atom that is inside by all."""
    outside = np.array(list(itertools.product((False, True), repeat=attributes)))
    some = [held for size in range(3) for held in itertools.combinations(range(attributes), size)]
    members = np.array([~outside[:, list(held)].any(axis=1) for held in some], np.float64)
    return members, (~outside.any(axis=1)).astype(np.float64)


def solved(members: Any, low: Any, high: Any, asked: Any, steps: int = 500) -> tuple[Any, Any, Any]:
    least, most, fits = np.zeros(len(low)), np.zeros(len(low)), np.zeros(len(low), np.int64)
    linear_bounds(members, low, high, asked, steps, least, most, fits)
    return least, most, fits


@pytest.mark.parametrize("attributes", [2, 3, 4, 5])
@pytest.mark.parametrize("width", [0.0, 3.0, 50.0])
def test_the_bounds_are_those_of_scipy(attributes: int, width: float) -> None:
    random = np.random.default_rng(attributes)
    members, asked = sums_of(attributes)
    counts = random.poisson(np.exp(random.normal(1, 2, (20, members.shape[1])))) @ members.T
    low = np.maximum(counts - random.uniform(0, width, counts.shape), 0)
    high = counts + random.uniform(0, width, counts.shape)
    least, most, fits = solved(members, low, high, asked)
    assert fits.all()
    for number in range(20):
        rows, ends = np.vstack([members, -members]), np.concatenate([high[number], -low[number]])
        assert most[number] == pytest.approx(-linprog(-asked, rows, ends).fun, rel=1e-6, abs=1e-4)
        assert least[number] == pytest.approx(linprog(asked, rows, ends).fun, rel=1e-6, abs=1e-4)


def test_stopped_early_they_are_wider_but_right() -> None:
    random = np.random.default_rng(1)
    members, asked = sums_of(4)
    counts = random.poisson(20, (30, members.shape[1])) @ members.T
    last = solved(members, counts - 1.0, counts + 1.0, asked)
    before = solved(members, counts - 1.0, counts + 1.0, asked, 0)
    for steps in range(1, 40):
        found = solved(members, counts - 1.0, counts + 1.0, asked, steps)
        assert np.all(found[1] <= before[1] + 1e-6)
        assert np.all(found[0] >= before[0] - 1e-6)
        assert np.all(found[1] >= last[1] - 1e-6)
        assert np.all(found[0] <= last[0] + 1e-6)
        before = found


def test_what_cannot_be_is_told() -> None:
    members, asked = sums_of(2)
    low, high = np.zeros((2, 4)), np.full((2, 4), 10.0)
    low[1, 3], high[1, 1] = 8.0, 5.0  # more inside by both than by one
    assert solved(members, low, high, asked)[2].tolist() == [1, 0]


def test_nobody_at_all() -> None:
    members, asked = sums_of(3)
    least, most, fits = solved(members, np.zeros((1, 7)), np.zeros((1, 7)), asked)
    assert (least[0], most[0], fits[0]) == (0, 0, 1)
