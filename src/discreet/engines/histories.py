"""Rows as users' histories: what is kept of each user, chosen in one streaming pass without sorting.

Which records of a user are kept is decided by hashes over a salt, the user, and the record's item or its number among
the user's records: for a random salt, a uniform choice that does not depend on other users.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.base import Source
from discreet.engines.count import coded_rows, read
from discreet.engines.session import Limits, arrow_batches, kept_table
from discreet.engines.source import open_source
from discreet.kept import Kept, KeptRecords
from discreet.privacy import Unit
from discreet.schema import Schema

Ints = NDArray[np.int64]

_CHUNK = 8
#: reservoirs up to this size are cut down while rows stream by; of larger ones there are few, if any is ever full
_MOST_SCRATCH = 1 << 24


def histories(
    source: Any, schema: Schema, unit: Unit, *, threads: int | None = None, memory_limit: str | None = None
) -> RowHistories:
    """What the users of a source have; nothing is read yet."""
    return RowHistories(open_source(source), schema, unit, Limits(threads, memory_limit))


@dataclass(frozen=True)
class RowHistories:
    """The histories in a source; `schema` begins with the item and has less than 2**63 cells."""

    source: Source
    schema: Schema
    unit: Unit
    limits: Limits

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        return read(
            self.source,
            self.schema,
            self.unit,
            self.limits,
            lambda parts: self._kept(parts, most, distinct, scores, salt),
        )

    def _kept(
        self, parts: list[Any], most: int, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes
    ) -> Kept:
        sizes = self.schema.sizes
        reservoirs = Reservoirs(most, int(np.prod(sizes[1:])), salt, distinct=distinct, scores=scores)
        with ExitStack() as stack:
            batches = _batches(parts, self.schema, self.unit, salt.hex(), stack)
            reader = stack.enter_context(ThreadPoolExecutor(1))
            coming = reader.submit(next, batches, None)  # the next batch is read while this one is offered
            while (batch := coming.result()) is not None:
                coming = reader.submit(next, batches, None)
                reservoirs.offer(*batch)
        return KeptRecords(sizes, *reservoirs.settled())


class Reservoirs:
    """The state between batches: who is known, and what is kept of whom. See `kernels.reservoirs`."""

    def __init__(
        self,
        most: int,
        contexts: int,
        salt: bytes,
        *,
        distinct: bool = False,
        scores: NDArray[np.float64] | None = None,
    ) -> None:
        self.most, self.contexts, self.distinct = most, contexts, distinct
        self.salts = np.frombuffer(salt, np.uint64)
        self.ranks, rank_bits = np.empty(0, np.uint32), 0
        if scores is not None:  # equal scores share a rank; the highest has rank 0
            self.ranks = np.unique(-scores, return_inverse=True)[1].astype(np.uint32)
            rank_bits = max(1, int(self.ranks.max()).bit_length())
        # what ranks leave of 64 bits is the record's, or half its item's
        low = (64 - rank_bits) // 2 if distinct else 64 - rank_bits
        self.rank_bits, self.low_bits = np.uint64(rank_bits), np.uint64(2**low - 1)
        self.full = 2 * most if 2 * most <= _MOST_SCRATCH else 2**62
        self.table, self.known = np.full((1 << 12, 2), -1, np.int64), 0
        self.people = np.empty((0, 4), np.int64)
        self.chunk = min(_CHUNK, 2 * most)
        self.orders, self.words, self.links = (np.empty(0, np.int64) for _ in range(3))
        self.free = np.array([-1, 0], np.int64)
        self.scratch = self._scratch(min(self.full, _MOST_SCRATCH))
        self._more_chunks()

    def offer(self, users: Ints, tickets: Ints, words: Ints) -> None:
        from discreet.kernels.reservoirs import offer

        owners, done = self._numbered(users), 0
        while True:
            done = offer(
                done, owners, tickets, words, self.contexts, self.ranks, self.rank_bits, self.low_bits, self.distinct,
                self.salts, self.most, self.full, self.people, self.orders, self.words, self.links, self.free,
                self.scratch,
            )  # fmt: skip
            if done == users.size:
                return
            self._more_chunks()

    @staticmethod
    def _scratch(size: int) -> tuple[Ints, Ints]:
        return np.empty(size, np.int64), np.empty(size, np.int64)

    def _numbered(self, users: Ints) -> Ints:
        from discreet.kernels.reservoirs import LAST, NOBODY, number_users, rehash

        owners, done = np.empty(users.size, np.int64), 0
        while True:
            more, self.known = number_users(users[done:], self.table, self.known, owners[done:])
            done += more
            if done == users.size:
                break
            larger = np.full((2 * len(self.table), 2), NOBODY, np.int64)
            rehash(self.table, larger)
            self.table = larger
        if self.known > len(self.people):
            new = max(self.known, 2 * len(self.people)) - len(self.people)
            self.people = np.concatenate([self.people, np.tile(np.array([0, LAST, NOBODY, 0], np.int64), (new, 1))])
        return owners

    def _more_chunks(self) -> None:
        """Half as much again; the pages of a grown array are moved rather than copied by most systems."""
        chunks = max(1 << 14, self.links.size * 3 // 2)
        self.links.resize(chunks, refcheck=False)
        self.orders.resize(chunks * self.chunk, refcheck=False)
        self.words.resize(chunks * self.chunk, refcheck=False)

    def settled(self) -> tuple[Ints, Ints]:
        from discreet.kernels.reservoirs import settle

        people = self.people[: self.known]
        scratch = self._scratch(int(people[:, 3].max(initial=1)))
        starts = np.empty(self.known + 1, np.int64)
        out = np.empty(int(np.minimum(people[:, 3], self.most).sum()), np.int64)
        end = settle(
            self.most, self.low_bits, self.distinct, self.contexts, people, self.orders, self.words, self.links,
            starts, out, scratch,
        )  # fmt: skip
        return starts, out[:end]


def _batches(
    parts: list[Any], schema: Schema, unit: Unit, salt: str, stack: ExitStack
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Rows as user, what the user's choice is hashed from, and cell."""
    import ibis

    rows, (word,) = coded_rows(parts, schema, unit)
    kind = rows.user_id.type()
    if kind.is_integer() and not kind.is_uint64():
        rows = rows.select(user=rows.user_id.cast("int64"), word=rows[word])
    else:  # names become numbers, one for one; hashes alone could confuse two users
        kept = stack.enter_context(kept_table(rows))
        named = kept.select("user_id").distinct()
        named = stack.enter_context(kept_table(named.mutate(user=ibis.row_number())))
        ticket = (ibis.literal(salt).hash() ^ kept.user_id.cast("string").hash()).cast("int64")
        rows = kept.mutate(ticket=ticket).join(named, "user_id").select("user", "ticket", word=word)
    for batch in arrow_batches(rows):
        columns = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
        found = {name: np.ascontiguousarray(column, dtype=np.int64) for name, column in columns.items()}
        yield found["user"], found.get("ticket", found["user"]), found["word"]
