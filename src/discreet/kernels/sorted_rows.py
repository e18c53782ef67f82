"""What is sorted: sums over boxes and nodes with all their ancestors, among rows of codes; runs of equal keys."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, Marks, kernel, light_kernel


@kernel
def _order(codes: Ints, row: int, key: Ints, fixed: int) -> int:
    """How the leading `fixed` codes of a row compare with `key`: -1, 0 or 1."""
    for attribute in range(fixed):
        if codes[row, attribute] != key[attribute]:
            return -1 if codes[row, attribute] < key[attribute] else 1
    return 0


@kernel
def _first_row(codes: Ints, high: int, key: Ints, fixed: int, after: bool) -> int:
    """The first row, or else `high`, whose leading `fixed` codes are not before `key`, or (after) are beyond it."""
    low = 0
    while low < high:
        middle = (low + high) >> 1
        order = _order(codes, middle, key, fixed)
        if order < 0 or (after and order == 0):
            low = middle + 1
        else:
            high = middle
    return low


def _looks(codes: Ints, columns: Floats | Ints, first: Ints, *rest: Ints) -> int:
    """How many rows may be looked at: one box may hold all of them."""
    return int(first.shape[0] * codes.shape[0])


@light_kernel(_looks, 2**17)
def sparse_box_sums(codes: Ints, columns: Floats | Ints, first: Ints, last: Ints, out: Floats | Ints) -> None:
    """out[box, c] = sum of columns[:, c] over the cells inside the box; only rows that can be inside are looked at.

    Whole numbers stay whole: `out` has the type of `columns`.
    """
    attributes = codes.shape[1]
    for box in range(first.shape[0]):
        fixed = 0
        while fixed < attributes and first[box, fixed] == last[box, fixed]:
            fixed += 1
        reach = min(fixed + 1, attributes)
        start = _first_row(codes, codes.shape[0], first[box], reach, False)
        end = _first_row(codes, codes.shape[0], last[box], reach, True)
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


@kernel
def mark_complete(codes: Ints, parents: Ints, complete: Marks) -> None:
    """complete[row]: with any of its coordinates replaced by ancestors, the node is in the list too.

    By induction it is enough that this holds for the nodes with one coordinate replaced by its parent (-1: the root has
    none). A parent's number is below its child's, so those stand further up in the list.
    """
    axes = codes.shape[1]
    key = np.empty(axes, np.int64)
    for row in range(codes.shape[0]):
        complete[row], key[:] = True, codes[row]
        for axis in range(axes):
            if parents[row, axis] < 0:
                continue
            key[axis] = parents[row, axis]
            found = _first_row(codes, row, key, axes, False)
            if found == row or _order(codes, found, key, axes) != 0 or not complete[found]:
                complete[row] = False
                break
            key[axis] = codes[row, axis]


@kernel
def merge_runs(runs: Ints, keys: Ints, values: Ints, to_runs: Ints, to_keys: Ints, to_values: Ints) -> int:
    """Neighbours of one run and one key become one; returns how many are left. No runs given: all are one run."""
    last = -1
    for i in range(keys.size):
        fresh = last < 0 or keys[i] != to_keys[last]
        if runs.size > 0 and not fresh:
            fresh = runs[i] != to_runs[last]
        if fresh:
            last += 1
            to_keys[last], to_values[last] = keys[i], values[i]
            if runs.size > 0:
                to_runs[last] = runs[i]
        else:
            to_values[last] += values[i]
    return last + 1
