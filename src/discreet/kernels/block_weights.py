"""Weighted sums over the blocks of a tree that were not divided, if cells of one block may weigh differently."""

from __future__ import annotations

import numpy as np

from discreet.kernels.block_walks import Shape
from discreet.kernels.jit import Floats, Ints, kernel


@kernel
def gather(
    shape: Shape, box_first: Ints, box_last: Ints, kind: Ints, weight: Floats, axis: int, found: Floats, covered: Floats
) -> None:
    """Which weights the cells of each block have: found[k, 0] is the least, found[k, 1] the largest of kind k.

    A box's weight is that of its cells; with an `axis`, it is the code along it instead. Boxes have no common cell.
    `covered` counts the cells of a block that lie in boxes. Blocks that were divided are left alone.
    """
    first, last, parts, child = shape
    axes = first.shape[1]
    stack = np.empty(64, np.int64)
    for box in range(kind.size):
        stack[0], waiting = 0, 1
        while waiting:
            waiting -= 1
            here = stack[waiting]
            cells, low, high = 1.0, weight[box], weight[box]
            for place in range(axes):
                a = max(first[here, place], box_first[box, place])
                b = min(last[here, place], box_last[box, place])
                cells *= max(b - a + 1, 0)
                if place == axis:
                    low, high = float(a), float(b)
            if cells == 0:
                continue
            if child[here] < 0:
                covered[here] += cells
                found[kind[box], 0, here] = min(found[kind[box], 0, here], low)
                found[kind[box], 1, here] = max(found[kind[box], 1, here], high)
                continue
            size = 1
            for place in range(axes):
                size *= parts[here, place]
            if waiting + size > stack.size:
                longer = np.empty(2 * (waiting + size), np.int64)
                longer[:waiting] = stack[:waiting]
                stack = longer
            for block in range(child[here], child[here] + size):
                stack[waiting] = block
                waiting += 1


@kernel
def spread_upward(
    above: Ints, least: Floats, most: Floats, variance: Floats, inverse: Floats, keep: Floats, doubt: Floats
) -> tuple[float, float, float, float]:
    """The variances of the sums with the least and with the largest weights, and the doubt, added up and squared.

    Blocks stand before their children; above[i] is where the parent of i stands. Weights of blocks that were not
    divided are given, those of others (`variance` 0, `least` above `most`) are made from them. See `block_walks`.
    """
    blocks = above.size
    v, c = np.zeros((2, blocks)), np.zeros((2, blocks))
    doubts, squares = 0.0, 0.0
    for here in range(blocks - 1, -1, -1):
        for side in range(2):
            if inverse[here] > 0:
                v[side, here] -= c[side, here] ** 2 * inverse[here]
                c[side, here] *= keep[here]
            else:
                weight = least[here] if side == 0 else most[here]
                v[side, here], c[side, here] = weight**2 * variance[here], weight * variance[here]
        moved = doubt[here] * (most[here] - least[here])
        doubts += moved
        squares += moved**2
        if here:
            up = above[here]
            least[up], most[up] = min(least[up], least[here]), max(most[up], most[here])
            for side in range(2):
                v[side, up] += v[side, here]
                c[side, up] += c[side, here]
    return v[0, 0], v[1, 0], doubts, squares
