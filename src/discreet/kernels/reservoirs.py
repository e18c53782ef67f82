"""The records that are kept of each user, chosen while all records stream by once.

Every record gets a key of 63 bits: from the top, the rank of its item if there are ranks, a hash of its item if users
count once for an item, a hash of its number among the user's records, and a word, which says its cell, or its cell
among those of the rank. Of each user the `most` records of the lowest keys are kept. They lie in chunks of an arena,
linked per user; when a user has twice as many as may stay, the higher half is dropped. Users are spread over shards by
a hash, so that what is known of a shard's users lies in the nearest cache, and shards do not wait for each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, Words, kernel

#: see `offer`
Layout = tuple[int, int, int]
Ranks = tuple[Ints, Ints]
#: slots, keys and links
Lists = tuple[Ints, Ints, Ints]
#: no key is above it, so nothing is refused
LAST = 2**63 - 1
NOTHING = -1
#: what a slot of the hash table knows of a user; nobody has seen 0 records. A list: its first chunk * 2**32 + its size
USER, SEEN, LIMIT, LIST = range(4)
SIZE = 2**32 - 1
#: so many are sorted by insertion
_FEW = 48
_ONE, _TWO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_U1, _U27, _U30, _U31, _U32 = np.uint64(1), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel
def mixed(x: np.uint64) -> np.uint64:
    """A bijection of 64-bit numbers in which every bit of the outcome depends on every bit of x."""
    x = (x ^ (x >> _U30)) * _M1
    x = (x ^ (x >> _U27)) * _M2
    return x ^ (x >> _U31)


@kernel
def shards_of(users: Ints, salt: np.uint64, shift: np.uint64, shards: NDArray[np.uint8], sizes: Ints) -> bool:
    """shards[i] = the uppermost bits of the hash of users[i]; adds to the sizes of the shards.

    Returns whether all users are numbers below 2**32.
    """
    bits = np.uint64(0)
    for row in range(users.size):
        shards[row] = mixed(np.uint64(users[row]) ^ salt) >> shift
        bits |= np.uint64(users[row])
    for row in range(users.size):
        sizes[shards[row]] += 1
    return bool(bits >> np.uint64(32) == 0)


@kernel
def spread(
    users: Ints, tickets: Ints, words: NDArray[np.int32] | Ints, shards: NDArray[np.uint8], ends: Ints, rows: Ints
) -> None:
    """Rows of user, word and, if there is a third column, ticket, written to where their shards end so far.

    A single column holds user * 2**32 + word.
    """
    for row in range(users.size):
        place = ends[shards[row]]
        ends[shards[row]] = place + 1
        if rows.shape[1] == 1:
            rows[place, 0] = users[row] << 32 | words[row]
        else:
            rows[place, 0], rows[place, 1] = users[row], words[row]
        if rows.shape[1] == 3:
            rows[place, 2] = tickets[row]


@kernel
def offer(
    begin: int,
    rows: Ints,
    contexts: int,
    bases: Ints,
    layout: Layout,
    salts: Words,
    place: np.uint64,
    most: int,
    full: int,
    slots: Ints,
    known: Ints,
    room: int,
    keys: Ints,
    links: Ints,
    free: Ints,
    scratch: Ints,
) -> int:
    """Offer the rows from `begin` on to their users' lists; returns the row that found no room, or the end.

    `layout` says from which bit of a key on its own hash begins, that of its item, and its rank. `bases`, if there are
    ranks, holds the key of each item in the first context, but for hashes. `slots` is an open hash table of a power of
    two of places, whose hash is salted with `place`, with `room` for so many users. A user with `full` keys drops what
    is above the `most` lowest. `free` holds the first unused chunk, and how many were ever used.
    """
    own_at, item_at, rank_at = layout
    own_bits = np.uint64((1 << item_at) - (1 << own_at))
    item_bits = np.uint64((1 << rank_at) - (1 << item_at))
    distinct, ranked = rank_at > item_at, bases.size > 0
    chunk, mask, ticket = keys.size // links.size, np.uint64(slots.shape[0] - 1), rows.shape[1] == 3
    packed = rows.shape[1] == 1
    for row in range(begin, rows.shape[0]):
        if packed:
            user, word = np.int64(np.uint64(rows[row, 0]) >> _U32), rows[row, 0] & SIZE
        else:
            user, word = rows[row, 0], rows[row, 1]
        slot = mixed(np.uint64(user) ^ place) & mask
        while slots[slot, SEEN] != 0 and slots[slot, USER] != user:
            slot = (slot + _U1) & mask
        seen = slots[slot, SEEN]
        if seen == 0:
            if known[0] == room or (free[0] == NOTHING and free[1] == links.size):
                return row
            known[0] += 1
            slots[slot, USER], slots[slot, LIMIT], slots[slot, LIST] = user, LAST, NOTHING << 32
        seed = mixed(np.uint64(rows[row, 2] if ticket else user) ^ salts[0])
        random = mixed(seed + _ONE * np.uint64(seen + 1)) & own_bits
        key = np.int64(word)
        if distinct or ranked:
            item = np.uint32(word) // np.uint32(contexts)
            if distinct:
                random |= mixed(seed ^ salts[1] ^ (_TWO * (np.uint64(item) + _U1))) & item_bits
            if ranked:
                key += bases[item] - np.int64(item) * contexts
        key |= np.int64(random)
        if key <= slots[slot, LIMIT]:
            size, head = slots[slot, LIST] & SIZE, slots[slot, LIST] >> 32
            if size & (chunk - 1) == 0:  # the first chunk of the list is full, or there is none
                if free[0] == NOTHING and free[1] == links.size:
                    return row
                if free[0] != NOTHING:
                    new = free[0]
                    free[0] = links[new]
                else:
                    new = free[1]
                    free[1] += 1
                links[new] = head
                head = new
            keys[head * chunk + (size & (chunk - 1))] = key
            size += 1
            if size == full:
                gather(head, size, keys, links, chunk, scratch)
                left = lowest(scratch, size, most, layout, contexts)
                if left == most:
                    slots[slot, LIMIT] = scratch[most - 1]
                head = _put_back(head, size, left, keys, links, free, chunk, scratch)
                size = left
            slots[slot, LIST] = (head << 32) | size
        slots[slot, SEEN] = seen + 1
    return int(rows.shape[0])


@kernel
def rehash(slots: Ints, larger: Ints, salt: np.uint64) -> None:
    mask = np.uint64(larger.shape[0] - 1)
    for old in range(slots.shape[0]):
        if slots[old, SEEN] != 0:
            slot = mixed(np.uint64(slots[old, USER]) ^ salt) & mask
            while larger[slot, SEEN] != 0:
                slot = (slot + _U1) & mask
            larger[slot] = slots[old]


@kernel
def gather(head: int, size: int, keys: Ints, links: Ints, chunk: int, scratch: Ints) -> None:
    """The keys of a list, copied to `scratch`."""
    at, count, in_chunk = head, 0, size - (size - 1) // chunk * chunk
    while count < size:
        for place in range(at * chunk, at * chunk + in_chunk):
            scratch[count] = keys[place]
            count += 1
        at, in_chunk = links[at], chunk


@kernel
def lowest(scratch: Ints, count: int, most: int, layout: Layout, contexts: int) -> int:
    """Sorts the first `count` keys and keeps the first `most`, one of each item if users count once for an item."""
    own_at, item_at, rank_at = layout
    if count > _FEW:
        scratch[:count].sort()
    else:
        for i in range(1, count):
            key, j = scratch[i], i
            while j > 0 and scratch[j - 1] > key:
                scratch[j] = scratch[j - 1]
                j -= 1
            scratch[j] = key
    if rank_at == item_at:
        return min(count, most)
    left, word_bits = 0, (1 << own_at) - 1
    for i in range(count):
        key, before, again = scratch[i], left - 1, False
        while before >= 0 and scratch[before] >> item_at == key >> item_at:  # one item, or few whose hashes collide
            again = again or (scratch[before] & word_bits) // contexts == (key & word_bits) // contexts
            before -= 1
        if not again:
            if left == most:
                break
            scratch[left] = key
            left += 1
    return left


@kernel
def shuffle(scratch: Ints, count: int) -> None:
    """The first `count` keys, all of which begin with 31 bits of a hash, in an order that these bits decide."""
    for i in range(1, count):
        key = scratch[i]
        other = ((key >> 32) * (i + 1)) >> 31
        scratch[i] = scratch[other]
        scratch[other] = key


@kernel
def _put_back(head: int, size: int, left: int, keys: Ints, links: Ints, free: Ints, chunk: int, scratch: Ints) -> int:
    """The first `left` keys of `scratch` become the list, whose first chunk is returned; others are free again."""
    for _ in range((size + chunk - 1) // chunk - (left + chunk - 1) // chunk):
        gone = head
        head = links[gone]
        links[gone] = free[0]
        free[0] = gone
    at, count, in_chunk = head, 0, left - (left - 1) // chunk * chunk
    while count < left:
        for place in range(at * chunk, at * chunk + in_chunk):
            keys[place] = scratch[count]
            count += 1
        at, in_chunk = links[at], chunk
    return head


@kernel
def settle(
    most: int,
    layout: Layout,
    contexts: int,
    ranks: Ranks,
    lists: Lists,
    scratch: Ints,
    numbers: Ints,
    words: NDArray[np.int32],
) -> int:
    """words = what is kept of one user after the other, in random order; numbers = how much it is of each.

    By rank, if there are any; of long lists of which nothing was dropped the hashes in keys are the dice, which is much
    faster than to sort by them.

    `ranks`, if there are any: the items of one rank after the other, and where each rank's begin.
    Returns the length of `words` in use.
    """
    by_rank, starts = ranks
    slots, keys, links = lists
    chunk, end, user, word_bits = keys.size // links.size, 0, 0, (1 << layout[0]) - 1
    plain = by_rank.size == 0 and layout[1] == layout[2]
    for slot in range(slots.shape[0]):
        if slots[slot, SEEN] == 0:
            continue
        size = slots[slot, LIST] & SIZE
        gather(slots[slot, LIST] >> 32, size, keys, links, chunk, scratch)
        if plain and _FEW < size < most:  # a list that was cut is never shorter than `most`
            shuffle(scratch, size)
            left = size
        else:
            left = lowest(scratch, size, most, layout, contexts)
        for entry in range(left):
            word = scratch[entry] & word_bits
            if by_rank.size:
                item = by_rank[starts[scratch[entry] >> layout[2]] + word // contexts]
                word = item * contexts + word % contexts
            words[end] = word
            end += 1
        numbers[user] = left
        user += 1
    return end
