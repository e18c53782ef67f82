"""The nodes of trees, level by level, and what follows from their shape; see `transforms.tree`."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel, light_kernel

#: of every node the first code and the one after its last, its first child, and how many children it has
Tree = tuple[Ints, Ints, Ints, Ints]


@light_kernel("first", 4_096)
def grow(base: int, first: Ints, end: Ints, child: Ints, fanout: Ints, starts: Ints) -> int:
    """All nodes below the root, node 0, which has its ends; starts = where levels start. Returns how many levels.

    A node's parts are as wide as the largest power of the base below its length; the last may be smaller. Within a
    level, groups of children are in order of their number.
    """
    starts[0], starts[1], level = 0, 1, 0
    while True:
        here, below = starts[level], starts[level + 1]
        places = np.zeros(base + 1, np.int64)
        for node in range(here, below):
            length, width = end[node] - first[node], 1
            while width * base < length:
                width *= base
            fanout[node] = -(-length // width) if length > 1 else 0
            child[node] = width
            places[fanout[node]] += fanout[node]
        taken = below
        for group in range(places.size):
            size = places[group]
            places[group] = taken
            taken += size
        for node in range(here, below):
            width, child[node] = child[node], -1
            if fanout[node] > 0:
                child[node] = places[fanout[node]]
                places[fanout[node]] += fanout[node]
                for part in range(fanout[node]):
                    first[child[node] + part] = first[node] + part * width
                    end[child[node] + part] = min(first[node] + (part + 1) * width, end[node])
        if taken == below:
            return level + 1
        starts[level + 2] = taken
        level += 1


@kernel
def spreads(child: Ints, fanout: Ints, spread: Floats, earlier: Floats) -> None:
    """The variance of each node's sum, as its subtree estimates it: T / (1 + T) where its children alone give T.

    And those of the siblings before it, added up.
    """
    earlier[0] = 0.0
    for node in range(child.size - 1, -1, -1):
        total = 0.0
        for below in range(child[node], child[node] + fanout[node]):
            earlier[below] = total
            total += spread[below]
        spread[node] = total / (1.0 + total) if fanout[node] > 0 else 1.0


@kernel
def first_beyond(ends: Ints, low: int, high: int, code: int) -> int:
    """The first node of low..high - 1, neighbours in code order, that ends beyond a code; or high."""
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] > code:
            high = middle
        else:
            low = middle + 1
    return low
