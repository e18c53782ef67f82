"""The Haar transform in place, and the weights with which its coefficients enter sums of codes.

Node p covers codes around p: its right half starts at p and is as wide as the lowest bit of p. The node above p is
found by clearing that bit and setting the next; one that is not below the size does not exist and is passed over.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel, light_kernel


@light_kernel("lines", 16_384)
def forward(lines: Ints) -> None:
    size, count = lines.shape
    half = 1
    while half < size:
        for right in range(half, size, 2 * half):
            left = right - half
            for i in range(count):
                a, b = lines[left, i], lines[right, i]
                lines[left, i] = a + b
                lines[right, i] = a - b
        half *= 2


@kernel
def _depth(size: int) -> int:
    """How many widths of a half there are, each twice the one before."""
    depth = 0
    while 1 << depth < size:
        depth += 1
    return depth


@light_kernel("lines", 16_384)
def restore(lines: Floats) -> None:
    size, count = lines.shape
    half = (1 << _depth(size)) >> 1
    while half > 0:
        for right in range(half, size, 2 * half):
            left = right - half
            for i in range(count):
                s, d = lines[left, i], lines[right, i]
                lines[left, i] = 0.5 * (s + d)
                lines[right, i] = 0.5 * (s - d)
        half //= 2


@kernel
def path(size: int, boundary: int, middles: Ints, weights: Floats) -> float:
    """Per width of a half the node that a boundary cuts or touches, and its weight in the sum of codes below it.

    0 stands for none. The weight of the total is returned.
    """
    middles[:] = 0
    if boundary <= 0:
        return 0.0
    if boundary >= size:
        return 1.0
    bit, node, half, share = 0, boundary, 1, 0.5
    while node & half == 0:
        bit, half = bit + 1, half << 1
    middles[bit], weights[bit] = node, 0.5
    while half < size:
        above, bit = (node ^ half) | (half << 1), bit + 1
        if above < size:  # else the right half is padding, and all there is lies to the left
            middles[bit] = above
            if node < above:
                weights[bit], share = 0.5 * share, 0.5 * share
            else:
                weights[bit], share = 0.5 * (1.0 - share), 0.5 * (1.0 + share)
        node, half = above, half << 1
    return share


@light_kernel("one", 2_048)
def prefix_covariance(size: int, one: Ints, other: Ints, out: Floats) -> None:
    nodes, weights = np.empty((2, _depth(size)), np.int64), np.empty((2, _depth(size)))
    for pair in range(one.size):
        total = path(size, one[pair], nodes[0], weights[0]) * path(size, other[pair], nodes[1], weights[1])
        bit = nodes.shape[1] - 1
        while bit >= 0 and nodes[0, bit] == nodes[1, bit]:
            if nodes[0, bit] > 0:
                total += weights[0, bit] * weights[1, bit]
            bit -= 1
        out[pair] = total


@kernel
def fourth(size: int, first: Ints, end: Ints, out: Floats) -> None:
    nodes, weights = np.empty((2, _depth(size)), np.int64), np.empty((2, _depth(size)))
    for row in range(first.size):
        share = path(size, end[row], nodes[0], weights[0])
        total = (share - path(size, first[row], nodes[1], weights[1])) ** 4
        bit = nodes.shape[1] - 1
        while bit >= 0 and nodes[0, bit] == nodes[1, bit]:
            if nodes[0, bit] > 0:
                total += (weights[0, bit] - weights[1, bit]) ** 4
            bit -= 1
        for side in range(2):
            for rest in range(bit + 1):
                if nodes[side, rest] > 0:
                    total += weights[side, rest] ** 4
        out[row] = total
