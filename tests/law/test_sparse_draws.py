"""`filter`, `threshold` and both have the law of the laborious approach: by drawing, unseeded, at random parameters.

Whole releases of many copies of a small table are compared with the law of each cell and with independence; the same
comparisons reject planted faults. Each planted fault is surprising enough to be found as surely (`statistics.py`).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.table.table_sparse import Sparse
from discreet.noise import Noise, Rule
from discreet.noise.draw import CHUNK
from discreet.noise.skips import positions
from discreet.noise.survivor_values import signs, sizes
from discreet.noise.survivors import KeptProbability
from discreet.numbers.intervals import Rational
from discreet.privacy import Unit
from discreet.private.counts import Counts
from tests.law.laborious import certified, closed_form, method, rule_of, value_law
from tests.statistics import Agreement, compare, compare_law


@dataclass(frozen=True)
class Case:
    """`copies` of a table with these counts."""

    name: str
    scale: Fraction
    counts: tuple[int, ...]
    parameters: dict[str, Any]
    copies: int = 40_000

    @property
    def rule(self) -> Rule:
        return rule_of(method(self.name, len(self.counts), self.scale, **self.parameters))


def random_case(name: str) -> Case:
    dice = random.SystemRandom()
    scale = Fraction(dice.randrange(500, 8000), dice.randrange(501, 1500, 2))
    parameters: dict[str, Any] = {"sided": dice.choice(["two", "one"])}
    if "filter" in name:
        parameters["theta"] = dice.randrange(1, 3 + int(2 * scale))
    if "threshold" in name:
        parameters["tau"] = str(Fraction(dice.randrange(300, 6000), 1000) * scale)
    parameters["slices"] = dice.choice([1, 2, 7])
    counts = [0, 0, 0, 1, dice.randrange(2, 4 + int(4 * scale))]
    return Case(name, scale, tuple(dice.sample(counts, 5)), parameters)


def drawn_values(case: Case, noise: Noise) -> NDArray[np.int64]:
    """The noisy counts in a release, one row per copy, zero for a cell that is not in it; checks the weights."""
    cells = len(case.counts)
    schema = discreet.Schema(copy=discreet.Ordinal(1, case.copies), cell=discreet.Ordinal(1, cells))
    every = np.stack([np.repeat(np.arange(case.copies), cells), np.tile(np.arange(cells), case.copies)], axis=1)
    counts = np.tile(case.counts, case.copies)
    task = discreet.Table(["copy", "cell"], method=case.name, **case.parameters)
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), 1 / case.scale))
    exact = Counts.from_arrays(schema.sizes, every[counts > 0], counts[counts > 0])
    summary: Any = mechanism.measure(exact, noise)
    chances = np.minimum(np.abs(summary.values) / float(case.rule.limit or 1), 1.0)
    assert np.allclose(summary.weights, summary.values / chances, rtol=1e-12)
    values = np.zeros((case.copies, cells), np.int64)
    values[tuple(summary.codes.T)] = summary.values
    return values


def agreements(case: Case, values: NDArray[np.int64]) -> Iterator[Agreement]:
    """Each kind of cell against its law, and the sets of survivors in a copy against independence."""
    laws = {count: value_law(count, case.rule) for count in set(case.counts)}
    for count, (first, p, below) in laws.items():
        sample = values[:, [cell for cell, each in enumerate(case.counts) if each == count]]
        yield compare_law(sample.reshape(-1), first, p, below=below)
    absent = np.array([laws[count][1][-laws[count][0]] for count in case.counts])
    sets = np.array(list(itertools.product([0, 1], repeat=len(absent))))
    hits = np.bincount((values != 0) @ (1 << np.arange(len(absent)))[::-1], minlength=len(sets))
    yield compare(hits, case.copies, np.prod(np.where(sets, 1 - absent, absent), axis=1))


def same_law(case: Case, noise: Noise) -> bool:
    return all(agreement.holds for agreement in agreements(case, drawn_values(case, noise)))


@pytest.mark.parametrize("_", range(6))
@pytest.mark.parametrize("name", ["filter", "threshold", "filter-threshold"])
def test_survivors_values_and_weights_at_random_parameters(name: str, _: int) -> None:
    case = random_case(name)
    for agreement in agreements(case, drawn_values(case, Noise())):
        assert agreement.holds, (case, agreement)


@pytest.mark.parametrize("sided", ["two", "one"])
def test_a_limit_of_two_of_which_p_is_alpha_itself(sided: str) -> None:
    """A p of at most 64 bits can be drawn with only if it is known exactly."""
    assert same_law(Case("threshold", Fraction(1), (0, 2, 0), {"tau": 2, "sided": sided}), Noise())


# Planted faults: noise that draws the survivors like the real one but for one mistake.


class Faulty(Noise):
    def drawn_as(self, probability: Fraction, rule: Rule, empty: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        drawer = self._drawer(CHUNK)
        ranks = positions(Rational(probability), empty, drawer)
        return ranks, signs(rule, sizes(rule, len(ranks), drawer), drawer)


class ZeroCellsDropped(Faulty):
    def survivors(self, rule: Rule, empty: int) -> Any:
        return super().survivors(rule, 0)


class FivePerCentMore(Faulty):
    def survivors(self, rule: Rule, empty: int) -> Any:
        return self.drawn_as(certified(KeptProbability(rule)) * Fraction(105, 100), rule, empty)


class FivePerCentLess(Faulty):
    def survivors(self, rule: Rule, empty: int) -> Any:
        return self.drawn_as(certified(KeptProbability(rule)) * Fraction(95, 100), rule, empty)


class ClosedFormWithRealTau(Faulty):
    """floor(tau) ignored."""

    def survivors(self, rule: Rule, empty: int) -> Any:
        return self.drawn_as(Fraction(closed_form(rule)), rule, empty)


class WrongTail(Faulty):
    """One-sided survivors below zero; two-sided ones all above."""

    def survivors(self, rule: Rule, empty: int) -> Any:
        ranks, values = super().survivors(rule, empty)
        return ranks, np.abs(values) if rule.two_sided else -values


class TailOneFurther(Faulty):
    def survivors(self, rule: Rule, empty: int) -> Any:
        ranks, values = super().survivors(rule, empty)
        return ranks, values + np.sign(values)


class ValuesAsIfFiltered(Faulty):
    """The right cells, with values that forget that larger ones are sampled more often."""

    def survivors(self, rule: Rule, empty: int) -> Any:
        ranks, _ = super().survivors(rule, empty)
        drawer = self._drawer(CHUNK)
        return ranks, signs(rule, sizes(replace(rule, limit=None), len(ranks), drawer), drawer)


class OtherSidesProbability(Faulty):
    def survivors(self, rule: Rule, empty: int) -> Any:
        return self.drawn_as(certified(KeptProbability(replace(rule, two_sided=not rule.two_sided))), rule, empty)


EVERYWHERE = [ZeroCellsDropped, FivePerCentMore, FivePerCentLess, WrongTail, TailOneFurther, OtherSidesProbability]
FAULTS: list[tuple[str, dict[str, Any], list[type[Faulty]]]] = [
    ("filter", {"theta": 2}, EVERYWHERE),
    ("threshold", {"tau": "3/2"}, [*EVERYWHERE, ClosedFormWithRealTau, ValuesAsIfFiltered]),
    ("filter-threshold", {"theta": 2, "tau": "7/2"}, [*EVERYWHERE, ValuesAsIfFiltered]),
]


@pytest.mark.parametrize("sided", ["two", "one"])
@pytest.mark.parametrize(("name", "parameters", "faults"), FAULTS)
def test_planted_faults_in_the_survivors_are_rejected(
    name: str, parameters: dict[str, Any], faults: list[type[Faulty]], sided: str
) -> None:
    copies = 180_000 if name == "threshold" else 120_000
    case = Case(name, Fraction(2), (0, 0, 1, 0, 0), {**parameters, "sided": sided}, copies=copies)
    assert same_law(case, Noise())
    for fault in faults:
        assert not same_law(case, fault()), fault


def kept_numbers(made: Sparse, counts: list[int], trials: int, *, at_least: int = 0) -> NDArray[np.int64]:
    """How many cells each of many summaries keeps; with `at_least`, each drawn again until it keeps so many."""
    given = Counts.from_arrays((len(counts),), [(i,) for i, c in enumerate(counts) if c], [c for c in counts if c])
    numbers: list[int] = []
    while len(numbers) < trials:
        summary: Any = made.measure(given, Noise())
        numbers += [len(summary.values)] if len(summary.values) >= at_least else []
    return np.array(numbers)


def test_a_retry_on_small_output_is_rejected() -> None:
    made, counts, trials = method("filter", 5, Fraction(1), theta=3), [3, 0, 0, 1, 0], 2000
    law = np.ones(1)
    for count in counts:
        first, p, _ = value_law(count, rule_of(made))
        law = np.convolve(law, [p[-first], 1 - p[-first]])
    assert compare_law(kept_numbers(made, counts, trials), 0, law).holds
    assert not compare_law(kept_numbers(made, counts, trials, at_least=1), 0, law).holds
