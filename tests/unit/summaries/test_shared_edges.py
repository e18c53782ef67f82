"""Items in contexts: numbers that add up, intervals against all users that there can be, releases that do not fit."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from discreet.queries import Questions
from discreet.schema import Ordinal, Schema
from discreet.summaries.share_intervals import BINS, Hidden
from discreet.summaries.share_steps import Corrections, Weighed
from discreet.summaries.shared_counts import SharedCounts
from discreet.summaries.shared_edges import SharedEdges, different_items
from tests.laplace_law import exceeds

ITEMS, CONTEXTS = 3, 2
SIZES = (ITEMS, CONTEXTS)
SCHEMA = Schema(item=Ordinal(0, ITEMS - 1), day=Ordinal(0, CONTEXTS - 1))
#: so little noise that it is none
SCALE = Fraction(1, 100)


def summary(
    weights: Any,
    bins: Any,
    most: int,
    bound: int,
    units: int,
    what: str = "records",
    scale: Fraction = SCALE,
    true: Any = None,
) -> SharedEdges:
    """From weights of edges, in units, of which those of items and contexts are sums; counts are twice that."""
    edges = np.asarray(weights, np.int64).reshape(SIZES)
    items, contexts = edges.sum(axis=1), edges.sum(axis=0)
    heads = np.argsort(-items, kind="stable")[:1]
    counts = items // units * 2 if true is None else np.asarray(true).reshape(SIZES).sum(axis=1)
    corrections = Corrections(
        Weighed(np.array(bins), scale),
        Weighed(np.array([int(counts.sum())]), scale, most),
        heads,
        Weighed(counts[heads], scale, most),
    )
    alone = SharedCounts(
        SCHEMA.select(["item"]), Weighed(items, scale, bound, units), corrections, most=most, what=what
    )
    parts = (Weighed(values.reshape(-1), scale, bound, units) for values in (contexts, edges))
    return SharedEdges(SCHEMA, alone, *parts)


def all_questions() -> tuple[Questions, list[set[int]]]:
    """Every set of cells, one box for each of its cells; boxes of all contexts, or of all items, are one."""
    first, last, owner = [], [], []
    sets: list[set[int]] = []
    for size in range(ITEMS * CONTEXTS + 1):
        for cells in itertools.combinations(range(ITEMS * CONTEXTS), size):
            for cell in cells:
                first.append(divmod(cell, CONTEXTS))
                last.append(divmod(cell, CONTEXTS))
                owner.append(len(sets))
            sets.append(set(cells))
    for item in range(ITEMS):
        first.append((item, 0))
        last.append((item, CONTEXTS - 1))
        owner.append(len(sets))
        sets.append({item * CONTEXTS + day for day in range(CONTEXTS)})
    for day in range(CONTEXTS):
        first.append((0, day))
        last.append((ITEMS - 1, day))
        owner.append(len(sets))
        sets.append({item * CONTEXTS + day for item in range(ITEMS)})
    return Questions(np.array(first), np.array(last), len(sets), np.array(owner)), sets


QUESTIONS, SETS = all_questions()


def test_an_item_that_several_boxes_name_counts_once() -> None:
    found = different_items(QUESTIONS)
    assert found.tolist() == [len({cell // CONTEXTS for cell in cells}) for cells in SETS]
    dice = np.random.default_rng(3)
    for _ in range(200):
        owner = np.sort(dice.integers(0, 4, 6))
        first = dice.integers(0, 20, (6, 2))
        last = first + dice.integers(0, 8, (6, 2))
        asked: list[set[int]] = [set() for _ in range(5)]
        for box in range(6):
            asked[owner[box]] |= set(range(first[box, 0], last[box, 0] + 1))
        assert different_items(Questions(first, last, 5, owner)).tolist() == [len(mine) for mine in asked]


# --- users that there can be ------------------------------------------------------------------------------------------


def histories(most: int, once: bool) -> list[tuple[int, ...]]:
    """All records, as cells, that one user can have; with `once`, each item in one context only."""
    cells = range(ITEMS * CONTEXTS)
    if not once:
        return [mine for size in range(1, most + 1) for mine in itertools.combinations_with_replacement(cells, size)]
    every = [mine for size in range(1, most + 1) for mine in itertools.combinations(cells, size)]
    return [mine for mine in every if len({cell // CONTEXTS for cell in mine}) == len(mine)]


@pytest.fixture
def exact_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histograms without noise."""

    def tails(self: Hidden, miss: float) -> Any:
        sums = np.cumsum(self.corrections.bins.values[::-1])[::-1]
        return sums, sums

    monkeypatch.setattr(Hidden, "tails", tails)


