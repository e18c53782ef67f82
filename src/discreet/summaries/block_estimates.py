"""From the looks at the blocks of a tree to an estimate of each, and to the error of sums of them.

Every block had a first look y1; it was divided if y1 was above T, and if not it had a second look y2 for the rest of
the budget. That y1 also decided is corrected: with C(y) = alpha**|y - T - 1/2 +- 1/2| / (1 - alpha), so that the
exponent is y - T above T and T + 1 - y up to it, E[noise; y1 > T] = E[C(y1)] for every count (card of `adaptive`).
Then estimates and variances go up: what the children say together, and what the look at the block itself says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.kernels.siblings import present
from discreet.summaries.block_smoothing import drawn_together
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.block_rules import LookScales, Stop, thresholds
from discreet.transforms.block_tree import BlockTree, divided

#: stands for the variance of a look that there was none of
_NONE = 1e300
_LEAST = 1e-12


def variance_of(scales: Floats) -> Floats:
    """Of discrete Laplace noise; for an infinite scale very large."""
    with np.errstate(over="ignore", divide="ignore"):
        half = np.sinh(0.5 / np.maximum(scales, 1e-2))
        return np.clip(0.5 / half**2, _LEAST, _NONE)


@dataclass(frozen=True, eq=False)
class TreeLooks:
    """What was drawn for a tree: y1 of every block, y2 of those that were not divided and could have been.

    `root_scale` is that of the root's y1; None if there was none.
    """

    tree: BlockTree
    looks: LookScales
    stop: Stop
    #: per generation: a count that T is at least
    floors: tuple[int, ...]
    root_scale: Fraction | None
    first: Integers
    second: Integers


class _Decided:
    """Blocks of which y1 decided whether they are divided, and what that does to their estimates.

    w_s and w_r are the weights that y1 has in the estimate of a block, stopped and divided; both are public. A stopped
    block's estimate is w_s y1 + (1 - w_s) y2 - (w_r - w_s) C, and of a divided one y1 - (1 - w_s / w_r) C stands for
    y1: whichever happens, C takes away on average what the decision adds.
    """

    def __init__(self, drawn: TreeLooks, rows: Integers, scale: Floats, one: Floats) -> None:
        tree, looks = drawn.tree, drawn.looks
        blocks = tree.blocks.chosen(rows)
        fanout = divided(tree.plan, blocks).children
        limit = thresholds(looks, drawn.stop, blocks, fanout, scale)
        floors = np.repeat(drawn.floors, np.diff(tree.starts))
        self.limit = np.maximum(limit, floors[rows])
        self.scale, self.one, self.two = scale, one, variance_of(looks.second(blocks))
        child = looks.stopped_child(blocks)
        of_child = 1 / (1 / variance_of(child[0]) + 1 / variance_of(child[1]))
        self.as_stopped = self.two / (one + self.two)
        self.as_divided = fanout * of_child / (fanout * of_child + one)
        y1, ratio = drawn.first[rows], np.exp(-1 / scale)
        away = np.where(y1 > self.limit, y1 - self.limit, self.limit + 1 - y1)
        self.correction = np.exp(-away / scale) / (1 - ratio)

    @property
    def shift_of_divided(self) -> Floats:
        return np.asarray((1 - self.as_stopped / self.as_divided) * self.correction)

    def stopped(self, y1: Floats, y2: Floats) -> tuple[Floats, Floats]:
        """Estimates and variances of blocks that were not divided."""
        shift = (self.as_divided - self.as_stopped) * self.correction
        # what it would be if divided: a weight among siblings that depended on the decision would be biased by it
        variance = self.one * np.maximum(self.as_stopped, self.as_divided)
        return self.as_stopped * y1 + (1 - self.as_stopped) * y2 - shift, variance


class TreeEstimates:
    """Estimate and variance of every block, upward; made to agree, downward; and not below zero."""

    def __init__(self, drawn: TreeLooks, ordinal: Sequence[bool] | None = None) -> None:
        """`ordinal` says which attributes are; without it nothing is smoothed."""
        tree = drawn.tree
        self.tree, self._ordinal = tree, ordinal
        blocks, refined = tree.blocks, tree.refined
        scale = drawn.looks.first(blocks)
        scale[0] = np.inf if drawn.root_scale is None else float(drawn.root_scale)
        self._own(drawn, scale)
        z, variance = self.estimate, self.variance
        sums, spreads = np.zeros(tree.size), np.zeros(tree.size)
        for start, stop in reversed(list(zip(tree.starts[:-1], tree.starts[1:], strict=True))):
            parents = start + np.flatnonzero(refined[start:stop])
            if not parents.size:
                continue
            below = tree.child[parents]
            end = int(below[-1] + self.fanout[parents[-1]])
            sums[parents] = np.add.reduceat(z[:end], below)
            spreads[parents] = np.add.reduceat(variance[:end], below)
            gain = spreads[parents] / (spreads[parents] + self.own_variance[parents])
            z[parents] = sums[parents] + gain * (self.own[parents] - sums[parents])
            variance[parents] = spreads[parents] * (1 - gain)
        self.child_sum, self.child_variance = sums, spreads

    def _own(self, drawn: TreeLooks, scale: Floats) -> None:
        """What a block's own looks say: of divided ones y1 corrected, of others both looks together."""
        tree, y1 = drawn.tree, drawn.first.astype(np.float64)
        one = variance_of(scale)
        self.fanout = np.prod(tree.parts, axis=1)
        self.estimate, self.variance = y1.copy(), one.copy()
        self.own, self.own_variance = y1.copy(), one
        #: what the decision may have moved to or from a part of the block: a question that cuts it allows for that
        self.doubt = np.zeros(tree.size)
        rows = np.flatnonzero(tree.blocks.end < tree.plan.depth)
        rows = rows[rows > 0]  # nobody decided on the root
        decided = _Decided(drawn, rows, scale[rows], one[rows])
        self.own[rows] -= decided.shift_of_divided
        self.doubt[rows] = np.where(tree.refined[rows], decided.as_stopped, decided.as_divided) * decided.correction
        if not tree.refined[0]:
            two = variance_of(np.array([float(drawn.looks.scale(0, tree.plan.depth))]))[0]
            weight = two / (one[0] + two)
            self.estimate[0] = weight * y1[0] + (1 - weight) * drawn.second[0]
            self.variance[0] = (1 - weight) * two
        self.estimate[rows], self.variance[rows] = decided.stopped(y1[rows], drawn.second[rows].astype(np.float64))

    @cached_property
    def agreeing(self) -> Floats:
        """Estimates of which the children of every block add up to it."""
        tree, found = self.tree, self.estimate.copy()
        for start, stop in zip(tree.starts[:-1], tree.starts[1:], strict=True):
            parents = start + np.flatnonzero(tree.refined[start:stop])
            fanout = self.fanout[parents]
            rows = np.repeat(parents, fanout)
            children = np.repeat(tree.child[parents] - np.cumsum(fanout) + fanout, fanout) + np.arange(rows.size)
            missing = (found[rows] - self.child_sum[rows]) / self.child_variance[rows]
            found[children] += self.variance[children] * missing
        return found

    @cached_property
    def smooth(self) -> Floats:
        """Agreeing, with siblings drawn together as far as their differences are noise."""
        if self._ordinal is None:
            return self.agreeing
        return drawn_together(self.tree, self.agreeing, self.variance, self._ordinal)

    @cached_property
    def shown(self) -> Floats:
        """Not below zero and adding up: half way between taking a little from all and leaving the smallest out."""
        tree = self.tree
        best = self.estimate if self._ordinal is None else self.smooth
        soft, hard = np.zeros(tree.size), np.zeros(tree.size)
        soft[0] = hard[0] = max(float(best[0]), 0.0)
        present(np.flatnonzero(tree.refined), tree.child, self.fanout, best, self.variance, soft, hard)
        return 0.5 * (soft + hard)

    @cached_property
    def inverse(self) -> Floats:
        """1 / (variance of the children's sum and of the block's own look), of divided blocks."""
        refined = self.tree.refined
        return np.where(refined, 1 / np.where(refined, self.child_variance + self.own_variance, 1.0), 0.0)

    @cached_property
    def keep(self) -> Floats:
        """How much of a covariance with the children's sum is one with the block's estimate."""
        return np.where(self.tree.refined, self.own_variance * self.inverse, 0.0)
