"""Siblings that differ by noise are drawn together; what stands out stays; children add up to their block."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.summaries.block_smoothing import drawn_together
from discreet.transforms.block_tree import BlockTree, Generation, TreePlan, children, divided
from discreet.transforms.partitions import EvenParts

Floats = NDArray[np.float64]
SIZE, WIDTHS = 500, (100, 20, 1)


def tree_of(size: int = SIZE) -> BlockTree:
    """Divided down to cells everywhere."""
    levels = tuple((EvenParts(size, width),) for width in WIDTHS)
    plan = TreePlan((0,), (size,), levels, (Fraction(1, 4),) * len(levels))
    generations, here = [], Generation.root(plan)
    while here.size:
        generations.append(here)
        chosen = here.chosen(here.end < plan.depth)
        here = children(plan, chosen, divided(plan, chosen))
    return BlockTree.of(plan, generations, [one.end < plan.depth for one in generations])


def sums(tree: BlockTree, cells: Floats) -> Floats:
    before = np.concatenate([[0.0], np.cumsum(cells)])
    return np.asarray(before[tree.blocks.last[:, 0] + 1] - before[tree.blocks.first[:, 0]])


def noisy(cells: Floats) -> tuple[BlockTree, Floats, Floats, Floats]:
    """A tree, the truth of its blocks, estimates that are off by noise of cells alone, and their variances."""
    tree = tree_of(cells.size)
    off = np.random.default_rng(3).normal(0, 5, cells.size)
    variance = np.asarray(25.0 * (tree.blocks.last[:, 0] - tree.blocks.first[:, 0] + 1), np.float64)
    return tree, sums(tree, cells), sums(tree, cells + off), variance


def error(tree: BlockTree, truth: Floats, found: Floats) -> float:
    """Of cells."""
    cells = tree.blocks.end == tree.plan.depth
    return float(np.abs(found - truth)[cells].mean())


def test_records_that_lie_evenly_lose_most_of_their_noise() -> None:
    tree, truth, measured, variance = noisy(np.full(SIZE, 40.0))
    assert error(tree, truth, drawn_together(tree, measured, variance, [True])) < 0.65 * error(tree, truth, measured)


def test_cells_that_stand_out_stay_and_do_not_speak_for_others() -> None:
    cells = np.full(SIZE, 40.0)
    cells[[7, 250]] = 50_000.0
    tree, truth, measured, variance = noisy(cells)
    found = drawn_together(tree, measured, variance, [True])
    large = (truth >= 50_000) & (tree.blocks.end == tree.plan.depth)
    assert found[large] == pytest.approx(measured[large], abs=1.0)
    assert error(tree, truth, found) < 0.75 * error(tree, truth, measured)


def test_a_rough_table_is_left_as_it_was_measured() -> None:
    cells = np.random.default_rng(4).exponential(1000.0, SIZE)
    tree, truth, measured, variance = noisy(cells)
    found = drawn_together(tree, measured, variance, [True])
    assert error(tree, truth, found) < 1.02 * error(tree, truth, measured)


@pytest.mark.parametrize("size", [SIZE, 467])
def test_children_add_up_to_their_block(size: int) -> None:
    tree, _, measured, variance = noisy(np.full(size, 3.0))
    found = drawn_together(tree, measured, variance, [True])
    assert found[0] == measured[0]
    for block in np.flatnonzero(tree.refined).tolist():
        below = slice(tree.child[block], tree.child[block] + int(tree.parts[block, 0]))
        assert found[below].sum() == pytest.approx(found[block], abs=1e-6)


def test_names_are_not_drawn_together() -> None:
    tree, _, measured, variance = noisy(np.full(SIZE, 40.0))
    assert np.array_equal(drawn_together(tree, measured, variance, [False]), measured)
