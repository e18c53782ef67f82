"""Answers about items: stated errors against the exact noise of what is added up, and how often intervals cover."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter
from discreet.kernels.grouping import FOURTHS, INSIDE, INSIDE_SUM, SQUARES, TOUCHED, TOUCHED_SUM, group_parts
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import Unit
from discreet.queries import Questions, bind
from discreet.schema import Ordinal, Schema
from discreet.summaries.base import Answers
from discreet.summaries.item_tables import ItemTables
from discreet.summaries.left_records import LeftRecords
from discreet.summaries.marginal_tables import Part
from discreet.summaries.smoothed_items import FourierCounts, Frequencies, GroupedCounts, Groups
from tests.law.item_cases import METHODS, Rows, made
from tests.statistics import compare

Floats = NDArray[np.float64]

dice = np.random.default_rng(4242)
SCHEMA = Schema(item=Ordinal(0, 4), day=Ordinal(0, 2))
PAIRS = Schema(item=Ordinal(0, 4), also_item=Ordinal(0, 4))
SCALES = (Fraction(7, 2), Fraction(5))
ABOUT_ITEMS: list[Any] = ["item = 2", "item between 1 and 3", "item in (0, 4)", None]
ABOUT_EDGES = [
    "item = 2 and day = 1",
    "day = 0",
    "item between 1 and 3 and day in (0, 2)",
    "(item = 0 and day = 1) or (item in (2, 3) and day = 2)",
]
ABOUT_PAIRS = [
    "item = 1 and also_item = 2",
    "item = 1 and also_item in (0, 2, 4)",
    "item in (0, 1) and also_item in (2, 3)",
    "item in (0, 1) and also_item in (1, 3)",
    "item between 0 and 2 and also_item between 1 and 3",
    "also_item = 4",
]


@pytest.fixture(autouse=True)
def same_dice() -> None:
    """Inputs are made up alike in every run, whichever tests ran before; noise is not."""
    dice.bit_generator.state = np.random.PCG64(4242).state


def asked(where: Any, schema: Schema) -> Questions:
    boxes = bind(where, schema).boxes(schema.sizes)
    return Questions(boxes.first, boxes.last, 1, np.zeros(len(boxes.first), np.int64))


def of(summary: Any, where: Any, level: float = 0.95) -> Answers:
    answers: Answers = summary.answer(asked(where, summary.schema), level)
    return answers


def check_variance(summary_of: Callable[[Floats], Any], variances: Floats, where: Any) -> None:
    """An answer adds up draws, each with a weight; so its variance is known exactly."""
    values = [of(summary_of(unit), where).value[0] for unit in np.eye(variances.size)]
    weights = np.array(values) - of(summary_of(np.zeros(variances.size)), where).value[0]
    stated = of(summary_of(np.zeros(variances.size)), where).stderr[0] ** 2
    assert stated == pytest.approx(float(weights**2 @ variances), rel=1e-6, abs=1e-9)


def spread(scale: Fraction, count: int) -> Floats:
    return np.full(count, DiscreteLaplace.of(scale).variance)


# --- items and contexts -----------------------------------------------------------------------------------------------


def with_contexts(draws: Floats) -> ItemTables:
    parts = [Part(draws[:5], (1.0,), SCALES[:1]), Part(draws[5:], (1.0,), SCALES[1:])]
    return ItemTables(SCHEMA, [["item"], ["item", "day"]], parts, left=LeftRecords(3, 3))


@pytest.mark.parametrize("where", ABOUT_ITEMS + ABOUT_EDGES)
def test_consistent_answers_state_their_variance(where: Any) -> None:
    """And it is no more than that of the table with the item's own counts, or that with the edges'."""
    variances = np.concatenate([spread(SCALES[0], 5), spread(SCALES[1], 15)])
    check_variance(with_contexts, variances, where)
    questions = asked(where, SCHEMA)
    lengths = questions.last - questions.first + 1
    found = of(with_contexts(np.zeros(20)), where).stderr[0] ** 2
    assert found <= lengths.prod(axis=1).sum() * variances[-1] * (1 + 1e-9)
    if where in ABOUT_ITEMS:
        assert found <= lengths[:, 0].sum() * variances[0] * (1 + 1e-9)


def test_consistent_counts_agree_and_are_least_squares() -> None:
    draws = dice.normal(0, 30, 20)
    summary = with_contexts(draws)
    maps = np.concatenate([np.kron(np.eye(5), np.ones(3)), np.eye(15)])  # edges to items and edges
    weights = np.repeat([1 / DiscreteLaplace.of(scale).variance for scale in SCALES], [5, 15])
    best = np.linalg.solve(maps.T @ (weights[:, None] * maps), maps.T @ (weights * draws)).reshape(5, 3)
    for item in range(5):
        parts = [of(summary, {"item": item, "day": day}).value[0] for day in range(3)]
        assert parts == pytest.approx(best[item])
        assert of(summary, {"item": item}).value[0] == pytest.approx(sum(parts))


def test_one_table_of_items() -> None:
    schema = Schema(item=Ordinal(0, 4))

    def alone(draws: Floats) -> ItemTables:
        return ItemTables(schema, [["item"]], [Part(draws, (1.0,), SCALES[:1])], left=LeftRecords(1, 1))

    for where in ABOUT_ITEMS:
        check_variance(alone, spread(SCALES[0], 5), where)


# --- pairs ------------------------------------------------------------------------------------------------------------


def both_orders(draws: Floats) -> ItemTables:
    """One draw for each pair; the two orders of a pair are the same count."""
    square = np.zeros((5, 5))
    square[np.triu_indices(5, 1)] = draws[5:]
    parts = [Part(draws[:5], (1.0,), SCALES[:1]), Part((square + square.T).reshape(-1), (1.0,), SCALES[1:])]
    return ItemTables(PAIRS, [["item"], ["item", "also_item"]], parts, left=LeftRecords(3, 3), pairs="both")


@pytest.mark.parametrize("where", [*ABOUT_PAIRS, *ABOUT_ITEMS])
def test_pairs_state_their_variance(where: Any) -> None:
    check_variance(both_orders, np.concatenate([spread(SCALES[0], 5), spread(SCALES[1], 10)]), where)


@pytest.mark.parametrize(
    "where",
    [
        "(item = 0 and also_item = 1) or (item = 1 and also_item = 0)",
        "item in (0, 2) and also_item in (0, 2)",
        "item in (0, 1, 4) and also_item in (1, 4)",
    ],
)
def test_pairs_in_several_boxes_state_their_variance(where: str) -> None:
    check_variance(both_orders, np.concatenate([spread(SCALES[0], 5), spread(SCALES[1], 10)]), where)


def test_pairs_are_symmetric() -> None:
    unit = Unit("who", max_rows=3)
    summary = made("lpa", (5,), 1, unit, pairs=True, count="users").measure(Rows((5,), [[0, 1, 2], [1, 3]]), Noise())
    for i, j in itertools.product(range(5), repeat=2):
        one, other = (of(summary, {"item": a, "also_item": b}) for a, b in ((i, j), (j, i)))
        assert (one.value[0], one.stderr[0], one.low[0]) == (other.value[0], other.stderr[0], other.low[0])
        assert i != j or (one.value[0] == one.stderr[0] == 0)


class Nudged(ZeroNoise):
    """No noise but a one in a single count of the second table that noise is added to."""

    def __init__(self, place: int | None) -> None:
        super().__init__()
        self.place, self.tables = place, 0

    def add(self, counts: NDArray[Any], scale: Any) -> NDArray[np.int64]:
        noisy, self.tables = super().add(counts, scale), self.tables + 1
        if self.tables == 2 and self.place is not None:
            noisy.reshape(-1)[self.place] += 1
        return noisy


@pytest.mark.parametrize(
    "where",
    [
        "item = 1 and also_item = 2",
        "item in (0, 1) and also_item in (2, 3)",
        "(item = 0 and also_item = 1) or (item = 1 and also_item = 0)",
        "item in (0, 1) and also_item in (0, 1)",
        "also_item = 4",
    ],
)
def test_directed_pairs_state_their_variance(where: str) -> None:
    """By what the method does with each draw."""
    mechanism, rows = made("lpa", (5,), 4, Unit("who", max_rows=2), pairs=True), Rows((5,), [[0, 1]])
    plain = of(mechanism.measure(rows, Nudged(None)), where)
    moved = np.array([of(mechanism.measure(rows, Nudged(place)), where).value[0] for place in range(25)])
    variance = DiscreteLaplace.of(mechanism.epsilon_of("edges") ** -1 * 2).variance
    assert plain.stderr[0] ** 2 == pytest.approx(float(((moved - plain.value[0]) ** 2).sum()) * variance)


# --- groups and frequencies -------------------------------------------------------------------------------------------


def grouped(draws: Floats) -> GroupedCounts:
    views = [
        Groups(np.array([1, 0, 1, 1, 0], np.int32), draws[:2], SCALES[0]),  # type: ignore[arg-type]
        Groups(np.arange(15, dtype=np.int32) * 7 % 15 % 4, draws[2:], SCALES[1]),  # type: ignore[arg-type]
    ]
    return GroupedCounts(SCHEMA, [["item"], ["item", "day"]], views, left=LeftRecords(2, 2))


@pytest.mark.parametrize("where", ABOUT_ITEMS + ABOUT_EDGES)
def test_group_means_state_their_variance(where: Any) -> None:
    check_variance(grouped, np.concatenate([spread(SCALES[0], 2), spread(SCALES[1], 4)]), where)


def test_parts_of_groups() -> None:
    """Of groups in boxes of three dimensions, against plain loops."""
    for _ in range(20):
        sizes = dice.integers(1, 5, 3)
        groups = dice.integers(0, 4, sizes.prod()).astype(np.int32)
        members = np.maximum(np.bincount(groups, minlength=4), 1)
        low, high = np.sort(dice.integers(0, sizes, (2, 7, 3)), axis=0)
        owner = np.arange(7)
        sums, scratch, found = np.array([5, -3, 70, 11]), np.zeros(4, np.int64), np.zeros((7, 6))
        group_parts(low, high, owner, sizes, groups, members, sums, scratch, found)
        assert not scratch.any()
        for box in range(7):
            inside = groups.reshape(sizes)[tuple(slice(a, b + 1) for a, b in zip(low[box], high[box], strict=True))]
            shares = np.bincount(inside.reshape(-1), minlength=4) / members
            assert found[box, SQUARES] == pytest.approx((shares**2).sum())
            assert found[box, FOURTHS] == pytest.approx((shares**4).sum())
            for number, total, some in ((TOUCHED, TOUCHED_SUM, shares > 0), (INSIDE, INSIDE_SUM, shares == 1)):
                assert (found[box, number], found[box, total]) == (some.sum(), sums[some].sum())


@pytest.mark.parametrize("kept", [1, 3, 5])
@pytest.mark.parametrize("where", ABOUT_ITEMS + ABOUT_EDGES)
def test_frequencies_state_their_variance(where: Any, kept: int) -> None:
    lattice = 16

    def restored(draws: Floats) -> FourierCounts:
        first, second = (np.rint(part).astype(np.int64) for part in np.split(draws, [kept]))
        views = [Frequencies(first, SCALES[0], lattice, 5, 5), Frequencies(second, SCALES[1], lattice, 15, 15)]
        return FourierCounts(SCHEMA, [["item"], ["item", "day"]], views, left=LeftRecords(2, 2))

    check_variance(restored, np.concatenate([spread(SCALES[0], kept), spread(SCALES[1], kept)]), where)


# --- coverage ---------------------------------------------------------------------------------------------------------

USERS = [[0, 3], [1, 2], [0, 14], [7], [4, 4], [9, 3]]
EXACT = np.bincount([word for mine in USERS for word in mine], minlength=15).reshape(5, 3)


@pytest.mark.parametrize("method", ["lpa", "sra", "hpa", "gs-r", "fpa"])
def test_intervals_cover_as_often_as_they_say(method: str) -> None:
    """Where all records count, and nothing is smoothed: about 95 of 100 times."""
    more = {"gs-r": {"group": 1}, "fpa": {"coefficients": 3}}.get(method, {})
    sizes = (5,) if method == "fpa" else (5, 3)
    rows = Rows(sizes, [[word // 3 for word in mine] for mine in USERS] if method == "fpa" else USERS)
    noise, mechanism = Noise(), made(method, sizes, "1/5", Unit("who", max_rows=2), **more)
    wanted = [({"item": 0}, EXACT[0].sum()), ({"item": (1, 3)}, EXACT[1:4].sum())]
    if method != "fpa":
        wanted += [({"item": 1, "c1": 0}, EXACT[1, 0]), ({"c1": 2}, EXACT[:, 2].sum())]
    hits, draws = np.zeros(len(wanted), np.int64), 300
    for _ in range(draws):
        summary = mechanism.measure(rows, noise)
        for number, (where, truth) in enumerate(wanted):
            answers = of(summary, where)
            hits[number] += answers.low[0] <= truth <= answers.high[0]
    low, high = (
        compare(hits, draws, np.full(hits.size, 0.935)),
        compare(hits, draws, np.full(hits.size, 0.97)),
    )
    assert low.holds or hits.min() > 0.95 * draws
    assert high.holds or hits.min() < 0.95 * draws


def test_counts_are_rescaled_to_a_total() -> None:
    """With three of four records gone, each count is multiplied by about four, and says how unsure that is."""
    users = [[item, item, (item + 1) % 5, item] for item in [0, 0, 0, 1, 1, 2, 3, 4] * 60]
    truth = np.bincount(np.concatenate(users), minlength=5)
    noise = Noise(SeededSource(2))
    mechanism = made("sra", (5,), 4, Unit("who", max_rows=4), bound=1, rescale=True)
    plain = made("sra", (5,), 4, Unit("who", max_rows=4), bound=1)
    inside = 0
    for _ in range(40):
        summary = mechanism.measure(Rows((5,), users), noise)
        total = of(summary, None)
        inside += total.low[0] <= truth.sum() <= total.high[0]
        assert of(summary, {"item": 0}).value[0] == pytest.approx(truth[0], rel=0.2)
        assert of(summary, {"item": 0}).stderr[0] > of(plain.measure(Rows((5,), users), noise), {"item": 0}).stderr[0]
    assert inside >= 30
    exact = mechanism.measure(Rows((5,), users), ZeroNoise())
    assert of(exact, None).value[0] == pytest.approx(truth.sum())


# --- faults that are known --------------------------------------------------------------------------------------------


def test_ready_counts_bound_cells_not_items() -> None:
    """One row of a user in a cell of items and days is not one record of an item: such counts do not tell users."""
    schema = Schema(item=Ordinal(0, 3), day=Ordinal(0, 3))
    unit = Unit("who", max_rows=4, max_rows_per_cell=1)
    ready = discreet.from_counts(schema, np.argwhere(np.ones((4, 4))), np.repeat([1, 0], [4, 12]), unit=unit)
    for method in METHODS:
        with pytest.raises(BadParameter, match="rows"):
            ready.publish(discreet.Items("item", method=method), 1, noise=ZeroNoise())
    assert ready.ledger.spent == 0


@pytest.mark.parametrize(
    ("epsilon", "most", "parameters"),
    [
        ("1e-6", 10**5, {"method": "lpa", "context": "item", "bound": 10**5}),
        ("1e-9", 10**4, {"method": "fpa"}),
        ("1e-11", 10**4, {"method": "gs"}),
    ],
)
def test_too_small_an_epsilon_is_refused_before_the_charge(epsilon: str, most: int, parameters: Any) -> None:
    frame = pd.DataFrame({"who": [1, 2], "item": [0, 1]})
    source = discreet.open(frame, Schema(item=Ordinal(0, 3)), unit=Unit("who", max_rows=most))
    with pytest.raises(BadParameter, match="raise epsilon"):
        source.publish(discreet.Items("item", **parameters), epsilon)
    assert source.ledger.spent == 0
