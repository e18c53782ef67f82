"""Oracle and Proportional: what they do, and that nobody can publish by them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter
from discreet.mechanisms import Mechanism, registry
from discreet.noise import Noise, SeededSource, ZeroNoise
from experiments.ireduct.trials import rivals, whole
from experiments.ireduct.trials.rivals import oracle, proportional

TABLES = [np.array([0, 3, 5000, 40]), np.array([9000, 7000]), np.array([1, 2, 2, 1, 2, 8])]
BUDGET = Fraction(1, 20)


def _subclasses(kind: type[Any]) -> set[type[Any]]:
    return {kind}.union(*(_subclasses(inner) for inner in kind.__subclasses__()))


def test_no_registry_knows_them() -> None:
    assert whole.PARTS  # the experiments are imported, whatever they define is there
    assert not {"oracle", "proportional"} & {method for _, method in registry()}
    assert not [
        kind for kind in _subclasses(Mechanism) if kind.__module__.startswith(("discreet.evaluate", "experiments"))
    ]


@pytest.mark.parametrize("method", ["oracle", "proportional"])
def test_nobody_publishes_by_them(method: str) -> None:
    assert hasattr(rivals, method)
    schema = discreet.Schema(a=discreet.Ordinal(0, 3), b=discreet.Ordinal(0, 1))
    data = discreet.open(pd.DataFrame({"a": [0, 1, 2, 3], "b": [0, 1, 0, 1]}), schema)
    with pytest.raises(BadParameter, match="no method"):
        data.publish(discreet.Marginals(ways=1, method=method), 1)


def _scales(sanity: float) -> NDArray[np.float64]:
    parts = oracle(TABLES, sanity, BUDGET, Noise(SeededSource(1)))
    assert all(part.weights == (1.0,) for part in parts)
    spent = sum(1 / part.scales[0] for part in parts)
    assert BUDGET * Fraction(999_999, 1_000_000) < spent <= BUDGET
    return np.array([float(part.scales[0]) for part in parts])


@pytest.mark.parametrize("sanity", [1.0, 10.0, 1000.0])
def test_no_other_scales_of_the_same_cost_have_less_error(sanity: float) -> None:
    needs = np.array([np.mean(1 / np.maximum(table, sanity)) for table in TABLES])
    best = _scales(sanity)
    for one, other in itertools.permutations(range(3), 2):
        inverse = 1 / best
        moved = 0.02 * inverse[one]
        inverse[one] -= moved
        inverse[other] += moved
        assert (needs / inverse).sum() > needs @ best


def test_without_noise_they_give_the_truth() -> None:
    for found, true in zip(proportional(TABLES, 5.0, BUDGET, ZeroNoise()), TABLES, strict=True):
        assert found.tolist() == true.tolist()
    for part, true in zip(oracle(TABLES, 5.0, BUDGET, ZeroNoise()), TABLES, strict=True):
        assert part.values.tolist() == true.tolist()


def test_proportional_errors_are_relative_to_the_counts() -> None:
    """Three tables whose least floors are 5, 7000 and 5: every cell has the same mean relative error."""
    sanity, often = 5.0, 2000
    expected = (1 / 5 + 1 / 7000 + 1 / 5) / float(BUDGET)
    made = proportional([np.repeat(table, often) for table in TABLES], sanity, BUDGET, Noise(SeededSource(2)))
    for found, true in zip(made, TABLES, strict=True):
        off = np.abs(found.reshape(-1, often) - true[:, None]).mean(axis=1) / np.maximum(true, sanity)
        assert np.abs(off / expected - 1).max() < 0.12  # five standard errors
