"""Questions asked of a tree of blocks: only blocks that a box cuts are visited.

A question is a sum over blocks. Its error follows from that of the blocks' estimates, which know of each other through
the looks at the blocks above them: going up from a cut block with the variance v of what is asked below it and its
covariance c with the sum of its children, the look at the block itself turns v into v - c**2 / D and c into c V1 / D
(`inverse` = 1 / D, `keep` = V1 / D; see `summaries.block_estimates`). This is done for three sums at once: with blocks
that are cut and not divided left out (low), counted whole (high), and counted by their share in the box (mid). Two
more sets of numbers for the same blocks, smoothed ones and those to show, are added up by shares alone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel, light_kernel

#: columns of what a walk adds up for a question; of cut blocks with the share f, SPREAD has the sum of f (1 - f) (n**2
#: and its variance), DRIFT that of f (1 - f) n, and DOUBT the sum of what a decision may have moved in them
MID, LOW, HIGH, SMOOTH, SHOWN, MID_VARIANCE, LOW_VARIANCE, HIGH_VARIANCE = range(8)
PIECES, SPREAD, DRIFT, DOUBT, DOUBT_SQUARED = range(8, 13)
COLUMNS = 13
#: rows of what is known of a block's children by attribute: how far apart they stand, from which to which a box meets
#: them, and from which to which these lie inside
STRIDE, FROM, TO, INSIDE, INSIDE_TO = range(5)
#: (first, last, parts, child), (estimate, variance, smooth, shown, inverse, keep, doubt), sums of the first four
Shape = tuple[Ints, Ints, Ints, Ints]
Estimates = tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]
Running = tuple[Floats, Floats, Floats, Floats]
#: where each attribute's margin begins; its codes; the mass before each code; how far each attribute's is trusted
Margins = tuple[Ints, Ints, Floats, Floats]


@kernel
def _mass(margins: Margins, axis: int, code: int) -> float:
    """Of the margin before a code: linear between the codes at which it is known."""
    starts, codes, before, _ = margins
    low, high = starts[axis], starts[axis + 1] - 1
    while high - low > 1:
        middle = (low + high) >> 1
        if codes[middle] <= code:
            low = middle
        else:
            high = middle
    inside = (code - codes[low]) / (codes[low + 1] - codes[low])
    return float(before[low] + inside * (before[low + 1] - before[low]))


@kernel
def _share(margins: Margins, first: Ints, last: Ints, box_first: Ints, box_last: Ints) -> float:
    """How much of a block lies in a box, going by the margins as far as they are trusted."""
    share, trust = 1.0, margins[3]
    for axis in range(first.size):
        a, b = max(first[axis], box_first[axis]), min(last[axis], box_last[axis])
        if a == first[axis] and b == last[axis]:
            continue
        whole = _mass(margins, axis, last[axis] + 1) - _mass(margins, axis, first[axis])
        part = _mass(margins, axis, b + 1) - _mass(margins, axis, a)
        even = (b - a + 1) / (last[axis] - first[axis] + 1)
        told = min(max(part / whole, 0.0), 1.0) if whole > 0 else even
        share *= even + trust[axis] * (told - even)
    return share


@kernel
def _part_at(column: Ints, start: int, stride: int, parts: int, code: int) -> int:
    """Which of the parts along an axis, that begin at column[start + i * stride], holds a code."""
    low, high = 0, parts
    while high - low > 1:
        middle = (low + high) >> 1
        if column[start + middle * stride] <= code:
            low = middle
        else:
            high = middle
    return low


@kernel
def _line_up(shape: Shape, here: int, a: Ints, b: Ints, span: Ints) -> tuple[int, int]:
    """Which children of a block a box a..b meets, by attribute, and which of these lie inside along it.

    Returns how many children there are, and the last attribute along which there are several.
    """
    first, last, parts, child = shape
    size, run = 1, -1
    for axis in range(a.size - 1, -1, -1):
        begin, stride, count = child[here], size, parts[here, axis]
        size *= count
        if run < 0 and count > 1:
            run = axis
        from_, to = max(a[axis], first[here, axis]), min(b[axis], last[here, axis])
        low = _part_at(first[:, axis], begin, stride, count, from_)
        high = low
        if to > last[begin + low * stride, axis]:
            high = _part_at(first[:, axis], begin, stride, count, to)
        span[STRIDE, axis], span[FROM, axis], span[TO, axis] = stride, low, high
        span[INSIDE, axis] = low + (first[begin + low * stride, axis] < from_)
        span[INSIDE_TO, axis] = high - (last[begin + high * stride, axis] > to)
    return size, run


@kernel
def _next_run(span: Ints, run: int, at: Ints) -> bool:
    """Go on to the next run of children; False if there is none."""
    for axis in range(at.size - 1, -1, -1):
        if axis == run:
            continue
        if at[axis] < span[TO, axis]:
            at[axis] += 1
            return True
        at[axis] = span[FROM, axis]
    return False


@kernel
def _everything(estimates: Estimates, share: float, found: Floats) -> None:
    """A question about all cells, or about some of a tree that has no other block."""
    estimate, variance, smooth, shown, _, _, _ = estimates
    whole = 1.0 if share == 1.0 else 0.0
    found[MID] += share * estimate[0]
    found[SMOOTH] += share * smooth[0]
    found[SHOWN] += share * shown[0]
    found[LOW], found[LOW_VARIANCE] = whole * estimate[0], whole * variance[0]
    found[HIGH], found[HIGH_VARIANCE] = estimate[0], variance[0]
    found[MID_VARIANCE] = variance[0]
    found[PIECES] += 1
    found[SPREAD] += share * (1 - share) * (shown[0] * shown[0] + variance[0])
    found[DRIFT] += share * (1 - share) * shown[0]


@kernel
def _add_inside(running: Running, one: int, end: int, mine: Floats, found: Floats) -> None:
    """Blocks one..end - 1, which lie inside the box."""
    sums, variances, smooths, shows = running
    found[MID] += sums[end] - sums[one]
    found[LOW] += sums[end] - sums[one]
    found[HIGH] += sums[end] - sums[one]
    found[SMOOTH] += smooths[end] - smooths[one]
    found[SHOWN] += shows[end] - shows[one]
    found[PIECES] += end - one
    mine += variances[end] - variances[one]


@kernel
def _add_whole(estimates: Estimates, block: int, mine: Floats, found: Floats) -> None:
    """A block that is cut and not divided: for `high` it is whole, however many boxes of the question cut it."""
    estimate, variance, _, _, _, _, _ = estimates
    found[HIGH] += estimate[block]
    found[PIECES] += 1
    mine[4] += variance[block]
    mine[5] += variance[block]


@kernel
def _add_cut(estimates: Estimates, block: int, before: float, share: float, mine: Floats, found: Floats) -> None:
    """Its share in a box; `before` is the share of it that other boxes of the question have."""
    estimate, variance, smooth, shown, _, _, _ = estimates
    together = before + share
    found[MID] += share * estimate[block]
    found[SMOOTH] += share * smooth[block]
    found[SHOWN] += share * shown[block]
    mine[0] += (together * together - before * before) * variance[block]
    mine[1] += share * variance[block]
    more = together * (1 - together) - before * (1 - before)
    found[SPREAD] += more * (shown[block] * shown[block] + variance[block])
    found[DRIFT] += more * shown[block]


def _visits(shape: Shape, *rest: Any) -> int:
    """About how many blocks are visited: those at the edges of the boxes, of which there are more in large trees."""
    bounds = rest[5]
    return int(bounds.size) * math.isqrt(shape[0].shape[0])


@light_kernel(_visits, 2**17)
def walk(
    shape: Shape,
    estimates: Estimates,
    running: Running,
    margins: Margins,
    box_first: Ints,
    box_last: Ints,
    bounds: Ints,
    out: Floats,
) -> None:
    """out[q] is what question q, of the boxes bounds[q] to bounds[q + 1] - 1, adds up to. `out` is zero before."""
    first, last, _, child = shape
    _, _, _, _, inverse, keep, doubt = estimates
    axes = first.shape[1]
    slot = np.full(first.shape[0], -1, np.int64)  # a visited block's place in `state`, a cut one's in `asked`
    room = 64
    node, above = np.empty(room, np.int64), np.empty(room, np.int64)
    stack, cut = np.empty(room, np.int64), np.empty(room, np.int64)
    state, asked = np.zeros((room, 6)), np.zeros(room)  # state: variance and covariance of mid, low and high
    span, at = np.empty((5, axes), np.int64), np.empty(axes, np.int64)
    for question in range(bounds.size - 1):
        found = out[question]
        used, cuts = 0, 0
        for box in range(bounds[question], bounds[question + 1]):
            a, b = box_first[box], box_last[box]
            whole = True
            for axis in range(axes):
                whole &= a[axis] <= first[0, axis] and b[axis] >= last[0, axis]
            if whole or child[0] < 0:
                _everything(estimates, 1.0 if whole else _share(margins, first[0], last[0], a, b), found)
                continue
            if slot[0] < 0:
                slot[0], node[0], above[0], used = 0, 0, -1, 1
                state[0] = 0.0
            stack[0], waiting = 0, 1
            while waiting:
                waiting -= 1
                here = stack[waiting]
                size, run = _line_up(shape, here, a, b, span)
                if max(used, waiting, cuts) + size > room:
                    room = 2 * (room + size)
                    node, above = _longer(node, room), _longer(above, room)
                    stack, cut = _longer(stack, room), _longer(cut, room)
                    state, asked = _taller(state, room), _taller(asked.reshape(-1, 1), room).reshape(-1)
                mine = state[slot[here]]
                at[:] = span[FROM]
                going = True
                while going:
                    covered, offset = True, child[here]
                    for axis in range(axes):
                        offset += at[axis] * span[STRIDE, axis]
                        if axis != run:
                            covered &= span[INSIDE, axis] <= at[axis] and at[axis] <= span[INSIDE_TO, axis]
                    end = offset + span[TO, run] - span[FROM, run] + 1  # these children stand side by side
                    inside, inside_to = end, end
                    if covered and span[INSIDE, run] <= span[INSIDE_TO, run]:
                        inside = offset + span[INSIDE, run] - span[FROM, run]
                        inside_to = offset + span[INSIDE_TO, run] - span[FROM, run] + 1
                        _add_inside(running, inside, inside_to, mine, found)
                    block = offset
                    while block < end:
                        if block == inside:
                            block = inside_to
                            continue
                        if child[block] >= 0:
                            if slot[block] < 0:
                                slot[block], node[used], above[used] = used, block, slot[here]
                                state[used] = 0.0
                                used += 1
                                found[DOUBT] += doubt[block]
                                found[DOUBT_SQUARED] += doubt[block] * doubt[block]
                            stack[waiting] = block
                            waiting += 1
                        else:
                            if slot[block] < 0:
                                slot[block], cut[cuts], asked[cuts] = cuts, block, 0.0
                                cuts += 1
                                _add_whole(estimates, block, mine, found)
                                found[DOUBT] += doubt[block]
                                found[DOUBT_SQUARED] += doubt[block] * doubt[block]
                            share = _share(margins, first[block], last[block], a, b)
                            _add_cut(estimates, block, asked[slot[block]], share, mine, found)
                            asked[slot[block]] += share
                        block += 1
                    going = _next_run(span, run, at)
        for k in range(used - 1, -1, -1):
            block = node[k]
            slot[block] = -1
            for part in range(0, 6, 2):
                c = state[k, part + 1]
                v = state[k, part] - c * c * inverse[block]
                if k:
                    state[above[k], part] += v
                    state[above[k], part + 1] += c * keep[block]
                else:
                    found[MID_VARIANCE + part // 2] = v
        for k in range(cuts):
            slot[cut[k]] = -1


@kernel
def _longer(values: Ints, size: int) -> Ints:
    longer = np.empty(size, np.int64)
    longer[: values.size] = values
    return longer


@kernel
def _taller(rows: Floats, size: int) -> Floats:
    taller = np.zeros((size, rows.shape[1]))
    taller[: rows.shape[0]] = rows
    return taller
