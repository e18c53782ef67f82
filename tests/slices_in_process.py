"""Slices drawn in this process: what executors do, one slice after the other, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

import discreet
from discreet.privacy import Unit
from discreet.private.cell_slices import CellSlices
from discreet.private.counts import Counts
from discreet.private.engines import counting_query
from discreet.private.engines.base import Source
from discreet.private.publish import Data
from discreet.private.rows import Rows
from discreet.schema import Schema

Done = list[dict[str, Any]]
SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 9), sex=discreet.Nominal(["f", "m"]), day=discreet.Ordinal("2024-01-01", "2024-01-05")
)


def people(many: int = 300) -> pa.Table:
    dice = np.random.default_rng()
    days = np.array(["2024-01-01", "2024-01-02", "2024-01-04"])
    return pa.table(
        {
            "who": dice.integers(0, 40, many),
            "age": dice.integers(0, 10, many),
            "sex": np.array(["f", "m"])[dice.integers(0, 2, many)],
            "day": days[dice.integers(0, 3, many)],
        }
    )


def opened(rows: pa.Table, schema: Schema = SCHEMA, unit: Unit | None = None, ledger: Path | None = None) -> Data:
    """Private data that claims to have executors; publish it within `executors`."""
    data = discreet.open(rows, schema, unit=unit, ledger=ledger, budget=100)
    assert isinstance(data.origin, Rows)
    data.origin.source.has_executors, data.origin.source.comes_to_us = True, False
    return data


def slices_of(counts: Counts, slices: CellSlices) -> Iterator[Counts]:
    words = np.ravel_multi_index(tuple(counts.codes.T), counts.sizes)
    for place in range(slices.many):
        cells = slices.cells(place)
        mine = (words >= cells.start) & (words < cells.stop)
        yield Counts(counts.sizes, counts.codes[mine], counts.counts[mine])


@contextmanager
def executors(change: Callable[[Done], Done] = lambda done: done, attempts: int = 1) -> Iterator[None]:
    """Each slice is drawn so many times, and the last of its attempts is returned, unless `change` changes that."""

    def count_in_slices(
        source: Source, schema: Schema, unit: Unit, slices: CellSlices, work: Any, *, salt: bytes
    ) -> Done:
        counts = counting_query.count(source, schema, unit, salt=salt)
        done = [[work(place, mine) for _ in range(attempts)] for place, mine in enumerate(slices_of(counts, slices))]
        return change([tried[-1] for tried in done])

    with patch.object(counting_query, "count_in_slices", count_in_slices):
        yield
