"""The records that are kept of each user, chosen while all records stream by once.

Every record gets an order, a number of 63 bits. Of each user the `most` records of the lowest order are kept. They
lie in chunks of an arena, linked per user; when a user has twice as many as may stay, the higher half is dropped.
Where users are counted, records of one user about one item share the upper bits of their order and are one entry, of
which the lowest stays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

#: no order is above it, so nothing is refused
LAST = 2**63 - 1
NOBODY = -1
#: what is known of a user
_SEEN, _LIMIT, _HEAD, _SIZE = range(4)
#: so many are sorted by insertion
_FEW = 48
_ONE, _TWO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U64 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(64)


@kernel
def mixed(x: np.uint64) -> np.uint64:
    """A bijection of 64-bit numbers in which every bit of the outcome depends on every bit of x."""
    x = (x ^ (x >> _U30)) * _M1
    x = (x ^ (x >> _U27)) * _M2
    return x ^ (x >> _U31)


@kernel
def number_users(users: Ints, table: Ints, known: int, out: Ints) -> tuple[int, int]:
    """out[i] = the number of users[i], new ones numbered from `known` on, until the table is half full.

    `table` is an open hash table of a power of two of places, each a user and the user's number. Returns how many rows
    were done, and how many users are known then.
    """
    mask = np.uint64(table.shape[0] - 1)
    for row in range(users.size):
        place = mixed(np.uint64(users[row]) + _ONE) & mask
        while table[place, 1] != NOBODY and table[place, 0] != users[row]:
            place = (place + np.uint64(1)) & mask
        if table[place, 1] == NOBODY:
            if 2 * known >= table.shape[0]:
                return row, known
            table[place, 0], table[place, 1] = users[row], known
            known += 1
        out[row] = table[place, 1]
    return users.size, known


@kernel
def rehash(table: Ints, larger: Ints) -> None:
    mask = np.uint64(larger.shape[0] - 1)
    for old in range(table.shape[0]):
        if table[old, 1] != NOBODY:
            place = mixed(np.uint64(table[old, 0]) + _ONE) & mask
            while larger[place, 1] != NOBODY:
                place = (place + np.uint64(1)) & mask
            larger[place, 0], larger[place, 1] = table[old, 0], table[old, 1]


@kernel
def offer(
    begin: int,
    owners: Ints,
    tickets: Ints,
    words: Ints,
    contexts: int,
    ranks: NDArray[np.uint32],
    rank_bits: np.uint64,
    low_bits: np.uint64,
    distinct: bool,
    salts: Words,
    most: int,
    full: int,
    people: Ints,
    orders: Ints,
    kept: Ints,
    links: Ints,
    free: Ints,
    scratch: tuple[Ints, Ints],
) -> int:
    """Offer the rows from `begin` on to their owners' reservoirs; returns the row that found no room, or the end.

    The order of a record: the bits of `low_bits` are those of the record itself, the others those of its item: its rank
    in the uppermost `rank_bits`, if there are ranks, and a hash. A user with `full` entries drops what is above the
    `most` lowest. `people` holds of each user how many records were seen, the
    order at which more are refused, the first chunk, and how many are kept. `free` holds the first unused chunk, and
    how many were ever used.
    """
    chunk = kept.size // links.size
    for row in range(begin, owners.size):
        owner, word = owners[row], words[row]
        seed = mixed(salts[0] ^ np.uint64(tickets[row]))
        own = mixed(seed + _ONE * np.uint64(people[owner, _SEEN] + 1))
        high = own
        if distinct or ranks.size:
            item = word // contexts
            high = mixed(seed ^ salts[1] ^ (_TWO * np.uint64(item + 1)))
            if ranks.size:
                high = (np.uint64(ranks[item]) << (_U64 - rank_bits)) | (high >> rank_bits)
        order = np.int64(((high & ~low_bits) | (own & low_bits)) >> np.uint64(1))
        if order < people[owner, _LIMIT]:
            size = people[owner, _SIZE]
            if size % chunk == 0:  # the first chunk of the list is full, or there is none
                if free[0] == NOBODY and free[1] == links.size:
                    return row
                if free[0] != NOBODY:
                    new = free[0]
                    free[0] = links[new]
                else:
                    new = free[1]
                    free[1] += 1
                links[new] = people[owner, _HEAD]
                people[owner, _HEAD] = new
            place = people[owner, _HEAD] * chunk + size % chunk
            orders[place], kept[place] = order, word
            people[owner, _SIZE] = size + 1
            if size + 1 == full:
                count = gather(people, owner, orders, kept, links, chunk, scratch)
                left = lowest(scratch, count, most, distinct, contexts, low_bits)
                if left == most:
                    people[owner, _LIMIT] = scratch[0][most - 1]
                _put_back(people, owner, left, orders, kept, links, free, chunk, scratch)
        people[owner, _SEEN] += 1
    return owners.size


@kernel
def gather(
    people: Ints, owner: int, orders: Ints, kept: Ints, links: Ints, chunk: int, scratch: tuple[Ints, Ints]
) -> int:
    """A user's entries, copied to `scratch`; returns how many."""
    size, at, count = people[owner, _SIZE], people[owner, _HEAD], 0
    in_chunk = size - (size - 1) // chunk * chunk
    while count < size:
        for place in range(at * chunk, at * chunk + in_chunk):
            scratch[0][count], scratch[1][count] = orders[place], kept[place]
            count += 1
        at, in_chunk = links[at], chunk
    return count


