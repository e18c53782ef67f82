"""Whole numbers in place of a table's, with whole margins that fit exactly."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, Marks, kernel


@kernel
def raise_some(parts: Floats, order: Ints, rows: Ints, columns: Ints, raised: Marks) -> int:
    """Chooses cells so that row i has rows[i] of them and column j columns[j], those with the largest parts if it can.

    `order` has the cells by falling parts. What cannot be chosen one by one is found along ways that give up a cell
    chosen before for another one; of cells without a part only if there is no other way. Both margins are used up;
    returns what is left of them.
    """
    height, width = parts.shape
    for cell in order:
        i, j = cell // width, cell % width
        if parts[i, j] > 0.0 and rows[i] > 0 and columns[j] > 0:
            raised[i, j] = True
            rows[i] -= 1
            columns[j] -= 1
    left = 0
    for i in range(height):
        while rows[i] > 0:
            if not _along_a_way(parts, i, columns, raised, 0.0) and not _along_a_way(parts, i, columns, raised, -1.0):
                left += rows[i]
                break
            rows[i] -= 1
    return left


@kernel
def _along_a_way(parts: Floats, start: int, columns: Ints, raised: Marks, above: float) -> bool:
    """One more cell for row `start` and for a column that lacks one, by the shortest way there."""
    height, width = parts.shape
    from_row, from_column = np.full(width, -1), np.full(height, -1)
    waiting = np.empty(height, np.int64)
    waiting[0], taken, known = start, 0, 1
    from_column[start] = width  # the first row has no column before it
    while taken < known:
        i = waiting[taken]
        taken += 1
        for j in range(width):
            if from_row[j] >= 0 or raised[i, j] or parts[i, j] <= above:
                continue
            from_row[j] = i
            if columns[j] > 0:
                columns[j] -= 1
                while True:
                    row = from_row[j]
                    raised[row, j] = True
                    if row == start:
                        return True
                    j = from_column[row]
                    raised[row, j] = False
            for other in range(height):
                if from_column[other] < 0 and raised[other, j]:
                    from_column[other] = j
                    waiting[known] = other
                    known += 1
    return False
