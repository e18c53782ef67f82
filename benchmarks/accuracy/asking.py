"""Questions of several classes about a grid, as one table for `release.ask`, with their true answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.shapes import Floats, Ints, dice
from discreet.schema import Schema

RANDOM = "random ranges"
TOTAL = "total"
OF_RECORDS = "cells of records"
#: shares of a side
SIDES = {"small ranges": (0.0, 1 / 64), "medium ranges": (1 / 16, 1 / 4), "large ranges": (1 / 2, 1.0)}
#: the classes in which a method is compared with the best one; cells of records are shown only
CLASSES = (*SIDES, "prefixes", "single cells", TOTAL)

#: first and last codes, each questions x attributes
Ends = tuple[Ints, Ints]
Texts = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Asked:
    """A table of questions, their true answers, and the rows of each class."""

    frame: Any
    true: Floats
    classes: Mapping[str, slice]

    def only(self, name: str) -> Asked:
        rows = self.classes[name]
        part = self.frame.slice(rows.start, rows.stop - rows.start)
        return Asked(part, self.true[rows], {name: slice(0, rows.stop - rows.start)})


def asked(schema: Schema, classes: Mapping[str, tuple[Texts, NDArray[Any]]]) -> Asked:
    """For each class one list of texts for each attribute, and the true answers."""
    import pyarrow as pa

    places, start = {}, 0
    for name, (_, true) in classes.items():
        places[name] = slice(start, start + len(true))
        start += len(true)
    columns = {
        name: pa.array([text for texts, _ in classes.values() for text in texts[place]], pa.string())
        for place, name in enumerate(schema)
    }
    every = np.concatenate([np.asarray(true, np.float64) for _, true in classes.values()])
    return Asked(pa.table(columns), every, places)


def about(schema: Schema, ends: Mapping[str, Ends], true: Callable[[Ends], NDArray[Any]]) -> Asked:
    """Boxes of a grid whose values are its codes."""
    return asked(schema, {name: (_written(boxes), true(boxes)) for name, boxes in ends.items()})


def _written(ends: Ends) -> list[list[str]]:
    return [
        [f"{low}..{high}" for low, high in zip(*axis, strict=True)]
        for axis in zip(ends[0].T.tolist(), ends[1].T.tolist(), strict=True)
    ]


def boxes(sizes: Sequence[int], count: int, records: Ints) -> dict[str, Ends]:
    """Questions of each class, `count` of each; `records` are the cells of some records, one row for each."""
    rolled, shape = dice("questions", tuple(sizes)), (count, len(sizes))
    across = np.broadcast_to(np.array(sizes, np.int64), shape)
    found = {RANDOM: _sorted(rolled.integers(0, across), rolled.integers(0, across))}
    for name, (least, most) in SIDES.items():
        side = np.ceil(across * rolled.uniform(least, most, shape)).astype(np.int64)
        first = rolled.integers(0, across - side + 1)
        found[name] = first, first + side - 1
    found["prefixes"] = np.zeros(shape, np.int64), rolled.integers(0, across)
    cells = rolled.integers(0, across)
    found["single cells"] = cells, cells
    of_records = records[rolled.integers(0, len(records), count)]
    found[OF_RECORDS] = of_records, of_records
    found[TOTAL] = np.zeros((1, len(sizes)), np.int64), across[:1] - 1
    return found


def between(records: Ints, count: int) -> Ends:
    """Ranges from one record to another."""
    rolled = dice("between", count)
    return _sorted(*(records[rolled.integers(0, len(records), count)] for _ in range(2)))


def _sorted(one: Ints, other: Ints) -> Ends:
    return np.minimum(one, other), np.maximum(one, other)


def sums(table: Ints) -> Callable[[Ends], Ints]:
    """The true answers of boxes of a table, from running sums."""
    running = np.pad(table, [(1, 0)] * table.ndim)
    for axis in range(table.ndim):
        running = np.cumsum(running, axis)

    def of(ends: Ends) -> Ints:
        total = np.zeros(len(ends[0]), np.int64)
        for corner in np.ndindex(*[2] * table.ndim):
            places = tuple(ends[1][:, a] + 1 if high else ends[0][:, a] for a, high in enumerate(corner))
            total += (-1) ** (table.ndim - sum(corner)) * running[places]
        return total

    return of
