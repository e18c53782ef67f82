"""The exact privacy loss of `privelet`, `privelet+` and `dyadic` on tiny domains, over all neighbours, in fractions.

The noise that is really drawn is the matter of `test_privelet_noise`. Every planted fault is caught by the comparison
that the real code passes.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.mechanisms.ranges.range_dense import Transformed
from discreet.privacy import Unit, exp_negative
from discreet.transforms import NominalWavelet
from tests.laplace_law import LaplaceLaw
from tests.unit.transforms.measuring import changes, made, map_of, scales_of

EPSILON = Fraction(37, 100)
UNITS = {"row": Unit(), "replaced": Unit(neighbours="replace"), "user": Unit("u", max_rows=2)}
RAGGED = discreet.Nominal(hierarchy={"p": ["a", "b", "c"], "q": ["d"]})
TWO = discreet.Schema(x=discreet.Ordinal(0, 2), y=discreet.Nominal(["a", "b", "c"]))

#: name -> (schema, method, parameters): tiny, so that all neighbours can be looked at
TINY: dict[str, tuple[discreet.Schema, str, dict[str, Any]]] = {
    "haar 4": (discreet.Schema(x=discreet.Ordinal(0, 3)), "privelet", {}),
    "haar 5": (discreet.Schema(x=discreet.Ordinal(0, 4)), "privelet", {}),
    "nominal": (discreet.Schema(y=RAGGED), "privelet", {}),
    "both": (TWO, "privelet", {}),
    "one direct": (TWO, "privelet+", {"direct": ["y"]}),
    "dyadic 2": (discreet.Schema(x=discreet.Ordinal(0, 4)), "dyadic", {}),
    "dyadic 3": (TWO, "dyadic", {"base": 3}),
}


def tiny(name: str, unit: Unit) -> Transformed:
    schema, method, parameters = TINY[name]
    return made(schema, unit, EPSILON, method, **parameters)


@cache
def steepest(scale: Fraction | None, step: int) -> Fraction | float:
    """max over outcomes z of Pr[z] / Pr[z - step] for noise of this scale; without noise, anything tells all."""
    if scale is None:
        return math.inf
    law = LaplaceLaw.of(scale)
    return max(law.exact_pmf(z) / law.exact_pmf(z - step) for z in range(-step, 2 * step + 1))


def worst_ratio(mechanism: Transformed, unit: Unit) -> Fraction | float:
    """max over neighbours and outcomes of Pr[z | T] / Pr[z | T']: coefficients are independent, so a product."""
    linear, scales = map_of(mechanism), scales_of(mechanism)
    moves = {tuple(np.abs(linear @ change).tolist()) for change in changes(unit, linear.shape[1])}
    ratios = (
        [steepest(scale, step) for scale, step in zip(scales, move, strict=True) if step] for move in moves if any(move)
    )
    return max(math.inf if math.inf in ratio else math.prod(ratio, start=Fraction(1)) for ratio in ratios)


def exp_of(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    low, high = exp_negative(epsilon, 200)
    return 1 / Fraction(high, 2**200), 1 / Fraction(low, 2**200)


def is_private(mechanism: Transformed, unit: Unit, epsilon: Fraction = EPSILON) -> bool:
    return bool(worst_ratio(mechanism, unit) <= exp_of(epsilon)[0])


def is_spent(mechanism: Transformed, unit: Unit, epsilon: Fraction = EPSILON) -> bool:
    """Nothing is given away: some neighbours reach epsilon, up to the rounding of alpha."""
    return bool(worst_ratio(mechanism, unit) >= exp_of(epsilon)[1] * (1 - Fraction(1, 10**15)))


@pytest.mark.parametrize("who", UNITS)
@pytest.mark.parametrize("name", TINY)
def test_no_outcome_tells_more_than_epsilon_between_any_neighbours(name: str, who: str) -> None:
    """A record that is replaced leaves the total alone: epsilon is then an upper bound, and at least half is met."""
    mechanism, unit = tiny(name, UNITS[who]), UNITS[who]
    assert mechanism.cost == EPSILON
    assert is_private(mechanism, unit)
    if unit.neighbours == "add-remove":
        assert is_spent(mechanism, unit)
    else:
        assert is_spent(mechanism, unit, EPSILON / 2)


def with_runs(mechanism: Transformed, place: int, runs: Sequence[tuple[slice, Any]]) -> Transformed:
    """The same mechanism, but one of its axes has other noise."""
    faulty = copy.copy(mechanism)
    axis = copy.copy(mechanism.axes[place])
    axis.runs = tuple(runs)
    faulty.axes = [axis if i == place else kept for i, kept in enumerate(mechanism.axes)]
    return faulty


def one_level_off(mechanism: Transformed, place: int, by: Fraction) -> Transformed:
    """The noise of one level is `by` times what it should be; for Haar and trees all other levels stay at 1."""
    axis = mechanism.axes[place]
    if len(axis.runs) == 1:
        return with_runs(mechanism, place, [(level, by if n == 1 else 1) for n, level in enumerate(axis.levels)])
    return with_runs(mechanism, place, [(part, f * by if n == 1 else f) for n, (part, f) in enumerate(axis.runs)])


def base_unnoised(mechanism: Transformed, place: int) -> Transformed:
    axis = mechanism.axes[place]
    if len(axis.runs) == 1:
        return with_runs(mechanism, place, [(level, 1) for level in axis.levels[1:]])
    return with_runs(mechanism, place, axis.runs[1:])


def last_sibling_unnoised(mechanism: Transformed, place: int) -> Transformed:
    """As if the mean were subtracted before the noise, so that the last sibling follows from the others."""
    axis = mechanism.axes[place]
    assert isinstance(axis, NominalWavelet)
    firsts = [int(child) for child, f in zip(axis.tree.child, axis.tree.fanout, strict=True) if f]
    fanouts = [int(f) for f in axis.tree.fanout if f]
    groups = [(slice(first, first + f - 1), 2 * f - 2) for first, f in zip(firsts, fanouts, strict=True)]
    return with_runs(mechanism, place, [(slice(0, 1), 1), *groups])


@pytest.mark.parametrize("name", TINY)
def test_planted_noise_of_one_level_off_by_two_is_caught(name: str) -> None:
    mechanism = tiny(name, Unit())
    assert not is_private(one_level_off(mechanism, 0, Fraction(1, 2)), Unit())
    assert not is_spent(one_level_off(mechanism, 0, Fraction(2)), Unit())
    assert is_private(one_level_off(mechanism, 0, Fraction(1)), Unit())


@pytest.mark.parametrize("name", TINY)
def test_planted_base_without_noise_is_caught(name: str) -> None:
    assert not is_private(base_unnoised(tiny(name, Unit()), 0), Unit())


def test_planted_noise_on_fewer_siblings_is_caught() -> None:
    for name, place in (("nominal", 0), ("both", 1)):
        assert not is_private(last_sibling_unnoised(tiny(name, Unit()), place), Unit())


@pytest.mark.parametrize("name", ["haar 4", "both", "one direct", "dyadic 3"])
def test_planted_replacing_charged_as_adding_is_caught(name: str) -> None:
    """The noise of add-remove is too little where a record can move between two cells of full weight and far apart.

    In the other tiny domains no two such cells differ on every level, and half the noise would just do.
    """
    assert not is_private(tiny(name, Unit()), UNITS["replaced"])
