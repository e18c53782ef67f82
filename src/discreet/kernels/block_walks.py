"""Questions asked of a tree of blocks: only blocks that a box cuts are visited.

A question is a sum over blocks. Its error follows from that of the blocks' estimates, which know of each other through
the looks at the blocks above them: going up from a cut block with the variance v of what is asked below it and its
covariance c with the sum of its children, the look at the block itself turns v into v - c**2 / D and c into c V1 / D
(`inverse` = 1 / D, `keep` = V1 / D; see `summaries.block_estimates`). This is done for three sums at once: with blocks
that are cut and not divided left out (low), counted whole (high), and counted by their share in the box (mid).
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel

#: columns of what a walk adds up for a question; of cut blocks with the share f, SPREAD has the sum of f (1 - f) n**2
#: and DRIFT that of f (1 - f) n
MID, LOW, HIGH, SHOWN, MID_VARIANCE, LOW_VARIANCE, HIGH_VARIANCE, PIECES, SPREAD, DRIFT = range(10)
COLUMNS = 10
#: (first, last, parts, child), (estimate, variance, shown, inverse, keep), running sums of the first three
Shape = tuple[Ints, Ints, Ints, Ints]
Estimates = tuple[Floats, Floats, Floats, Floats, Floats]
Running = tuple[Floats, Floats, Floats]
#: where each attribute's margin begins; its codes; the mass before each code
Margins = tuple[Ints, Ints, Floats]


@kernel
def _mass(margins: Margins, axis: int, code: int) -> float:
    """Of the margin before a code: linear between the codes at which it is known."""
    starts, codes, before = margins
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
    """How much of a block lies in a box, going by the margins."""
    share = 1.0
    for axis in range(first.size):
        a, b = max(first[axis], box_first[axis]), min(last[axis], box_last[axis])
        if a == first[axis] and b == last[axis]:
            continue
        whole = _mass(margins, axis, last[axis] + 1) - _mass(margins, axis, first[axis])
        part = _mass(margins, axis, b + 1) - _mass(margins, axis, a)
        share *= min(max(part / whole, 0.0), 1.0) if whole > 0 else (b - a + 1) / (last[axis] - first[axis] + 1)
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
    first, last, parts, child = shape
    estimate, variance, shown, inverse, keep = estimates
    sums, variances, shows = running
    axes = first.shape[1]
    slot = np.full(first.shape[0], -1, np.int64)  # a visited block's place in `state`, a cut one's in `asked`
    room = 64
    node, above = np.empty(room, np.int64), np.empty(room, np.int64)
    stack, cut = np.empty(room, np.int64), np.empty(room, np.int64)
    state, asked = np.zeros((room, 6)), np.zeros(room)
    low, high = np.empty(axes, np.int64), np.empty(axes, np.int64)
    inner_low, inner_high = np.empty(axes, np.int64), np.empty(axes, np.int64)
    stride, at = np.empty(axes, np.int64), np.empty(axes, np.int64)
    columns = np.ascontiguousarray(first.T)
    ends = np.ascontiguousarray(last.T)
    for question in range(bounds.size - 1):
        found = out[question]
        used, cuts = 0, 0
        for box in range(bounds[question], bounds[question + 1]):
            a, b = box_first[box], box_last[box]
            whole = True
            for axis in range(axes):
                whole &= a[axis] <= first[0, axis] and b[axis] >= last[0, axis]
            if whole or child[0] < 0:
                share = 1.0 if whole else _share(margins, first[0], last[0], a, b)
                found[MID] += share * estimate[0]
                found[SHOWN] += share * shown[0]
                found[LOW] = estimate[0] if whole else 0.0
                found[HIGH] = estimate[0]
                found[MID_VARIANCE] = variance[0]
                found[LOW_VARIANCE] = variance[0] if whole else 0.0
                found[HIGH_VARIANCE] = variance[0]
                found[PIECES] += 1
                if not whole:
                    found[SPREAD] += share * (1 - share) * shown[0] ** 2
                    found[DRIFT] += share * (1 - share) * shown[0]
                continue
            if slot[0] < 0:
                slot[0], node[0], above[0], used = 0, 0, -1, 1
                state[0] = 0.0
            stack[0], waiting = 0, 1
            while waiting:
                waiting -= 1
                here = stack[waiting]
                begin, run = child[here], -1
                size = 1
                for axis in range(axes - 1, -1, -1):
                    stride[axis] = size
                    size *= parts[here, axis]
                    if run < 0 and parts[here, axis] > 1:
                        run = axis
                    from_, to = max(a[axis], first[here, axis]), min(b[axis], last[here, axis])
                    low[axis] = _part_at(columns[axis], begin, stride[axis], parts[here, axis], from_)
                    high[axis] = low[axis]
                    if to > ends[axis, begin + low[axis] * stride[axis]]:
                        high[axis] = _part_at(columns[axis], begin, stride[axis], parts[here, axis], to)
                    inner_low[axis] = low[axis] + (columns[axis, begin + low[axis] * stride[axis]] < from_)
                    inner_high[axis] = high[axis] - (ends[axis, begin + high[axis] * stride[axis]] > to)
                if max(used, waiting, cuts) + size > room:
                    room = 2 * (room + size)
                    node, above = _longer(node, room), _longer(above, room)
                    stack, cut = _longer(stack, room), _longer(cut, room)
                    state, asked = _taller(state, room), _taller(asked.reshape(-1, 1), room).reshape(-1)
                mine = state[slot[here]]
                at[:] = low
                going = True
                while going:
                    # one run of children along the last attribute that is divided here; at[run] is the first of them
                    covered, offset = True, begin
                    for axis in range(axes):
                        offset += at[axis] * stride[axis]
                        if axis != run:
                            covered &= inner_low[axis] <= at[axis] and at[axis] <= inner_high[axis]
                    length = high[run] - low[run] + 1
                    skip_from, skip_to = 0, 0
                    if covered and inner_low[run] <= inner_high[run]:
                        skip_from, skip_to = inner_low[run] - low[run], inner_high[run] - low[run] + 1
                        one, end = offset + skip_from, offset + skip_to
                        found[MID] += sums[end] - sums[one]
                        found[LOW] += sums[end] - sums[one]
                        found[HIGH] += sums[end] - sums[one]
                        found[SHOWN] += shows[end] - shows[one]
                        found[PIECES] += end - one
                        more = variances[end] - variances[one]
                        for k in range(6):
                            mine[k] += more
                    k = 0
                    while k < length:
                        if skip_from <= k < skip_to:
                            k = skip_to
                            continue
                        block = offset + k * stride[run]
                        k += 1
                        if child[block] >= 0:
                            if slot[block] < 0:
                                slot[block], node[used], above[used] = used, block, slot[here]
                                state[used] = 0.0
                                used += 1
                            stack[waiting] = block
                            waiting += 1
                            continue
                        share = _share(margins, first[block], last[block], a, b)
                        before = 0.0
                        if slot[block] < 0:
                            slot[block], cut[cuts], asked[cuts] = cuts, block, 0.0
                            cuts += 1
                            found[HIGH] += estimate[block]
                            found[PIECES] += 1
                            mine[4] += variance[block]
                            mine[5] += variance[block]
                        else:
                            before = asked[slot[block]]
                        together = before + share
                        asked[slot[block]] = together
                        found[MID] += share * estimate[block]
                        found[SHOWN] += share * shown[block]
                        mine[0] += (together * together - before * before) * variance[block]
                        mine[1] += share * variance[block]
                        more = together * (1 - together) - before * (1 - before)
                        found[SPREAD] += more * shown[block] ** 2
                        found[DRIFT] += more * shown[block]
                    going = False
                    for axis in range(axes - 1, -1, -1):
                        if axis == run:
                            continue
                        if at[axis] < high[axis]:
                            at[axis] += 1
                            going = True
                            break
                        at[axis] = low[axis]
        for k in range(used - 1, -1, -1):
            block = node[k]
            slot[block] = -1
            for sum_ in range(0, 6, 2):
                c = state[k, sum_ + 1]
                v = state[k, sum_] - c * c * inverse[block]
                if k:
                    state[above[k], sum_] += v
                    state[above[k], sum_ + 1] += c * keep[block]
                else:
                    found[MID_VARIANCE + sum_ // 2] = v
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
