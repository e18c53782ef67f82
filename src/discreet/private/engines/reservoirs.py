"""Reservoirs: at most so many records of each user, chosen while rows stream by. See `kernels.reservoirs`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.reservoirs import LIST, SEEN, SIZE, offer, rehash, settle, shards_of, spread

Ints = NDArray[np.int64]
#: rows as user, what the user's choice is hashed from, and cell
Batch = tuple[Ints, Ints, NDArray[np.int32] | Ints]

#: enough shards that, with half a million users, the table of one fits well into the second-level cache, and few enough
#: that rows can be spread over all of them in one pass
_SHARD_BITS = 7
#: fewer rows are not worth several threads
_WORTH_THREADS = 1 << 16
_CHUNK = 8
#: users and chunks that a shard has room for at first
_FIRST = 16
#: slots of a table that still fits into the second-level cache
_SMALL = 1 << 15
#: lists up to this size are cut down while rows stream by; longer ones are rare and may grow
_MOST_SCRATCH = 1 << 24
#: no user has more records than this
_MOST = 1 << 32


@dataclass(frozen=True, eq=False)
class ShardedRows:
    """Private rows, sorted by the shard that their user belongs to, and where each shard ends.

    A row is user, word, and ticket unless that is the user; or, if both are numbers of 32 bits, user * 2**32 + word.
    """

    rows: Ints = field(repr=False)
    ends: Ints = field(repr=False)

    @classmethod
    def of(cls, batches: Sequence[Batch], place: np.uint64) -> ShardedRows:
        """`place` salts the hash that gives each user a shard."""
        sizes = np.zeros(1 << _SHARD_BITS, np.int64)
        shards = [np.empty(users.size, np.uint8) for users, _, _ in batches]
        short = [
            shards_of(users, place, np.uint64(64 - _SHARD_BITS), found, sizes)
            for (users, _, _), found in zip(batches, shards, strict=True)
        ]
        named = any(users is not tickets for users, tickets, _ in batches)
        packed = all(short) and all(words.dtype == np.int32 for _, _, words in batches)
        rows = np.empty((sizes.sum(), 3 if named else 1 if packed else 2), np.int64)
        ends = np.cumsum(sizes) - sizes
        for (users, tickets, words), found in zip(batches, shards, strict=True):
            spread(users, tickets, words, found, ends, rows)
        return cls(rows, ends)


class Reservoirs:
    """At most `most` records of each user over cells of `sizes` (items, contexts, ...), less than 2**31 in all.

    `place` is the salt with which the offered rows were sorted into shards.
    """

    def __init__(
        self,
        most: int,
        sizes: Sequence[int],
        salt: bytes,
        *,
        place: np.uint64 | None = None,
        distinct: bool = False,
        scores: NDArray[np.float64] | None = None,
        threads: int | None = None,
    ) -> None:
        self.most, self.contexts = min(most, _MOST), prod(sizes[1:])
        self.threads = threads or os.cpu_count() or 1
        self.salts = np.frombuffer(salt, np.uint64)
        self.place = self.salts[0] if place is None else place
        alike, rank_bits = sizes[0], 0  # how many items may share a rank
        self.by_rank, self.starts, self.bases = (np.empty(0, np.int64) for _ in range(3))
        if scores is not None:  # equal scores share a rank; the highest has rank 0
            ranks = np.unique(-scores, return_inverse=True)[1]
            alike, rank_bits = int(np.bincount(ranks).max()), int(ranks.max()).bit_length()
            self.by_rank = np.argsort(ranks, kind="stable")
            self.starts = np.searchsorted(ranks[self.by_rank], np.arange(ranks.max() + 1))
            places = np.empty(ranks.size, np.int64)
            places[self.by_rank] = np.arange(ranks.size) - self.starts[ranks[self.by_rank]]
            self.bases = (ranks.astype(np.int64) << (63 - rank_bits)) + places * self.contexts
        own_at, rank_at = (alike * self.contexts - 1).bit_length(), 63 - rank_bits
        item_bits = min((rank_at - own_at) // 2, max(1, 2 * (alike - 1).bit_length())) if distinct else 0
        #: where in a key the record's own hash begins, its item's, and the rank
        self.layout = own_at, rank_at - item_bits, rank_at
        self.full = 2 * self.most if 2 * self.most <= _MOST_SCRATCH else 2**62
        self.shards = [_Shard(self) for _ in range(1 << _SHARD_BITS)]

    def offer(self, sharded: ShardedRows) -> None:
        parts = np.split(sharded.rows, sharded.ends[:-1])
        busy = [(shard, part) for shard, part in zip(self.shards, parts, strict=True) if len(part)]
        self._each(lambda pair: pair[0].offer(pair[1]), busy, len(sharded.rows))

    def settled(self) -> tuple[Ints, NDArray[np.int32]]:
        """words[starts[u]:starts[u + 1]] = what is kept of user u, in random order or by rank."""
        lists = [shard.lists() for shard in self.shards]
        ends = np.cumsum([0, *(int(np.minimum(sizes, self.most).sum()) for sizes in lists)])
        words = np.empty(ends[-1], np.int32)  # all shards write into one array, so that none is copied
        rooms = [words[begin:end] for begin, end in itertools.pairwise(ends.tolist())]
        parts = list(zip(self.shards, lists, rooms, strict=True))
        found = self._each(lambda part: part[0].settled(*part[1:]), parts, words.size)
        starts = np.concatenate([[0], np.cumsum(np.concatenate([numbers for numbers, _ in found]))])
        if starts[-1] < words.size:  # users count once for an item, so lists got shorter
            words = np.concatenate([room[:used] for room, (_, used) in zip(rooms, found, strict=True)])
        return starts, words

    def _each(self, work: Callable[[Any], Any], parts: Iterable[Any], rows: int) -> list[Any]:
        if self.threads == 1 or rows < _WORTH_THREADS:
            return [work(part) for part in parts]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(work, parts))


class _Shard:
    """Some of the users: a hash table of them, and the chunks of memory that hold their lists."""

    def __init__(self, whole: Reservoirs) -> None:
        self.whole = whole
        self.slots, self.known = np.zeros((_FIRST, 4), np.int64), np.zeros(1, np.int64)
        self.chunk = min(_CHUNK, 1 << (2 * whole.most - 1).bit_length())
        self.links, self.free = np.empty(_FIRST, np.int64), np.array([-1, 0], np.int64)
        self.keys = np.empty(_FIRST * self.chunk, np.int64)

    @property
    def room(self) -> int:
        """How many users the table may hold; in a small one most of them are found at the first look."""
        return len(self.slots) // (4 if len(self.slots) <= _SMALL else 2)

    def offer(self, rows: Ints) -> None:
        whole, done = self.whole, 0
        scratch = np.empty(whole.full if whole.full <= _MOST_SCRATCH else 0, np.int64)
        while True:
            done = offer(
                done, rows, whole.contexts, whole.bases, whole.layout, whole.salts, whole.place, whole.most, whole.full,
                self.slots, self.known, self.room, self.keys, self.links, self.free, scratch,
            )  # fmt: skip
            if done == len(rows):
                return
            self._grow()

    def _grow(self) -> None:
        """More room for users or for what is kept, whichever is used up."""
        if self.known[0] == self.room:
            larger = np.zeros((2 * len(self.slots), 4), np.int64)
            rehash(self.slots, larger, self.whole.place)
            self.slots = larger
        else:  # the pages of a grown array are moved rather than copied by most systems
            chunks = self.links.size * 3 // 2
            self.links.resize(chunks, refcheck=False)
            self.keys.resize(chunks * self.chunk, refcheck=False)

    def lists(self) -> Ints:
        """How many records each user's list has."""
        return np.asarray(self.slots[self.slots[:, SEEN] > 0, LIST] & SIZE)

    def settled(self, lists: Ints, words: NDArray[np.int32]) -> tuple[Ints, int]:
        """Fills `words`; how much is kept of each user, and in all."""
        whole, numbers = self.whole, np.empty(lists.size, np.int64)
        scratch = np.empty(int(lists.max(initial=1)), np.int64)
        ranks, kept = (whole.by_rank, whole.starts), (self.slots, self.keys, self.links)
        return numbers, settle(whole.most, whole.layout, whole.contexts, ranks, kept, scratch, numbers, words)
