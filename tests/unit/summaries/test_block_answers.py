"""Questions to trees of blocks against generalised least squares over their leaves, written out as matrices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.schema import Nominal
from discreet.summaries.block_answers import Found, TreeAnswers
from discreet.summaries.block_estimates import TreeLooks
from discreet.transforms.block_rules import LookScales, Stop
from discreet.transforms.block_tree import BlockTree, Generation, TreePlan, children, divided
from discreet.transforms.partitions import EvenParts, HierarchyParts, Partition

Floats = NDArray[np.float64]

RAGGED = Nominal(hierarchy={"a": ["a1", {"a2": ["x", "y", "z"]}], "b": [f"b{i}" for i in range(7)], "c": ["c1"]})


def ragged(depth: int, together: int = 1) -> Partition:
    return HierarchyParts(RAGGED, depth, together)


def even(size: int, width: int, *special: int) -> Partition:
    return EvenParts(size, width, special)


PLANS: dict[str, list[tuple[Partition, ...]]] = {
    "one attribute": [(even(50, 16),), (even(50, 4),), (even(50, 1),)],
    "special values": [(even(30, 30, 0, 17),), (even(30, 6, 0, 17),), (even(30, 1, 0, 17),)],
    "ragged hierarchy": [(ragged(1),), (ragged(2, 3),), (ragged(2),), (ragged(3),)],
    "squares": [(even(12, w), even(9, w)) for w in (6, 3, 1)],
    "one at a time": [
        (even(6, 6), ragged(1), even(4, 4)),
        (even(6, 2), ragged(1), even(4, 4)),
        (even(6, 2), ragged(2), even(4, 1)),
        (even(6, 1), ragged(3), even(4, 1)),
    ],
}


def drawn(name: str, seed: int, *, root: bool = True, often: float = 0.6) -> TreeLooks:
    """A tree that is divided at random, with looks from nowhere."""
    dice = np.random.default_rng(seed)
    levels = PLANS[name]
    sizes = tuple(partition.size for partition in levels[0])
    shares = tuple(Fraction(int(dice.integers(1, 9)), 40) for _ in levels)
    plan = TreePlan(tuple(range(len(sizes))), sizes, tuple(levels), shares)
    here = Generation.root(plan)
    generations: list[Generation] = []
    marks = []
    while here.size:
        refined = (here.end < plan.depth) & (dice.random(here.size) < (often if generations else 1))
        generations.append(here)
        marks.append(refined)
        chosen = here.chosen(refined)
        here = children(plan, chosen, divided(plan, chosen))
    tree = BlockTree.of(plan, generations, marks)
    first, second = dice.integers(-20, 200, (2, tree.size))
    scale = Fraction(7) if root else None
    return TreeLooks(tree, LookScales(plan, Fraction(3)), Stop(2.5, 3.0), (0,) * len(marks), scale, first, second)


def cells(looks: TreeLooks) -> Floats:
    """Which cells each block has: blocks x cells."""
    blocks, sizes = looks.tree.blocks, looks.tree.plan.sizes
    found = np.zeros((looks.tree.size, *sizes))
    for row, (first, last) in enumerate(zip(blocks.first.tolist(), blocks.last.tolist(), strict=True)):
        found[row][tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))] = 1
    return found.reshape(looks.tree.size, -1)


def least_squares(looks: TreeLooks, tree: TreeAnswers) -> tuple[Floats, Floats, Floats]:
    """The estimates of the blocks that are not divided, their covariances, and which cells they have."""
    inside, leaves = cells(looks), np.flatnonzero(~looks.tree.refined)
    found = tree.estimates
    seen = [*leaves, *np.flatnonzero(looks.tree.refined)]
    y = np.concatenate([found.estimate[leaves], found.own[looks.tree.refined]])
    v = np.concatenate([found.variance[leaves], found.own_variance[looks.tree.refined]])
    sums = inside[seen] @ inside[leaves].T > 0
    design = np.where(inside[seen].sum(1)[:, None] >= inside[leaves].sum(1), sums, 0.0)
    covariance = np.linalg.inv((design.T / v) @ design)
    return covariance @ (design.T / v) @ y, covariance, inside[leaves]


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("name", PLANS)
def test_answers_are_those_of_least_squares(name: str, root: bool) -> None:
    dice = np.random.default_rng(5)
    for seed in range(12):
        looks = drawn(name, seed, root=root)
        tree = TreeAnswers(looks, [None] * len(looks.tree.plan.sizes))
        estimate, covariance, inside = least_squares(looks, tree)
        every = cells(looks)
        sizes = looks.tree.plan.sizes
        first, last = (np.sort(dice.integers(0, sizes, (40, 2, len(sizes))), axis=1)).transpose(1, 0, 2)
        first[0], last[0] = 0, np.array(sizes) - 1
        found = tree.answer(first, last, np.arange(41))
        for question in range(40):
            box = np.zeros(sizes)
            box[tuple(slice(a, b + 1) for a, b in zip(first[question], last[question], strict=True))] = 1
            part = inside @ box.reshape(-1) / inside.sum(1)
            of_blocks = every @ box.reshape(-1) / every.sum(1)
            doubt = tree.estimates.doubt[(of_blocks > 0) & (of_blocks < 1)]  # of all blocks that the box cuts
            for weights, moved, value, variance in (
                (part, 0, found.plain, found.variance),
                (np.floor(part), -1, found.low, found.low_variance),
                (np.ceil(part), 1, found.high, found.high_variance),
            ):
                assert value[question] == pytest.approx(weights @ estimate + moved * doubt.sum(), rel=1e-9, abs=1e-6)
                allowed = weights @ covariance @ weights + abs(moved) * (doubt**2).sum()
                assert variance[question] == pytest.approx(allowed, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("name", PLANS)
def test_a_question_of_several_boxes_is_one_sum(name: str) -> None:
    """Cut along one attribute, a box has the same answer in pieces; a block that two pieces cut is whole only once."""
    dice = np.random.default_rng(6)
    for seed in range(12):
        looks = drawn(name, seed)
        tree, sizes = TreeAnswers(looks, [None] * len(looks.tree.plan.sizes)), looks.tree.plan.sizes
        first, last = np.sort(dice.integers(0, sizes, (2, len(sizes))), axis=0)
        last[0] = max(last[0], first[0] + 1) if first[0] + 1 < sizes[0] else last[0]
        middle = int(dice.integers(first[0], last[0])) if last[0] > first[0] else int(first[0])
        if last[0] == first[0]:
            continue
        firsts, lasts = np.stack([first, first]), np.stack([last, last])
        lasts[0, 0], firsts[1, 0] = middle, middle + 1
        one = tree.answer(first[None], last[None], np.array([0, 1]))
        two = tree.answer(firsts, lasts, np.array([0, 2]))
        assert two.plain == pytest.approx(one.plain)
        assert two.variance == pytest.approx(one.variance)
        assert two.high >= one.high - 1e-6


def test_two_trees_are_put_together_number_by_number_and_interval_by_interval() -> None:
    """Of the second of two questions: the number by variances of numbers, the interval by its noise and its length."""
    dice = np.random.default_rng(7)
    one, two = (Found(*dice.uniform(1, 9, (8, size))) for size in (2, 1))
    found = one.joined(two, np.array([False, True]))
    number, its_number = (1 / (tree.variance + tree.spread)[-1] for tree in (one, two))
    interval, its_interval = (
        1 / (tree.low_variance + tree.high_variance + (tree.high - tree.low) ** 2)[-1] for tree in (one, two)
    )
    of_number, of_interval = number / (number + its_number), interval / (interval + its_interval)
    for weight, names, squared in (
        (of_number, ("plain", "shown"), ("variance", "spread")),
        (of_interval, ("low", "high"), ("low_variance", "high_variance")),
    ):
        for name in (*names, *squared):
            (first, mine), (its,) = getattr(one, name), getattr(two, name)
            power = 2 if name in squared else 1
            both = weight**power * mine + (1 - weight) ** power * its
            assert getattr(found, name) == pytest.approx([first, both], rel=1e-6)


@pytest.mark.parametrize("name", PLANS)
def test_shown_numbers_add_up_and_are_not_negative(name: str) -> None:
    for seed in range(12):
        looks = drawn(name, seed)
        axes = len(looks.tree.plan.sizes)
        tree = TreeAnswers(looks, [None] * axes, [seed % 3 > 0] * axes)
        for numbers in (tree.estimates.shown, tree.estimates.smooth, tree.estimates.agreeing):
            for block in np.flatnonzero(looks.tree.refined).tolist():
                below = slice(looks.tree.child[block], looks.tree.child[block] + int(tree.estimates.fanout[block]))
                assert numbers[below].sum() == pytest.approx(numbers[block], rel=1e-9, abs=1e-6)
        assert tree.estimates.shown.min() >= 0


@pytest.mark.parametrize("name", PLANS)
def test_a_tree_is_grown_again_from_its_marks(name: str) -> None:
    looks = drawn(name, 3)
    again = BlockTree.regrown(looks.tree.plan, looks.tree.refined)
    assert np.array_equal(again.blocks.first, looks.tree.blocks.first)
    assert np.array_equal(again.child, looks.tree.child)
    for wrong in (looks.tree.refined[:-1], np.append(looks.tree.refined, False), ~looks.tree.refined):
        with pytest.raises(ValueError, match="tree"):
            BlockTree.regrown(looks.tree.plan, wrong)


def test_margins_say_how_records_lie_in_a_block() -> None:
    looks = drawn("squares", 2, often=0.0)
    even_, skewed = (
        TreeAnswers(looks, [margin, None]) for margin in (None, (np.array([0, 4, 12]), np.array([0.0, 3.0, 4.0])))
    )
    first, last, bounds = np.array([[0, 0]]), np.array([[3, 8]]), np.array([0, 1])
    a, b = even_.answer(first, last, bounds), skewed.answer(first, last, bounds)
    left = replace(looks).tree.blocks.last[:, 0] <= 5
    column = even_.estimates.agreeing[left & ~looks.tree.refined].sum()
    assert a.plain[0] == pytest.approx(column * 4 / 6)
    assert b.plain[0] == pytest.approx(column * 3 / (3 + 2 / 8))
    assert (a.low[0], a.high[0]) == (b.low[0], b.high[0])


def test_margins_that_do_not_fit_are_not_believed() -> None:
    """Neither do they move the interval."""
    looks = drawn("squares", 2, often=0.0)
    known = (np.array([0, 4, 12]), np.array([0.0, 0.0, 1.0]))
    even_, told = TreeAnswers(looks, [None, None]), TreeAnswers(looks, [known, None], [True, True])
    first, last, bounds = np.array([[0, 0]]), np.array([[3, 8]]), np.array([0, 1])
    a, b = even_.answer(first, last, bounds), told.answer(first, last, bounds)
    assert 0 <= told.trust[0] < 1
    assert b.plain[0] == pytest.approx((1 - told.trust[0]) * a.plain[0])
    assert (a.low[0], a.high[0]) == (b.low[0], b.high[0])


def test_smoothing_moves_a_number_little_and_its_interval_not_at_all() -> None:
    for seed in range(12):
        looks = drawn("one attribute", seed)
        plain, smooth = TreeAnswers(looks, [None]), TreeAnswers(looks, [None], [True])
        ends = np.sort(np.random.default_rng(seed).integers(0, 50, (40, 2, 1)), axis=1).transpose(1, 0, 2)
        a, b = (tree.answer(ends[0], ends[1], np.arange(41)) for tree in (plain, smooth))
        for name in ("plain", "low", "high", "variance", "low_variance", "high_variance"):
            assert np.array_equal(getattr(a, name), getattr(b, name))
        assert np.all(np.abs(b.shown - b.plain) <= 3.7 * np.sqrt(b.variance) + np.maximum(-b.plain, 0) + 1e-6)


@pytest.mark.parametrize("name", PLANS)
def test_single_cells_that_are_remembered_are_the_same_to_the_last_bit(name: str) -> None:
    looks = drawn(name, 3)
    sizes = looks.tree.plan.sizes
    each = np.indices(sizes).reshape(len(sizes), -1).T
    dice = np.random.default_rng(8)
    mixed = dice.permutation(np.concatenate([each, each[::2]]))
    wide = np.maximum(mixed, each[dice.integers(0, len(each), len(mixed))] * (dice.random((len(mixed), 1)) < 0.3))
    tree = TreeAnswers(looks, [None] * len(sizes))
    for first, last in ((each[::3], each[::3]), (mixed, wide), (each, each)):
        bounds = np.arange(len(first) + 1)
        fresh = TreeAnswers(looks, [None] * len(sizes))
        fresh.__dict__["_cells"] = None  # as of a table of too many cells to remember
        said, expected = (vars(one.answer(first, last, bounds)) for one in (tree, fresh))
        assert all(np.array_equal(said[key], expected[key]) for key in expected)
    assert tree._cells is not None
    assert tree._cells[0].all()
