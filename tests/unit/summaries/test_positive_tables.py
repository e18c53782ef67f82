"""Tables made non-negative: agreement, the nearest ones by brute force, and hostile values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.summaries.positive_tables import positive_tables

SIZES = (4, 3, 5)


def agreeing(sets: Sequence[tuple[int, ...]], joint: Any) -> list[Any]:
    return [(some, joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in some))) for some in sets]


def alone(tables: list[Any]) -> dict[int, list[Any]]:
    """What every table says of each attribute."""
    found: dict[int, list[Any]] = {}
    for places, values in tables:
        for axis, place in enumerate(places):
            rest = tuple(other for other in range(len(places)) if other != axis)
            found.setdefault(place, []).append(values.sum(axis=rest))
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sets", [[(0, 1), (1, 2), (0, 2)], [(0,), (1,), (2,)], [(0, 1, 2), (1, 2)], [(0, 2)]])
def test_none_is_negative_and_all_agree_on_single_attributes(sets: list[tuple[int, ...]], seed: int) -> None:
    noisy = np.random.default_rng(seed).normal(1, 5, SIZES)
    found = positive_tables(agreeing(sets, noisy))
    total = max(noisy.sum(), 0)
    for _, values in found:
        assert values.min() >= 0
        assert values.sum() == pytest.approx(total, abs=1e-6)
    for said in alone(found).values():
        for values in said:
            assert values == pytest.approx(said[0], abs=1e-5 * (1 + total))


def test_what_is_positive_already_stays() -> None:
    joint = np.random.default_rng(1).uniform(1, 9, SIZES)
    given = agreeing([(0, 1), (1, 2)], joint)
    for (_, before), (_, after) in zip(given, positive_tables(given), strict=True):
        assert after == pytest.approx(before)


def test_a_pair_is_the_nearest_with_its_margins() -> None:
    noisy = np.array([[9.0, -3.0, 4.0], [-2.0, 8.0, 1.0]])
    ((_, found),) = positive_tables([((0, 1), noisy)])
    rows, columns = found.sum(axis=1), found.sum(axis=0)
    assert rows == pytest.approx(noisy.sum(axis=1))
    limits = [
        {"type": "eq", "fun": lambda x: x.reshape(2, 3).sum(axis=1) - rows},
        {"type": "eq", "fun": lambda x: x.reshape(2, 3).sum(axis=0)[:-1] - columns[:-1]},
    ]
    best = minimize(
        lambda x: ((x - noisy.reshape(-1)) ** 2).sum(), found.reshape(-1), bounds=[(0, None)] * 6, constraints=limits
    )
    assert found.reshape(-1) == pytest.approx(best.x, abs=1e-3)


@pytest.mark.parametrize("values", [-5.0, 0.0, 1e15, -1e15])
def test_hostile_values(values: float) -> None:
    table = np.full((3, 2), values)
    table[1, 1] = 7
    for _, found in positive_tables(agreeing(list(itertools.combinations(range(2), 1)), table)):
        assert np.isfinite(found).all()
        assert found.min() >= 0
    ((_, found),) = positive_tables([((0, 1), table)])
    assert np.isfinite(found).all()
    assert found.min() >= 0


def test_all_in_one_cell() -> None:
    table = np.full((3, 4), -1.0)
    table[2, 1] = 1000
    ((_, found),) = positive_tables([((0, 1), table)])
    assert found[2, 1] == pytest.approx(989)
    assert found.sum() == pytest.approx(989)
