"""The exact privacy loss of `weighted` on tiny domains, over all neighbours, in fractions; planted faults are caught.

Map and scales are taken from the mechanism as it measures: one record in each cell for the map, marks in place of noise
for the scales. The law of the noise that is really drawn is tested for all methods in `test_noise_law`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges.weighted import Weighted
from discreet.noise import ZeroNoise
from discreet.privacy import Number, Unit
from discreet.private.counts import Counts
from tests.law.test_privelet_law import EPSILON, RAGGED, UNITS, exp_of, steepest
from tests.unit.transforms.measuring import Marks, changes

LINE = discreet.Schema(x=discreet.Ordinal(0, 4))
TWO = discreet.Schema(y=RAGGED, x=discreet.Ordinal(0, 2))

#: name -> (schema, parameters): tiny, so that all neighbours can be looked at
TINY: dict[str, tuple[discreet.Schema, dict[str, Any]]] = {
    "as chosen": (discreet.Schema(x=discreet.Ordinal(0, 7)), {}),
    "padded": (LINE, {"levels": [4, 2, "cells"]}),
    "with a total": (LINE, {"levels": [{}, 2, "cells"], "shares": ["0.1", "0.3", "0.6"]}),
    "ragged": (discreet.Schema(y=RAGGED), {"levels": [0, "cells"], "shares": ["1/3", "2/3"]}),
    "product": (TWO, {"levels": [{"y": 0}, {"y": 0, "x": 2}, "cells"]}),
}
each = pytest.mark.parametrize("name", TINY)

Measured = list[NDArray[np.int64]]


def tiny(name: str, unit: Unit) -> Weighted:
    schema, parameters = TINY[name]
    task = discreet.Ranges(list(schema), method="weighted", **parameters)
    mechanism = mechanism_for(task, Request(schema, unit, EPSILON, dict(task.parameters)))
    assert isinstance(mechanism, Weighted)
    return mechanism


def flat(tables: Measured) -> NDArray[np.int64]:
    return np.concatenate([table.reshape(-1) for table in tables])


def worst_ratio(mechanism: Weighted, unit: Unit, noise: Callable[[], Marks] = Marks) -> Fraction | float:
    """max over neighbours and outcomes of Pr[z | T] / Pr[z | T']: blocks are independent, so a product."""
    sizes = mechanism.request.schema.sizes
    cells = list(np.ndindex(*sizes))
    columns = [flat(mechanism.measured(Counts.from_arrays(sizes, [cell], [1]), ZeroNoise())) for cell in cells]
    linear, marks = np.stack(columns, axis=1), noise()
    marked = flat(mechanism.measured(Counts.from_arrays(sizes, [], []), marks)).tolist()
    scales = [marks.scales[mark - 1] if mark else None for mark in marked]
    worst: Fraction | float = Fraction(1)
    for move in {tuple(np.abs(linear @ change).tolist()) for change in changes(unit, len(cells))}:
        ratios = [steepest(scale, step) for scale, step in zip(scales, move, strict=True) if step]
        worst = max(worst, math.inf if math.inf in ratios else math.prod(ratios, start=Fraction(1)))
    return worst


def is_private(mechanism: Weighted, unit: Unit, noise: Callable[[], Marks] = Marks) -> bool:
    return bool(worst_ratio(mechanism, unit, noise) <= exp_of(EPSILON)[0])


def is_spent(mechanism: Weighted, unit: Unit, epsilon: Fraction = EPSILON) -> bool:
    return bool(worst_ratio(mechanism, unit) >= exp_of(epsilon)[1] * (1 - Fraction(1, 10**15)))


@pytest.mark.law("weighted")
@pytest.mark.parametrize("who", UNITS)
@each
def test_no_outcome_tells_more_than_epsilon_between_any_neighbours(name: str, who: str) -> None:
    """A record that is replaced within a block leaves its count alone: epsilon is then an upper bound."""
    mechanism, unit = tiny(name, UNITS[who]), UNITS[who]
    assert mechanism.cost == EPSILON
    assert is_private(mechanism, unit)
    assert is_spent(mechanism, unit, EPSILON if unit.neighbours == "add-remove" else EPSILON / 2)


@each
def test_every_cell_weighs_as_much(name: str) -> None:
    mechanism = tiny(name, Unit())
    sizes = mechanism.request.schema.sizes
    for cell in np.ndindex(*sizes):
        tables = mechanism.measured(Counts.from_arrays(sizes, [cell], [1]), ZeroNoise())
        assert [int(table.sum()) for table in tables] == [1] * len(tables)


class Skipping(Marks):
    """No noise on one level."""

    def add_into(self, table: NDArray[np.int64], scale: Number) -> None:
        if self.scales:
            super().add_into(table, scale)
        else:
            self.scales.append(Fraction(1))


class Halving(Marks):
    """Half of the noise on one level."""

    def add_into(self, table: NDArray[np.int64], scale: Number) -> None:
        super().add_into(table, Fraction(scale) if self.scales else Fraction(scale) / 2)


@each
@pytest.mark.parametrize("fault", [Skipping, Halving])
def test_planted_noise_of_one_level_too_small_is_caught(name: str, fault: type[Marks]) -> None:
    assert not is_private(tiny(name, Unit()), Unit(), fault)


@pytest.mark.parametrize("name", ["as chosen", "padded", "product"])
def test_planted_replacing_charged_as_adding_is_caught(name: str) -> None:
    assert not is_private(tiny(name, Unit()), UNITS["replaced"])
