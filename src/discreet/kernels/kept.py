"""Counting what was kept of users: words[starts[u]:starts[u + 1]] are the cells of user u's records."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Ints, Marks, kernel


@kernel
def add_kept(starts: Ints, words: Ints, first: int, chosen: Marks, table: Ints) -> None:
    """Add the first records of every user, or of every chosen one, to their cells."""
    for user in range(starts.size - 1):
        if chosen.size == 0 or chosen[user]:
            for place in range(starts[user], min(starts[user + 1], starts[user] + first)):
                table[words[place]] += 1


@kernel
def add_numbers(starts: Ints, most: int, table: Ints) -> None:
    """Count the users by how many records are kept of them; more than `most` count as `most`."""
    for user in range(starts.size - 1):
        table[min(starts[user + 1] - starts[user], most)] += 1


@kernel
def add_pairs(starts: Ints, items: Ints, first: int, directed: bool, table: Ints) -> None:
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
