"""Users' histories in an engine that keeps its rows: what may be counted of them is counted there.

The same law as `row_histories`, with the tickets of `bounding`: records of a user in the order of their tickets, or
of a score first. Every count is a query of its own, and no more than its cells comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.privacy import Unit
from discreet.private.engines.base import Source
from discreet.private.engines.bounding import digest_of, singly, sortable, ticket_of
from discreet.private.engines.counting_query import coded_rows, read
from discreet.private.engines.session import Limits, arrow_table
from discreet.private.engines.values import engine_of
from discreet.private.kept import Ints, Kept
from discreet.schema import Schema

Scores = NDArray[np.float64]


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def div(whole: int, by: int) -> int:  # type: ignore[empty-body]
    """A function of PostgreSQL and of Spark, exact for whole numbers."""


def rehearsed(parts: list[Any], schema: Schema, unit: Unit) -> None:
    """Everything that can be asked of kept records, as one query; for tables without rows."""
    rows = coded_rows(parts, schema, unit)[0]
    nothing, queries = np.zeros(schema.sizes[0]), list[Any]()
    for distinct, scores in ((False, None), (True, nothing)):
        kept = _Rehearsed(schema.sizes, 1, distinct, scores, b"rehearsal", None)
        kept.table(1, np.zeros(1, np.bool_))
        if not distinct:
            kept.bins(2)
            kept.shares(1, 1, np.zeros(1, np.int64))
            kept.pairs(1, directed=True)
        queries += [kept.asked_of(rows, query) for query in kept.queries]
    arrow_table(ibis.union(*queries), rows.get_backend())


class AggregatedHistories:
    """The histories in a source that counts itself; `schema` begins with the item."""

    def __init__(self, source: Source, schema: Schema, unit: Unit, limits: Limits) -> None:
        self._given = source, schema, unit, limits

    def kept(self, most: int, *, distinct: bool, scores: Scores | None, salt: bytes) -> Kept:
        source, schema, unit, limits = self._given

        def asked(work: Callable[[Any], Any]) -> Any:
            return read(source, schema, unit, limits, lambda parts: work(coded_rows(parts, schema, unit)[0]))

        return AggregatedKept(schema.sizes, most, distinct, scores, salt, asked)


class AggregatedKept(Kept):
    """Records that stay in their engine; `asked` hands coded rows to a query."""

    def __init__(
        self, sizes: tuple[int, ...], most: int, distinct: bool, scores: Scores | None, salt: bytes, asked: Any
    ) -> None:
        self.sizes = sizes
        self._contexts = int(np.prod(sizes[1:]))
        self._most, self._distinct, self._scores, self._salt, self._asked = most, distinct, scores, salt, asked

    @cached_property
    def users(self) -> int:
        return int(self._counts(lambda kept: kept.aggregate(place=ibis.literal(0), n=kept.user_id.nunique()), 1)[0])

    def table(self, first: int, chosen: NDArray[np.bool_] | None = None) -> Ints:
        def by_cell(kept: Any) -> Any:
            if chosen is not None:
                kept = kept.filter(self._is_chosen(kept, chosen))
            kept = kept.filter(kept.rank < first)
            return kept.group_by(place=kept.word).aggregate(n=kept.count())

        return self._counts(by_cell, int(np.prod(self.sizes)))

    def bins(self, count: int) -> Ints:
        def by_size(kept: Any) -> Any:
            users = kept.group_by("user_id").aggregate(records=kept.count())
            up_to = [(users.records <= 2**place, place) for place in range(count - 1)]
            users = users.mutate(place=ibis.cases(*up_to, else_=count - 1) if up_to else ibis.literal(0))
            return users.group_by("place").aggregate(n=users.count())

        return self._counts(by_size, count)

    def shares(self, bound: int, whole: int, places: Ints) -> Ints:
        def by_place(kept: Any) -> Any:
            some = np.flatnonzero(places >= 0)
            if places.size != some.size or not np.array_equal(places, np.arange(places.size)):
                names = ["cell", "place"]
                lookup = engine_of(kept.get_backend()).lookup(pa.table([some, places[some]], names), names)
                kept = kept.inner_join(lookup, kept.word == lookup.cell) if some.size else kept.limit(0)
            kept = kept.mutate(place=kept.place if "place" in kept.columns else kept.word)
            kept = kept.mutate(records=kept.count().over(group_by=kept.user_id))
            part = div(ibis.literal(whole * bound, "int64"), kept.records)
            share = ibis.ifelse(kept.records <= bound, ibis.literal(whole, "int64"), part)
            kept = kept.select("place", share=share)
            return kept.group_by("place").aggregate(n=kept.share.sum())

        return self._counts(by_place, int(places.max()) + 1)

    def pairs(self, first: int, *, directed: bool) -> Ints:
        items = self.sizes[0]

        def by_pair(kept: Any) -> Any:
            kept = kept.filter(kept.rank < first)
            kept = kept.select("user_id", item=kept.word // self._contexts)
            mine = kept.group_by(["user_id", "item"]).aggregate(times=kept.count())
            other = mine.view()
            apart = mine.item != other.item if directed else mine.item < other.item
            both = mine.join(other, [mine.user_id == other.user_id, apart])
            both = both.select(place=both.item * items + both.item_right, times=both.times_right)
            n = both.times.sum() if directed else both.count()
            return both.group_by("place").aggregate(n=n)

        return self._counts(by_pair, items * items).reshape(items, items)

    def _counts(self, query: Callable[[Any], Any], size: int) -> Ints:
        """What a query over the kept records says of each of `size` places."""

        def work(rows: Any) -> Ints:
            found = arrow_table(self.asked_of(rows, query), rows.get_backend())
            table = np.zeros(size, np.int64)
            places, numbers = (np.array(found[name].to_pylist(), np.int64) for name in ("place", "n"))
            table[places] = numbers
            return table

        result: Ints = self._asked(work)
        return result

    def asked_of(self, rows: Any, query: Callable[[Any], Any]) -> Any:
        found = query(self._records(rows))
        return found.select(place=found.place.cast("int64"), n=found.n.cast("int64"))

    def _records(self, rows: Any) -> Any:
        """One row for each record that is kept: `user_id`, `word`, and its `rank` among its user's."""
        groups = rows.group_by(["user_id", rows.w0.name("word")]).aggregate(copies=rows.count().cast("int64"))
        groups = groups.mutate(item=groups.word if self._contexts == 1 else groups.word // self._contexts)
        single = singly(groups) if not self._distinct or self._contexts > 1 else groups.mutate(copy=ibis.literal(0))
        single = single.mutate(ticket=sortable(ticket_of(single, ["word"], self._salt)))
        if self._distinct and self._contexts > 1:
            order = [single.ticket, single.word, single.copy]
            place = ibis.row_number().over(group_by=[single.user_id, single.item], order_by=order)
            single = single.mutate(place=place)
            single = single.filter(single.place == 0).drop("place")
            # how many records an item has must not decide how soon it comes
            single = single.mutate(copy=ibis.literal(-1, "int64"))
            single = single.mutate(ticket=sortable(ticket_of(single, ["item"], self._salt)))
        order = [single.ticket, single.word, single.copy]
        if self._scores is not None:  # equal scores share a rank; the highest has rank 0
            ranks = np.unique(-self._scores, return_inverse=True)[1]
            names = ["ranked", "by_score"]
            table = pa.table([np.arange(ranks.size), ranks.astype(np.int64)], names)
            lookup = engine_of(rows.get_backend()).lookup(table, names)
            single = single.inner_join(lookup, single.item == lookup.ranked)
            order = [single.by_score, single.ticket, single.word, single.copy]
        ranked = single.mutate(rank=ibis.row_number().over(group_by=single.user_id, order_by=order))
        return ranked.filter(ranked.rank < self._most).select("user_id", "word", "rank")

    def _is_chosen(self, kept: Any, chosen: NDArray[np.bool_]) -> Any:
        """Users are numbered by their digests, and the choice travels as one literal, a bit for each."""
        order = [digest_of(kept.user_id, self._salt), kept.user_id]
        number = ibis.dense_rank().over(order_by=order).cast("int64")
        bits = np.packbits(np.append(chosen, False), bitorder="little").tobytes()
        place = ibis.least(number, ibis.literal(chosen.size, "int64"))
        return engine_of(kept.get_backend()).has_bit(bits, place)


class _Rehearsed(AggregatedKept):
    """Notes what is asked, and answers nothing."""

    @cached_property
    def queries(self) -> list[Callable[[Any], Any]]:
        return []

    def _counts(self, query: Callable[[Any], Any], size: int) -> Ints:
        self.queries.append(query)
        return np.zeros(size, np.int64)