@pytest.mark.usefixtures("exact_tails")
@pytest.mark.parametrize("what", ["users", "records"])
@pytest.mark.parametrize(("bound", "units"), [(1, 4), (2, 16)])
def test_whatever_two_users_have_lies_in_the_intervals(what: str, bound: int, units: int) -> None:
    most = 3
    kinds = histories(most, what == "users")
    tightest = np.full(QUESTIONS.count, np.inf)
    # all pairs would take long: every user beside some others
    for place, mine in enumerate(kinds):
        other = kinds[(place * 7 + 3) % len(kinds)]
        true, weights, bins = np.zeros(6, np.int64), np.zeros(6, np.int64), [0, 0, 0]
        for user in (mine, other):
            share = units if len(user) <= bound else units * bound // len(user)
            bins[(len(user) - 1).bit_length()] += 1
            for cell in user:
                true[cell] += 1
                weights[cell] += share
        found = summary(weights, bins, most, bound, units, what, true=true).found(QUESTIONS, 0.95)
        truth = np.array([true[list(cells)].sum() for cells in SETS])
        assert np.all(found.low <= truth)
        assert np.all(truth <= found.high)
        tightest = np.minimum(tightest, found.high - truth)
    assert np.all(tightest <= 1)  # for some users hardly more is said than there is


def test_users_of_one_item_hide_once_whatever_contexts_are_asked_for() -> None:
    """As users are counted: an item in all but no context has no more of each user than a single edge."""
    made = summary([40, 40, 0, 0, 0, 0], [0, 0, 50], 4, 1, 64, "users")
    both = Questions(np.array([[0, 0], [0, 1]]), np.array([[0, 0], [0, 1]]), 1, np.array([0, 0]))
    assert made.found(both, 0.95).high[0] == 80 // 16
    # more weight than users could have: no more than there are
    heavy = summary([4000, 4000, 0, 0, 0, 0], [0, 0, 50], 4, 1, 64, "users")
    assert heavy.found(both, 0.95).high[0] <= 51


