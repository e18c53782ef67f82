"""Answers to queries made to agree: against scipy, least squares written out, brute force, and hostile cases."""

from __future__ import annotations

import copy
import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

import discreet
from discreet.noise import ZeroNoise
from discreet.queries import Boxes, bind
from discreet.release import load
from discreet.release.files import TABLE
from discreet.schema import Nominal, Ordinal, Schema
from discreet.summaries import agreeing_queries
from discreet.summaries.agreeing_queries import AgreeingQueries
from discreet.summaries.query_answers import QueryAnswers

SCHEMA = Schema(a=Ordinal(0, 4), b=Nominal(["x", "y"]), c=Nominal(hierarchy={"p": ["q", "r"], "s": ["t"]}))
CELLS = np.array(list(itertools.product(*map(range, SCHEMA.sizes))))
QUERIES: list[Any] = [
    "a < 2",
    "a >= 2",
    {"b": "x"},
    "b = 'y' and a > 1",
    "c = 'p'",
    "c = 't' or (a = 0 and b = 'x')",
    "a < 4",
    {"b": ["x", "y"]},
    "a = 1 and b = 'x'",
    "a = 1 and b = 'y'",
    "a = 1",
]
METHODS = ("equal", "two-phase", "iresamp", "ireduct")


def boxes(queries: Any = QUERIES, schema: Schema = SCHEMA) -> list[Boxes]:
    return [bind(query, schema).boxes(schema.sizes) for query in queries]


def design(queries: list[Boxes]) -> Any:
    """Which cells each query adds up."""
    rows = np.zeros((len(queries), len(CELLS)))
    for row, query in zip(rows, queries, strict=True):
        for first, last in zip(query.first, query.last, strict=True):
            row += np.all((first <= CELLS) & (last >= CELLS), axis=1)
    return rows


def noisy(seed: int, queries: list[Boxes], size: float = 20.0) -> AgreeingQueries:
    random = np.random.default_rng(seed)
    variance = random.uniform(1, 9, len(queries)) * size**2
    value = design(queries) @ random.poisson(2, len(CELLS)) + random.laplace(0, np.sqrt(variance / 2))
    return AgreeingQueries(queries, value, variance, 3 * variance**2)


@pytest.mark.parametrize("seed", range(6))
def test_atoms_are_the_cells_that_lie_in_the_same_queries(seed: int) -> None:
    random = np.random.default_rng(seed)
    chosen = boxes([QUERIES[number] for number in random.permutation(len(QUERIES))[: 3 + seed]])
    found = AgreeingQueries(chosen, *np.ones((3, len(chosen)))).atoms
    assert found is not None
    expected = {tuple(np.flatnonzero(column).tolist()) for column in design(chosen).T} - {()}
    assert {tuple(atom.tolist()) for atom in found} == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("seed", range(6))
def test_numbers_are_the_fit_of_a_table_without_negative_counts(seed: int) -> None:
    queries = boxes()
    agreed = noisy(seed, queries, 5.0 if seed % 2 else 50.0)
    weights = 1 / np.sqrt(agreed.variance)
    cells, _ = nnls(design(queries) * weights[:, None], agreed.value * weights)
    assert agreed.numbers == pytest.approx(design(queries) @ cells, abs=1e-2)
    assert agreed.numbers.min() >= 0


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_that_of_least_squares(seed: int) -> None:
    queries = boxes()
    agreed = noisy(seed, queries)
    weights = 1 / np.sqrt(agreed.variance)
    weighed = design(queries) * weights[:, None]
    mapped = design(queries) @ np.linalg.pinv(weighed, rcond=1e-9) * weights
    value, variance, fourth, errors = agreed.unbiased
    assert value == pytest.approx(mapped @ agreed.value)
    assert variance == pytest.approx((mapped**2) @ agreed.variance)
    assert fourth == pytest.approx((mapped**4) @ agreed.fourth)
    assert errors == pytest.approx(np.abs(mapped) @ np.sqrt(agreed.variance))
    assert np.all(variance <= agreed.variance)
    assert variance[10] < 0.9 * agreed.variance[10]  # `a = 1` is measured twice: as such, and by its parts


@pytest.mark.parametrize("ratio", [1e3, 1e8, 1e15])
def test_noise_of_very_different_scales_leaves_no_bias(ratio: float) -> None:
    queries = boxes()
    variance = np.where(np.arange(len(queries)) % 3 == 0, ratio, 1.0)
    exact = design(queries) @ np.random.default_rng(1).poisson(9, len(CELLS))
    agreed = AgreeingQueries(queries, exact, variance, 3 * variance**2)
    assert agreed.unbiased[0] == pytest.approx(exact, rel=1e-5)
    assert np.all(agreed.unbiased[1] <= variance)
    assert agreed.unbiased[1].min() > 0.1


