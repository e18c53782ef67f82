"""Sums over boxes of a sparse table whose cells are sorted, the first attribute first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel


@kernel
def _first_row(codes: NDArray[np.int64], key: NDArray[np.int64], fixed: int, after: bool) -> int:
    """The first row whose leading `fixed` codes are not before `key`, or (after) are beyond it."""
    low, high = 0, codes.shape[0]
    while low < high:
        middle = (low + high) >> 1
        order = 0
        for attribute in range(fixed):
            if codes[middle, attribute] != key[attribute]:
                order = -1 if codes[middle, attribute] < key[attribute] else 1
                break
        if order < 0 or (after and order == 0):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def sparse_box_sums(
    codes: NDArray[np.int64],
    columns: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """out[box, c] = sum of columns[:, c] over the cells inside the box; only rows that can be inside are looked at."""
    attributes = codes.shape[1]
    for box in range(first.shape[0]):
        fixed = 0
        while fixed < attributes and first[box, fixed] == last[box, fixed]:
            fixed += 1
        reach = min(fixed + 1, attributes)
        start = _first_row(codes, first[box], reach, False)
        end = _first_row(codes, last[box], reach, True)
        for row in range(start, end):
            inside = True
            for attribute in range(reach, attributes):
                code = codes[row, attribute]
                if code < first[box, attribute] or code > last[box, attribute]:
                    inside = False
                    break
            if inside:
                for column in range(columns.shape[1]):
                    out[box, column] += columns[row, column]
