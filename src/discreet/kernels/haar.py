"""The Haar transform in place, and the weights with which its coefficients enter sums of codes.

Node p covers codes around p: its right half starts at p and is as wide as the lowest bit of p. The node above p is
found by clearing that bit and setting the next; one that is not below the size does not exist and is passed over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

_DEEPEST = 64


@kernel
def forward(lines: NDArray[np.int64]) -> None:
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
def restore(lines: NDArray[np.float64]) -> None:
    size, count = lines.shape
    half = 1
    while half < size:
        half *= 2
    half //= 2
    while half > 0:
        for right in range(half, size, 2 * half):
            left = right - half
            for i in range(count):
                s, d = lines[left, i], lines[right, i]
                lines[left, i] = 0.5 * (s + d)
                lines[right, i] = 0.5 * (s - d)
        half //= 2


@kernel
def _path(size: int, boundary: int, nodes: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[int, float]:
    """The nodes from `boundary` up to the root with their weights in the sum of all codes below the boundary.

    Returns their number and the weight of the total. No other node has any weight.
    """
    if boundary <= 0:
        return 0, 0.0
    if boundary >= size:
        return 0, 1.0
    node, count, share = boundary, 1, 0.5  # share: how much of the node's own sum lies below the boundary
    nodes[0], weights[0] = node, 0.5
    low = node & -node
    while low < size:
        above = (node ^ low) | (low << 1)
        if above < size:
            if node < above:
                weight, share = 0.5 * share, 0.5 * share
            else:
                weight, share = 0.5 * (1.0 - share), 0.5 * (1.0 + share)
            nodes[count], weights[count] = above, weight
            count += 1
        node, low = above, low << 1
    return count, share


@kernel
def prefix_covariance(size: int, one: NDArray[np.int64], other: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    nodes, weights = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST)
    others, loads = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST)
    for pair in range(one.size):
        count, share = _path(size, one[pair], nodes, weights)
        length, part = _path(size, other[pair], others, loads)
        total = share * part
        while count > 0 and length > 0 and nodes[count - 1] == others[length - 1]:
            count, length = count - 1, length - 1
            total += weights[count] * loads[length]
        out[pair] = total


@kernel
def fourth(size: int, first: NDArray[np.int64], end: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    nodes, weights = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST)
    others, loads = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST)
    for row in range(first.size):
        count, share = _path(size, end[row], nodes, weights)
        length, part = _path(size, first[row], others, loads)
        total = (share - part) ** 4
        while count > 0 and length > 0 and nodes[count - 1] == others[length - 1]:
            count, length = count - 1, length - 1
            total += (weights[count] - loads[length]) ** 4
        for rest in range(count):
            total += weights[rest] ** 4
        for rest in range(length):
            total += loads[rest] ** 4
        out[row] = total
