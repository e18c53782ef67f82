"""Many marginals in one scan: rows come as packed cells, and are counted into all tables at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.privacy import Unit
from discreet.private.counts import Counts, word_slices
from discreet.private.engines.count import bounded, coded_rows, read
from discreet.private.engines.session import Limits, arrow_batches
from discreet.private.engines.source import open_source
from discreet.schema import Schema


def count_sets(
    source: Any,
    schema: Schema,
    sets: Sequence[Sequence[str]],
    unit: Unit,
    *,
    salt: bytes,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> list[Counts]:
    """The exact counts by each set of attributes, all of the same rows, bounded as `count` does."""
    opened = open_source(source)
    del source  # a traceback that prints local variables must not find it
    places = [[schema.names.index(name) for name in names] for names in sets]
    limits = Limits(threads, memory_limit)
    tables = read(opened, schema, unit, limits, lambda parts: _tables(parts, schema, places, unit, salt.hex()))
    return [_counts(schema, mine, table) for mine, table in zip(places, tables, strict=True)]


def _tables(
    parts: list[Any], schema: Schema, places: list[list[int]], unit: Unit, salt: str
) -> list[NDArray[np.int64]]:
    from discreet.kernels.counting import add_rows

    cells = [int(np.prod([schema.sizes[place] for place in mine])) for mine in places]
    starts = np.concatenate([[0], np.cumsum(cells)])
    table = np.zeros(starts[-1], np.int64)
    # per table and attribute the step that one code more makes; zero for attributes that it does not have
    steps = np.zeros((len(places), len(schema)), np.int64)
    for number, mine in enumerate(places):
        for rank, place in enumerate(mine):
            steps[number, place] = np.prod([schema.sizes[later] for later in mine[rank + 1 :]], dtype=np.int64)
    members = np.array([place for mine in places for place in mine], np.int64)
    ends = np.cumsum([len(mine) for mine in places])
    slices = word_slices(schema.sizes)
    first = np.array([part.start for part in slices] + [len(schema)], np.int64)
    sizes = np.array(schema.sizes, np.int64)
    for words, weights in _batches(parts, schema, unit, salt):
        add_rows(words, weights, first, sizes, members, ends, steps, starts, table)
    return [table[start:stop] for start, stop in pairwise(starts)]


def _batches(
    parts: list[Any], schema: Schema, unit: Unit, salt: str
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows as (rows, words) and how often each counts."""
    rows, words = coded_rows(parts, schema, unit)
    with ExitStack() as stack:
        cells = rows.select(words) if unit.is_row else bounded(rows, words, unit, salt, stack)
        for batch in arrow_batches(cells):
            columns = [batch.column(name).to_numpy(zero_copy_only=False).astype(np.int64, copy=False) for name in words]
            weights = (
                np.ones(1, np.int64)
                if unit.is_row
                else batch.column("n").to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
            )
            yield np.stack(columns), weights


def _counts(schema: Schema, places: list[int], table: NDArray[np.int64]) -> Counts:
    shape = tuple(schema.sizes[place] for place in places)
    occupied = np.flatnonzero(table)
    return Counts(shape, np.stack(np.unravel_index(occupied, shape), axis=1), table[occupied])
