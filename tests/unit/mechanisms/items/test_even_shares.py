"""`even-shares`: what one user can change, what its choices follow from, and its releases."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.items import item_sizes
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit
from discreet.queries import Questions
from discreet.release.ranking import ranked
from discreet.schema import Ordinal, Schema
from discreet.summaries.share_steps import Again, Weighed
from discreet.tasks import Items
from tests.law.item_cases import Given, Rows, kept, made

Ints = NDArray[np.int64]


# --- what one user can change -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [1, 2, 3, 5])
@pytest.mark.parametrize("units", [1, 4, 16])
def test_no_user_adds_more_than_the_bound(bound: int, units: int) -> None:
    places = np.array([0, -1, 1])
    reached = set()
    for size in range(1, 8):
        for mine in itertools.combinations_with_replacement(range(3), size):
            alone = kept([mine], 3)
            assert alone.bins(4).sum() == 1
            assert alone.bins(4)[(size - 1).bit_length()] == 1
            assert alone.table(bound).sum() == min(size, bound)
            weight = int(alone.shares(bound, units, np.arange(3)).sum())
            head = int(alone.shares(bound, units, places).sum())
            assert 0 <= weight <= bound * units
            assert 0 <= head <= bound * units
            reached |= {weight}
    assert bound * units in reached


def test_nobody_has_more_different_items_than_there_are() -> None:
    unit = Unit("who", max_rows=10**6)
    rows = [[0, 1], [2] * 9, [0, 1, 2] * 50, *[[user % 3] for user in range(100)]]
    found = made("even-shares", (3,), 1, unit, count="users").measure(Rows((3,), rows), ZeroNoise())
    assert found.most == 3
    assert found.corrections.bins.values.tolist() == [101, 1, 1]
    assert made("even-shares", (3,), 1, unit).most == 10**6
    one = made("even-shares", (1,), 1, unit, count="users").measure(Rows((1,), [[0] * 5] * 7), ZeroNoise())
    assert one.items.values.tolist() == [7]
    assert one.corrections is None


def test_users_add_up() -> None:
    users = [[0, 0, 1], [1], [2] * 5, [0, 1, 2, 2], []]
    together = kept(users, 3)
    for bound, units in ((1, 8), (2, 16), (9, 16)):
        parts = [kept([mine], 3).shares(bound, units, np.arange(3)) for mine in users]
        assert together.shares(bound, units, np.arange(3)).tolist() == np.sum(parts, axis=0).tolist()
    assert together.bins(4).tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize("records", [1, 2, 3, 4, 5, 8, 9, 1023, 1024, 1025, 10**6])
def test_hostile_users_are_in_one_bin_and_within_the_bound(records: int) -> None:
    """All records in one item, and as many as powers of two, or one beside them."""
    bins = item_sizes.number_of_bins(10**6)
    for mine in (np.zeros(records, np.int64), np.arange(records) % 7):
        alone = kept([mine], 7)
        found = alone.bins(bins)
        assert found.sum() == 1
        place = int(np.argmax(found))
        assert 2**place >= records > (2 ** (place - 1) if place else 0)
        for bound in (1, 3, 500):
            units = item_sizes.units_for(bound, 10**6)
            weight = alone.shares(bound, units, np.arange(7)).sum()
            assert weight <= bound * units
            assert weight >= min(records, bound) * units * 15 // 16  # and rounding takes less than a 16th


# --- choices from noisy numbers ---------------------------------------------------------------------------------------


def test_bins_that_may_be_noise_are_not_believed() -> None:
    clear = item_sizes.clear_bins(np.array([100, 80, -7, 60, 3, -5, 9, 2]), 2.0)
    assert clear.tolist() == [100, 80, 0, 60, 0, 0, 0, 0]
    assert item_sizes.clear_bins(np.array([-1, 1, 0]), 2.0).sum() <= 1
    # one far bin of all the empty ones looks full
    assert item_sizes.clear_bins(np.array([500, *[0] * 18, 9]), 2.0)[-1] == 0


def test_a_full_bin_is_believed_among_empty_ones() -> None:
    """1,500 users of some hundred records, at epsilon 0.1."""
    bins = np.array([40, -90, 130, 70, -160, 20, 95, -30, 10, -60, 1500])
    found = item_sizes.clear_bins(bins, 125.0)
    assert found[10] == 1500
    assert item_sizes.bound_of_total(found, 250.0, 1000) == 1000
    bins[10] = 700  # which noise may be
    assert item_sizes.clear_bins(bins, 125.0)[10] == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_is_half_of_the_median(seed: int) -> None:
    records = np.random.default_rng(seed).zipf(1.3, 4001).clip(1, 5000)
    bins = kept([np.zeros(size, np.int64) for size in records], 1).bins(item_sizes.number_of_bins(5000))
    bound = item_sizes.weight_of_users(bins.astype(float), 5000)
    median = float(np.median(records))
    assert median / 4 <= bound <= max(median, 1)  # a bin's ends are that far apart


def test_bounds_never_exceed_what_counts() -> None:
    clear = np.array([0.0, 0, 0, 5])
    assert item_sizes.weight_of_users(clear, 7) <= 7
    assert item_sizes.bound_of_total(clear, 0.1, 7) == 7
    assert item_sizes.bound_of_total(np.zeros(4), 0.1, 7) == 1
    assert [item_sizes.bound_of_head(share, 4) for share in (0.0, 0.3, 1.0)] == [2, 3, 4]
    assert item_sizes.bound_of_head(1.0, 1) == 1


@pytest.mark.parametrize("most", [2, 3, 10, 1000, 10**6, 10**9])
def test_units_are_enough_and_not_too_many(most: int) -> None:
    for bound in {1, 2, min(most, 77), most}:
        units = item_sizes.units_for(bound, most)
        assert units & (units - 1) == 0
        assert 16 <= units <= 2**24
        assert units * bound >= 16 * most or units == 2**24
        assert units * bound <= item_sizes.most_change(most)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("most", [1, 2, 50, 10**6, 10**9])
def test_all_steps_together_cost_what_is_charged(most: int, neighbours: str) -> None:
    unit, shapes = Unit("who", max_rows=most, neighbours=neighbours), set()
    for asked in ({}, {"count": "users"}, {"top": 5}, {"top": 60}):
        for users in ([list(range(min(40, most)))] * 300, [[1]] * 300, []):
            method = made("even-shares", (60,), "0.3", unit, **asked)
            shapes.add(method.measure(Rows((60,), users), Noise()).shape)
            assert method._paid == method.cost == Fraction(3, 10)
    assert shapes == ({"shared-counts"} if most < 5 else {"shared-counts", "selected-counts"})


def test_a_release_of_items_looked_at_twice_survives_saving(tmp_path: Path) -> None:
    """Where noise hides most of 200 items, one in eight is; at a larger epsilon, and with users counted, none."""
    rows, schema = frame(), Schema(item=Ordinal(0, 199))
    release = discreet.open(rows, schema, unit=UNIT).publish(Items("item"), "0.05", noise=ZeroNoise())
    listed = release.manifest["summary"]["listed"]
    assert len(listed["items"]) == len(listed["counts"]) == 25
    assert set(release.manifest["summary"]["head"]["items"]) <= set(listed["items"])
    again = discreet.load(release.save(tmp_path / "r"))
    assert again.top(5).to_dicts() == release.top(5).to_dicts()
    for where in (None, {"item": 3}, {"item": (4, 120)}):
        assert again.count(where) == release.count(where)
    for count, epsilon in (("records", 20), ("users", "0.05")):
        other = discreet.open(rows, schema, unit=UNIT).publish(Items("item", count=count), epsilon, noise=ZeroNoise())
        assert "listed" not in other.manifest["summary"]


@pytest.mark.parametrize(("name", "wrong"), [("items", [0, 0]), ("items", [0, 4]), ("items", [0]), ("counts", [1])])
def test_a_list_that_does_not_fit_is_refused(name: str, wrong: list[int]) -> None:
    facts = Again(np.array([0, 3]), Weighed(np.array([5, 7]), Fraction(2))).facts()
    assert Again.read(facts, "list", 4, 9).codes.tolist() == [0, 3]
    with pytest.raises(ValueError, match="the list"):
        Again.read({**facts, name: wrong}, "list", 4, 9)


# --- numbers, rankings, releases --------------------------------------------------------------------------------------


def frame(users: int = 400) -> pd.DataFrame:
    dice = np.random.default_rng(5)
    rows = [(user, int(item)) for user in range(users) for item in dice.zipf(1.6, 1 + user % 20) % 50]
    return pd.DataFrame(rows, columns=["who", "item"])


SCHEMA = Schema(item=Ordinal(0, 49))
UNIT = Unit("who", max_rows=20)


@pytest.mark.parametrize("count", ["records", "users"])
def test_without_noise_numbers_are_near_the_truth(count: str) -> None:
    rows = frame()
    release = discreet.open(rows, SCHEMA, unit=UNIT).publish(Items("item", count=count), 5, noise=ZeroNoise())
    assert release.manifest["method"] == "even-shares"
    pairs = rows if count == "records" else rows.drop_duplicates()
    for item in (0, 1, 2, 3, 40):
        found = release.count({"item": item})
        true = int((pairs.item == item).sum())
        assert found.low <= true <= found.high
        assert abs(found.value - true) < 0.25 * true + 5
        assert found.besides is not None
        assert "shared out evenly" in found.besides.name
        assert found.besides.low <= found.besides.value <= found.besides.high
    assert release.count().value == pytest.approx(len(pairs), rel=0.1)


@pytest.mark.parametrize("count", ["records", "users"])
def test_a_release_of_users_survives_saving(count: str, tmp_path: Path) -> None:
    release = discreet.open(frame(), SCHEMA, unit=UNIT).publish(Items("item", count=count), 1)
    again = discreet.load(release.save(tmp_path / "r"))
    for where in (None, {"item": 3}, {"item": (4, 20)}, "item = 1 or item = 7"):
        assert again.count(where) == release.count(where)
    assert again.top(5).to_dicts() == release.top(5).to_dicts()
    assert again.to_arrow().column_names == ["item", "count", "shared_count"]
    said = again.manifest["summary"]["share of records beyond the bound"]
    assert 0 <= said["low"] <= said["high"] <= 1
    noted = {choice["name"]: choice for choice in again.manifest["parameters"]}
    assert "median" in noted["bound"]["value"]
    assert "noisy" in noted["bound"]["origin"]


@pytest.mark.usefixtures("seeded")
def test_the_top_is_certain_where_counts_are_clear_and_only_there() -> None:
    counts = [2000] * 3 + [10] * 47
    rows = pd.DataFrame({"who": np.arange(sum(counts)), "item": np.repeat(np.arange(50), counts)})
    rows = pd.concat([rows, rows.assign(item=(rows.item * 7) % 50)])
    clear = discreet.open(rows, SCHEMA, unit=UNIT).publish(Items("item", count="users"), 5).top(5)
    assert min(clear["certainty"]) > 0.9
    assert not any("cannot tell" in note for note in clear.notes)
    alike = pd.DataFrame({"who": np.repeat(np.arange(500), 2), "item": np.arange(1000) % 50})
    unclear = discreet.open(alike, SCHEMA, unit=UNIT).publish(Items("item"), "0.1").top(5)
    assert min(unclear["certainty"]) < 0.5
    assert "below 0.5, it cannot tell" in unclear.notes[-1]


@pytest.mark.parametrize("seed", range(2))
def test_what_only_users_of_many_items_have_is_not_forgotten(seed: int) -> None:
    """4,000 users of three items each, and 200 of 150 others: most of the top hundred hardly show in the weights."""
    dice, popular = np.random.default_rng(seed), 1 / (np.arange(200) + 4.0)
    few = [dice.choice(200, 3, p=popular / popular.sum(), replace=False) for _ in range(4000)]
    given = Given([*few, *(200 + dice.choice(200, 150, replace=False) for _ in range(200))], 400)
    method = made("even-shares", (400,), 1, Unit("who", max_rows=200), count="users")
    summary = method.measure(given, Noise(SeededSource(seed)))
    each, true = np.arange(400)[:, None], given.true
    best, certainty = ranked(summary, Questions(each, each, 400, np.arange(400)), summary.estimates.values, 100)
    belong = true[best] >= np.sort(true)[-100]
    assert belong.mean() < 0.3
    assert np.count_nonzero(certainty > 0.9) >= 3
    assert belong[certainty > 0.9].mean() > 0.88


def test_one_record_of_a_user_needs_no_other_steps() -> None:
    for unit in (Unit(), Unit("who", max_rows=1)):
        method = made("even-shares", (50,), 1, unit)
        summary = method.measure(Rows((50,), [[item] for item in range(50)]), Noise())
        assert summary.corrections is None
        assert summary.items.scale == 1
        assert not method.needs_rows
    assert made("even-shares", (50,), 1, Unit("who", max_rows=2)).needs_rows


def test_pairs_are_refused_by_name_and_left_to_another_method_by_auto() -> None:
    schema = Schema(item=Ordinal(0, 3), day=Ordinal(0, 2))
    asked = Items("item", context="item", method="even-shares")
    with pytest.raises(BadParameter, match=r"use .*sra"):
        mechanism_for(asked, Request.of(asked, schema, UNIT, 1))
    for context, method in (("item", "sra"), ("day", "even-shares")):
        auto = Items("item", context=context)
        assert mechanism_for(auto, Request.of(auto, schema, UNIT, 1)).method == method


def test_scales_are_those_of_the_shares() -> None:
    parts = {"histogram": "0.2", "items": "0.5", "total": "0.2", "head": "0.1"}
    method = made("even-shares", (5,), 2, Unit("who", max_rows=4), shares=parts)
    summary = method.measure(Rows((5,), [[0, 1, 2], [1]]), Noise())
    assert summary.corrections.bins.scale == Fraction(5, 2)
    assert summary.items.scale == summary.items.bound * summary.items.units
    assert summary.corrections.total.scale == Fraction(5, 2) * summary.corrections.total.bound


def test_too_small_an_epsilon_for_so_many_records_is_refused_before_the_charge() -> None:
    source = discreet.open(frame(3), SCHEMA, unit=Unit("who", max_rows=10**9))
    with pytest.raises(BadParameter, match="raise epsilon or lower max_rows"):
        source.publish(Items("item"), "1e-5")
    assert source.ledger.spent == 0


# --- the largest few, selected ----------------------------------------------------------------------------------------


def many_items() -> pd.DataFrame:
    """Users of 30 items each, of which five are common to all."""
    rows = [(user, item) for user in range(500) for item in [*range(5), *((user * 7 + i) % 45 + 5 for i in range(25))]]
    return pd.DataFrame(rows, columns=["who", "item"])


WIDE = Unit("who", max_rows=50)


def test_the_largest_are_selected_and_counted(tmp_path: Path) -> None:
    release = discreet.open(many_items(), SCHEMA, unit=WIDE).publish(Items("item", top=5), 5)
    assert release.manifest["summary"]["shape"] == "selected-counts"
    again = discreet.load(release.save(tmp_path / "r"))
    assert sorted(again.to_arrow()["item"].to_pylist()) == [0, 1, 2, 3, 4]
    for item in range(5):
        found = again.count({"item": item}, level=1 - 1e-10)
        assert found.low <= 500 <= found.high < 1000
        assert found == release.count({"item": item}, level=1 - 1e-10)
    other = again.count({"item": 30}, level=1 - 1e-10)
    assert other.low == 0
    assert other.value == 0
    assert 278 <= other.high < 1000  # the others have 277 or 278 users each
    assert other.ends == "bounds"
    assert np.isnan(other.stderr)
    several = again.count("item >= 4 and item <= 7", level=1 - 1e-10)
    assert several.low <= 500 + 3 * 278 <= several.high
    assert again.count().low > 1000
    assert len(again.top()) == 5


def test_an_answer_says_whether_it_is_about_selected_items() -> None:
    release = discreet.open(many_items(), SCHEMA, unit=WIDE).publish(Items("item", top=5), 5, noise=ZeroNoise())
    assert "lost" not in release.count({"item": 2}).note
    for where in ({"item": 30}, "item >= 4"):
        note = release.count(where).note
        assert "that they lost" in note
        assert "estimate from tables" not in note
    assert "that they lost" in release.table("item").notes[0]
    assert "lost" in release.quantile("item", 0.5).note
    with pytest.raises(CannotAnswer, match="not all that is asked was selected; leave out"):
        release.count(measured=True)
    top = release.top(10)
    assert sorted(top["item"]) == [0, 1, 2, 3, 4]
    assert np.isnan(top["certainty"]).all()
    assert "only 5" in top.notes[-1]
    nothing = release.top(2, "item = 30")
    assert len(nothing) == 0
    assert nothing.notes == ["none of the items asked for was selected"]
    few = release.top(2, "item <= 4")
    assert np.isnan(few["certainty"]).all()
    assert ["cannot be told" in note for note in few.notes] == [True]


def test_ranking_looks_twice_at_some_items_where_noise_hides_them() -> None:
    """Three for each that is wanted, or one in eight if that is more; not if these are more than a third of all."""
    few = pd.DataFrame({"who": np.arange(3000) // 3, "item": np.arange(3000) % 200})
    source = discreet.open(few, Schema(item=Ordinal(0, 199)), unit=WIDE, budget=100)
    listed = {}
    for top, epsilon in ((5, "0.3"), (20, "0.3"), (30, "0.3"), (20, 20)):
        said = source.publish(Items("item", top=top), epsilon, noise=ZeroNoise()).manifest["summary"]
        assert said["shape"] == "shared-counts"
        listed[top, epsilon] = len(said.get("listed", {"items": []})["items"])
    assert list(listed.values()) == [25, 60, 0, 0]


def test_a_list_makes_selecting_worth_it_for_fewer_only() -> None:
    """Of users with 30 items each: 20 are selected if all others would be ranked once, but not beside a list."""
    clear = np.array([0, 0, 0, 0, 0, 100.0])
    assert item_sizes.selecting_is_better(clear, 20, listed=False)
    assert not item_sizes.selecting_is_better(clear, 20, listed=True)
    assert item_sizes.selecting_is_better(clear, 9, listed=True)


def test_users_of_few_items_are_ranked_by_counts() -> None:
    few = pd.DataFrame({"who": np.arange(3000) // 2, "item": np.arange(3000) % 50})
    release = discreet.open(few, SCHEMA, unit=WIDE).publish(Items("item", top=10), 5)
    assert release.manifest["summary"]["shape"] == "shared-counts"
    narrow = discreet.open(few, SCHEMA, unit=Unit("who", max_rows=2)).publish(Items("item", top=10), 5)
    assert narrow.manifest["summary"]["shape"] == "shared-counts"
    assert len(narrow.top(10)) == 10
    assert "all items were counted" in narrow.top().notes[-1]
    assert "kept" in narrow.top().notes[0]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_selecting_costs_what_is_charged(neighbours: str) -> None:
    unit = Unit("who", max_rows=50, neighbours=neighbours)
    method = made("even-shares", (60,), 2, unit, top=5)
    scales: list[Fraction] = []

    class Noted(ZeroNoise):
        def select(self, counts: Ints, most: int, scale: Any) -> Ints:
            scales.append(scale)
            return super().select(counts, most, scale)

    found = method.measure(Rows((60,), [list(range(40))] * 300), Noted())
    twice = 1 if neighbours == "add-remove" else 2
    assert scales == [Fraction(5 * twice) / (2 * Fraction(70, 100))]
    assert found.scale == Fraction(5 * twice) / (2 * Fraction(25, 100))
    assert found.codes.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"top": 51}, "from 1 to 50"),
        ({"top": 0}, "top"),
        ({"top": 3, "count": "records"}, "leave out count"),
        ({"top": 3, "shares": {"items": 1}}, "leave out shares"),
    ],
)
def test_what_cannot_be_selected_is_refused(asked: dict[str, Any], says: str) -> None:
    source = discreet.open(frame(3), SCHEMA, unit=UNIT)
    with pytest.raises(BadParameter, match=says):
        source.publish(Items("item", **asked), 1)
    assert source.ledger.spent == 0
