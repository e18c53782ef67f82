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
    value = summary.estimates.table(places)
    low = np.zeros(value.shape)
    if summary.estimates.effects.knows(places):
        low, high = _around(summary, places, level)
    else:
        parts = summary.known_parts(places)
        high = np.full(value.shape, np.inf)
        for part in parts:
            _, most = _around(summary, part, 1 - (1 - level) / len(parts))
            gone = tuple(axis for axis, place in enumerate(places) if place not in part)
            high = np.minimum(high, np.expand_dims(most, gone))
    low, high = np.maximum(np.minimum(low, value), 0.0), np.maximum(high, value)
    return np.floor(low).astype(np.int64).reshape(-1), np.ceil(high).astype(np.int64).reshape(-1)


def _around(summary: AgreedTables, places: Attributes, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of all cells of a measured table, from the half-width of the first one."""
    one = np.zeros((1, len(summary.schema)), np.int64)
    first = Questions(one, one, 1, np.zeros(1, np.int64))
    found = summary.around(first, places, level)
    half, plain = float(found.high[0] - found.measured[0]), summary.estimates.effects.table(places)
    return plain - half, plain + half
