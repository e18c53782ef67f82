"""Records counted into tables.

Of users, words[starts[u]:starts[u + 1]] are the cells of the records that were kept of user u.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, Marks, kernel, light_kernel

Cells = NDArray[np.int32] | Ints

_BLOCK = 2048


@light_kernel("words", 32_768)
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


@kernel
def add_kept(starts: Ints, words: Cells, first: int, chosen: Marks, table: Ints) -> None:
    """Add the first records of every user, or of every chosen one, to their cells."""
    for user in range(starts.size - 1):
        if chosen.size == 0 or chosen[user]:
            for place in range(starts[user], min(starts[user + 1], starts[user] + first)):
                table[words[place]] += 1


@kernel
def add_bins(starts: Ints, table: Ints) -> None:
    """Count the users with records by bins of these: bin 0 for one record, bin j for 2**(j - 1) + 1 to 2**j."""
    for user in range(starts.size - 1):
        records, place = starts[user + 1] - starts[user], 0
        if records > 0:
            while (1 << place) < records:
                place += 1
            table[min(place, table.size - 1)] += 1


@kernel
def add_shares(starts: Ints, words: Cells, places: Ints, bound: int, whole: int, table: Ints) -> None:
    """Add `whole` for every record to table[places[cell]], cells of place -1 left out; or, for a user with more than
    `bound` such records, an equal share of whole * bound for each, rounded down."""
    for user in range(starts.size - 1):
        records = 0
        for place in range(starts[user], starts[user + 1]):
            records += places[words[place]] >= 0
        share = whole if records <= bound else whole * bound // records
        for place in range(starts[user], starts[user + 1]):
            if places[words[place]] >= 0:
                table[places[words[place]]] += share


@kernel
def add_pairs(starts: Ints, items: Cells, first: int, directed: bool, table: Ints) -> None:
    """Add what users have in pairs of different items to `table` (items x items).

    Undirected: each pair once per user, at the lower item's row. Directed: at [i, j] the user's records of j, if the
    user has i.
    """
    longest = 0
    for user in range(starts.size - 1):
        longest = max(longest, min(starts[user + 1] - starts[user], first))
    mine, times, where = np.empty(longest, np.int64), np.empty(longest, np.int64), np.zeros(len(table), np.int64)
    for user in range(starts.size - 1):
        count = 0
        for place in range(starts[user], min(starts[user + 1], starts[user] + first)):
            item = items[place]
            if where[item] >= count or mine[where[item]] != item:
                mine[count], times[count], where[item] = item, 0, count
                count += 1
            times[where[item]] += 1
        for one in range(count):
            for other in range(count):
                if directed and one != other:
                    table[mine[one], mine[other]] += times[other]
                elif mine[one] < mine[other]:
                    table[mine[one], mine[other]] += 1