@pytest.mark.parametrize("what", ["users", "records"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_no_end_misses_more_than_half_of_what_both_may(what: str, level: float) -> None:
    """By the law of the noise, where nothing hides: of one edge, of ten, of one context, and of two."""
    items, days, count, of_contexts, of_edges = 20, 3, 10**6, Fraction(4), Fraction(8)
    schema, scale = Schema(item=Ordinal(0, items - 1), day=Ordinal(0, days - 1)), Fraction(1)
    corrections = Corrections(
        Weighed(np.full(2, count * items * days), scale),
        Weighed(np.array([count * items * days]), scale, 2),
        np.arange(1),
        Weighed(np.array([count * days]), scale, 2),
    )
    weights = Weighed(np.full(items, count * days), scale, 2, 1)
    alone = SharedCounts(schema.select(["item"]), weights, corrections, most=2, what=what)
    contexts = Weighed(np.full(days, count * items), of_contexts, 2, 1)
    made = SharedEdges(schema, alone, contexts, Weighed(np.full(items * days, count), of_edges, 2, 1))
    first, last = np.array([[3, 1], [0, 0], [0, 2], [0, 1]]), np.array([[3, 1], [9, 0], [items - 1, 2], [items - 1, 2]])
    found = made.found(Questions(first, last, 4, np.arange(4)), level)
    true = count * np.array([1, 10, items, 2 * items])
    below, above = (true - found.low).tolist(), (found.high - true).tolist()
    draws = [(of_edges, 1), (of_edges, 10), (of_contexts, 1), (of_contexts, 2)]
    for (of_noise, many), low, high in zip(draws, below, above, strict=True):
        assert (1 - level) / 4 < exceeds(of_noise, many, low) <= (1 - level) / 2
        assert (1 - level) / 4 < exceeds(of_noise, many, high) <= (1 - level) * (1 / 2 - BINS)


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_numbers_add_up_and_none_is_negative(seed: int) -> None:
    dice = np.random.default_rng(seed)
    weights = dice.integers(-3000, 20_000 if seed % 2 else 900, 6)
    made = summary(weights, [30, 20, 9], 4, 2, 32, scale=Fraction(200))
    found = made.answer(QUESTIONS, 0.9)
    cells = made.estimates.values.reshape(-1)
    assert np.all(cells >= 0)
    assert found.value == pytest.approx([cells[list(mine)].sum() for mine in SETS], abs=1e-6)
    assert made.estimates.values.sum(axis=1) == pytest.approx(made.alone.estimates.values)
    assert np.all(np.isfinite(found.stderr) & (found.stderr >= 0))
    assert np.all((found.low <= found.value) & (found.value <= found.high))


def test_edges_follow_the_contexts_where_nothing_shows_and_their_weights_where_much_does() -> None:
    uneven = [9000, 1000, 100, 900, 500, 500]
    noisy = summary(uneven, [3000, 20, 9], 4, 2, 1, scale=Fraction(5000)).estimates
    assert noisy.values == pytest.approx(noisy.items.values[:, None] * noisy.shares, rel=1e-3)
    clear = summary(uneven, [3000, 20, 9], 4, 2, 1, scale=Fraction(1)).estimates
    assert clear.parts[:, 0] == pytest.approx([0.9, 0.1, 0.5], abs=0.02)


def test_where_no_context_shows_all_are_alike() -> None:
    made = summary([-5, -6, 3, -9, 0, 0], [0, 0, 0], 4, 1, 1, scale=Fraction(9))
    assert np.ptp(made.estimates.shares) == 0
    assert np.all(np.isfinite(made.answer(QUESTIONS, 0.9).stderr))


def test_drawn_counts_are_about_the_numbers_and_nowhere_are_none() -> None:
    made = summary([9000, 4000, 3000, 8000, 500, 500], [3000, 20, 9], 4, 2, 1, scale=Fraction(20))
    ends = np.array([[0, 0], [1, 0], [2, 0]]), np.array([[0, 0], [1, 1], [2, 0]])
    asked = Questions(*ends, 4, np.arange(3))  # the last one holds nowhere
    drawn = made.count_draws(asked, 4000, np.random.default_rng(1))
    assert drawn.mean(axis=0)[:3] == pytest.approx(made.answer(asked, 0.9).value[:3], rel=0.1)
    assert np.all(drawn[:, 3] == 0)


# --- releases ---------------------------------------------------------------------------------------------------------


def saved(tmp_path: Path) -> tuple[SharedEdges, Path]:
    made = summary([9000, 4000, 3000, 8000, 500, 500], [3000, 20, 9], 4, 2, 32)
    pq.write_table(made.stored(), tmp_path / "t.parquet")
    return made, tmp_path / "t.parquet"


def test_all_tables_are_there_with_their_labels(tmp_path: Path) -> None:
    import duckdb

    connection: Any = duckdb.connect()
    made, file = saved(tmp_path)
    again = SharedEdges.read(SCHEMA, made.facts(), file)
    one, other = (some.answer(QUESTIONS, 0.9) for some in (made, again))
    for name in ("value", "stderr", "low", "high"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    sums = connection.sql(
        f"SELECT marginal, count(*), sum(count) FROM '{file}' GROUP BY marginal ORDER BY 1"
    ).fetchall()
    assert [row[:2] for row in sums] == [("day", 2), ("item", 3), ("item x day", 6)]
    assert sums[0][2] == pytest.approx(sums[1][2])
    assert sums[2][2] == pytest.approx(sums[1][2])
    labels = connection.sql(f"SELECT item, day FROM '{file}' WHERE marginal = 'item x day' ORDER BY 1, 2").fetchall()
    assert labels == list(itertools.product(range(ITEMS), range(CONTEXTS)))


@pytest.mark.parametrize(
    "changed",
    [
        {"what": "weights"},
        {"edges": {"scale": "1", "bound": 1, "units": 32}},
        {"edges": {"scale": "1", "bound": 2, "units": 16}},
        {"contexts": {"scale": "1", "bound": 2, "units": 64}},
        {"contexts": {"scale": "0", "bound": 2, "units": 32}},
        {"contexts": {"scale": "1", "bound": 9, "units": 32}},
        {"items": {"scale": "1", "bound": 1, "units": 32}},
    ],
)
def test_facts_that_do_not_fit_are_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    made, file = saved(tmp_path)
    with pytest.raises(ValueError, match=r"\w"):
        SharedEdges.read(SCHEMA, {**made.facts(), **changed}, file)


def test_other_tables_are_refused(tmp_path: Path) -> None:
    made, file = saved(tmp_path)
    with pytest.raises(ValueError, match="rows"):
        SharedEdges.read(Schema(item=Ordinal(0, 4), day=Ordinal(0, 1)), made.facts(), file)
    with pytest.raises(ValueError, match="no contexts"):
        SharedEdges.read(Schema(item=Ordinal(0, 10)), made.facts(), file)
    with pytest.raises(ValueError, match="more than items"):
        SharedCounts.read(SCHEMA, made.facts(), file)
    with pytest.raises(KeyError):
        SharedEdges.read(SCHEMA, made.alone.facts(), file)
