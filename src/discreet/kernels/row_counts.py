"""Rows counted into many tables at once."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Ints, kernel

_BLOCK = 2048


@kernel
def add_rows(
    words: Ints,
    weights: Ints,
    first: Ints,
    sizes: Ints,
    members: Ints,
    ends: Ints,
    steps: Ints,
    starts: Ints,
    table: Ints,
) -> None:
    """Add every row to its cell in each table.

    words[w, row] packs the codes of attributes first[w] to first[w + 1] - 1. Table t, which begins at starts[t], has
    the attributes members[ends[t - 1]:ends[t]]; one code more of an attribute is steps[t, attribute] cells further.
    One weight alone holds for all rows. All tables together have fewer than 2**31 cells.
    """
    # block by block and table by table, so that codes and one table at a time stay in the nearest cache
    codes, cells = np.empty((sizes.size, _BLOCK), np.int32), np.empty(_BLOCK, np.int32)
    for begin in range(0, words.shape[1], _BLOCK):
        count = min(_BLOCK, words.shape[1] - begin)
        for word in range(words.shape[0]):
            for row in range(count):
                rest = words[word, begin + row]
                for attribute in range(first[word + 1] - 1, first[word], -1):
                    above = rest // sizes[attribute]
                    codes[attribute, row] = rest - above * sizes[attribute]
                    rest = above
                codes[first[word], row] = rest
        member = 0
        for number in range(ends.size):
            cells[:count] = starts[number]
            while member < ends[number]:
                step = np.int32(steps[number, members[member]])
                mine = codes[members[member]]
                for row in range(count):
                    cells[row] += mine[row] * step
                member += 1
            if weights.size == 1:
                for row in range(count):
                    table[cells[row]] += weights[0]
            else:
                for row in range(count):
                    table[cells[row]] += weights[begin + row]
