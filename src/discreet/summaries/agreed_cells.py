"""Intervals of all single cells of a table at once: those of measured tables are as wide in every cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions
from discreet.transforms.effects import Attributes

if TYPE_CHECKING:
    from discreet.summaries.agreed_tables import AgreedTables

Integers = NDArray[np.int64]


def cell_ends(summary: AgreedTables, places: Attributes, level: float) -> tuple[Integers, Integers]:
    """The interval of each cell, flat, with ends that are whole numbers: rounded down and up."""
    sizes = summary.schema.sizes
    value = summary.estimates.table(places).reshape(-1)
    seen = tuple(place for place in places if sizes[place] > 1)  # others say nothing
    if summary.estimates.effects.knows(seen):
        low, high = _around(summary, seen, level)
    else:
        codes = np.zeros((value.size, len(sizes)), np.int64)
        codes[:, places] = np.indices([sizes[place] for place in places]).reshape(len(places), -1).T
        last = np.array(sizes) - 1
        ends = codes.copy(), np.where(np.isin(np.arange(len(sizes)), places), codes, last)
        low, high = summary.bounds.of(Questions(*ends, value.size, np.arange(value.size)), seen, level)
    low, high = np.maximum(np.minimum(low, value), 0.0), np.maximum(high, value)
    return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)


def _around(summary: AgreedTables, places: Attributes, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of all cells of a measured table, flat, from the half-width of the first one."""
    one = np.zeros((1, len(summary.schema)), np.int64)
    first = Questions(one, one, 1, np.zeros(1, np.int64))
    found = summary.around(first, places, level)
    half, plain = float(found.high[0] - found.measured[0]), summary.estimates.effects.table(places).reshape(-1)
    return plain - half, plain + half
