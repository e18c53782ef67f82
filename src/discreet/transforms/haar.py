"""The Haar wavelet on whole numbers: the total, and left sum minus right sum of every node of a binary tree.

Source: section 4 of privelet, times its weights (errata): on this lattice all noise has one scale.
The tree is that of the domain padded to a power of two with cells that are always empty, without the nodes whose right
half is padding only: those would repeat the sum of their left half. So there are as many coefficients as codes, and
no published number stands for padding. The node whose right half starts at code p has its coefficient at place p,
the total is at place 0, and the transform works in place: (a, b) -> (a + b, a - b).
"""

from __future__ import annotations

import numpy as np

from discreet.kernels import haar
from discreet.transforms.axis import Axis, Floats, Integers


class Haar(Axis):
    """For ordinal attributes: a sum over any range touches two coefficients per level."""

    kind = "haar"

    def __init__(self, size: int) -> None:
        self.size = self.length = size
        depth = (size - 1).bit_length()
        self.weight = 1 + depth
        self.runs = ((slice(0, size), 1),)
        halves = [1 << level for level in reversed(range(depth))]
        self.levels = (slice(0, 1), *(slice(half, size, 2 * half) for half in halves))

    def forward(self, lines: Integers) -> None:
        haar.forward(lines)

    def restore(self, lines: Floats) -> None:
        haar.restore(lines)

    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        out = np.empty((one.size, 1))
        haar.prefix_covariance(self.size, one, other, out[:, 0])
        return out

    def fourth(self, first: Integers, end: Integers) -> Floats:
        out = np.empty((first.size, 1))
        haar.fourth(self.size, first, end, out[:, 0])
        return out
