"""Sums of a table over blocks of its cells, and a number for each block given to all of its cells.

`rows` says for each row of the table where its blocks begin among all blocks, `starts` where each block begins within a
row, with the row's length as its last entry.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from discreet.kernels.jit import Floats, Ints, light_kernel


@light_kernel("table", 32_768)
def add_up(table: NDArray[Any], rows: Ints, starts: Ints, sums: NDArray[Any]) -> None:
    """sums[block] += its cells."""
    for row in range(rows.size):
        place = rows[row]
        for block in range(starts.size - 1):
            total = sums[place + block]
            for cell in range(starts[block], starts[block + 1]):
                total += table[row, cell]
            sums[place + block] = total


@light_kernel("table", 32_768)
def give_all(table: Floats, rows: Ints, starts: Ints, changes: Floats) -> None:
    """Every cell += the change of its block."""
    for row in range(rows.size):
        place = rows[row]
        for block in range(starts.size - 1):
            change = changes[place + block]
            for cell in range(starts[block], starts[block + 1]):
                table[row, cell] += change
