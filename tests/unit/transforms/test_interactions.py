"""Shrunk interactions, strengths behind noise, and forests of pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.transforms.axis import Floats
from discreet.transforms.forests import along, strongest_forest, way
from discreet.transforms.interactions import NoisyInteractions, shrunk_interactions, usual_laws
from discreet.transforms.strengths import likely_strengths

DICE = np.random.default_rng(7)
EXPECTED = np.full((20, 20), 50.0)


@pytest.fixture(autouse=True)
def same_dice() -> None:
    """Every test has the same draws, whichever were run before it."""
    DICE.bit_generator.state = np.random.default_rng(20_261_117).bit_generator.state


def noisy(size: float, share: float, deviation: float = 10.0) -> tuple[Floats, NoisyInteractions]:
    """Some cells have an interaction of this size, others none; with noise of this deviation on all."""
    true = size * DICE.choice([-1.0, 1.0], EXPECTED.shape) * (DICE.random(EXPECTED.shape) < share)
    return true, NoisyInteractions(true + DICE.normal(0, deviation, true.shape), EXPECTED, deviation**2)


def test_nothing_but_noise_is_taken_for_nothing() -> None:
    _, table = noisy(0, 0)
    found = shrunk_interactions(table, usual_laws([table]))
    assert np.abs(found).mean() < 0.2 * np.abs(table.seen).mean()


def test_what_stands_out_is_kept_and_noise_is_not() -> None:
    true, table = noisy(300, 0.1)
    found = shrunk_interactions(table, usual_laws([table]))
    large = true != 0
    assert np.abs(found - table.seen)[large].max() < 0.05 * 300
    assert np.abs(found)[~large].mean() < 0.5 * np.abs(table.seen)[~large].mean()
    assert ((found - true) ** 2).sum() < 0.5 * ((table.seen - true) ** 2).sum()


def test_shrinking_keeps_signs_and_never_adds() -> None:
    _, table = noisy(40, 0.5)
    found = shrunk_interactions(table, usual_laws([table]))
    assert np.all(found * table.seen >= 0)
    assert np.all(np.abs(found) <= np.abs(table.seen))


def test_without_noise_nothing_is_shrunk() -> None:
    seen = np.array([[0.0], [0.0]])
    table = NoisyInteractions(seen, np.ones((2, 1)), 0.0)
    assert shrunk_interactions(table, usual_laws([table])) is seen
    sure = NoisyInteractions(np.array([[3.0, -3.0], [-3.0, 3.0]]), np.full((2, 2), 5.0), 1e-12)
    assert shrunk_interactions(sure, usual_laws([sure])) == pytest.approx(sure.seen)


def test_strengths_that_are_all_noise_are_pulled_together() -> None:
    seen = np.array([-40, 10, 25, 60])
    assert likely_strengths(seen, 1e9, 1000.0).tolist() == [17.5] * 4
    assert likely_strengths(seen, 0.0, 1000.0).tolist() == [0, 10, 25, 60]
    assert likely_strengths(seen, 0.0, 30.0).tolist() == [0, 10, 25, 30]
    half = likely_strengths(seen, float(seen.var()) / 2, 1000.0)
    assert half.tolist() == pytest.approx([0, 13.75, 21.25, 38.75])


def test_the_strongest_forest_is_that_of_the_largest_sum() -> None:
    for _ in range(20):
        pairs = list(itertools.combinations(range(5), 2))
        strengths = {pair: float(DICE.random()) for pair in pairs if DICE.random() < 0.6}
        neighbours = strongest_forest(strengths)
        chosen = {pair for pair in strengths if pair[1] in neighbours.get(pair[0], [])}
        best = max(
            sum(strengths[pair] for pair in some)
            for size in range(len(strengths) + 1)
            for some in itertools.combinations(strengths, size)
            if without_rings(some)
        )
        assert without_rings(chosen)
        assert sum(strengths[pair] for pair in chosen) == pytest.approx(best)


def without_rings(pairs: object) -> bool:
    group = list(range(5))
    for one, other in pairs:  # type: ignore[attr-defined]
        if group[one] == group[other]:
            return False
        group = [group[one] if one_of == group[other] else one_of for one_of in group]
    return True


def test_ways_lead_along_the_forest() -> None:
    neighbours = strongest_forest({(0, 1): 3.0, (1, 2): 2.0, (0, 2): 1.0, (3, 4): 1.0})
    assert way(neighbours, 0, 2) == [0, 1, 2]
    assert way(neighbours, 2, 0) == [2, 1, 0]
    assert way(neighbours, 0, 3) == []
    assert way(neighbours, 5, 0) == []


def test_a_table_along_a_way_has_the_margins_of_its_ends() -> None:
    chain = DICE.random((3, 4, 2))
    first, second = chain.sum(axis=2), chain.sum(axis=0)
    tables = {(0, 1): first, (1, 2): second}
    found = along([0, 1, 2], lambda one, other: tables[one, other], lambda place: first.sum(axis=0))
    assert found.sum(axis=1) == pytest.approx(first.sum(axis=1))
    assert found.sum(axis=0) == pytest.approx(second.sum(axis=0))
    exact = np.einsum("ij,jk->ik", first / first.sum(axis=0), second)
    assert found == pytest.approx(exact)
