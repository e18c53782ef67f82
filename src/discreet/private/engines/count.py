"""THE counting expression: code, filter, bound per user, group, count. Written once, in ibis, for every engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

import numpy as np

from discreet.errors import BadParameter, DiscreetError
from discreet.privacy import Unit
from discreet.private.counts import Counts, word_slices
from discreet.private.engines.base import Source
from discreet.private.engines.coding import coded
from discreet.private.engines.session import Limits, kept_table, quiet, unreadable, was_stopped
from discreet.private.engines.source import open_source
from discreet.private.engines.values import Engine, user
from discreet.schema import Schema

_BLOCK = 1024

Result = TypeVar("Result")


def count(
    source: Any,
    schema: Schema,
    unit: Unit,
    *,
    salt: bytes,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Counts:
    """The exact counts of every cell of `schema`, after each user's rows were bounded as `unit` says.

    Of a user with too many rows, which ones count is decided by a hash over `salt`, the user and the row: uniformly
    at random over salts, whatever the order of the rows. Rows without a user are dropped.

    `threads` and `memory_limit` ('4GB', '50%') hold for our own DuckDB; an ibis table is counted by its own engine.
    """
    if not isinstance(salt, bytes) or not salt:
        raise BadParameter("salt must be bytes, fresh for every release, such as secrets.token_bytes(16)")
    opened = open_source(source)
    del source  # a traceback that prints local variables must not find it
    return read(
        opened, schema, unit, Limits(threads, memory_limit), lambda parts: _counted(parts, schema, unit, salt.hex())
    )


def check(source: Source, schema: Schema, unit: Unit) -> None:
    """Raises if a domain or the type of a column makes counting impossible. Reads no row."""
    read(source.without_rows(), schema, unit, Limits(), lambda parts: coded_rows(parts, schema, unit))


def read(source: Source, schema: Schema, unit: Unit, limits: Limits, work: Callable[[list[Any]], Result]) -> Result:
    """What `work` makes of the rows; it gets ibis tables with columns a0, a1, ... and `user`."""
    source.require([*schema.names, *([] if unit.is_row else [unit.column])])
    result = _read(source, schema, unit, limits, work)
    if isinstance(result, DiscreetError):
        raise result
    return result


def _read(
    source: Source,
    schema: Schema,
    unit: Unit,
    limits: Limits,
    work: Callable[[list[Any]], Result],
    careful: bool = False,
) -> Result | DiscreetError:
    """The result, or what went wrong: returned, so that no frame that sees rows is part of a traceback."""
    wanted = {f"a{index}": name for index, name in enumerate(schema.names)}
    if not unit.is_row:
        wanted["user"] = unit.column
    try:
        with source.tables(wanted, limits, careful) as parts:
            return work(parts)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except DiscreetError as error:  # about public facts: a type, an attribute
        return error.with_traceback(None)
    except BaseException as error:  # polars panics with exceptions that are no Exception
        if was_stopped(error):
            raise KeyboardInterrupt from None
        if careful or not source.has_careful_reading():
            return unreadable(error, source.name)
    return _read(source, schema, unit, limits, work, careful=True)


def _counted(parts: list[Any], schema: Schema, unit: Unit, salt: str) -> Counts:
    rows, words = coded_rows(parts, schema, unit)
    with ExitStack() as stack:
        if unit.is_row:
            cells = rows.group_by(words).aggregate(n=rows.count())
        else:
            cells = bounded(rows, words, unit, salt, stack)
        with quiet():
            table = rows.get_backend().to_pyarrow(cells)
    arrays = [np.asarray(table.column(name).to_numpy(), dtype=np.int64) for name in [*words, "n"]]
    return Counts.from_words(schema.sizes, arrays[:-1], arrays[-1])


def coded_rows(parts: list[Any], schema: Schema, unit: Unit) -> tuple[Any, list[str]]:
    """One row for each row that counts, and the names of the columns that hold its cell."""
    import ibis

    engine = Engine(parts[0].get_backend())
    rows = ibis.union(*(_coded_part(part, parts, schema, unit, engine) for part in parts))
    return rows, [f"w{index}" for index in range(len(word_slices(schema.sizes)))]


def _coded_part(part: Any, parts: Sequence[Any], schema: Schema, unit: Unit, engine: Engine) -> Any:
    """One row for each row that counts: its cell, packed into int64 words, and its user."""
    attributes = {f"a{index}": attribute for index, attribute in enumerate(schema.values())}
    keep = {}
    if not unit.is_row:
        as_text = len({other["user"].type() for other in parts}) > 1
        keep["user_id"] = user(part["user"], engine, unit.column, as_text)
    codes = coded(part, attributes, keep, engine)
    names, sizes = list(attributes), schema.sizes
    words = {}
    for index, run in enumerate(word_slices(sizes)):
        word = codes[names[run.start]]
        for name, size in zip(names[run][1:], sizes[run][1:], strict=True):
            word = word * size + codes[name]
        words[f"w{index}"] = word
    packed = codes.select(**words, **{name: codes[name] for name in keep})
    return packed.filter([packed[name].notnull() for name in packed.columns])


def bounded(rows: Any, words: list[str], unit: Unit, salt: str, stack: ExitStack) -> Any:
    """At most `max_rows_per_cell` rows of a user in a cell, then at most `max_rows` of the user in all.

    What is kept of a user follows from that user's rows and the salt alone. Only users above the bound are ranked.
    """
    import ibis

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
    """Each user's rows in the order of their hashes. A number tells equal rows apart, which are exchangeable."""
    import ibis

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
