"""Weighted sums of counts, asked of trees of blocks.

A block that was not divided has cells of several weights, and nobody knows how its records lie among these: it counts
with the least of them for what the true sum is not below, and with the largest for what it is not above. Both are sums
of whole blocks with known noise. What the decision to divide a block may have moved between its parts (`doubt`) counts
as often as the weights in it differ; see the card of `adaptive`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.kernels.block_weights import gather, spread_upward
from discreet.numbers.corridors import Mixed, SideSums
from discreet.summaries.block_answers import TreeAnswers
from discreet.summaries.linear_laws import PairedBoxes, ValueRanges
from discreet.transforms.axis import Floats, Integers
from discreet.transforms.block_tree import Marks

#: of the square of the records whose weights differ, how much is likely to be the square of the error: as for a count
#: that has half of a block
_SPREAD = 0.05


@dataclass(frozen=True, eq=False)
class TreeSides:
    """The blocks of one tree that a pair of sums is about, root first, with all blocks above them.

    Cells that count `unders[k]` times in the sum below count least[k] to most[k] times in the one above.
    """

    above: Integers
    leaves: Integers
    #: divided ones of which some parts are in neither sum
    partly: Integers
    #: (estimate, variance, inverse, keep, doubt) of every block
    blocks: tuple[Floats, Floats, Floats, Floats, Floats]
    unders: Floats
    least: Floats
    most: Floats

    @classmethod
    def of(cls, tree: TreeAnswers, boxes: PairedBoxes, axis: int = -1, ranges: ValueRanges | None = None) -> TreeSides:
        """With an `axis`, cells weigh by `ranges` of their codes along it, rather than by the weights of boxes."""
        drawn, numbers = tree.drawn.tree, tree.estimates
        shape = (drawn.blocks.first, drawn.blocks.last, drawn.parts, drawn.child)
        unders, kind = np.unique(np.append(boxes.under, 0.0), return_inverse=True)
        found = np.empty((unders.size, 2, drawn.size))
        found[:, 0], found[:, 1] = np.inf, -np.inf
        covered = np.zeros(drawn.size)
        first, last = (np.ascontiguousarray(ends) for ends in (boxes.first, boxes.last))
        gather(shape, first, last, np.ascontiguousarray(kind[:-1], np.int64), boxes.over, axis, found, covered)
        above = np.full(drawn.size, -1, np.int64)
        divided = np.flatnonzero(drawn.refined)
        above[1:] = np.repeat(divided, numbers.fanout[divided])
        rows = _with_all_above(drawn.starts, above, covered > 0)
        leaves = np.flatnonzero(~drawn.refined[rows])
        here = rows[leaves]
        weights = found[:, :, here]
        if ranges is not None:
            for of_kind in weights:
                held = of_kind[0] <= of_kind[1]
                of_kind[0, held], of_kind[1, held] = ranges(*(ends[held].astype(np.int64) for ends in of_kind))
        cells = np.prod(drawn.blocks.last[here] - drawn.blocks.first[here] + 1.0, axis=1)
        others = ~((covered[here] == cells) & (cells < 2.0**53))  # some of its cells are in no box
        none = int(kind[-1])
        weights[none, 0, others] = np.minimum(weights[none, 0, others], 0.0)
        weights[none, 1, others] = np.maximum(weights[none, 1, others], 0.0)
        up = np.searchsorted(rows, above[rows])
        complete = np.bincount(up[1:], minlength=rows.size) == numbers.fanout[rows]
        return cls(
            up,
            leaves,
            np.flatnonzero(drawn.refined[rows] & ~complete),
            tuple(  # type: ignore[arg-type]
                column[rows]
                for column in (numbers.agreeing, numbers.variance, numbers.inverse, numbers.keep, numbers.doubt)
            ),
            unders,
            weights[:, 0],
            weights[:, 1],
        )

    def at(self, ratio: float) -> SideSums:
        shift = ratio * self.unders[:, None]
        estimate, variance, inverse, keep, doubt = self.blocks
        leaves = self.leaves
        least, most = np.full(self.above.size, np.inf), np.full(self.above.size, -np.inf)
        least[self.partly] = most[self.partly] = 0.0
        least[leaves], most[leaves] = np.min(self.least - shift, axis=0), np.max(self.most - shift, axis=0)
        if not leaves.size:
            return SideSums(0.0, 0.0, 0.0, 0.0, 0.0)
        low, high = (float(side[leaves] @ estimate[leaves]) for side in (least, most))
        apart = (most[leaves] - least[leaves]) ** 2
        spread = _SPREAD * float(apart @ (np.maximum(estimate[leaves], 0.0) ** 2 + variance[leaves]))
        step = max(float(np.max(np.abs(side[leaves]))) for side in (least, most))
        below, beyond, moved, square = spread_upward(self.above, least, most, variance, inverse, keep, doubt)
        return SideSums(low - moved, high + moved, max(below, 0.0) + square, max(beyond, 0.0) + square, step, spread)


def forest_sides(
    trees: Sequence[TreeAnswers],
    sizes: Sequence[int],
    boxes: PairedBoxes,
    attribute: int | None = None,
    ranges: ValueRanges | None = None,
) -> Mixed:
    """Of all trees that have every attribute which the boxes narrow, and the one whose values count."""
    whole = np.all((boxes.first == 0) & (boxes.last == np.array(sizes) - 1), axis=0)
    found = []
    for tree in trees:
        places = list(tree.plan.places)
        others = [place for place in range(len(sizes)) if place not in places]
        if not np.all(whole[others]) or attribute in others:
            continue
        mine = PairedBoxes(boxes.first[:, places], boxes.last[:, places], boxes.over, boxes.under)
        found.append(TreeSides.of(tree, mine, -1 if attribute is None else places.index(attribute), ranges))
    return Mixed(found)


def _with_all_above(starts: Sequence[int], above: Integers, wanted: Marks) -> Integers:
    """The wanted blocks and those above them; the root always."""
    keep = wanted.copy()
    keep[0] = True
    for start, stop in zip(starts[-2:0:-1], starts[:1:-1], strict=True):
        keep[above[start:stop][keep[start:stop]]] = True
    return np.flatnonzero(keep)
