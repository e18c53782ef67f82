"""Rows as users' histories: at most so many records of each user, chosen in one streaming pass without sorting.

Which records of a user are kept is decided by hashes over a salt, the user, and the record's item or its number among
the user's records: for a random salt, a uniform choice that does not depend on other users.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.privacy import Unit
from discreet.private.engines.base import Source
from discreet.private.engines.counting_query import coded_rows, read
from discreet.private.engines.expressions import expressions_of
from discreet.private.engines.opening import open_source
from discreet.private.engines.reservoirs import Batch, Reservoirs, ShardedRows
from discreet.private.engines.session import UNLIMITED, Limits, array_batches, kept_table, remembered_bytes
from discreet.private.kept import Histories, Kept, KeptRecords
from discreet.schema import Schema

#: cell numbers fill the lower bits of a key
MOST_CELLS = 2**31
#: rows that are offered together, so many that most users have several among them
_TOGETHER = 1 << 22


def histories(source: Any, schema: Schema, unit: Unit, *, looks: int = 1, limits: Limits = UNLIMITED) -> Histories:
    """What the users of a source have; nothing is read yet. If there will be several looks, rows may be remembered."""
    if schema.cells >= MOST_CELLS:
        raise BadParameter(f"{' x '.join(schema)} makes {schema.cells:,} cells, too many for items; use fewer contexts")
    opened = open_source(source)
    if opened.counts_itself:
        from discreet.private.engines.aggregated_histories import AggregatedHistories

        return AggregatedHistories(opened, schema, unit, limits)
    return RowHistories(opened, schema, unit, looks, limits)


class RowHistories:
    """The histories in a source; `schema` begins with the item and has less than 2**31 cells."""

    def __init__(self, source: Source, schema: Schema, unit: Unit, looks: int, limits: Limits) -> None:
        self._source, self._schema, self._unit, self._limits = source, schema, unit, limits
        self._looks_left = looks
        self._remembered: list[ShardedRows] = []
        self._place: np.uint64 | None = None

    def kept(self, most: int, *, distinct: bool, scores: NDArray[np.float64] | None, salt: bytes) -> Kept:
        self._looks_left -= 1

        def chosen(parts: list[Any]) -> Kept:
            if self._place is None:  # one for all looks, because rows may be remembered
                self._place = np.frombuffer(salt, np.uint64)[0]
            place, sizes, threads = self._place, self._schema.sizes, self._limits.threads
            reservoirs = Reservoirs(most, sizes, salt, place=place, distinct=distinct, scores=scores, threads=threads)
            with closing(self._rows(parts, place)) as rows:
                for some in rows:
                    reservoirs.offer(some)
            return KeptRecords(sizes, *reservoirs.settled())

        return read(self._source, self._schema, self._unit, self._limits, chosen)

    def _rows(self, parts: list[Any], place: np.uint64) -> Generator[ShardedRows]:
        """All rows, some millions at a time, remembered or read."""
        remembered, self._remembered = self._remembered, []
        if remembered:
            yield from remembered
        else:
            room = remembered_bytes(parts[0]) if self._looks_left > 0 else 0
            with ExitStack() as stack:
                groups = _groups(_batches(parts, self._schema, self._unit, stack), place)
                if parts[0].get_backend().name == "duckdb":  # others give all at once, and some to one thread only
                    groups = stack.enter_context(closing(_ahead(groups)))
                for some in groups:
                    yield some
                    room -= some.rows.nbytes
                    remembered = [*remembered, some] if room >= 0 else []
        if self._looks_left > 0:
            self._remembered = remembered


def _ahead(groups: Iterator[ShardedRows]) -> Generator[ShardedRows]:
    """The same groups; the next one is read while this one is used."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, groups, None)
        while (some := coming.result()) is not None:
            coming = reader.submit(next, groups, None)
            yield some


def _groups(batches: Iterator[Batch], place: np.uint64) -> Generator[ShardedRows]:
    group: list[Batch] = []
    for batch in batches:
        group.append(batch)
        if sum(users.size for users, _, _ in group) >= _TOGETHER:
            yield ShardedRows.of(group, place)
            group = []
    if group:
        yield ShardedRows.of(group, place)


def _batches(parts: list[Any], schema: Schema, unit: Unit, stack: ExitStack) -> Iterator[Batch]:
    rows, (word,) = coded_rows(parts, schema, unit)
    kind = rows.user_id.type()
    if kind.is_integer() and not kind.is_uint64():
        rows = rows.select(user=rows.user_id.cast("int64"), word=rows[word].cast("int32"))
    else:  # names become numbers, one for one; hashes alone could confuse two users
        kept = stack.enter_context(kept_table(rows))
        named = kept.select("user_id").distinct()
        named = stack.enter_context(kept_table(named.mutate(user=expressions_of(named).row_number())))
        ticket = kept.user_id.cast("string").hash().cast("int64")
        rows = kept.mutate(ticket=ticket).join(named, "user_id")
        rows = rows.select("user", "ticket", word=rows[word].cast("int32"))
    for batch in array_batches(rows):
        users = np.ascontiguousarray(batch["user"], np.int64)
        tickets = np.ascontiguousarray(batch["ticket"], np.int64) if "ticket" in batch else users
        yield users, tickets, np.ascontiguousarray(batch["word"], np.int32)
