"""Boxes as few tree nodes as possible, and the sums of their counts."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Ints, kernel, light_kernel
from discreet.kernels.tree_shapes import Tree


@kernel
def canonical_nodes(start: int, stop: int, tree: Tree, waiting: Ints, out: Ints) -> int:
    """The largest nodes that lie within start <= code < stop; together they cover it.

    `waiting` and `out` have room for twice all the children of one path from root to leaf.
    """
    first, end, child, fanout = tree
    waiting[0], left, count = 0, 1, 0
    while left > 0:
        left -= 1
        node = waiting[left]
        if first[node] >= stop or end[node] <= start:
            continue
        if first[node] >= start and end[node] <= stop:
            out[count] = node
            count += 1
            continue
        for below in range(child[node], child[node] + fanout[node]):
            waiting[left] = below
            left += 1
    return count


@kernel
def product_sum(values: Ints, strides: Ints, nodes: Ints, counts: Ints) -> int:
    """The sum of values over all combinations of the first counts[i] entries of each row nodes[i]."""
    attributes = counts.size
    place, turn = 0, np.zeros(attributes, np.int64)
    for attribute in range(attributes):
        place += nodes[attribute, 0] * strides[attribute]
    total = np.int64(0)
    while True:
        total += values[place]
        attribute = attributes - 1
        while attribute >= 0:
            place -= nodes[attribute, turn[attribute]] * strides[attribute]
            turn[attribute] += 1
            if turn[attribute] < counts[attribute]:
                place += nodes[attribute, turn[attribute]] * strides[attribute]
                break
            turn[attribute] = 0
            place += nodes[attribute, 0] * strides[attribute]
            attribute -= 1
        if attribute < 0:
            return int(total)


@light_kernel("starts", 1_024)
def tree_box_sums(
    values: Ints, strides: Ints, trees: Tree, roots: Ints, room: int, starts: Ints, stops: Ints, sums: Ints, used: Ints
) -> None:
    """The sum over each box, and how many nodes it took. The trees of all attributes stand one after the other."""
    first, end, child, fanout = trees
    boxes, attributes = starts.shape
    nodes, counts = np.empty((attributes, room), np.int64), np.empty(attributes, np.int64)
    waiting = np.empty(room, np.int64)
    for box in range(boxes):
        used[box] = 1
        for attribute in range(attributes):
            a, b = roots[attribute], roots[attribute + 1]
            tree = first[a:b], end[a:b], child[a:b], fanout[a:b]
            start, stop = starts[box, attribute], stops[box, attribute]
            counts[attribute] = canonical_nodes(start, stop, tree, waiting, nodes[attribute])
            used[box] *= counts[attribute]
        sums[box] = product_sum(values, strides, nodes, counts)
