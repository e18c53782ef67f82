"""Tables without negative counts: their margins, and that no nearer table has these."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.transforms.nonnegative_tables import PlacedTable, nonnegative_tables, with_margins


def agreeing(seed: int, sizes: tuple[int, ...], ways: int) -> list[PlacedTable]:
    """Tables of one array of noisy counts, many of them below zero."""
    cells = np.random.default_rng(seed).normal(1.0, 3.0, sizes)
    return [
        (places, cells.sum(axis=tuple(axis for axis in range(len(sizes)) if axis not in places)))
        for places in combinations(range(len(sizes)), ways)
    ]


@pytest.mark.parametrize("ways", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_no_count_is_negative_and_single_attributes_agree(ways: int, seed: int) -> None:
    tables = agreeing(seed, (4, 3, 6, 2), ways)
    found = nonnegative_tables(tables)
    total = max(float(tables[0][1].sum()), 0.0)
    single: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {}
    for places, table in found:
        assert (table >= 0).all()
        assert table.sum() == pytest.approx(total, rel=1e-6)
        for axis, place in enumerate(places):
            counts = table.sum(axis=tuple(other for other in range(len(places)) if other != axis))
            assert counts == pytest.approx(single.setdefault(place, counts), abs=1e-6 * total)


def test_it_is_the_nearest_table_with_these_margins() -> None:
    table = np.random.default_rng(2).normal(2.0, 3.0, (3, 4))
    margins = [np.array([10.0, 3.0, 7.0]), np.array([2.0, 8.0, 6.0, 4.0])]
    found = with_margins(table, margins)
    limits = [
        {"type": "eq", "fun": lambda x: x.reshape(3, 4).sum(axis=1) - margins[0]},
        {"type": "eq", "fun": lambda x: x.reshape(3, 4).sum(axis=0)[:3] - margins[1][:3]},
    ]
    start = np.outer(margins[0], margins[1]).reshape(-1) / 20
    best = minimize(
        lambda x: ((x - table.reshape(-1)) ** 2).sum(), start, bounds=[(0, None)] * 12, constraints=limits, tol=1e-12
    )
    assert np.abs(found.reshape(-1) - best.x).max() < 0.01


def test_tables_that_need_nothing_stay() -> None:
    table = np.random.default_rng(2).random((3, 4)) + 1
    assert with_margins(table, [table.sum(axis=1), table.sum(axis=0)]) == pytest.approx(table, rel=1e-3)


def test_tables_of_nothing_but_noise_are_empty() -> None:
    negative = np.full((2, 3), -1.0)
    assert all(
        (table == 0).all() for _, table in nonnegative_tables([((0, 1), negative), ((0,), negative.sum(axis=1))])
    )


def test_an_empty_row_that_should_have_something_gets_it() -> None:
    table = np.array([[-100.0, -100.0], [5.0, 5.0]])
    found = with_margins(table, [np.array([4.0, 6.0]), np.array([5.0, 5.0])])
    assert found.sum(axis=1) == pytest.approx([4.0, 6.0])
    assert found.sum(axis=0) == pytest.approx([5.0, 5.0])
