"""The counting query: code, filter, bound per user, group, count. Written once, in ibis, for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from math import prod
from typing import Any

import ibis
import numpy as np

from discreet.errors import BadParameter
from discreet.privacy import Unit
from discreet.private.counts import Counts, word_slices
from discreet.private.engines.base import Result, Source, Work
from discreet.private.engines.coding import coded
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import UNLIMITED, Limits, array_batches, kept_table, quiet
from discreet.private.engines.users import USER, with_users
from discreet.private.engines.values import Engine
from discreet.schema import Schema

_BLOCK = 1024


def count(source: Any, schema: Schema, unit: Unit, *, salt: bytes, limits: Limits = UNLIMITED) -> Counts:
    """The exact counts of every cell of `schema`, after each user's rows were bounded as `unit` says.

    Of a user with too many rows, which ones count is decided by a hash over `salt`, the user and the row: uniformly
    at random over salts, whatever the order of the rows. Rows without a user are dropped.

    The limits hold for our own DuckDB; an ibis table is counted by its own engine.
    """
    if not isinstance(salt, bytes) or not salt:
        raise BadParameter("salt must be bytes, fresh for every release, such as secrets.token_bytes(16)")
    opened = open_source(source)
    del source  # a traceback that prints local variables must not find it
    return read(opened, schema, unit, limits, lambda parts: _counted(parts, schema, unit, salt.hex()))


def count_sets(
    source: Any, schema: Schema, sets: Sequence[Sequence[str]], unit: Unit, *, salt: bytes, limits: Limits = UNLIMITED
) -> list[Counts]:
    """The exact counts by each set of attributes, all of the same rows, bounded as `count` does."""
    opened = open_source(source)
    del source  # a traceback that prints local variables must not find it
    places = [[schema.names.index(name) for name in names] for names in sets]
    return read(opened, schema, unit, limits, lambda parts: _counted_sets(parts, schema, places, unit, salt.hex()))


def check(source: Source, schema: Schema, unit: Unit) -> None:
    """Raises if a domain or the type of a column makes counting impossible. Reads no row."""
    source.require([*schema.columns, *([] if unit.is_row else [unit.column])])  # a CSV file knows its delimiter, too
    read(source.without_rows(), schema, unit, UNLIMITED, lambda parts: coded_rows(parts, schema, unit))


def read(source: Source, schema: Schema, unit: Unit, limits: Limits, work: Work[Result]) -> Result:
    """What `work` makes of the rows; it gets ibis tables with columns a0, a1, ... and `user`."""
    wanted = {f"a{index}": column for index, column in enumerate(schema.columns)}
    if not unit.is_row:
        wanted[USER] = unit.column
    source.require(wanted.values())
    return source.read(wanted, limits, work)


def _counted(parts: list[Any], schema: Schema, unit: Unit, salt: str) -> Counts:
    rows, words = coded_rows(parts, schema, unit)
    with ExitStack() as stack:
        by_cell = rows.group_by(words)
        cells = by_cell.aggregate(n=rows.count()) if unit.is_row else bounded(rows, words, unit, salt, stack)
        with quiet():
            table = rows.get_backend().to_pyarrow(cells)
    arrays = [np.asarray(table.column(name).to_numpy(), dtype=np.int64) for name in [*words, "n"]]
    return Counts.from_words(schema.sizes, arrays[:-1], arrays[-1])


def _counted_sets(parts: list[Any], schema: Schema, places: list[list[int]], unit: Unit, salt: str) -> list[Counts]:
    from discreet.kernels.counting import add_rows

    shapes = [[schema.sizes[place] for place in mine] for mine in places]
    starts = np.cumsum([0, *map(prod, shapes)])
    table = np.zeros(starts[-1], np.int64)
    # by how much the next code of an attribute moves the cell of a table; 0 for attributes that the table lacks
    steps = np.zeros((len(places), len(schema)), np.int64)
    for number, (mine, shape) in enumerate(zip(places, shapes, strict=True)):
        steps[number, mine] = np.cumprod([1, *shape[:0:-1]])[::-1]
    members = np.array([place for mine in places for place in mine], np.int64)
    ends = np.cumsum([len(mine) for mine in places])
    first = np.array([part.start for part in word_slices(schema.sizes)] + [len(schema)], np.int64)
    sizes = np.array(schema.sizes, np.int64)
    rows, names = coded_rows(parts, schema, unit)
    with ExitStack() as stack:
        cells = rows.select(names) if unit.is_row else bounded(rows, names, unit, salt, stack)
        for batch in array_batches(cells):
            words = np.stack([batch[name].astype(np.int64, copy=False) for name in names])
            weights = np.ones(1, np.int64) if unit.is_row else batch["n"].astype(np.int64, copy=False)
            add_rows(words, weights, first, sizes, members, ends, steps, starts, table)
    tables = np.split(table, starts[1:-1])
    return [Counts.from_dense(shape, mine) for shape, mine in zip(shapes, tables, strict=True)]


def coded_rows(parts: list[Any], schema: Schema, unit: Unit) -> tuple[Any, list[str]]:
    """One row for each row that counts: its cell, packed into int64 words, and its user; and the words' names."""
    engine = Engine(parts[0].get_backend())
    attributes = {f"a{index}": attribute for index, attribute in enumerate(schema.values())}
    names, sizes = list(attributes), schema.sizes
    kinds = [] if unit.is_row else [part[USER].type() for part in parts]
    rows = []
    for part in parts if unit.is_row else [with_users(part, engine, unit.column, kinds) for part in parts]:
        keep = {} if unit.is_row else {"user_id": part[USER]}
        codes = coded(part, attributes, keep, engine)
        words = {}
        for index, run in enumerate(word_slices(sizes)):
            word = codes[names[run.start]]
            for name, size in zip(names[run][1:], sizes[run][1:], strict=True):
                word = word * size + codes[name]
            words[f"w{index}"] = word
        packed = codes.select(**words, **{name: codes[name] for name in keep})
        rows.append(packed.filter([packed[name].notnull() for name in packed.columns]))
    return ibis.union(*rows), list(words)


