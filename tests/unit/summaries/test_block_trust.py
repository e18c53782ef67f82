"""Margins are believed where blocks that were not divided follow them, and not where a few large cells make them up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.summaries.block_trust import trust_in
from discreet.transforms.block_tree import BlockTree, Generation, TreePlan, children, divided
from discreet.transforms.partitions import EvenParts

Floats = NDArray[np.float64]
SIDE = 64
BOTH = (True, True)


def measured(table: Floats, limit: float) -> tuple[BlockTree, Floats]:
    """A tree of squares, the large ones divided, smaller ones if they have more than the limit; exact counts."""
    levels = tuple((EvenParts(SIDE, width), EvenParts(SIDE, width)) for width in (16, 4, 1))
    plan = TreePlan((0, 1), table.shape, levels, (Fraction(1, 4),) * 3)
    running = np.pad(table, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    generations: list[Generation] = []
    marks, counts, here = [], [], Generation.root(plan)
    while here.size:
        (a, b), (c, d) = here.first.T, here.last.T + 1
        inside = running[c, d] - running[a, d] - running[c, b] + running[a, b]
        refined = (here.end < plan.depth) & ((inside > limit) | (len(generations) < 2))
        generations.append(here)
        marks.append(refined)
        counts.append(inside)
        chosen = here.chosen(refined)
        here = children(plan, chosen, divided(plan, chosen))
    return BlockTree.of(plan, generations, marks), np.concatenate(counts)


def margins(table: Floats) -> list[tuple[NDArray[np.int64], Floats]]:
    codes = np.arange(SIDE + 1)
    return [(codes, np.concatenate([[0.0], np.cumsum(table.sum(1 - axis))])) for axis in range(2)]


def trust(table: Floats, limit: float, variance: float) -> Floats:
    tree, counts = measured(table, limit)
    return trust_in(margins(table), BOTH, tree, counts, np.full(tree.size, variance))


def test_a_table_that_is_the_product_of_its_margins_is_as_they_say() -> None:
    along = np.linspace(1, 9, SIDE)
    assert trust(np.outer(along, along[::-1]), np.inf, 1.0) == pytest.approx(1.0)


def test_each_attribute_has_its_own() -> None:
    table = np.outer(np.linspace(1, 9, SIDE), np.ones(SIDE))
    odd = [margins(table)[0], (np.array([0, 32, SIDE]), np.array([0.0, 1.0, 90.0]))]
    tree, counts = measured(table, np.inf)
    found = trust_in(odd, BOTH, tree, counts, np.ones(tree.size))
    assert found[0] == pytest.approx(1.0)
    assert trust_in(odd[::-1], BOTH, tree, counts, np.ones(tree.size))[1] < 1


def test_a_few_large_cells_say_nothing_of_the_others() -> None:
    table = np.full((SIDE, SIDE), 5.0)
    table[[3, 30, 50], [10, 41, 60]] = 40_000.0
    assert trust(table, 200.0, 1.0) == pytest.approx(0.0, abs=0.05)
    tree, counts = measured(table, 200.0)
    found = trust_in(margins(table), (True, False), tree, counts, np.ones(tree.size))
    assert found[0] < 0.2
    assert found[1] == 1.0  # of names, margins are always believed


def test_without_anything_to_compare_margins_are_believed() -> None:
    assert trust(np.full((SIDE, SIDE), 5.0), np.inf, 1e12) == pytest.approx(1.0)
    assert trust(np.full((SIDE, SIDE), 5.0), 0.0, 1.0) == pytest.approx(1.0)
