"""Weighted sums over blocks against generalised least squares over the leaves, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.numbers.corridors import Mixed
from discreet.summaries.block_answers import TreeAnswers
from discreet.summaries.block_sums import TreeSides, forest_sides
from discreet.summaries.linear_laws import PairedBoxes
from tests.unit.summaries.test_block_answers import PLANS, Floats, cells, drawn, least_squares


def some_boxes(sizes: tuple[int, ...], dice: np.random.Generator) -> PairedBoxes:
    """Parts of the first attribute, each cut to a box of the others; with few different weights."""
    parts = np.unique(np.concatenate([[0], dice.integers(0, sizes[0], 4), [sizes[0]]]))
    first, last = (np.sort(dice.integers(0, sizes, (parts.size - 1, 2, len(sizes))), axis=1)).transpose(1, 0, 2)
    first[:, 0], last[:, 0] = parts[:-1], parts[1:] - 1
    first[0], last[0, 1:] = 0, np.array(sizes)[1:] - 1
    over, under = dice.choice([-1.0, 0.0, 1.0, 2.0], (2, parts.size - 1))
    return PairedBoxes(first, last, over, np.abs(under))


def weights_of_cells(boxes: PairedBoxes, sizes: tuple[int, ...], ratio: float) -> Floats:
    found = np.zeros(sizes)
    for first, last, over, under in zip(boxes.first, boxes.last, boxes.over, boxes.under, strict=True):
        found[tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))] = over - ratio * under
    return found.reshape(-1)


def extremes(inside: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The least and the largest weight of the cells of each block."""
    held = inside > 0
    return np.where(held, weights, np.inf).min(axis=1), np.where(held, weights, -np.inf).max(axis=1)


@pytest.mark.parametrize("name", PLANS)
def test_sides_are_those_of_least_squares(name: str) -> None:
    dice = np.random.default_rng(5)
    for seed in range(8):
        looks = drawn(name, seed, root=bool(seed % 2))
        sizes = looks.tree.plan.sizes
        tree = TreeAnswers(looks, [None] * len(sizes))
        estimate, covariance, inside = least_squares(looks, tree)
        every, boxes = cells(looks), some_boxes(sizes, dice)
        sides = TreeSides.of(tree, boxes)
        for ratio in (0.0, 0.4, -1.5):
            weights, found = weights_of_cells(boxes, sizes, ratio), sides.at(ratio)
            low, high = extremes(every, weights)
            doubt = tree.estimates.doubt * (high - low)
            for sign, ends, value, variance in zip(
                (-1, 1),
                extremes(inside, weights),
                (found.low, found.high),
                (found.low_variance, found.high_variance),
                strict=True,
            ):
                assert value == pytest.approx(ends @ estimate + sign * doubt.sum(), rel=1e-9, abs=1e-6)
                assert variance == pytest.approx(ends @ covariance @ ends + (doubt**2).sum(), rel=1e-9, abs=1e-6)


def test_values_count_from_the_lowest_to_the_highest_of_a_block() -> None:
    looks = drawn("squares", 2)
    tree, sizes = TreeAnswers(looks, [None, None]), looks.tree.plan.sizes
    worth = np.cumsum(np.arange(sizes[0]), dtype=np.float64)
    one = np.ones(1)
    everything = PairedBoxes(np.zeros((1, 2), np.int64), np.array([sizes]) - 1, one, one)
    found = TreeSides.of(tree, everything, 0, lambda first, last: (worth[first], worth[last])).at(3.0)
    slices = np.repeat(np.arange(sizes[0]), 1)
    by_value = PairedBoxes(
        np.stack([slices, 0 * slices], axis=1),
        np.stack([slices, 0 * slices + sizes[1] - 1], axis=1),
        worth,
        np.ones(sizes[0]),
    )
    same = TreeSides.of(tree, by_value).at(3.0)
    assert (found.low, found.high) == pytest.approx((same.low, same.high))
    assert (found.low_variance, found.high_variance) == pytest.approx((same.low_variance, same.high_variance))


def test_trees_that_lack_an_attribute_are_not_asked() -> None:
    looks = drawn("one attribute", 1)
    tree = TreeAnswers(looks, [None])
    one = np.ones(1)
    for last, trees in (([49, 3], 1), ([49, 2], 0), ([20, 3], 1)):
        asked = PairedBoxes(np.zeros((1, 2), np.int64), np.array([last]), one, one)
        found = forest_sides([tree], (50, 4), asked)
        assert isinstance(found, Mixed)
        assert len(found.looks) == trees
