"""The counting query: code, filter, bound per user (`bounding`), group, count. Written once for all (`expressions`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.privacy import Unit
from discreet.private.cell_slices import CellSlices
from discreet.private.counts import Counts, word_slices
from discreet.private.engines.base import USER, Result, Source, Work
from discreet.private.engines.bounding import bounded
from discreet.private.engines.coding import coded
from discreet.private.engines.expressions import expressions_of
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import UNLIMITED, Limits, array_batches, arrow_table, quiet
from discreet.private.engines.streamed_bounding import MOST_CELLS, bounded_cells
from discreet.private.engines.users import with_users
from discreet.private.engines.values import engine_of
from discreet.schema import Schema

Ints = NDArray[np.int64]
#: of the number of a slice and its counts
SliceWork = Callable[[int, Counts], Mapping[str, Any]]
#: words of cells by name, and how many rows have each; one weight alone holds for all
Weighed = tuple[Mapping[str, NDArray[Any]], NDArray[Any]]


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
    if (cells := _streamed(opened, schema, unit, salt, limits)) is not None:
        return Counts.from_cells(schema.sizes, cells)
    return read(opened, schema, unit, limits, lambda parts: _counted(parts, schema, unit, salt))


def count_in_slices(
    source: Source, schema: Schema, unit: Unit, slices: CellSlices, work: SliceWork, *, salt: bytes
) -> list[dict[str, Any]]:
    """What executors of Spark return who do this work on the counts of each slice, bounded as `count` does."""

    def spread(parts: list[Any]) -> list[dict[str, Any]]:
        from discreet.private.engines.spark_slices import done_in_slices

        cells, words = _cells(parts, schema, unit, salt)
        with quiet():
            return done_in_slices(cells.get_backend().frame_of(cells), words, slices, work)

    return read(source, schema, unit, UNLIMITED, spread)


def count_sets(
    source: Any, schema: Schema, sets: Sequence[Sequence[str]], unit: Unit, *, salt: bytes, limits: Limits = UNLIMITED
) -> list[Counts]:
    """The exact counts by each set of attributes, all of the same rows, bounded as `count` does."""
    opened = open_source(source)
    del source  # a traceback that prints local variables must not find it
    places = [[schema.names.index(name) for name in names] for names in sets]
    cells = _streamed(opened, schema, unit, salt, limits)
    if cells is not None:
        return _tables(schema, places, [({"w0": cells}, np.ones(1, np.int64))])
    counted = _aggregated_sets if opened.counts_itself else _counted_sets  # SQLite, for one, has no arrays
    return read(opened, schema, unit, limits, lambda parts: counted(parts, schema, places, unit, salt))


def check(source: Source, schema: Schema, unit: Unit, task: str = "table") -> None:
    """Raises if a domain or the type of a column makes counting impossible for such a task. Reads no row."""
    source.require([*schema.columns, *([] if unit.is_row else [unit.column])])  # a CSV file knows its delimiter, too
    rehearsed = coded_rows if source.comes_to_us else _rehearsal(task if source.counts_itself else "table", unit)
    read(source.without_rows(), schema, unit, UNLIMITED, lambda parts: rehearsed(parts, schema, unit))


def _rehearsal(task: str, unit: Unit) -> Callable[[list[Any], Schema, Unit], Any]:
    """What runs the real query, by the engine and the role that it will have, over no rows."""
    if task == "items" and not unit.is_row:
        from discreet.private.engines.aggregated_histories import rehearsed

        return rehearsed
    if task == "marginals":
        return lambda parts, schema, unit: _aggregated_sets(parts, schema, [[0]], unit, b"rehearsal")
    return lambda parts, schema, unit: _counted(parts, schema, unit, b"rehearsal")


def read(source: Source, schema: Schema, unit: Unit, limits: Limits, work: Work[Result]) -> Result:
    """What `work` makes of the rows; it gets tables with columns a0, a1, ... and `user`."""
    wanted = {f"a{index}": column for index, column in enumerate(schema.columns)}
    if not unit.is_row:
        wanted[USER] = unit.column
    source.require(wanted.values())
    return source.read(wanted, limits, work)


def _streamed(source: Source, schema: Schema, unit: Unit, salt: bytes, limits: Limits) -> Ints | None:
    """The cell of each row that counts, bounded beside our own DuckDB; None where that is not possible."""
    if unit.is_row or source.counts_itself or schema.cells >= MOST_CELLS:
        return None

    def work(parts: list[Any]) -> Ints | None:
        if parts[0].get_backend().name != "duckdb":
            return None
        as_written = all(part[USER].type().is_string() for part in parts)
        rows, (word,) = coded_rows(parts, schema, unit, as_written=as_written)
        return bounded_cells(rows, word, schema.cells, unit, salt, limits, as_written=as_written)

    return read(source, schema, unit, limits, work)


def _cells(parts: list[Any], schema: Schema, unit: Unit, salt: bytes) -> tuple[Any, list[str]]:
    """Cells in words with their counts, `n`, as an expression; and the words' names."""
    rows, words = coded_rows(parts, schema, unit)
    by_cell = rows.group_by(words)
    return by_cell.aggregate(n=rows.count()) if unit.is_row else bounded(rows, words, unit, salt), words


