"""Tables with given margins: against a general solver, to the last digit, and as whole numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.transforms.axis import Floats
from discreet.transforms.margins import extended, independent, onto_margins, onto_total, whole_parts, whole_table

DICE = np.random.default_rng(7)
SHAPES = [(1, 1), (1, 5), (2, 2), (3, 4), (6, 2), (5, 5)]
TOTALS = [0.0, 0.4, 1.0, 7.3, 1000.0, 1e6, 1e17]


@pytest.fixture(autouse=True)
def same_dice() -> None:
    """Every test has the same draws, whichever were run before it."""
    DICE.bit_generator.state = np.random.default_rng(20_261_117).bit_generator.state


def margins(shape: tuple[int, int], total: float) -> tuple[Floats, Floats]:
    rows, columns = (onto_total(DICE.normal(total / size, total / 2 + 0.1, size), 1.0, total) for size in shape)
    return rows, columns


def solved(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """The nearest table, by a solver that knows nothing of its form."""
    height, width = table.shape
    sums = np.concatenate([np.kron(np.eye(height), np.ones(width)), np.kron(np.ones(height), np.eye(width))])
    wanted = np.concatenate([rows, columns])
    found = minimize(
        lambda flat: 0.5 * float(((flat - table.reshape(-1)) ** 2).sum()),
        np.outer(rows, columns).reshape(-1) / max(rows.sum(), 1e-9),
        jac=lambda flat: flat - table.reshape(-1),
        bounds=[(0, None)] * table.size,
        constraints=[{"type": "eq", "fun": lambda flat: (sums @ flat - wanted)[:-1], "jac": lambda flat: sums[:-1]}],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return np.asarray(found.x).reshape(table.shape)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_projection_is_the_nearest_table(shape: tuple[int, int]) -> None:
    for _ in range(5):
        rows, columns = margins(shape, 10.0)
        table = DICE.normal(10 / np.prod(shape), 4.0, shape)
        found, other = onto_margins(table, rows, columns), solved(table, rows, columns)
        assert np.allclose(found, other, atol=2e-3)
        assert ((found - table) ** 2).sum() <= ((other - table) ** 2).sum() + 1e-3


@pytest.mark.parametrize("total", TOTALS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_margins_fit_and_nothing_is_below_zero(shape: tuple[int, int], total: float) -> None:
    for noise in (0.0, 0.1, 5.0):
        rows, columns = margins(shape, total)
        table = onto_margins(DICE.normal(0, noise * total + 1e-3, shape), rows, columns)
        assert table.min() >= 0
        assert np.allclose(table.sum(axis=1), rows, rtol=1e-12, atol=1e-9)
        assert np.allclose(table.sum(axis=0), columns, rtol=1e-12, atol=1e-9)


def test_margins_fit_where_most_lines_are_empty() -> None:
    rows, columns = np.array([0.0, 12.0, 0.0]), np.array([0.0, 0.0, 5.0, 7.0])
    table = onto_margins(np.full((3, 4), 3.0), rows, columns)
    assert np.allclose(table, np.outer(rows, columns) / 12)


def test_numbers_are_moved_to_a_total() -> None:
    values = np.array([50.0, -3.0, 1.0, 30.0])
    # the nearest numbers are 49, 0, 0, 29; those that stand out from noise of this variance are 49 and 29
    assert onto_total(values, 4.0, 78.0) == pytest.approx([49.0, 0, 0, 29.0])
    # the nearest numbers are 49.67, 0, .67, 29.67; of 1 there is no need
    assert onto_total(values, 4.0, 80.0) == pytest.approx([49.8333, 0, 0.3333, 29.8333], abs=1e-3)
    assert onto_total(values, 4.0, 0.0).tolist() == [0, 0, 0, 0]
    dense = np.array([50.0, 20.0, 30.0])
    assert onto_total(dense, 4.0, 106.0) == pytest.approx([52.0, 22.0, 32.0])  # all alike where none reaches zero


def test_the_product_of_margins_and_its_extension() -> None:
    margins_ = [np.array([1.0, 3.0]), np.array([2.0, 2.0]), np.array([4.0, 0.0])]
    table = independent(margins_, 4.0)
    assert table.sum(axis=(1, 2)) == pytest.approx(margins_[0])
    pairs = {(0, 1): np.array([[1.0, 0.0], [1.0, 2.0]]), (1, 2): np.array([[2.0, 0.0], [2.0, 0.0]])}
    found = extended(table, list(pairs.items()))
    assert found.sum(axis=2) == pytest.approx(pairs[0, 1], abs=1e-6)
    assert found.sum(axis=0) == pytest.approx(pairs[1, 2], abs=1e-6)
    assert independent(margins_, 0.0).sum() == 0


@pytest.mark.parametrize("total", TOTALS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_whole_numbers_fit_exactly_and_stay_near(shape: tuple[int, int], total: float) -> None:
    for noise in (0.05, 3.0):
        rows, columns = margins(shape, total)
        table = onto_margins(DICE.normal(0, noise * total + 1e-3, shape), rows, columns)
        whole = round(total)
        sides = whole_parts(rows, whole), whole_parts(columns, whole)
        assert [int(side.sum()) for side in sides] == [whole, whole]
        found = whole_table(table, *sides)
        assert found.min() >= 0
        assert np.array_equal(found.sum(axis=1), sides[0])
        assert np.array_equal(found.sum(axis=0), sides[1])
        if total < 1e7:
            assert np.abs(sides[0] - rows).max() <= 1.5
            assert np.abs(found - table).max() <= 3.5


def test_whole_numbers_are_exchanged_where_the_largest_parts_do_not_fit() -> None:
    """The two cells of the largest parts leave the last row and the last column with nothing to give each other."""
    table = np.array([[0.6, 0.4, 0.0], [0.4, 0.55, 0.05], [0.0, 0.05, 0.95]])
    table[2, 2] = 0.0
    table[2, 1], table[1, 2] = 0.05, 0.05
    ones = np.ones(3, np.int64)
    found = whole_table(table, ones, ones)
    assert found.sum(axis=0).tolist() == found.sum(axis=1).tolist() == [1, 1, 1]
