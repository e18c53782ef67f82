"""The strength of pairs, and the forest of the strongest."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.transforms.forests import mutual_information, parents_first, strongest_forest


def spanning_forest(count: int, strengths: dict[tuple[int, int], float]) -> list[tuple[int | None, int]]:
    return parents_first(count, strongest_forest(strengths))


def test_mutual_information() -> None:
    assert mutual_information(np.outer([1.0, 2.0], [3.0, 4.0, 5.0])) == 0
    assert mutual_information(np.eye(4)) == pytest.approx(np.log(4))
    assert mutual_information(np.zeros((2, 2))) == 0
    assert mutual_information(np.array([[1.0, 0.0]])) == 0


def test_the_strongest_pairs_that_make_no_ring() -> None:
    strengths = {(0, 1): 0.5, (1, 2): 0.4, (0, 2): 0.45, (3, 4): 0.1}
    assert spanning_forest(6, strengths) == [(None, 0), (0, 1), (0, 2), (None, 3), (3, 4), (None, 5)]


def test_every_attribute_has_one_place_below_its_parent() -> None:
    random = np.random.default_rng(4)
    strengths = {(one, other): float(random.random()) for other in range(12) for one in range(other)}
    found = spanning_forest(12, strengths)
    assert sorted(child for _, child in found) == list(range(12))
    assert sum(parent is None for parent, _ in found) == 1
    seen: set[int | None] = {None}
    for parent, child in found:
        assert parent in seen
        seen.add(child)
    # no other tree is stronger: swapping a pair for one that joins the same halves gains nothing
    edges = {(min(p, c), max(p, c)) for p, c in found if p is not None}
    for edge in edges:
        halves = spanning_forest(12, dict.fromkeys(edges - {edge}, 1.0))
        roots = [number for number, (parent, _) in enumerate(halves) if parent is None]
        half = {child for _, child in halves[: roots[1]]}
        across = [strength for pair, strength in strengths.items() if (pair[0] in half) != (pair[1] in half)]
        assert strengths[edge] == max(across)


def test_nobody_and_nothing() -> None:
    assert spanning_forest(0, {}) == []
    assert spanning_forest(2, {}) == [(None, 0), (None, 1)]
