"""Sums over many boxes of a dense table: a summed-area table, then 2**k corners per box.

All arithmetic wraps around modulo 2**64. A prefix may overflow; the sum of a box, a difference of prefixes,
is still exact whenever it fits into 64 bits.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, light_kernel


def prefix_sums(dense: Ints) -> Ints:
    """Shape sizes + 1: entry (i, j, ...) is the sum of dense[:i, :j, ...]."""
    padded = np.zeros([size + 1 for size in dense.shape], dtype=np.int64)
    padded[(slice(1, None),) * dense.ndim] = dense
    for axis in range(dense.ndim):
        np.cumsum(padded, axis=axis, out=padded)
    return padded


def box_sums(prefix: Ints, strides: Ints, first: Ints, last: Ints) -> Ints:
    """The sum over each of q boxes, first <= cell <= last, both of shape (q, k).

    `prefix` is what `prefix_sums` returned, flattened in C order; `strides` counts entries, not bytes.
    """
    if first.shape != last.shape or first.ndim != 2 or first.shape[1] != strides.size:
        raise ValueError(f"boxes of shape {first.shape} and {last.shape} do not fit {strides.size} attributes")
    # the kernel does not check bounds, so a wrong box must stop here
    sizes = np.concatenate(([prefix.size], strides[:-1])) // strides - 1 if strides.size else strides
    if (first < 0).any() or (last >= sizes).any() or (first > last).any():
        raise ValueError("a box is empty or reaches outside the table")
    sums = np.empty(len(first), dtype=np.int64)
    _corner_sums(prefix, strides, np.ascontiguousarray(first), np.ascontiguousarray(last), sums)
    return sums


@light_kernel("first", 8_192)
def _corner_sums(prefix: Ints, strides: Ints, first: Ints, last: Ints, sums: Ints) -> None:
    """Inclusion-exclusion along a Gray code: each step moves one coordinate, so the sign flips every time."""
    boxes, attributes = first.shape
    for box in range(boxes):
        corner = 0
        for attribute in range(attributes):
            corner += (last[box, attribute] + 1) * strides[attribute]
        total = prefix[corner]
        lowered = 0
        for step in range(1, 1 << attributes):
            attribute = 0
            while not (step >> attribute) & 1:
                attribute += 1
            width = (last[box, attribute] + 1 - first[box, attribute]) * strides[attribute]
            corner += width if (lowered >> attribute) & 1 else -width
            lowered ^= 1 << attribute
            total += -prefix[corner] if step & 1 else prefix[corner]
        sums[box] = total


@light_kernel("first", 8_192)
def running_box_sums(running: Floats, strides: Ints, first: Ints, last: Ints, sums: Floats) -> None:
    """sums[box] from running sums along every axis, by inclusion-exclusion; what lies before a 0 adds nothing."""
    boxes, attributes = first.shape
    for box in range(boxes):
        total = 0.0
        for corner in range(1 << attributes):
            place, sign, inside = 0, 1.0, True
            for attribute in range(attributes):
                if (corner >> attribute) & 1:
                    if first[box, attribute] == 0:
                        inside = False
                        break
                    place += (first[box, attribute] - 1) * strides[attribute]
                    sign = -sign
                else:
                    place += last[box, attribute] * strides[attribute]
            if inside:
                total += sign * running[place]
        sums[box] = total
