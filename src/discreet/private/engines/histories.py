"""Rows as users' histories: what is kept of each user, chosen in one streaming pass without sorting.

Which records of a user are kept is decided by hashes over a salt, the user, and the record's item or its number among
the user's records: for a random salt, a uniform choice that does not depend on other users.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.privacy import Unit
from discreet.private.engines.base import Source
from discreet.private.engines.count import coded_rows, read
from discreet.private.engines.reservoirs import Batch, Reservoirs, Spread
from discreet.private.engines.session import Limits, arrow_batches, kept_table, remembered_bytes
from discreet.private.engines.source import open_source
from discreet.private.kept import Kept, KeptRecords
from discreet.schema import Schema

#: their numbers fill the lower bits of a key
MOST_CELLS = 2**31
#: rows that are offered together: of a user there should be several
_TOGETHER = 1 << 22


def histories(
    source: Any,
    schema: Schema,
    unit: Unit,
    *,
    looks: int = 1,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> RowHistories:
    """What the users of a source have; nothing is read yet. If there will be several looks, rows may be remembered."""
    if schema.cells >= MOST_CELLS:
        raise BadParameter(f"{' x '.join(schema)} makes {schema.cells:,} cells, too many for items; use fewer contexts")
    return RowHistories(open_source(source), schema, unit, Limits(threads, memory_limit), _Memory(looks))


class _Memory:
    """Rows that were read, for looks that will follow, and what they were spread with."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.rows: list[Spread] = []
        self.place: np.uint64 | None = None


@dataclass(frozen=True)
class RowHistories:
    """The histories in a source; `schema` begins with the item and has less than 2**31 cells."""

    source: Source
    schema: Schema
    unit: Unit
    limits: Limits
    _memory: _Memory = field(repr=False, compare=False)

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        self._memory.looks -= 1

        def chosen(parts: list[Any]) -> Kept:
            if self._memory.place is None:
                self._memory.place = np.frombuffer(salt, np.uint64)[0]
            place, sizes, threads = self._memory.place, self.schema.sizes, self.limits.threads
            reservoirs = Reservoirs(most, sizes, salt, place=place, distinct=distinct, scores=scores, threads=threads)
            with closing(self._rows(parts, place)) as rows:
                for some in rows:
                    reservoirs.offer(some)
            return KeptRecords(sizes, *reservoirs.settled())

        return read(self.source, self.schema, self.unit, self.limits, chosen)

    def _rows(self, parts: list[Any], place: np.uint64) -> Generator[Spread]:
        """All rows, some millions at a time, remembered or read."""
        remembered, self._memory.rows = self._memory.rows, []
        if remembered:
            yield from remembered
        else:
            room = remembered_bytes(parts[0]) if self._memory.looks > 0 else 0
            with ExitStack() as stack:
                groups = _groups(_batches(parts, self.schema, self.unit, stack), place)
                if parts[0].get_backend().name == "duckdb":  # others give all at once, and some to one thread only
                    groups = stack.enter_context(closing(_ahead(groups)))
                for some in groups:
                    yield some
                    room -= some.rows.nbytes
                    remembered = [*remembered, some] if room >= 0 else []
        if self._memory.looks > 0:
            self._memory.rows = remembered


def _ahead(groups: Iterator[Spread]) -> Generator[Spread]:
    """The same; the next ones are read while these are used."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, groups, None)
        while (some := coming.result()) is not None:
            coming = reader.submit(next, groups, None)
            yield some


def _groups(batches: Iterator[Batch], place: np.uint64) -> Generator[Spread]:
    group: list[Batch] = []
    for batch in batches:
        group.append(batch)
        if sum(users.size for users, _, _ in group) >= _TOGETHER:
            yield Spread.of(group, place)
            group = []
    if group:
        yield Spread.of(group, place)


def _batches(parts: list[Any], schema: Schema, unit: Unit, stack: ExitStack) -> Iterator[Batch]:
    import ibis

    rows, (word,) = coded_rows(parts, schema, unit)
    kind = rows.user_id.type()
    if kind.is_integer() and not kind.is_uint64():
        rows = rows.select(user=rows.user_id.cast("int64"), word=rows[word].cast("int32"))
    else:  # names become numbers, one for one; hashes alone could confuse two users
        kept = stack.enter_context(kept_table(rows))
        named = kept.select("user_id").distinct()
        named = stack.enter_context(kept_table(named.mutate(user=ibis.row_number())))
        ticket = kept.user_id.cast("string").hash().cast("int64")
        rows = kept.mutate(ticket=ticket).join(named, "user_id")
        rows = rows.select("user", "ticket", word=rows[word].cast("int32"))
    for batch in arrow_batches(rows):
        found = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
        users = np.ascontiguousarray(found["user"], np.int64)
        tickets = np.ascontiguousarray(found["ticket"], np.int64) if "ticket" in found else users
        yield users, tickets, np.ascontiguousarray(found["word"], np.int32)
