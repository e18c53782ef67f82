"""The law of `agreed`: every outcome of both plans on tiny tables, under neighbours, and what happens if it cheats."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.marginals import agreed
from discreet.mechanisms.marginals.agreed import Agreed
from discreet.mechanisms.marginals.marginal_selection import strength, whole_product
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from tests.conformance import enumerated
from tests.conformance.enumerated import law_of

EPSILON = Fraction(3)
#: two pairs of attributes, of which one or both are measured; two cells, so that all draws can be tried
SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 1), y=discreet.Nominal(["a"]), z=discreet.Nominal(["b"]))
PAIRS = [((0, 1), (1, 1)), ((1, 0), (1, 1)), ((1, 1), (2, 1)), ((0, 0), (1, 0))]


@pytest.fixture(autouse=True)
def more_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine numbers have noise at most: each is below, in the middle, or above."""
    monkeypatch.setattr(enumerated, "MOST_NUMBERS", 9)
    monkeypatch.setattr(enumerated, "MOST_WAYS", 3**9)


def made(sets: list[list[str]], epsilon: Fraction = EPSILON, **parameters: Any) -> Agreed:
    task = discreet.Marginals(sets, method="agreed", **parameters)
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), epsilon))
    assert isinstance(mechanism, Agreed)
    return mechanism


def outcome(mechanism: Agreed, counts: tuple[int, int], noise: Noise) -> str:
    """All that is drawn; what else is published follows from it."""
    sizes = mechanism.request.schema.sizes
    given = Counts.from_arrays(sizes, np.eye(2, len(sizes), -1, np.int64), np.array(counts))
    summary: Any = mechanism.measure(given, noise)
    return repr((summary.facts(), {names: part.values.tolist() for names, part in summary.looks.items()}))


def worst_ratio(mechanism: Agreed, pairs: Any = PAIRS) -> float:
    """The largest |log| of the ratio of an outcome's probabilities."""

    @cache
    def law(counts: tuple[int, int]) -> dict[Any, float]:
        return law_of(lambda noise: outcome(mechanism, counts, noise), 0)

    worst = 0.0
    for pair in pairs:
        first, second = map(law, pair)
        assert first.keys() == second.keys(), "an outcome of one table is impossible for its neighbour"
        worst = max(worst, *(abs(math.log(first[one] / second[one])) for one in first))
    return worst


PLANS: list[tuple[list[list[str]], dict[str, Any]]] = [
    ([["x", "y"]], {"measure": "pairs", "guess": {"rows": 2}}),
    ([["x", "y"], ["x"]], {"measure": "all"}),
    ([["x", "y"]], {}),
]


@pytest.mark.parametrize(("sets", "parameters"), PLANS, ids=str)
def test_no_outcome_tells_more_than_epsilon_and_some_tell_most_of_it(sets: Any, parameters: dict[str, Any]) -> None:
    """Seen through so small a window a little is hidden, for what is beyond it counts as one."""
    worst = worst_ratio(made(sets, **parameters), PAIRS if parameters else PAIRS[:1])  # with a total there are many
    assert 0.5 * float(EPSILON) < worst <= float(EPSILON) + 1e-9


def test_the_plan_depends_on_how_many_records_there_are() -> None:
    """By the noisy total: `tests/law/test_noisy_answers_alone.py` shows that nothing else decides."""
    mechanism = made([["x", "y"]])
    assert [mechanism._plan(mechanism._hardness(records)) for records in (1.0, 1e6)] == ["pairs", "all"]


class Watched(Noise):
    """Adds up what a record weighs: in each number of its own (total, strengths), and in one cell of each table."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.chosen = Fraction(0), False

    def add(self, counts: Any, scale: Any) -> Any:
        self.weight += counts.size / Fraction(scale)
        self.chosen |= counts.size > 1
        return super().add(counts, scale)

    def add_blocks(self, blocks: Any, scales: Any) -> Any:
        self.weight += sum((1 / Fraction(scale) for scale in scales), Fraction(0))
        return super().add_blocks(blocks, scales)


# --- faults that must show


def test_strengths_without_noise_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    exact = strength

    def telling(table: Any, product: Any) -> int:
        told.append(exact(table, product))
        return told[-1]

    def noisy(mechanism: Agreed, counts: tuple[int, int], noise: Noise) -> str:
        told.clear()
        return repr((told, outcome(mechanism, counts, noise)))

    monkeypatch.setattr(agreed, "strength", telling)
    mechanism = made([["x", "y"]], measure="pairs", guess={"rows": 2})
    first, second = (law_of(lambda noise, c=one: noisy(mechanism, c, noise), 0) for one in PAIRS[0])  # type: ignore[misc]
    assert first.keys() != second.keys()


def test_noise_that_is_too_small_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    scales = Agreed._single_scales
    monkeypatch.setattr(Agreed, "_single_scales", lambda self, shares: [one / 3 for one in scales(self, shares)])
    monkeypatch.setattr(Agreed, "check_paid", lambda self, epsilon: None)
    assert worst_ratio(made([["x", "y"]], measure="pairs", guess={"rows": 2})) > float(EPSILON) + 0.1


def test_a_strength_moves_by_one_with_each_record() -> None:
    dice = np.random.default_rng(5)
    for _ in range(200):
        table, product = dice.integers(0, 6, 8), whole_product(dice.random(8) * 6)
        more = table.copy()
        more[dice.integers(0, 8)] += 1
        assert abs(strength(more, product) - strength(table, product)) == 1


@pytest.mark.parametrize("unit", [Unit(), Unit(neighbours="replace"), Unit("who", max_rows=3)], ids=str)
@pytest.mark.parametrize("measure", ["auto", "all", "pairs"])
@pytest.mark.parametrize("epsilon", ["0.01", "0.7", "9"])
def test_what_was_drawn_adds_up_to_epsilon(unit: Unit, measure: str, epsilon: str) -> None:
    """In fractions, to the last digit, whatever the plan."""
    schema = discreet.Schema({name: discreet.Ordinal(0, size) for name, size in zip("abcd", (1, 2, 4, 6), strict=True)})
    task = discreet.Marginals(ways=2, method="agreed", measure=measure)
    request = Request.of(task, schema, unit, epsilon)
    mechanism, noise = mechanism_for(task, request), Watched()
    given = Counts.from_arrays(schema.sizes, np.array([[0, 1, 2, 3], [1, 0, 4, 2]]), np.array([40, 50]))
    mechanism.measure(given, noise)
    assert noise.weight * unit.sensitivity == request.epsilon
    assert measure == "auto" or noise.chosen == (measure == "pairs")