@kernel
def lowest(
    scratch: tuple[Ints, Ints], count: int, most: int, distinct: bool, contexts: int, low_bits: np.uint64
) -> int:
    """Sorts the first `count` entries by their order and keeps the first `most`, one of each item if `distinct`."""
    orders, words = scratch
    item_bits = np.int64(~low_bits >> np.uint64(1))
    if count > _FEW:
        by = np.argsort(orders[:count])
        orders[:count], words[:count] = orders[:count][by], words[:count][by]
    else:
        for i in range(1, count):
            order, word = orders[i], words[i]
            j = i
            while j > 0 and orders[j - 1] > order:
                orders[j], words[j] = orders[j - 1], words[j - 1]
                j -= 1
            orders[j], words[j] = order, word
    if not distinct:
        return min(count, most)
    left = 0
    for i in range(count):
        again = False
        before = left - 1  # entries of one item share their upper bits, and other items hardly ever do
        while before >= 0 and (orders[before] & item_bits) == (orders[i] & item_bits):
            again = again or words[before] // contexts == words[i] // contexts
            before -= 1
        if not again:
            if left == most:
                break
            orders[left], words[left] = orders[i], words[i]
            left += 1
    return left


@kernel
def _put_back(
    people: Ints,
    owner: int,
    left: int,
    orders: Ints,
    kept: Ints,
    links: Ints,
    free: Ints,
    chunk: int,
    scratch: tuple[Ints, Ints],
) -> None:
    """The first `left` entries of `scratch` become the user's; chunks beyond them are free again."""
    for _ in range((people[owner, _SIZE] + chunk - 1) // chunk - (left + chunk - 1) // chunk):
        gone = people[owner, _HEAD]
        people[owner, _HEAD] = links[gone]
        links[gone] = free[0]
        free[0] = gone
    people[owner, _SIZE] = left
    in_chunk = left - (left - 1) // chunk * chunk
    at, count = people[owner, _HEAD], 0
    while count < left:
        for place in range(at * chunk, at * chunk + in_chunk):
            orders[place], kept[place] = scratch[0][count], scratch[1][count]
            count += 1
        at, in_chunk = links[at], chunk


@kernel
def settle(
    most: int,
    low_bits: np.uint64,
    distinct: bool,
    contexts: int,
    people: Ints,
    orders: Ints,
    kept: Ints,
    links: Ints,
    starts: Ints,
    out: Ints,
    scratch: tuple[Ints, Ints],
) -> int:
    """out[starts[u]:starts[u + 1]] = what is kept of user u, lowest order first; returns the length of `out` in use."""
    chunk = kept.size // links.size
    end = 0
    for user in range(people.shape[0]):
        starts[user] = end
        count = gather(people, user, orders, kept, links, chunk, scratch)
        for entry in range(lowest(scratch, count, most, distinct, contexts, low_bits)):
            out[end] = scratch[1][entry]
            end += 1
    starts[people.shape[0]] = end
    return end


@kernel
def add_kept(starts: Ints, words: Ints, first: int, chosen: NDArray[np.bool_], table: Ints) -> None:
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
def add_pairs(starts: Ints, items: Ints, first: int, directed: bool, table: NDArray[np.int64]) -> None:
    """Add what users have in pairs of different items to `table` (items x items).

    Undirected: each pair once per user, at the lower item's row. Directed: at [i, j] the user's records of j, if the
    user has i.
    """
    longest = 0
    for user in range(starts.size - 1):
        longest = max(longest, min(starts[user + 1] - starts[user], first))
    mine, times = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for user in range(starts.size - 1):
        count = 0
        for place in range(starts[user], min(starts[user + 1], starts[user] + first)):
            found = 0
            while found < count and mine[found] != items[place]:
                found += 1
            if found == count:
                mine[count], times[count] = items[place], 0
                count += 1
            times[found] += 1
        for one in range(count):
            for other in range(count):
                if directed and one != other:
                    table[mine[one], mine[other]] += times[other]
                elif mine[one] < mine[other]:
                    table[mine[one], mine[other]] += 1