def _counted(parts: list[Any], schema: Schema, unit: Unit, salt: bytes) -> Counts:
    cells, words = _cells(parts, schema, unit, salt)
    table = arrow_table(cells)
    arrays = [np.asarray(table.column(name).to_numpy(), dtype=np.int64) for name in [*words, "n"]]
    return Counts.from_words(schema.sizes, arrays[:-1], arrays[-1])


def _counted_sets(parts: list[Any], schema: Schema, places: list[list[int]], unit: Unit, salt: bytes) -> list[Counts]:
    rows, names = coded_rows(parts, schema, unit)
    cells = rows.select(names) if unit.is_row else bounded(rows, names, unit, salt)
    one = np.ones(1, np.int64)
    batches = array_batches(cells)
    return _tables(schema, places, ((batch, one if unit.is_row else batch["n"]) for batch in batches))


def _aggregated_sets(
    parts: list[Any], schema: Schema, places: list[list[int]], unit: Unit, salt: bytes
) -> list[Counts]:
    """All tables in one query: each cell of all attributes adds to its place in every table, one after the other."""
    rows, names = coded_rows(parts, schema, unit, packed=False)
    cells = rows.group_by(names).aggregate(n=rows.count()) if unit.is_row else bounded(rows, names, unit, salt)
    sql = expressions_of(cells)
    shapes = [[schema.sizes[place] for place in mine] for mine in places]
    starts = np.cumsum([0, *map(prod, shapes)])
    found = []
    for mine, shape, start in zip(places, shapes, starts.tolist(), strict=False):
        cell = sql.literal(0, "int64")
        for place, size in zip(mine, shape, strict=True):
            cell = cell * size + cells[names[place]]
        found.append(cell + start)
    spread = cells.select(n=cells.n, place=sql.array(found).unnest())
    table = arrow_table(spread.group_by("place").aggregate(n=spread.n.sum()), rows.get_backend())
    flat = np.zeros(starts[-1], np.int64)
    flat[np.array(table["place"].to_pylist(), np.int64)] = np.array(table["n"].to_pylist(), np.int64)
    tables = np.split(flat, starts[1:-1])
    return [Counts.from_dense(shape, mine) for shape, mine in zip(shapes, tables, strict=True)]


def _tables(schema: Schema, places: list[list[int]], batches: Iterable[Weighed]) -> list[Counts]:
    """Counts by each set of attributes, from rows' words and weights."""
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
    slices = word_slices(schema.sizes)
    first = np.array([part.start for part in slices] + [len(schema)], np.int64)
    sizes = np.array(schema.sizes, np.int64)
    for batch, weights in batches:
        words = np.stack([batch[f"w{index}"].astype(np.int64, copy=False) for index in range(len(slices))])
        add_rows(words, weights.astype(np.int64, copy=False), first, sizes, members, ends, steps, starts, table)
    tables = np.split(table, starts[1:-1])
    return [Counts.from_dense(shape, mine) for shape, mine in zip(shapes, tables, strict=True)]


def coded_rows(
    parts: list[Any], schema: Schema, unit: Unit, *, packed: bool = True, as_written: bool = False
) -> tuple[Any, list[str]]:
    """One row for each row that counts: its cell, packed into int64 words, and its user; and the words' names.

    With `as_written`, users are the texts that name them, of which several may be one user and some nobody.
    """
    engine = engine_of(parts[0].get_backend())
    attributes = {f"a{index}": attribute for index, attribute in enumerate(schema.values())}
    names, sizes = list(attributes), schema.sizes
    kinds = [] if unit.is_row else [part[USER].type() for part in parts]
    rows = []
    is_told = unit.is_row or as_written
    for part in parts if is_told else [with_users(part, engine, unit.column, kinds) for part in parts]:
        keep = {} if unit.is_row else {"user_id": part[USER]}
        codes = coded(part, attributes, keep, engine)
        words = {}
        runs = word_slices(sizes) if packed else [slice(place, place + 1) for place in range(len(sizes))]
        for index, run in enumerate(runs):
            word = codes[names[run.start]]
            for name, size in zip(names[run][1:], sizes[run][1:], strict=True):
                word = word * size + codes[name]
            words[f"w{index}"] = word
        worded = codes.select(**words, **{name: codes[name] for name in keep})
        rows.append(worded.filter([worded[name].notnull() for name in worded.columns]))
    return engine.words.union(*rows), list(words)
