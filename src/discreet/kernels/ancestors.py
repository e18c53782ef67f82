"""Which nodes of a sorted list have all their ancestors in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

Ints = NDArray[np.int64]


@kernel
def _order(codes: Ints, row: int, other: int, axis: int, parent: int) -> int:
    """How `row` compares with `other` if that had the parent on one axis: -1, 0 or 1."""
    for i in range(codes.shape[1]):
        wanted = parent if i == axis else codes[other, i]
        if codes[row, i] != wanted:
            return -1 if codes[row, i] < wanted else 1
    return 0


@kernel
def mark_complete(codes: Ints, parents: Ints, complete: NDArray[np.bool_]) -> None:
    """complete[row]: with any of its coordinates replaced by ancestors, the node is in the list too.

    By induction it is enough that this holds for the nodes with one coordinate replaced by its parent (-1: the root has
    none). A parent's number is below its child's, so those stand further up in the list.
    """
    for row in range(codes.shape[0]):
        whole = True
        for axis in range(codes.shape[1]):
            parent = parents[row, axis]
            if parent < 0:
                continue
            low, high = 0, row
            while low < high:
                middle = (low + high) >> 1
                if _order(codes, middle, row, axis, parent) < 0:
                    low = middle + 1
                else:
                    high = middle
            if low == row or _order(codes, low, row, axis, parent) != 0 or not complete[low]:
                whole = False
                break
        complete[row] = whole