def bounded(rows: Any, words: list[str], unit: Unit, salt: str, stack: ExitStack) -> Any:
    """At most `max_rows_per_cell` rows of a user in a cell, then at most `max_rows` of the user in all.

    Which rows of a user count follows from that user's rows and the salt alone. Only users above the bound are ranked.
    """
    if unit.max_rows_per_cell is None:
        kept = stack.enter_context(kept_table(rows))  # a source may be a stream, which is read once
        totals = kept.group_by("user_id").aggregate(total=kept.count())
        several = kept.group_by(["user_id", *words]).aggregate(n=kept.count())
    else:
        most = ibis.literal(unit.max_rows_per_cell, "int64")
        several = rows.group_by(["user_id", *words]).aggregate(n=rows.count())
        several = kept = stack.enter_context(kept_table(several.mutate(n=ibis.least(several.n, most))))
        totals = kept.group_by("user_id").aggregate(total=kept.n.sum())
    seed = ibis.literal(salt).hash() ^ totals.user_id.cast("string").hash()
    above = totals.filter(totals.total > unit.max_rows).select("user_id", seed=seed.hash())
    below = kept.anti_join(above, "user_id")
    below = below.select(*words, n=ibis.literal(1, "int64") if unit.max_rows_per_cell is None else below.n)
    ranked = _ranked(several.join(above, "user_id"), words)
    chosen = ranked.filter(ranked.rank < unit.max_rows).select(*words, n=ibis.literal(1, "int64"))
    both = ibis.union(below, chosen)
    return both.group_by(words).aggregate(n=both.n.sum())


def _ranked(several: Any, words: list[str]) -> Any:
    """Each user's rows in the order of their hashes. Equal rows are numbered; which of them counts does not matter."""
    # in blocks, so that one user with very many equal rows takes little memory
    blocks = several.mutate(block=ibis.range((several.n + (_BLOCK - 1)) // _BLOCK).unnest())
    start = blocks.block * _BLOCK
    size = ibis.ifelse(blocks.n - start < _BLOCK, blocks.n - start, _BLOCK)
    single = blocks.mutate(copy=start + ibis.range(size).unnest())
    ticket = single.seed
    for name in [*words, "copy"]:
        ticket = (ticket ^ single[name].hash()).hash()
    single = single.mutate(ticket=ticket)
    order = [single.ticket, *(single[name] for name in words), single.copy]
    return single.mutate(rank=ibis.row_number().over(group_by=single.user_id, order_by=order))
