"""Answers that agree with known totals: least squares against matrices, sums, ends, and errors that really fall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise, ZeroNoise
from discreet.privacy import Unit
from discreet.private.open_data import from_counts
from discreet.queries import Questions, questions_of
from discreet.queries.known_entries import read_entries
from discreet.queries.known_totals import KnownTotals
from discreet.summaries import Summary
from discreet.summaries.informed import informed
from discreet.tasks import Task

SCHEMA = discreet.Schema(county=discreet.Nominal(["Kent", "Essex", "Surrey"]), age=discreet.Ordinal(0, 7))
CODES = np.indices(SCHEMA.sizes).reshape(2, -1).T
COUNTS = np.random.default_rng(3).integers(200, 900, len(CODES))
CELLS = Questions(CODES, CODES, len(CODES), np.arange(len(CODES)))
KENT = {"county": "Kent"}

LINEAR: list[Task] = [
    discreet.Table(["county", "age"], method="geometric"),
    discreet.Ranges(["county", "age"], method="weighted"),
    discreet.Ranges(["county", "age"], method="privelet"),
    discreet.Ranges(["county", "age"], method="dyadic"),
    discreet.Ranges(["county", "age"], method="dyadic", consistency=False),
    discreet.Marginals([["county", "age"], ["age"]], method="equal"),
    discreet.Marginals([["county", "age"], ["county"], ["age"]], method="equal", consistency=True),
]
OTHERS: list[Task] = [
    discreet.Table(["county", "age"], method="adaptive"),
    discreet.Table(["county", "age"], method="filter", theta=20),
    discreet.Table(["county", "age"], method="sketch"),
    discreet.Ranges(["county", "age"], method="privelet*"),
    discreet.Ranges(["county", "age"], method="wavelet-filter"),
    discreet.Marginals(["county", "age"], ways=2, method="agreed"),
    discreet.Marginals([["county", "age"], ["age"]], method="ireduct"),
]


def known_of(*groups: Any, counts: NDArray[Any] = COUNTS) -> KnownTotals:
    asked = questions_of(groups, SCHEMA)
    table = counts.reshape(SCHEMA.sizes)
    said = []
    for number, where in enumerate(groups):
        boxes = zip(asked.first[asked.owner == number], asked.last[asked.owner == number], strict=True)
        total = sum(int(table[a[0] : b[0] + 1, a[1] : b[1] + 1].sum()) for a, b in boxes)
        said.append({**({"where": where} if where else {}), "count": total})
    return KnownTotals.of(read_entries(said), SCHEMA)


def drawn(task: Task, epsilon: str = "0.5", noise: Noise | None = None, counts: NDArray[Any] = COUNTS) -> Summary:
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), epsilon))
    data = from_counts(SCHEMA, CODES, counts).origin.bounded(SCHEMA, Unit(), bytes(8))
    return mechanism.measure(data, noise or Noise())


def covariances(summary: Summary) -> NDArray[np.float64]:
    """Of the answers about all cells, from the variances of pairs of them."""
    single = summary.moments_of(CELLS).variance
    found = np.diag(single)
    for i in range(len(CODES)):
        both = [(CODES[[i, j]], j) for j in range(i + 1, len(CODES))]
        if both:
            ends = np.concatenate([pair for pair, _ in both])
            pairs = Questions(ends, ends, len(both), np.repeat(np.arange(len(both)), 2))
            variance = summary.moments_of(pairs).variance
            for (_, j), of_both in zip(both, variance.tolist(), strict=True):
                found[i, j] = found[j, i] = (of_both - single[i] - single[j]) / 2
    return found


@pytest.mark.parametrize("task", [*LINEAR[:4], *LINEAR[5:]], ids=str)
def test_least_squares_given_the_known_total_of_a_group(task: Task) -> None:
    summary = drawn(task)
    known = known_of(KENT)
    asked = questions_of([{"county": "Kent", "age": 2}, {"county": "Kent", "age": [0, 3, 4]}], SCHEMA)
    kent = CODES[:, 0] == 0
    covariance = covariances(summary)
    plain = summary.moments_of(CELLS).value
    found = informed(summary, known).answer(asked, 0.95)
    for number, ages in enumerate([[2], [0, 3, 4]]):
        some = kent & np.isin(CODES[:, 1], ages)
        weight = (some @ covariance @ kent) / (kent @ covariance @ kent)
        value = plain[some].sum() + weight * (COUNTS[kent].sum() - plain[kent].sum())
        assert found.value[number] == pytest.approx(value)
        variance = some @ covariance @ some - weight * (some @ covariance @ kent)
        assert found.stderr[number] ** 2 == pytest.approx(variance)


def test_of_two_cells_with_a_known_sum_the_estimate_is_half_of_it_and_of_their_difference() -> None:
    schema = discreet.Schema(x=discreet.Nominal(["A", "B"]))
    known = KnownTotals.of([{"count": 1000}], schema)
    task = discreet.Table("x", method="geometric")
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), "0.1"))
    data = from_counts(schema, [[0], [1]], [400, 600]).origin.bounded(schema, Unit(), bytes(8))
    asked = questions_of([{"x": "A"}, {"x": "B"}], schema)
    for _ in range(20):
        summary = mechanism.measure(data, Noise())
        plain, found = summary.answer(asked, 0.95), informed(summary, known).answer(asked, 0.95)
        assert found.value[0] == 500 + (plain.value[0] - plain.value[1]) / 2
        assert found.value.sum() == 1000
        # so its variance is half of what it was, and intervals are shorter
        assert found.stderr[0] == pytest.approx(plain.stderr[0] / np.sqrt(2))
        assert np.all(found.high - found.low < 0.75 * (plain.high - plain.low))


@pytest.mark.parametrize("task", LINEAR + OTHERS, ids=str)
def test_known_groups_have_their_count_and_parts_never_leave_it(task: Task) -> None:
    summary = informed(drawn(task, "0.02"), known_of(None, KENT))
    asked = questions_of(
        [
            None,
            KENT,
            {"county": ["Essex", "Surrey"]},
            {"county": "Kent", "age": (0, 2)},
            {"county": "Kent", "age": (3, 7)},
            {"county": ["Kent", "Essex"]},
            {"age": 3},
            {"age": [0, 1, 2, 4, 5, 6, 7]},
        ],
        SCHEMA,
    )
    kent, every = int(COUNTS[:8].sum()), int(COUNTS.sum())
    for level in (0.8, 0.95):
        found = summary.answer(asked, level).of_counts()
        assert found.value[:3].tolist() == [every, kent, every - kent]
        for ends in (found.low, found.high):
            assert ends[:3].tolist() == [every, kent, every - kent]
        assert found.stderr[:3].tolist() == [0, 0, 0]
        assert found.known is not None
        assert found.known.tolist() == [True, True, True, *[False] * 5]
        assert found.high[3] <= kent
        assert kent <= found.low[5]
        assert found.high[5] <= every
        # what is left of a known group follows from the rest of it
        for one, other, total in ((3, 4, kent), (6, 7, every)):
            assert found.low[one] == pytest.approx(total - found.high[other])
            assert found.high[one] == pytest.approx(total - found.low[other])
            assert found.value[one] + found.value[other] == pytest.approx(total)


@pytest.mark.parametrize("task", [*LINEAR[:4], *LINEAR[5:]], ids=str)
def test_cells_add_up_to_the_known_total_of_their_group(task: Task) -> None:
    found = informed(drawn(task), known_of(None, KENT)).answer(CELLS, 0.95)
    assert found.value[:8].sum() == pytest.approx(COUNTS[:8].sum())
    assert found.value[8:].sum() == pytest.approx(COUNTS[8:].sum())


@pytest.mark.parametrize("task", OTHERS, ids=str)
def test_without_noise_known_totals_change_nothing_that_was_right(task: Task) -> None:
    plain = drawn(task, "5", ZeroNoise())
    found = informed(plain, known_of(None, KENT)).answer(CELLS, 0.95).of_counts()
    before = plain.answer(CELLS, 0.95).of_counts()
    right = np.isclose(before.value, COUNTS)
    assert np.allclose(found.value[right], COUNTS[right], atol=1e-6 + np.abs(before.value - COUNTS).sum())


def test_cells_of_a_group_that_is_known_to_be_empty_are_known() -> None:
    counts = COUNTS * (CODES[:, 0] != 0)
    summary = informed(drawn(LINEAR[0], "0.01", counts=counts), known_of(KENT, counts=counts))
    found = summary.answer(CELLS, 0.99).of_counts()
    assert found.known is not None
    assert found.known.tolist() == [True] * 8 + [False] * 16
    assert found.high[:8].tolist() == found.stderr[:8].tolist() == [0] * 8


def test_what_reaches_beyond_known_groups_is_answered_as_measured_beside_what_is_known() -> None:
    plain = drawn(LINEAR[0])
    asked = questions_of([{"county": "Essex"}, {"county": ["Kent", "Essex"]}, {"age": 3}], SCHEMA)
    found, before = informed(plain, known_of(KENT)).answer(asked, 0.9), plain.answer(asked, 0.9)
    kent = COUNTS[:8].sum()
    assert found.value.tolist() == [before.value[0], before.value[0] + kent, before.value[2]]
    assert found.high.tolist() == [before.high[0], before.high[0] + kent, before.high[2]]
    assert found.measured.tolist() == before.value.tolist()
