"""One tree of blocks, measured: noise on every block, and a second look at those that are not divided.

Guarantee: a record lies in one block of each generation, and the shares of the looks on every way down add up to the
tree's share, whatever was divided. What is divided depends on noisy counts only.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.siblings import count_children
from discreet.noise import Noise
from discreet.private.counts import Counts
from discreet.summaries.block_estimates import TreeLooks
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.block_rules import LookScales, Stop, thresholds
from discreet.transforms.block_tree import BlockTree, Generation, Marks, child_of, children, divided

#: so many children at most are made of one generation; if more blocks are above T, the largest of them are divided
MOST_CHILDREN = 1 << 24


def looked_at(looks: LookScales, stop: Stop, counts: Counts, root: Integers, noise: Noise) -> TreeLooks:
    """The looks at a tree over all attributes of these counts; `root` is what is known of the total, or a zero."""
    plan = looks.plan
    here, exact = Generation.root(plan), counts.counts
    cells, at = counts.codes, np.zeros(exact.size, np.int64)
    refined = here.end < plan.depth
    whole = np.zeros(1, np.int64)
    if not refined[0]:  # nothing is divided, so that all of the tree's share goes to one look
        whole = noise.add(exact.sum(keepdims=True), looks.scale(0, plan.depth))
    generations, marks, firsts, seconds, floors = [here], [], [root], [whole], [0]
    while True:
        marks.append(refined)
        if not refined.any():
            break
        chosen = here.chosen(refined)
        inside = refined[at]
        renumbered = np.cumsum(refined) - 1
        cells, exact, at = cells[inside], exact[inside], renumbered[at[inside]]
        how = divided(plan, chosen)
        at = child_of(plan, chosen, how, at, cells)
        here = children(plan, chosen, how)
        totals = np.zeros(here.size, np.int64)
        count_children(at, exact, totals)
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


def _drawn(looks: LookScales, totals: Integers, begin: Integers, end: Integers, noise: Noise) -> Integers:
    """Noise on each, of the scale that the shares of its levels buy."""
    noisy = np.empty_like(totals)
    kinds = begin * (looks.plan.depth + 1) + end
    for kind in np.unique(kinds).tolist():
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
