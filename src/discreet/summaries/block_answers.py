"""Questions to one tree of blocks: what is surely in, what may be in, the best number, and the error of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from discreet.kernels import block_walks as columns
from discreet.kernels.cores import side_by_side, slices
from discreet.summaries.block_estimates import TreeEstimates, TreeLooks
from discreet.summaries.block_trust import trust_in
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.block_tree import Marks, TreePlan

#: how far smoothing may move a number, in standard errors
_EASE = 0.7
#: how far the shown number may be from that, in standard errors: for small counts, and for those far above their error;
#: per root of the blocks that a question adds up, and at least
_PULL, _PULL_LARGE, _LARGE, _LEAST_PULL = 3.0, 1.0, 4.0, 0.3
#: how far off the share of a cut block is likely to be, block by block and all in one direction: fitted to errors on
#: tables of the census and of jobs
_SPREAD, _DRIFT = 0.3, 0.2
#: this much of a margin is spread evenly, so that no value that a block has is ruled out
_EVEN = 0.02
#: a core is given so many questions at least
_WORTH = 1 << 10
#: of tables of so many cells single ones are remembered
_FEW_CELLS = 1 << 12
_NOTHING = 1e-9
#: sums of blocks are differences of running sums, which lose the last digits of very large totals
_ROUNDING = 2.0**-100

#: codes of one attribute at which the mass before them is known
Margin = tuple[Integers, Floats]


@dataclass(frozen=True, eq=False)
class Found:
    """For each question: the plain number and the shown one, what low and high add up to, and their variances."""

    plain: Floats
    shown: Floats
    low: Floats
    high: Floats
    variance: Floats
    low_variance: Floats
    high_variance: Floats
    #: the variance that sharing out cut blocks is likely to add
    spread: Floats

    def joined(self, other: Found, able: Marks) -> Found:
        """With what another tree says of some questions; their noise is independent.

        The number that is likely to be better weighs more, and the interval that is shorter.
        """
        sure, its_sure = (one.variance + one.spread for one in (self, other))
        wide, its_wide = (one.low_variance + one.high_variance + (one.high - one.low) ** 2 for one in (self, other))
        number = (its_sure + _NOTHING) / (sure[able] + its_sure + 2 * _NOTHING)
        interval = (its_wide + _NOTHING) / (wide[able] + its_wide + 2 * _NOTHING)  # a question may be about no cell

        def mix(name: str) -> Floats:
            column = getattr(self, name).copy()
            weight = interval if name in _OF_INTERVALS else number
            power = 2 if name in _SQUARED else 1
            column[able] = weight**power * column[able] + (1 - weight) ** power * getattr(other, name)
            return np.asarray(column)

        return Found(*(mix(one.name) for one in fields(self)))


_SQUARED = ("variance", "low_variance", "high_variance", "spread")
_OF_INTERVALS = ("low", "high", "low_variance", "high_variance")


class TreeAnswers:
    """A tree with its estimates, and what says how records lie inside of blocks that were not divided."""

    def __init__(
        self, drawn: TreeLooks, margins: Sequence[Margin | None], ordinal: Sequence[bool] | None = None
    ) -> None:
        """`ordinal` says which attributes are; without it, nothing is smoothed and margins are believed: the rule of
        earlier releases."""
        self.drawn = drawn
        self.plan: TreePlan = drawn.tree.plan
        self.estimates = TreeEstimates(drawn, ordinal)
        self._margins = [
            (np.array([0, size]), np.array([0.0, 1.0])) if margin is None else margin
            for margin, size in zip(margins, self.plan.sizes, strict=True)
        ]
        self.trust = np.ones(len(margins))
        if ordinal is not None and len(margins) > 1:
            found = self.estimates
            self.trust = trust_in(self._margins, ordinal, drawn.tree, found.estimate, found.variance)

    @cached_property
    def _arrays(self) -> tuple[columns.Shape, columns.Estimates, columns.Running, columns.Margins]:
        tree, found = self.drawn.tree, self.estimates
        shape = (tree.blocks.first, tree.blocks.last, tree.parts, tree.child)
        measured, shown = (found.agreeing, found.variance), (found.smooth, found.shown)
        numbers = (*measured, *shown, found.inverse, found.keep, found.doubt)
        running = tuple(np.concatenate([[0.0], np.cumsum(column)]) for column in numbers[:4])
        starts = np.cumsum([0, *(codes.size for codes, _ in self._margins)])
        codes, mass = (np.concatenate([margin[i] for margin in self._margins]) for i in range(2))
        margins = (starts, codes.astype(np.int64), mass.astype(np.float64), self.trust)
        return shape, numbers, (running[0], running[1], running[2], running[3]), margins

    def answer(self, first: Integers, last: Integers, bounds: Integers) -> Found:
        """Question q is about the boxes bounds[q] to bounds[q + 1] - 1, over this tree's attributes."""
        boxes = np.diff(bounds)
        at, asked = self._added_up(first, last, bounds, bool(np.all(boxes == 1))).T, boxes > 0
        rounding = asked * float(self._arrays[2][0].max()) ** 2 * _ROUNDING
        variance = np.where(asked, np.maximum(at[columns.MID_VARIANCE], _NOTHING), 0.0)
        plain, stderr = at[columns.MID], np.sqrt(variance)
        pull = np.where(plain > _LARGE * stderr, _PULL_LARGE, _PULL) / np.sqrt(np.maximum(at[columns.PIECES], 1))
        most = np.maximum(pull, _LEAST_PULL) * stderr
        eased = plain + np.clip(at[columns.SMOOTH] - plain, -_EASE * stderr, _EASE * stderr)
        shown = np.maximum(eased + np.clip(at[columns.SHOWN] - eased, -most, most), 0.0)
        return Found(
            plain,
            shown,
            at[columns.LOW] - at[columns.DOUBT],
            at[columns.HIGH] + at[columns.DOUBT],
            variance,
            np.maximum(at[columns.LOW_VARIANCE], 0.0) + at[columns.DOUBT_SQUARED] + rounding,
            np.maximum(at[columns.HIGH_VARIANCE], 0.0) + at[columns.DOUBT_SQUARED] + rounding,
            _SPREAD * at[columns.SPREAD] + (_DRIFT * at[columns.DRIFT]) ** 2,
        )

    def _added_up(self, first: Integers, last: Integers, bounds: Integers, one_each: bool) -> Floats:
        """What walks add up, question by question. A table of few cells, in which each question is about `one_each`
        box, remembers single cells: a release has them twice, in the table of blocks and in that of cells."""
        if not one_each or self._cells is None:
            return self._walked(first, last, bounds)
        known, rows = self._cells
        numbers = np.ravel_multi_index(tuple(first.T), self.plan.sizes)
        single = np.all(first == last, axis=1)
        new = np.flatnonzero(~(single & known[numbers]))
        found: Floats = rows[numbers]
        found[new] = self._walked(first[new], last[new], np.arange(new.size + 1))
        alone = new[single[new]]
        rows[numbers[alone]] = found[alone]
        known[numbers[alone]] = True
        return found

    @cached_property
    def _cells(self) -> tuple[Marks, Floats] | None:
        """Of each cell whether it was asked for, and what was added up."""
        cells = math.prod(self.plan.sizes)
        return (np.zeros(cells, np.bool_), np.zeros((cells, columns.COLUMNS))) if cells <= _FEW_CELLS else None

    def _walked(self, first: Integers, last: Integers, bounds: Integers) -> Floats:
        out = np.zeros((bounds.size - 1, columns.COLUMNS))
        first, last = np.ascontiguousarray(first), np.ascontiguousarray(last)

        def work(part: slice) -> None:
            columns.walk(*self._arrays, first, last, bounds[part.start : part.stop + 1], out[part])

        side_by_side(work, slices(len(out), _WORTH))
        return out

    def margin(self) -> Margin:
        """Of a tree of one attribute: the mass before each block that was not divided; never without any mass."""
        tree, shown = self.drawn.tree, self.estimates.shown
        leaves = np.flatnonzero(~tree.refined)
        leaves = leaves[np.argsort(tree.blocks.first[leaves, 0])]
        width = tree.blocks.last[leaves, 0] - tree.blocks.first[leaves, 0] + 1.0
        mass = shown[leaves] + (_EVEN * shown[0] + _NOTHING) * width / width.sum()
        return np.append(tree.blocks.first[leaves, 0], self.plan.sizes[0]), np.append(0.0, np.cumsum(mass))
