"""One tree of blocks, measured: noise on every block, and a second look at those that are not divided.

Guarantee: a record lies in one block of each generation, and the shares of the looks on every way down add up to the
tree's share, whatever was divided. What is divided depends on noisy counts only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.siblings import count_children
from discreet.private.counts import Counts, NeverShown
from discreet.summaries.block_estimates import TreeLooks
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.block_rules import LookScales, Stop, thresholds
from discreet.transforms.block_tree import (
    BlockTree,
    Divided,
    Generation,
    Marks,
    TreePlan,
    child_of,
    children,
    divided,
)

if TYPE_CHECKING:
    from discreet.noise import Noise

#: so many children at most are made of one generation; if more blocks are above T, the largest of them are divided
MOST_CHILDREN = 1 << 24


def looked_at(looks: LookScales, stop: Stop, counts: Counts, root: Integers, noise: Noise) -> TreeLooks:
    """The looks at a tree over all attributes of these counts; `root` is what is known of the total, or a zero."""
    plan = looks.plan
    here = Generation.root(plan)
    inside = _Line(counts) if len(plan.places) == 1 else _Cells(counts)
    refined = here.end < plan.depth
    whole = np.zeros(1, np.int64)
    if not refined[0]:  # nothing is divided, so that all of the tree's share goes to one look
        whole = noise.add(counts.counts.sum(keepdims=True), looks.scale(0, plan.depth))
    generations, marks, firsts, seconds, floors = [here], [], [root], [whole], [0]
    while True:
        marks.append(refined)
        if not refined.any():
            break
        chosen = here.chosen(refined)
        how = divided(plan, chosen)
        here = children(plan, chosen, how)
        totals = inside.of_children(plan, refined, chosen, how, here)
        first = _drawn(looks, totals, here.begin, here.end, noise)
        refined, floor = _above(looks, stop, here, first)
        second = np.zeros(here.size, np.int64)
        again = ~refined & (here.end < plan.depth)
        rest = np.full_like(here.end, plan.depth)
        second[again] = _drawn(looks, totals[again], here.end[again], rest[again], noise)
        generations.append(here)
        firsts.append(first)
        seconds.append(second)
        floors.append(floor)
    tree = BlockTree.of(plan, generations, marks)
    return TreeLooks(tree, looks, stop, tuple(floors), None, np.concatenate(firsts), np.concatenate(seconds))


class _Line(NeverShown):
    """Exact counts of blocks of one attribute, whose cells stand in order: differences of running sums."""

    def __init__(self, counts: Counts) -> None:
        self._codes = np.ascontiguousarray(counts.codes[:, 0])
        self._before = np.concatenate([[0], np.cumsum(counts.counts)])

    def of_children(
        self, plan: TreePlan, refined: Marks, chosen: Generation, how: Divided, here: Generation
    ) -> Integers:
        ends = np.searchsorted(self._codes, here.last[:, 0], side="right")
        starts = np.searchsorted(self._codes, here.first[:, 0])
        return np.asarray(self._before[ends] - self._before[starts])


class _Cells(NeverShown):
    """Exact counts of blocks of any attributes: cells move down to the children of their block."""

    def __init__(self, counts: Counts) -> None:
        self._codes, self._counts = counts.codes, counts.counts
        self._at = np.zeros(self._counts.size, np.int64)

    def of_children(
        self, plan: TreePlan, refined: Marks, chosen: Generation, how: Divided, here: Generation
    ) -> Integers:
        """Cells of blocks that were not divided are left behind."""
        stay = refined[self._at]
        self._codes, self._counts = self._codes[stay], self._counts[stay]
        at = (np.cumsum(refined) - 1)[self._at[stay]]
        self._at = child_of(plan, chosen, how, at, self._codes)
        totals = np.zeros(here.size, np.int64)
        count_children(self._at, self._counts, totals)
        return totals


def _drawn(looks: LookScales, totals: Integers, begin: Integers, end: Integers, noise: Noise) -> Integers:
    """Noise on each, of the scale that the shares of its levels buy."""
    noisy = np.empty_like(totals)
    kinds = begin * (looks.plan.depth + 1) + end
    for kind in np.unique(kinds, return_counts=True)[0].tolist():  # without counts it loads masked arrays
        rows = kinds == kind
        noisy[rows] = noise.add(totals[rows], looks.scale(*divmod(kind, looks.plan.depth + 1)))
    return noisy


def _above(looks: LookScales, stop: Stop, blocks: Generation, first: Integers) -> tuple[Marks, int]:
    """Which blocks are divided, and what T is at least so that they are not too many."""
    fanout: Floats = np.ones(blocks.size)
    open_ = blocks.end < looks.plan.depth
    fanout[open_] = divided(looks.plan, blocks.chosen(open_)).children
    refined = first > thresholds(looks, stop, blocks, fanout, looks.first(blocks))
    if fanout[refined].sum() <= MOST_CHILDREN:
        return refined, 0
    rows = np.flatnonzero(refined)
    rows = rows[np.argsort(-first[rows], kind="stable")]
    fits = int(np.searchsorted(np.cumsum(fanout[rows]), MOST_CHILDREN, side="right"))
    floor = int(first[rows[fits]])
    return refined & (first > floor), floor
