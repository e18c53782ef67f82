"""Sums over the nodes that boxes need, of which few are kept: `codes` are the kept ones, sorted, the first axis first.

What a box needs is a product of one list per axis (`transforms.node_axis.Cover`); box b needs on axis i the entries
starts[i, b] to ends[i, b] - 1. Rows that agree on the axes so far stand side by side, so a list is only followed where
such rows exist.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel, light_kernel

#: starts and ends of the lists, and the nodes and weights of their entries
Needs = tuple[Ints, Ints, Ints, Floats]
#: columns of what `node_sums` adds up
VALUE, WEIGHTED, UP, DOWN, UP_DRAWN, DOWN_DRAWN = range(6)
PASSED, PASSED_FOURTH, HELD_SECOND, HELD_FOURTH, HELD_LOAD, HELD = range(6, 12)
COLUMNS = 12


@kernel
def _row_at(codes: Ints, axis: int, low: int, high: int, node: int) -> int:
    """The first row of low..high - 1 whose node on this axis is not before the given one."""
    while low < high:
        middle = (low + high) >> 1
        if codes[middle, axis] < node:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _add(out: Floats, load: float, value: int, tau: float) -> None:
    size = abs(float(value))
    chance = min(size / tau, 1.0) if tau > 0 else 1.0
    second = load * load
    out[VALUE] += load * value
    out[WEIGHTED] += load * value / chance
    out[UP if load * value > 0 else DOWN] += second * (1.0 - chance)
    if chance < 1.0:
        out[UP_DRAWN if load * value > 0 else DOWN_DRAWN] += second
    out[PASSED] += second / chance
    out[PASSED_FOURTH] += second * second / chance
    out[HELD_SECOND] += second
    out[HELD_FOURTH] += second * second
    out[HELD_LOAD] += abs(load)


@light_kernel("out", 1_024)
def node_sums(codes: Ints, values: Ints, tau: float, owner: Ints, needs: Needs, together: bool, out: Floats) -> None:
    """out[question] += what its kept nodes contribute. Boxes of one question stand side by side.

    `together`: a node may be needed by several boxes of one question, and counts with the sum of its weights.
    """
    starts, ends, nodes, weights = needs
    rows, axes = codes.shape
    low, high = np.zeros(axes, np.int64), np.zeros(axes, np.int64)
    at, load = np.zeros(axes, np.int64), np.ones(axes + 1)
    room, count = rows if together else 0, 0
    loads, listed, touched = np.zeros(room), np.zeros(room, np.bool_), np.empty(room, np.int64)
    for box in range(owner.size):
        question = owner[box]
        axis, low[0], high[0], at[0] = 0, 0, rows, starts[0, box]
        while axis >= 0:
            entry = at[axis]
            if entry == ends[axis, box]:
                axis -= 1
                continue
            at[axis] += 1
            if weights[entry] == 0:
                continue
            row = _row_at(codes, axis, low[axis], high[axis], nodes[entry])
            if row == high[axis] or codes[row, axis] != nodes[entry]:
                continue
            load[axis + 1] = load[axis] * weights[entry]
            if axis < axes - 1:
                stop = _row_at(codes, axis, row, high[axis], nodes[entry] + 1)
                axis += 1
                low[axis], high[axis], at[axis] = row, stop, starts[axis, box]
                continue
            out[question, HELD] += 1.0
            if not together:
                _add(out[question], float(load[axes]), values[row], tau)
                continue
            loads[row] += load[axes]
            if not listed[row]:
                touched[count], listed[row], count = row, True, count + 1
        if together and (box + 1 == owner.size or owner[box + 1] != question):
            for i in range(count):
                row = touched[i]
                _add(out[question], loads[row], values[row], tau)
                loads[row], listed[row] = 0.0, False
            count = 0


@light_kernel("out", 1_024)
def reached_nodes(codes: Ints, values: Ints, owner: Ints, needs: Needs, skips: Ints, out: Floats) -> None:
    """From the roots down, one axis after the other, as long as every node on the way is kept.

    out[question] += the sum of the values reached that the question needs, how many nodes it needs were looked for
    (kept or not), and how many nodes were found missing, each of which ends the way.
    """
    starts, ends, nodes, weights = needs
    rows, axes = codes.shape
    low, high, at = np.zeros(axes, np.int64), np.zeros(axes, np.int64), np.zeros(axes, np.int64)
    for box in range(owner.size):
        axis, low[0], high[0], at[0] = 0, 0, rows, starts[0, box]
        while axis >= 0:
            entry = at[axis]
            if entry == ends[axis, box]:
                axis -= 1
                continue
            row = _row_at(codes, axis, low[axis], high[axis], nodes[entry])
            kept = row < high[axis] and codes[row, axis] == nodes[entry]
            for later in range(axis + 1, axes):  # with the root, number 0, on all further axes
                kept = kept and codes[row, later] == 0
            needed = weights[entry] != 0
            if needed and axis == axes - 1:
                out[owner[box], 1] += 1.0
                if kept:
                    out[owner[box], 0] += values[row]
            if not kept:
                out[owner[box], 2] += 1.0
                at[axis] = skips[entry]
                continue
            at[axis] += 1
            if needed and axis < axes - 1:
                stop = _row_at(codes, axis, row, high[axis], nodes[entry] + 1)
                axis += 1
                low[axis], high[axis], at[axis] = row, stop, starts[axis, box]


@kernel
def common_load(needs: Needs, one: Ints, other: Ints, out: Floats) -> None:
    """For pairs of boxes the sum, over the nodes that both need, of the product of their weights.

    The entries of a list are in the order of their nodes.
    """
    starts, ends, nodes, weights = needs
    for pair in range(one.size):
        total = 1.0
        for axis in range(starts.shape[0]):
            a, b = starts[axis, one[pair]], starts[axis, other[pair]]
            found = 0.0
            while a < ends[axis, one[pair]] and b < ends[axis, other[pair]]:
                if nodes[a] == nodes[b]:
                    found += weights[a] * weights[b]
                    a, b = a + 1, b + 1
                elif nodes[a] < nodes[b]:
                    a += 1
                else:
                    b += 1
            total *= found
        out[pair] = total
