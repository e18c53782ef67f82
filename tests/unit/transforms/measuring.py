"""What a dense range method does to counts, seen from outside: its map cell by cell, its noise scale by scale."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges.range_dense import Transformed
from discreet.noise import ZeroNoise
from discreet.privacy import Number, Unit, exact
from discreet.private.counts import Counts


class Marks(ZeroNoise):
    """In place of noise: the number of the scale, so that `scales[mark - 1]` is what a coefficient would have got."""

    def __init__(self) -> None:
        super().__init__()
        self.scales: list[Fraction] = []
        self.visits = 0

    def add_into(self, table: NDArray[np.int64], scale: Number) -> None:
        self.scales.append(exact(scale, "scale"))
        self.visits += table.size
        table += len(self.scales)


def made(schema: discreet.Schema, unit: Unit, epsilon: Fraction, method: str, **parameters: Any) -> Transformed:
    task = discreet.Ranges(list(schema), method=method, **parameters)
    mechanism = mechanism_for(task, Request(schema, unit, epsilon, dict(task.parameters)))
    assert isinstance(mechanism, Transformed)
    return mechanism


def empty(mechanism: Transformed) -> Counts:
    return Counts.from_arrays(mechanism.request.schema.sizes, [], [])


def scales_of(mechanism: Transformed) -> list[Fraction | None]:
    """The noise scale of every coefficient, None where it gets no noise."""
    marks = Marks()
    found = mechanism.measured(empty(mechanism), marks).reshape(-1)
    assert marks.visits == np.count_nonzero(found), "a coefficient was given noise twice"
    return [marks.scales[mark - 1] if mark else None for mark in found.tolist()]


def map_of(mechanism: Transformed) -> NDArray[np.int64]:
    """A column for each cell: the coefficients of one record there."""
    sizes = mechanism.request.schema.sizes
    cells = np.array(list(np.ndindex(*sizes)))
    columns = [mechanism.measured(Counts.from_arrays(sizes, [cell], [1]), ZeroNoise()).reshape(-1) for cell in cells]
    return np.stack(columns, axis=1)


def changes(unit: Unit, cells: int) -> list[NDArray[np.int64]]:
    """Every change of the table that one unit can make, by adding up to `max_rows` rows or replacing as many."""
    eye, added = np.eye(cells, dtype=np.int64), [np.zeros(cells, np.int64)]
    for _ in range(unit.max_rows or 1):
        sums = {tuple((one + row).tolist()) for one in added for row in eye}
        added += [np.array(total) for total in sums]
    if unit.neighbours == "add-remove":
        return added
    return [one - other for one in added for other in added]
