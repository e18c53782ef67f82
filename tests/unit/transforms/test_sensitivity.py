"""The cost of the dense range methods: what `privacy.cost` says, the theorems, and brute force over all cells.

The brute force looks at nothing but the mechanism's own `measured`: once per cell with a single record for the map, and
with a double of the noise that writes down which scale every coefficient is given.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet
from discreet.mechanisms.ranges.range_dense import Transformed
from discreet.privacy import Unit
from tests.unit.transforms.measuring import changes, made, map_of, scales_of
from tests.unit.transforms.shapes import schemas, tree_weight, wavelet_weight

UNITS = [Unit(), Unit(neighbours="replace"), Unit("who", max_rows=3), Unit("who", max_rows=2, neighbours="replace")]
units = st.sampled_from(UNITS)
epsilons = st.fractions(min_value=Fraction(1, 20), max_value=3, max_denominator=40)


def noise_of(mechanism: Transformed) -> list[Fraction]:
    """The noise scale of every coefficient: all have noise."""
    scales = scales_of(mechanism)
    assert None not in scales
    return [scale for scale in scales if scale is not None]


def loss(scales: list[Fraction], moved: NDArray[np.int64]) -> Fraction:
    """sum |moved| / scale over coefficients."""
    return sum((abs(int(moved[i])) / scales[i] for i in np.flatnonzero(moved)), Fraction(0))


def theorem(schema: discreet.Schema, direct: set[str], base: int | None) -> int:
    """Theorem 2 of privelet, or the levels of all trees; untransformed attributes weigh 1."""
    levels = (
        1 if name in direct else wavelet_weight(schema[name]) if base is None else tree_weight(schema[name], base)
        for name in schema
    )
    return math.prod(levels)


@settings(max_examples=40)
@given(schema=schemas, unit=units, epsilon=epsilons, data=st.data())
def test_the_cost_is_the_heaviest_cell_and_the_theorem(
    schema: discreet.Schema, unit: Unit, epsilon: Fraction, data: st.DataObject
) -> None:
    method = data.draw(st.sampled_from(["privelet", "privelet+", "privelet*", "dyadic"]))
    direct, base = set[str](), None
    parameters: dict[str, list[str] | int] = {}
    if method in ("privelet+", "privelet*"):
        direct = data.draw(st.sets(st.sampled_from(list(schema))))
        parameters = {"direct": sorted(direct)}
    elif method == "dyadic":
        base = data.draw(st.integers(2, 5))
        parameters = {"base": base}
    mechanism = made(schema, unit, epsilon, method, **parameters)
    assert mechanism.cost == epsilon
    scales = noise_of(mechanism)
    assert unit.sensitivity * max(loss(scales, column) for column in map_of(mechanism).T) == epsilon
    assert mechanism.scale == unit.sensitivity * theorem(schema, direct, base) / epsilon


@pytest.mark.parametrize("unit", UNITS)
def test_every_pair_of_neighbours_stays_within_epsilon(unit: Unit) -> None:
    """All that one unit can change, not single cells only: the most is epsilon, and some change reaches it."""
    schema = discreet.Schema(x=discreet.Ordinal(0, 2), y=discreet.Nominal(hierarchy={"p": ["a", "b"], "q": ["c"]}))
    for method in ("privelet", "dyadic"):
        mechanism = made(schema, unit, Fraction(1, 3), method)
        linear, scales = map_of(mechanism), noise_of(mechanism)
        moves = {tuple((linear @ change).tolist()) for change in changes(unit, schema.cells)}
        worst = max(loss(scales, np.array(move)) for move in moves)
        assert worst <= Fraction(1, 3)
        if unit.neighbours == "add-remove":
            assert worst == Fraction(1, 3)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100, 1001, 4097])
def test_lemma_2_for_large_domains(size: int) -> None:
    """1 + log2 of the padded size, where brute force is out of reach; not one more for sizes that need no padding."""
    schema = discreet.Schema(x=discreet.Ordinal(1, size))
    mechanism = made(schema, Unit(), Fraction(1), "privelet")
    assert mechanism.scale == 1 + (size - 1).bit_length() == 1 + math.ceil(math.log2(size))


def test_replacing_costs_twice_as_much_noise() -> None:
    schema = discreet.Schema(x=discreet.Ordinal(0, 6))
    for method in ("privelet", "dyadic"):
        one, other = (made(schema, unit, Fraction(1, 2), method).scale for unit in UNITS[:2])
        assert other == 2 * one
