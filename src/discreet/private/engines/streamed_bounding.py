"""What `bounding` chooses, computed faster beside our own DuckDB: rows stream by, are sorted into shards of users, and
each shard is settled in memory by compiled loops. The same tickets, so the same rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.choosing import lowest_tickets, told_apart
from discreet.kernels.tickets import digests_of, tickets_of
from discreet.privacy import Unit
from discreet.private.engines.bounding import head_of
from discreet.private.engines.named_users import TextNumbers, users_of
from discreet.private.engines.reservoirs import Batch, ShardedRows
from discreet.private.engines.session import Limits, array_batches, arrow_batches, remembered_bytes

Ints = NDArray[np.int64]
Digests = NDArray[np.uint64]
Numbered = tuple[NDArray[np.int32], NDArray[Any]]

#: cells are numbers of 64 bits here, or of 32, which is faster
MOST_CELLS = 2**63
_FEW_CELLS = 2**31
#: rows that are sorted into shards together
_TOGETHER = 1 << 22
_ALL = 2**62


def bounded_cells(
    rows: Any, word: str, cells: int, unit: Unit, salt: bytes, limits: Limits, *, as_written: bool
) -> Ints | None:
    """The cell of every row that counts, in no order; None if the rows are too many for memory.

    `rows` have a `user_id` and a `word`, the number of one of so many cells. If users are texts as they are written,
    the rule that tells them apart is followed here, once for each text.
    """
    rows = rows.mutate(word=rows[word].cast("int32" if cells < _FEW_CELLS else "int64"))
    room, place = remembered_bytes(rows), np.frombuffer(_mixed(salt), np.uint64)[0]
    kind, named = rows.user_id.type(), None
    if kind.is_integer() and not kind.is_uint64():
        groups = _remembered(_batches(rows.select("word", user=rows.user_id.cast("int64"))), room, place)
    else:
        names = TextNumbers(place)
        written = _written(rows.select("word", user=rows.user_id.cast("string")), names, room)
        if written is None:
            return None
        numbers, named = users_of(names.texts(), rows.get_backend(), unit.column if as_written else None, salt)
        groups = _remembered(_renumbered(written, numbers), room, place)
    if groups is None:
        return None
    shards = [np.split(group.rows, group.ends[:-1]) for group in groups]
    with ThreadPoolExecutor(limits.threads) as pool:
        kept = pool.map(lambda parts: _chosen(parts, unit, salt, named), zip(*shards, strict=True))
        return np.concatenate([np.empty(0, np.int64), *kept])


def _mixed(salt: bytes) -> bytes:
    return hashlib.sha256(salt).digest()[:8]


def _written(rows: Any, names: TextNumbers, room: int) -> list[Numbered] | None:
    """Numbers of texts and cells, row by row, or None where there is no room for them."""
    found: list[Numbered] = []
    size = 0
    for batch in arrow_batches(rows):
        found.append((names.numbers(batch.column("user")), batch.column("word").to_numpy()))
        size += found[-1][0].nbytes + found[-1][1].nbytes
        if size + names.nbytes > room:
            return None
    return found


def _renumbered(written: list[Numbered], numbers: Ints) -> Iterator[Batch]:
    """The same rows by users; those of nobody are left out. Empties the list."""
    while written:
        texts, words = written.pop()
        users = numbers[texts]
        if users.size and users.min() < 0:
            users, words = users[users >= 0], words[users >= 0]
        yield users, users, np.ascontiguousarray(words)


def _batches(rows: Any) -> Iterator[Batch]:
    for batch in array_batches(rows):
        users = np.ascontiguousarray(batch["user"], np.int64)
        yield users, users, np.ascontiguousarray(batch["word"])


def _remembered(batches: Iterator[Batch], room: int, place: np.uint64) -> list[ShardedRows] | None:
    """All rows in their shards, or None where there is no room for them."""
    groups: list[ShardedRows] = []
    group: list[Batch] = []
    for batch in batches:
        group.append(batch)
        if sum(users.size for users, _, _ in group) >= _TOGETHER:
            groups.append(ShardedRows.of(group, place))
            group = []
            if sum(some.rows.nbytes for some in groups) > room:
                return None
    groups.append(ShardedRows.of(group, place))
    return groups if sum(some.rows.nbytes for some in groups) <= room else None


def _chosen(parts: tuple[Ints, ...], unit: Unit, salt: bytes, named: Digests | None) -> Ints:
    """The cells that count of the users of one shard."""
    users, cells = _sorted(parts)
    size = users.size
    kept, above, ends, few, copies = (np.empty(size, np.int64) for _ in range(5))
    per_cell = unit.max_rows_per_cell or _ALL
    used, found = told_apart(users, cells, unit.most, per_cell, kept, above, ends, few, copies)
    above, ends = above[:found], ends[:found]
    rows = int(ends[-1]) if found else 0
    if named is None:
        digests = np.empty(found, np.uint64)
        digests_of(above, np.frombuffer(head_of(salt).encode(), np.uint8), digests)
    else:
        digests = named[above]
    tickets = np.empty(rows, np.uint64)
    tickets_of(np.repeat(digests, np.diff(ends, prepend=0)), few[:rows], copies[:rows], tickets)
    chosen = np.empty(found * unit.most, np.int64)
    if found:
        lowest_tickets(ends, tickets, few, unit.most, chosen)
    return np.concatenate([kept[:used], chosen])


def _sorted(parts: tuple[Ints, ...]) -> tuple[Ints, Ints]:
    """Users and cells, in their order."""
    if all(part.shape[1] == 1 for part in parts):  # user * 2**32 + cell
        packed = np.concatenate([part[:, 0] for part in parts])
        packed.sort()
        return (packed.view(np.uint64) >> np.uint64(32)).astype(np.int64), packed & 0xFFFFFFFF
    wide = [part if part.shape[1] > 1 else _unpacked(part[:, 0]) for part in parts]
    users, cells = (np.concatenate([part[:, column] for part in wide]) for column in (0, 1))
    order = np.lexsort((cells, users))
    return users[order], cells[order]


def _unpacked(packed: Ints) -> Ints:
    return np.stack([(packed.view(np.uint64) >> np.uint64(32)).astype(np.int64), packed & 0xFFFFFFFF], axis=1)
