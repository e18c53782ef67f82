"""Ranges of codes as the nodes they need; see `transforms.node_axis.Cover`.

Each kernel is called twice: with empty arrays it puts the number of entries of range i into starts[i + 1], and with
arrays to hold them it writes them, from starts[i] on.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.haar import path
from discreet.kernels.jit import Floats, Ints, light_kernel
from discreet.kernels.tree_shapes import Tree, first_beyond

#: of every entry its node, its weight, and the next entry of the range that does not lie below it
Entries = tuple[Ints, Floats, Ints]

_DEEPEST = 66


@light_kernel("first", 2_048)
def part_cover(
    first: Ints, end: Ints, size: int, widths: Ints, counts: Ints, offsets: Ints, starts: Ints, entries: Entries
) -> None:
    """In a tree of equal parts, of which the last may be shorter, or missing if it is no shorter than its parent."""
    nodes, weights, skips = entries
    index, last, entry = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST, np.int64)
    writing = nodes.size > 0
    for row in range(first.size):
        place = starts[row] if writing else 0
        level, index[0], last[0] = 0, 0, 0
        while level >= 0:
            if index[level] > last[level]:
                level -= 1
                if level >= 0:
                    if writing and entry[level] >= 0:
                        skips[entry[level]] = place
                    index[level] += 1
                continue
            start = index[level] * widths[level]
            stop = min(start + widths[level], size)
            inside = first[row] <= start and stop <= end[row]
            entry[level] = -1
            if index[level] < counts[level]:
                entry[level] = place
                if writing:
                    nodes[place], weights[place] = offsets[level] + index[level], 1.0 if inside else 0.0
                    skips[place] = place + 1
                place += 1
            if inside:
                index[level] += 1
                continue
            level += 1
            index[level] = max(first[row], start) // widths[level]
            last[level] = (min(end[row], stop) - 1) // widths[level]
        if not writing:
            starts[row + 1] = place


@light_kernel("first", 4_096)
def tree_cover(first: Ints, end: Ints, tree: Tree, depth: int, starts: Ints, entries: Entries) -> None:
    """In a tree that is given as arrays."""
    node_first, node_end, child, fanout = tree
    nodes, weights, skips = entries
    node, last, entry = np.empty(depth + 1, np.int64), np.empty(depth + 1, np.int64), np.empty(depth + 1, np.int64)
    writing = nodes.size > 0
    for row in range(first.size):
        place = starts[row] if writing else 0
        level, node[0], last[0] = 0, 0, 0
        while level >= 0:
            if node[level] > last[level]:
                level -= 1
                if level >= 0:
                    if writing:
                        skips[entry[level]] = place
                    node[level] += 1
                continue
            here = node[level]
            inside = first[row] <= node_first[here] and node_end[here] <= end[row]
            entry[level] = place
            if writing:
                nodes[place], weights[place], skips[place] = here, 1.0 if inside else 0.0, place + 1
            place += 1
            if inside:
                node[level] += 1
                continue
            level += 1
            below = child[here] + fanout[here]
            node[level] = first_beyond(node_end, child[here], below, first[row])
            last[level] = min(below - 1, first_beyond(node_end, child[here], below, end[row] - 1))
        if not writing:
            starts[row + 1] = place


@light_kernel("first", 2_048)
def haar_cover(first: Ints, end: Ints, size: int, offsets: Ints, starts: Ints, entries: Entries) -> None:
    """The Haar coefficients with a weight in the sum over each range: those of its two ends, as far as they differ."""
    nodes, weights, skips = entries
    middles, loads = np.empty((2, _DEEPEST), np.int64), np.empty((2, _DEEPEST))
    writing, depth = nodes.size > 0, offsets.size - 1
    for row in range(first.size):
        place = starts[row] if writing else 0
        total = -path(size, first[row], middles[0], loads[0])
        total += path(size, end[row], middles[1], loads[1])
        if total != 0:
            if writing:
                nodes[place], weights[place], skips[place] = 0, total, place + 1
            place += 1
        for level in range(1, depth + 1):
            bit = depth - level
            same = middles[0, bit] == middles[1, bit]
            for side in range(1 if same else 0, 2):
                middle = middles[side, bit]
                load = loads[1, bit] if side == 1 else -loads[0, bit]
                if same:
                    load -= loads[0, bit]
                if middle > 0 and load != 0:
                    if writing:
                        nodes[place], weights[place] = offsets[level] + (middle >> (bit + 1)), load
                        skips[place] = place + 1
                    place += 1
        if not writing:
            starts[row + 1] = place
