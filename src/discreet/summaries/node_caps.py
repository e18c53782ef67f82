"""The most that a question over tree nodes can count, when some are not here: no more than a node it lies in.

Let h be such that with probability 1 - miss no noise among the nodes a question needs and their ancestors is below -h.
Then a node that is not here holds at most `hidden` + h: it was dropped for its own noisy value, which is at most
`hidden`, or (consistency check) for that of a node it lies in. Two bounds follow, and the lower one counts.

All nodes needed. Given the noise of their ancestors, the nodes that the check leaves are a fixed set B, and with K
the kept ones the error is the noise of B, less the noisy values of B without K, less the counts of the nodes below a
missing one. So it is at most the noise of all nodes needed, plus `hidden` + h for each absent one; without the check
every node needed is in B, and h is not needed.

From the root down. What lies below a missing node together holds no more than it. So one goes down towards the nodes
needed, on one attribute after the other, and stops at a node that is not here: the truth is at most the values reached,
the noise of the nodes looked for, and `hidden` + h for each stop (tau + h, if it may have been sampled away). A stop is
the unluckiest node on its way, so its noise is not that of any one node.

Each bound may fail with half of what one side may miss. That a cut to a size and tau depend (very little) on these
nodes' own noise is left aside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.summaries.base import Floats
from discreet.summaries.sparse_law import SparseLaw, Sums, WeightPowers


@dataclass(frozen=True, eq=False)
class Reached:
    """On the way from the root: the sum of needed values, how many needed nodes were looked for, how many stops."""

    value: Floats
    looked_for: Floats
    missing: Floats
    #: how many nodes a question needs, or lie above those: what h is for
    candidates: Floats


def tree_high(law: SparseLaw, sums: Sums, reached: Reached, level: float, *, checked: bool) -> Floats:
    """`checked`: nodes below a missing one were dropped."""
    miss = (1 - level) / 4
    raw, middle = law.middle(sums)
    _, above = law.sampling(sums, 1 - 2 * miss)
    loss = largest_loss(law, reached.candidates, miss / 2)
    noise = law.half(sums.spread, 1 - (miss if checked else 2 * miss))
    # of a single node that was asked for, nobody else tells that it was sampled away
    most = np.where(raw, max(law.hidden, law.tau), law.hidden)
    hides = sums.absent_load * (most + (loss if checked else 0.0))
    by_all = middle + np.hypot(noise, above) + hides
    room = law.half(WeightPowers.of_count(reached.looked_for), 1 - miss)
    room = room + reached.missing * (max(law.hidden, law.tau) + loss)
    return np.minimum(by_all, reached.value + room)


def largest_loss(law: SparseLaw, nodes: Floats, miss: float) -> Floats:
    """h such that with probability 1 - miss none of so many draws of the noise is below -h."""
    a = float(law.alpha.fraction)
    return np.ceil(np.maximum(np.log(np.maximum(nodes, 1.0) / miss) - math.log1p(a), 0.0) / law.noise.rate)
