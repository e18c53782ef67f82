"""Siblings drawn together as far as their differences are noise: for the number that is shown, never for its interval.

If records lay evenly in a block, each child would have its part of the block, and what children differ from it by would
be noise. How much larger the squares of these differences are than noise alone would make them, in this set of siblings
and in all of their generation, says how much of them to keep. Children still add up to their block. Only along ordinal
attributes: values side by side are often alike, while names side by side need not be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.numbers.middles import middle_of
from discreet.transforms.axis import Floats
from discreet.transforms.block_tree import BlockTree

#: a generation says less than this many sets of siblings would by themselves, so that few of them move little
_DOUBT = 15.0
#: a few sets that stand out do not speak for all others: their mean counts up to so many medians
_MEDIANS = 3.0


def drawn_together(tree: BlockTree, agreeing: Floats, variance: Floats, ordinal: Sequence[bool]) -> Floats:
    """The estimates of all blocks, of which children add up to their block, with the children nearer to an even split.

    `ordinal` says it of each attribute; blocks that are divided along another one are left out.
    """
    found = agreeing.copy()
    mixed = np.any(tree.parts[:, ~np.array(ordinal)] > 1, axis=1)
    widths = tree.blocks.last - tree.blocks.first + 1.0
    fanouts = np.prod(tree.parts, axis=1)
    for start, stop in zip(tree.starts[:-1], tree.starts[1:], strict=True):
        parents = start + np.flatnonzero(tree.refined[start:stop])
        if not parents.size:
            continue
        fanout = fanouts[parents]
        runs = np.cumsum(fanout) - fanout
        of = np.repeat(parents, fanout)
        below = np.repeat(tree.child[parents] - runs, fanout) + np.arange(of.size)
        even = np.prod(widths[below] / widths[of], axis=1)
        apart = agreeing[below] - even * agreeing[of]
        noise = np.add.reduceat(variance[below], runs) * (1 - 1 / np.maximum(fanout, 2))
        keep, smooth = np.ones(parents.size), ~mixed[parents]
        keep[smooth] = _kept((np.add.reduceat(apart**2, runs) / noise)[smooth])
        found[below] = even * found[of] + np.repeat(keep, fanout) * apart
    return found


def _kept(ratios: Floats) -> Floats:
    """Of the differences in each set of siblings, whose squares are so many times what noise makes them."""
    if not ratios.size:
        return ratios
    typical = min(float(ratios.mean()), _MEDIANS * middle_of(ratios))
    sure = ratios.size / (ratios.size + _DOUBT)
    return np.asarray(np.maximum(1 - sure / np.maximum((ratios + typical) / 2, sure), 0.0))
