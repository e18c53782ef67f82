"""Whole numbers with given margins, and values handed out by them."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.row_fit import give_values, place_missing


@pytest.mark.parametrize("seed", range(8))
def test_margins_come_out_and_cells_are_rounded(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random.random((6, 9)) * 5 * (random.random((6, 9)) < 0.5)
    whole = np.floor(table).astype(np.int64)
    wanted = whole + (random.random(table.shape) < table - whole)
    rows, columns = wanted.sum(axis=1), wanted.sum(axis=0)
    place_missing(table - whole, rows - whole.sum(axis=1), columns - whole.sum(axis=0), whole)
    assert whole.sum(axis=1).tolist() == rows.tolist()
    assert whole.sum(axis=0).tolist() == columns.tolist()
    assert np.abs(whole - table).sum() / table.sum() < 0.35


def test_what_fits_nowhere_goes_where_both_lack_one() -> None:
    whole = np.zeros((2, 2), np.int64)
    place_missing(np.zeros((2, 2)), np.array([3, 1]), np.array([2, 2]), whole)
    assert whole.tolist() == [[2, 1], [0, 1]]


def test_values_are_handed_out_by_the_table() -> None:
    parents = np.array([1, 0, 1, 1, 0], np.int32)
    values = np.full(5, -1, np.int32)
    give_values(parents, np.array([4, 2, 0, 1, 3]), np.array([[0, 2], [2, 1]]), values)
    assert values.tolist() == [0, 1, 0, 1, 1]
