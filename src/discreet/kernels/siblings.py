"""Over trees of blocks: siblings made non-negative, and exact counts of children."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, light_kernel

#: a number of more standard errors than this is not left out
STANDS_OUT = 2.0


@light_kernel("child", 16_384)
def count_children(child: Ints, counts: Ints, out: Ints) -> None:
    """out[child[i]] += counts[i]."""
    for i in range(child.size):
        out[child[i]] += counts[i]


@light_kernel("values", 16_384)
def share_out(start: int, values: Floats, variances: Floats, total: float, soft: Floats) -> None:
    """The nearest numbers of at least zero that add up to the total, where noisier ones move more.

    v becomes max(v - t V, 0), with the one t that fits. Writes soft[start:start + n].
    """
    n = values.size
    if total <= 0.0:
        soft[start : start + n] = 0.0
        return
    order = np.argsort(-values / variances, kind="mergesort")
    rest, spread, t = -total, 0.0, 0.0
    for k in range(n):
        i = order[k]
        if k > 0 and values[i] - t * variances[i] <= 0.0:
            break
        rest += values[i]
        spread += variances[i]
        t = rest / spread
    for i in range(n):
        soft[start + i] = max(values[i] - t * variances[i], 0.0)


@light_kernel("values", 16_384)
def cut_small(start: int, values: Floats, variances: Floats, total: float, hard: Floats) -> None:
    """What stands out from its noise, and of the rest the largest as long as they fit into the total; others are zero.

    What is missing is spread by variances over those, or over all if all that are above zero are not enough.
    """
    n = values.size
    hard[start : start + n] = 0.0
    if total <= 0.0:
        return
    order = np.argsort(-values / np.sqrt(variances), kind="mergesort")
    kept, missing = 0, total
    for k in range(n):
        value = values[order[k]]
        if value <= 0.0 or (value > missing and value < STANDS_OUT * np.sqrt(variances[order[k]])):
            break
        kept, missing = k + 1, missing - value
    if kept == 0 or (missing > 0.0 and (kept == n or values[order[kept]] <= 0.0)):
        kept = n
    chosen = order[:kept]
    found = np.empty(kept)
    share_out(0, np.maximum(values[chosen], 0.0), variances[chosen], total, found)
    for k in range(kept):
        hard[start + chosen[k]] = found[k]


@light_kernel("child", 16_384)
def present(parents: Ints, child: Ints, fanout: Ints, z: Floats, variance: Floats, soft: Floats, hard: Floats) -> None:
    """From the root down: the children of each of these blocks share out what it has."""
    for k in range(parents.size):
        i = parents[k]
        first, end = child[i], child[i] + fanout[i]
        share_out(first, z[first:end], variance[first:end], soft[i], soft)
        cut_small(first, z[first:end], variance[first:end], hard[i], hard)