def test_too_many_atoms_keep_what_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreeing_queries, "MOST_ATOMS", 2)
    queries = boxes()
    held = design(queries) > 0
    for seed in range(10):
        agreed = noisy(seed, queries)
        assert agreed.atoms is None
        assert agreed.numbers.min() >= 0
        for one, other in itertools.permutations(range(len(queries)), 2):
            if len(queries[one].first) == 1 and not np.any(held[one] & ~held[other]):
                assert agreed.numbers[one] <= agreed.numbers[other] + 1e-9
        assert agreed.unbiased[0] == pytest.approx(agreed.value)
        assert agreed.unbiased[1] == pytest.approx(agreed.variance)


@pytest.mark.parametrize("value", [0.0, -1e6, 1e12])
def test_hostile_values(value: float) -> None:
    queries = boxes()
    for spread in (1e-6, 1.0, 1e9):
        variance = np.full(len(queries), spread)
        values = np.full(len(queries), value)
        values[3] = -value / 2 + 7
        agreed = AgreeingQueries(queries, values, variance, variance**2)
        assert np.isfinite(agreed.numbers).all()
        assert agreed.numbers.min() >= 0
        assert agreed.numbers[8] + agreed.numbers[9] == pytest.approx(agreed.numbers[10], rel=1e-9, abs=1e-9)


def test_many_nested_queries_give_a_rising_fit() -> None:
    random = np.random.default_rng(4)
    nested = [Boxes(np.array([[0]]), np.array([[end]])) for end in range(200)]
    value = np.cumsum(random.poisson(1, 200)) + random.laplace(0, 7, 200)
    agreed = AgreeingQueries(nested, value, np.full(200, 98.0), np.full(200, 3 * 98.0**2))
    from sklearn.isotonic import isotonic_regression

    assert agreed.numbers == pytest.approx(np.maximum(isotonic_regression(value), 0), abs=1e-2)


@pytest.mark.parametrize("method", METHODS)
def test_a_release(method: str, tmp_path: Path) -> None:
    counts = (np.arange(len(CELLS)) * 7) % 23
    account = discreet.from_counts(SCHEMA, CELLS, counts)
    task = discreet.Marginals(queries=QUERIES, method=method, consistency=True)
    release = account.publish(task, 1)
    again = load(release.save(tmp_path / "saved"))
    held = design(boxes()) > 0
    found = [release.count(query, level=1 - 1e-12) for query in QUERIES]
    for query, answer, cells in zip(QUERIES, found, held, strict=True):
        assert again.count(query, level=1 - 1e-12) == answer
        assert answer.low <= counts[cells].sum() <= answer.high
        assert answer.low <= answer.value <= answer.high
        assert release.count(query, measured=True).value == answer.measured
    value = [answer.value for answer in found]
    assert value[8] + value[9] == pytest.approx(value[10])
    assert value[0] <= value[6] + 1e-9 <= value[7] + 2e-9
    assert release.to_arrow()["consistent_count"].to_pylist() == pytest.approx(value)
    assert release.to_arrow()["count"].to_pylist() == [answer.measured for answer in found]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda facts: facts["queries"][0]["first"][0].__setitem__(0, 0.5), "about the attributes"),
        (lambda facts: facts["queries"][0]["last"][0].__setitem__(0, 2**40), "does not have"),
        (lambda facts: facts["queries"][0]["first"][0].__setitem__(0, -1), "does not have"),
        (lambda facts: facts["queries"].__setitem__(1, facts["queries"][0]), "listed twice"),
        (lambda facts: facts.__setitem__("consistency", "false"), "true or false"),
    ],
)
def test_queries_that_nobody_asked_are_refused(change: Any, says: str, tmp_path: Path) -> None:
    account = discreet.from_counts(SCHEMA, CELLS, np.ones(len(CELLS), np.int64))
    release = account.publish(discreet.Marginals(queries=QUERIES, method="equal", consistency=True), 1)
    facts = copy.deepcopy(release.summary.facts())
    change(facts)
    folder = release.save(tmp_path / "saved")
    with pytest.raises(ValueError, match=says):
        QueryAnswers.read(release.schema, facts, folder / TABLE)


def test_without_noise_the_answers_are_exact() -> None:
    counts = (np.arange(len(CELLS)) * 7) % 23
    account = discreet.from_counts(SCHEMA, CELLS, counts)
    task = discreet.Marginals(queries=QUERIES, method="equal", consistency=True)
    release = account.publish(task, 1, noise=ZeroNoise())
    for query, cells in zip(QUERIES, design(boxes()) > 0, strict=True):
        assert release.count(query).value == pytest.approx(counts[cells].sum(), abs=1e-4)


def test_methods_that_are_not_asked_to_agree_stay_as_they_are() -> None:
    account = discreet.from_counts(SCHEMA, CELLS, np.ones(len(CELLS), np.int64))
    release = account.publish(discreet.Marginals(queries=QUERIES, method="equal"), Fraction(1, 10))
    assert "consistency" not in release.manifest["summary"]
    assert "consistent_count" not in release.to_arrow().column_names
    for query in QUERIES:
        assert release.count(query).value == max(release.count(query, measured=True).value, 0)
