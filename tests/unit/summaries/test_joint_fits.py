"""Estimates of most entropy against a general solver, linked attributes, coarse tables, and tables that fit nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.errors import CannotAnswer
from discreet.queries import Questions
from discreet.summaries import joint_fits
from discreet.summaries.joint_fits import JointFits, connected, fitted, widest

PAIRS = [(0, 1), (1, 2), (0, 2)]


def agreeing(sets: Sequence[tuple[int, ...]], joint: Any) -> list[Any]:
    return [(some, joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in some))) for some in sets]


def boxes(first: Any, last: Any) -> Questions:
    return Questions(np.array(first), np.array(last), len(first), np.arange(len(first)))


@pytest.mark.parametrize("sizes", [(2, 2, 2), (2, 3, 2), (3, 2, 3)])
@pytest.mark.parametrize("sets", [PAIRS, [(0, 1), (1, 2)], [(0,), (1, 2)], [(0, 1, 2)]])
def test_the_fit_has_the_most_entropy(sizes: tuple[int, ...], sets: list[tuple[int, ...]]) -> None:
    joint = np.random.default_rng(2).uniform(0.5, 4, sizes)
    tables = agreeing(sets, joint)
    found = fitted(sizes, tables)
    for some, values in tables:
        assert agreeing([some], found)[0][1] == pytest.approx(values, rel=1e-5)

    # the dual problem: a factor for each count of each table, without limits, and smooth
    cells = np.eye(joint.size).reshape(joint.size, *sizes)
    members = np.array([np.concatenate([one.reshape(-1) for _, one in agreeing(sets, cell)]) for cell in cells])
    counts = np.concatenate([values.reshape(-1) for _, values in tables])

    def dual(factors: Any) -> tuple[Any, Any]:
        table = np.exp(members @ factors)
        return table.sum() - counts @ factors, members.T @ table - counts

    best = minimize(dual, np.zeros(len(counts)), jac=True, method="BFGS", options={"gtol": 1e-9})
    assert found.reshape(-1) == pytest.approx(np.exp(members @ best.x), rel=1e-4)


def test_pairs_of_independent_attributes_give_their_product() -> None:
    shares = [np.array([0.2, 0.8]), np.array([0.5, 0.3, 0.2]), np.array([0.9, 0.1])]
    joint = 1000 * np.einsum("i,j,k->ijk", *shares)
    assert fitted((2, 3, 2), agreeing(PAIRS, joint)) == pytest.approx(joint, rel=1e-5)


def test_tables_that_no_joint_table_has() -> None:
    """Each pair is opposite: three attributes of two values cannot all differ."""
    opposite = np.array([[0.0, 50.0], [50.0, 0.0]])
    found = fitted((2, 2, 2), [(some, opposite) for some in PAIRS])
    assert np.isfinite(found).all()
    assert found.min() >= 0


@pytest.mark.parametrize("total", [0.0, 7.0])
def test_nothing_or_one_cell(total: float) -> None:
    joint = np.zeros((3, 2, 2))
    joint[1, 0, 1] = total
    assert fitted((3, 2, 2), agreeing(PAIRS, joint)) == pytest.approx(joint)


def test_what_sets_hold_of_attributes() -> None:
    assert widest([(0, 1), (1, 2, 3), (3,)], (0, 1, 2)) == [(0, 1), (1, 2)]
    assert widest([(0, 1), (3,)], (0, 3)) == [(0,), (3,)]


def test_attributes_are_linked_through_others() -> None:
    chain = [(0, 1), (1, 2), (2, 3), (4,)]
    sizes = (2, 2, 2, 2, 2)
    assert connected(chain, (0, 3), sizes) == (0, 1, 2, 3)
    assert connected(chain, (0, 4), sizes) == (0, 4)
    assert connected(chain, (0, 1, 2), sizes) == (0, 1, 2)
    assert connected(chain, (0, 3), (2, 2000, 2000, 2000, 2)) == (0, 3)  # too many cells: as if independent


def test_a_chain_is_followed() -> None:
    first, second = np.array([[90.0, 10.0], [5.0, 95.0]]), np.array([[80.0, 15.0], [5.0, 100.0]])
    fits = JointFits((2, 2, 2), [((0, 1), first), ((1, 2), second)])
    expected = first @ (second / second.sum(axis=1, keepdims=True))
    for a in range(2):
        for c in range(2):
            question = boxes([[a, 0, c]], [[a, 1, c]])
            assert fits.values(question, (0, 2))[0] == pytest.approx(expected[a, c], rel=1e-5)


def test_questions_are_sums_of_cells() -> None:
    joint = np.random.default_rng(5).uniform(0, 4, (4, 3, 5))
    fits = JointFits(joint.shape, agreeing(PAIRS, joint))
    table = fitted(joint.shape, agreeing(PAIRS, joint))
    asked = Questions(
        np.array([[1, 0, 2], [0, 1, 0], [2, 2, 4]]), np.array([[2, 1, 3], [0, 2, 1], [3, 2, 4]]), 2, np.array([0, 0, 1])
    )
    expected = [table[1:3, 0:2, 2:4].sum() + table[0, 1:3, 0:2].sum(), table[2:4, 2, 4].sum()]
    assert fits.values(asked, (0, 1, 2)) == pytest.approx(expected)


def test_large_tables_are_made_coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """One box: inside and outside of each attribute, which is a table of two by two by two."""
    joint = np.random.default_rng(6).uniform(0, 4, (4, 3, 5))
    fits = JointFits(joint.shape, agreeing(PAIRS, joint))
    question = boxes([[1, 0, 2]], [[2, 0, 3]])
    halves = joint
    for axis, inside in enumerate(([1, 2], [0], [2, 3])):
        rest = [code for code in range(joint.shape[axis]) if code not in inside]
        halves = np.stack([halves.take(some, axis).sum(axis) for some in (inside, rest)], axis)
    monkeypatch.setattr(joint_fits, "MOST_CELLS", 8)
    coarse = fits.values(question, (0, 1, 2))
    assert coarse[0] == pytest.approx(fitted((2, 2, 2), agreeing(PAIRS, halves))[0, 0, 0], rel=1e-5)
    many = boxes([[1, 0, 2]] * 501, [[2, 0, 3]] * 501)
    with pytest.raises(CannotAnswer, match="at most 500 such questions"):
        fits.values(many, (0, 1, 2))
    monkeypatch.setattr(joint_fits, "MOST_CELLS", 7)
    with pytest.raises(CannotAnswer, match="too many parts"):
        fits.values(question, (0, 1, 2))
