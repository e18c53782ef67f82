"""`adaptive` as a user meets it: huge domains, special values, parameters, and a release that opens without us."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges import range_blocks
from discreet.mechanisms.ranges.adaptive import Adaptive
from discreet.mechanisms.ranges.range_block_needs import blocks_needed
from discreet.mechanisms.ranges.weighted import Weighted
from discreet.noise import ZeroNoise
from discreet.queries import Questions
from discreet.release import Release
from discreet.schema import Schema
from discreet.summaries.adaptive_blocks import AdaptiveBlocks
from discreet.transforms.block_tree import TreePlan
from discreet.transforms.partitions import EvenParts

#: so that no test fails by chance
SURE = 1 - 1e-12
PLACES = discreet.Nominal(
    hierarchy={"north": ["a", "b"], "south": ["c", {"coast": ["d", "e", "f"]}]}, levels=["region", "area", "place"]
)
SCHEMA = Schema(age=discreet.Ordinal(0, 99), place=PLACES)


def published(
    schema: Schema, codes: Any, counts: Any, task: type[discreet.Ranges | discreet.Table] = discreet.Ranges, **more: Any
) -> Release:
    epsilon, noise = more.pop("epsilon", 1), more.pop("noise", None)
    data = discreet.from_counts(schema, codes, counts)
    return data.publish(task(list(schema), method="adaptive", **more), epsilon, noise=noise)


def blocks(release: Release) -> Any:
    """Rows of the tree of all attributes."""
    table = release.to_pandas()
    return table[table["tree"] == " x ".join(release.schema)]


def some(seed: int = 1, rows: int = 5000) -> tuple[Any, Any]:
    dice = np.random.default_rng(seed)
    return np.stack([dice.integers(20, 60, rows), dice.integers(0, 6, rows)], axis=1), np.ones(rows, np.int64)


def test_a_domain_of_10_to_the_30() -> None:
    schema = Schema({f"x{i}": discreet.Ordinal(0, 10**6 - 1) for i in range(5)})
    codes = np.random.default_rng(2).normal(500_000, 900, (20_000, 5)).astype(np.int64)
    release = published(schema, codes, np.ones(20_000, np.int64))
    assert schema.cells == 10**30
    assert len(release.to_arrow()) < 200_000
    inside = release.count({"x0": (499_000, 501_000)}, level=SURE)
    true = np.count_nonzero((codes[:, 0] >= 499_000) & (codes[:, 0] <= 501_000))
    assert abs(inside.value - true) < 3000
    assert inside.low <= true <= inside.high
    assert release.count().value == pytest.approx(20_000, abs=1000)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_tiny_domains(size: int) -> None:
    release = published(Schema(x=discreet.Ordinal(0, size - 1)), [[0]], [1000])
    assert release.count().value == pytest.approx(1000, abs=60)
    first = release.count({"x": 0}, level=SURE)
    assert first.low <= 1000 <= first.high


def test_several_attributes_of_one_value() -> None:
    schema = Schema(x=discreet.Nominal(["only"]), y=discreet.Ordinal(3, 3))
    assert published(schema, [[0, 0]], [1000]).count({"x": "only"}).value == pytest.approx(1000, abs=60)


def test_special_values_are_blocks_of_their_own() -> None:
    """At the top of the tree, on lines too; and their count is known well, for their look has all shares left."""
    dice = np.random.default_rng(3)
    codes = np.stack([dice.integers(0, 3, 60_000) * 40, np.zeros(60_000, np.int64)], axis=1)
    schema = Schema(
        x=discreet.Ordinal(0, 99, special=[0, 80]), y=discreet.Nominal(["none", *"abcdefg"], special=["none"])
    )
    release = published(schema, codes, np.ones(60_000, np.int64), epsilon="0.1")
    rows = blocks(release)[["x_first", "x_last", "y_first", "y_last"]].itertuples(index=False, name=None)
    first = [next(rows) for _ in range(9)][1:]
    assert set(first) == {
        (*x, *y) for x in ((0, 0), (1, 79), (80, 80), (81, 99)) for y in (("none", "none"), ("a", "g"))
    }
    zero = release.count({"x": 0, "y": "none"}, level=SURE)
    assert zero.low <= np.count_nonzero(codes[:, 0] == 0) <= zero.high
    assert zero.stderr < 40


@pytest.mark.parametrize("levels", [None, [{"y": 4}, {"x": 8, "y": 1}, {"x": 1}]])
def test_special_values_of_an_attribute_that_is_divided_later_are_read_again(levels: Any, tmp_path: Path) -> None:
    """A level that leaves such an attribute whole does not cut off its special values either."""
    schema = Schema(
        x=discreet.Ordinal(0, 99, special=[0, 37]),
        y=discreet.Ordinal(0, 15),
        z=discreet.Nominal([f"z{i}" for i in range(40)], special=["z3"]),
    )
    dice = np.random.default_rng(4)
    codes = np.stack([dice.integers(0, size, 50_000) for size in schema.sizes], axis=1)
    release = published(schema, codes, np.full(50_000, 20), **({} if levels is None else {"levels": levels}))
    again = discreet.load(release.save(tmp_path / "release"))
    for where in (None, "x = 37", "x between 1 and 36 and y > 3", "z = 'z3' and x = 0"):
        assert again.count(where) == release.count(where)


def test_without_noise_everything_large_is_exact() -> None:
    codes, counts = some()
    release = published(SCHEMA, codes, counts * 1000, noise=ZeroNoise())
    for where, marks in {
        "place = 'north'": codes[:, 1] < 2,
        "place = 'coast' and age >= 40": (codes[:, 1] > 2) & (codes[:, 0] >= 40),
        "age = 33": codes[:, 0] == 33,
    }.items():
        assert release.count(where).value == pytest.approx(1000 * np.count_nonzero(marks), abs=1)
    whole = release.table(["place.area"], whole=True)
    assert sum(whole["count"]) == 5_000_000


def test_time_follows_the_blocks_and_an_empty_table_has_few() -> None:
    wide = Schema(x=discreet.Ordinal(0, 2**60 - 1), y=discreet.Ordinal(0, 2**40 - 1))
    assert len(published(wide, np.empty((0, 2), np.int64), np.empty(0, np.int64)).to_arrow()) < 2000


def test_too_many_blocks_raise_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the largest are divided, by noisy counts; the release says from which count on, and is read again."""
    monkeypatch.setattr(range_blocks, "MOST_CHILDREN", 64)
    codes, counts = some()
    release = published(SCHEMA, codes, counts * 100)
    assert isinstance(release.summary, AdaptiveBlocks)
    assert max(release.summary.trees[0].floors) > 0
    assert release.count().value == pytest.approx(500_000, rel=0.01)


def test_a_release_opens_in_duckdb_and_is_read_again(tmp_path: Path) -> None:
    codes, counts = some()
    release = published(SCHEMA, codes, counts * 10, task=discreet.Table)
    folder = release.save(tmp_path / "release")
    assert {one.name for one in folder.glob("*.parquet")} == {"table.parquet", "cells.parquet"}
    rows = duckdb.read_parquet(str(folder / "table.parquet")).filter("tree = 'age x place' AND NOT divided")
    found = rows.filter("age_first >= 20 AND age_last <= 59").aggregate("sum(count)").fetchall()
    assert found[0][0] == pytest.approx(50_000, rel=0.05)
    again = discreet.load(folder)
    for where in (None, "age between 30 and 39", "place = 'south' and age < 30"):
        assert again.count(where) == release.count(where)
    assert {"tree", "age_first", "age_last", "place_first", "place_last", "divided", "look", "count", "low"} <= set(
        rows.columns
    )


def test_intervals_of_the_table_hold_the_count_beside_them(tmp_path: Path) -> None:
    """Though counts are of one tree, and intervals of all."""
    schema = Schema({f"x{i}": discreet.Ordinal(0, 63) for i in range(3)})
    codes = np.random.default_rng(4).integers(0, 64, (20_000, 3))
    release = published(schema, codes, np.ones(len(codes), np.int64), epsilon="0.5")
    table = release.to_pandas()
    assert ((table["low"] <= table["count"]) & (table["count"] <= table["high"])).all()
    again = discreet.load(release.save(tmp_path / "now"))
    assert again.to_arrow().equals(release.to_arrow())
    summary = release.summary
    assert isinstance(summary, AdaptiveBlocks)
    before = AdaptiveBlocks(release.schema, summary.trees, holding=False)  # of before that was so
    assert "holding" not in before.facts()
    assert before.to_arrow().drop(["low", "high"]).equals(summary.to_arrow().drop(["low", "high"]))
    assert (before.to_arrow().to_pandas()["low"] >= table["low"]).all()


def test_parameters_are_what_they_say() -> None:
    codes, counts = some()
    levels = [{"age": 20, "place": "region"}, {"age": 5}, {"place": 2, "age": 1}]
    release = published(SCHEMA, codes, counts * 50, levels=levels, shares=[1, 2, "0.5"], stop=[1, 1], singles="0.2")
    said = release.manifest["summary"]["trees"][0]
    assert said["levels"][0] == [{"width": 20}, {"depth": 1, "together": 1}]
    assert said["levels"][1] == [{"width": 5}, {"depth": 1, "together": 1}]
    assert [float(discreet.privacy.exact(share, "share")) for share in said["shares"]] == pytest.approx(
        [0.76 / 3.5, 2 * 0.76 / 3.5, 0.5 * 0.76 / 3.5]
    )
    assert said["stop"] == [1.0, 1.0]
    given = {choice["name"]: choice["origin"] for choice in release.manifest["parameters"]}
    assert given["levels"] == given["shares"] == given["stop"] == given["singles"] == "given"
    assert given["total"] == "default: for sums of nearly everything"


def test_shares_suit_a_workload() -> None:
    """Single values need the last level, wide aligned ranges the first."""
    codes, counts = some()
    shares = {}
    for name, workload in {"cells": ["age = 3 and place = 'a'"], "wide": ["age between 0 and 24"]}.items():
        said = published(SCHEMA, codes, counts, workload=workload, guess={"rows": 10**6}).manifest["summary"]["trees"][
            0
        ]
        shares[name] = [float(discreet.privacy.exact(share, "share")) for share in said["shares"]]
    assert shares["cells"][-1] > 2 * shares["wide"][-1]
    assert shares["wide"][0] > 2 * shares["cells"][0]
    levels = [(EvenParts(100, 16),), (EvenParts(100, 4),), (EvenParts(100, 1),)]
    asked = Questions(np.array([[3], [16]]), np.array([[40], [31]]), 2, np.arange(2))
    # 3..40 is 3 | 4-7, 8-11, 12-15 | 16-31 | 32-35, 36-39 | 40; 16..31 is a block of its own
    assert blocks_needed(levels, asked) == [1.0, 2.5, 1.0]


def test_a_guess_takes_the_place_of_the_noisy_total() -> None:
    codes, counts = some()
    shares = [
        published(SCHEMA, codes, counts, guess={"rows": rows}).manifest["summary"]["trees"][0]["shares"]
        for rows in (10, 10, 10**7)
    ]
    assert shares[0] == shares[1] != shares[2]


def test_many_records_for_each_cell_mean_wider_steps_and_less_for_single_attributes() -> None:
    line, codes = Schema(x=discreet.Ordinal(0, 4095)), np.arange(4096)[:, None]
    few, many = ({"guess": {"rows": rows}} for rows in (10**4, 10**7))

    def widths(**more: Any) -> list[int]:
        said = published(line, codes, np.ones(4096, np.int64), **more).manifest["summary"]["trees"][0]
        return [level[0]["width"] for level in said["levels"]]

    assert widths(**few) == widths(**many, shares=[1, 1, 1, 1]) == [512, 64, 8, 1]
    assert widths(**many) == [256, 16, 1]
    more: Any = many
    told = published(line, codes, np.ones(4096, np.int64), **more).manifest["summary"]["trees"][0]["shares"]
    first, second, cells = (float(discreet.privacy.exact(share, "share")) for share in told)
    assert first == second == pytest.approx(cells / 1.25, rel=1e-3)  # whatever is asked, it ends in cells

    def singles(**more: Any) -> Any:
        trees = published(SCHEMA, *some(), **more).manifest["summary"]["trees"][1:]
        return sum(discreet.privacy.exact(share, "share") for tree in trees for share in tree["shares"])

    assert singles(**few) == singles(**many, singles="0.1") == discreet.privacy.exact("0.1", "share")
    assert singles(**many) == discreet.privacy.exact("0.03", "share")


@pytest.mark.parametrize(("rows", "at_once"), [(3 * 600, True), (3 * 600 - 1, False)])
@pytest.mark.parametrize("special", [None, [5]])
def test_cells_of_tables_are_measured_at_once_where_records_are_many(
    rows: int, at_once: bool, special: list[int] | None
) -> None:
    """By the guess, in units of the noise; but not if values were declared as special, which are few of the cells."""
    schema = Schema(x=discreet.Ordinal(0, 29, special=special), y=discreet.Ordinal(0, 19))
    assert (_joint(discreet.Table, schema, rows).depth == 1) == (at_once and special is None)


def _joint(task: type[discreet.Table | discreet.Ranges], schema: Schema, rows: int) -> TreePlan:
    asked = task(list(schema), method="adaptive", guess={"rows": rows})
    mechanism = mechanism_for(asked, Request.of(asked, schema, discreet.Unit(), 1))
    assert isinstance(mechanism, Adaptive)
    return mechanism.planner.trees(float(rows))[0]


@pytest.mark.parametrize(("task", "at_once"), [(discreet.Table, True), (discreet.Ranges, False)])
def test_one_attribute_is_measured_at_once_in_tables_only(
    task: type[discreet.Table | discreet.Ranges], at_once: bool
) -> None:
    for size, few in ((1024, True), (1025, False)):
        schema = Schema(x=discreet.Ordinal(0, size - 1))
        asked = task(["x"], method="adaptive", guess={"rows": 10**9})
        mechanism = mechanism_for(asked, Request.of(asked, schema, discreet.Unit(), 1))
        assert isinstance(mechanism, Adaptive)
        assert (mechanism.planner.trees(1e9)[0].depth == 1) == (at_once and few)


@pytest.mark.parametrize(
    ("sizes", "each_cell", "as_weighted"),
    [
        ((38, 13), 3, True),
        ((38, 13), 2, False),
        ((256, 128), 3, True),
        ((256, 129), 3, False),
        ((64, 64, 16), 3, True),
        ((1, 1), 3, True),
    ],
)
def test_ranges_over_filled_tables_have_the_levels_of_weighted(
    sizes: tuple[int, ...], each_cell: int, as_weighted: bool
) -> None:
    """Without its total, which is bought apart. The first attribute has labels, which are not cut into runs."""
    first = discreet.Nominal([f"v{i}" for i in range(sizes[0])])
    schema = Schema({"a": first, **{f"b{i}": discreet.Ordinal(0, size - 1) for i, size in enumerate(sizes[1:])}})
    asked = discreet.Ranges(list(schema), method="weighted")
    weighted = mechanism_for(asked, Request.of(asked, schema, discreet.Unit(), 1))
    assert isinstance(weighted, Weighted)
    shapes = [shape for shape in weighted.levels.shapes if max(shape) > 1 or weighted.levels.lengths == [1]]
    joint = _joint(discreet.Ranges, schema, each_cell * math.prod(sizes))
    found = [tuple(partition.blocks for partition in level) for level in joint.levels]
    assert (found == shapes) == as_weighted
    if as_weighted and len(shapes) == len(weighted.shares):
        assert [share / sum(joint.shares) for share in joint.shares] == weighted.shares


@pytest.mark.parametrize(
    ("schema", "total"),
    [
        (Schema(x=discreet.Ordinal(0, 99)), "0.07"),
        (Schema(x=PLACES), "0.1"),
        (Schema(x=discreet.Ordinal(0, 127), y=discreet.Ordinal(0, 127)), "0.04"),
        (Schema(x=discreet.Ordinal(0, 127), y=discreet.Ordinal(0, 128)), "0.02"),
        (Schema(x=discreet.Ordinal(0, 10**6), y=PLACES), "0.04"),
    ],
)
def test_the_total_has_more_where_it_is_asked_for_more_often(schema: Schema, total: str) -> None:
    asked = discreet.Ranges(list(schema), method="adaptive")
    mechanism = mechanism_for(asked, Request.of(asked, schema, discreet.Unit(), 1))
    assert isinstance(mechanism, Adaptive)
    assert mechanism.planner.total == discreet.privacy.exact(total, "total")


@pytest.mark.parametrize("special", [None, ["a"]])
def test_a_country_above_all_places_changes_no_plan(special: list[str] | None) -> None:
    regions = {"north": ["a", "b"], "south": ["c", "d", "e"]}
    shares = []
    for tree in (regions, {"all": regions}):
        place = discreet.Nominal(hierarchy=tree, special=special)
        asked = discreet.Ranges(["place", "x"], method="adaptive")
        schema = Schema(place=place, x=discreet.Ordinal(0, 99))
        mechanism = mechanism_for(asked, Request.of(asked, schema, discreet.Unit(), 1))
        assert isinstance(mechanism, Adaptive)
        shares.append([plan.shares for plan in mechanism.planner.trees(1e4)])
    assert shares[0] == shares[1]


def test_a_release_of_before_numbers_were_smoothed_keeps_its_rule(tmp_path: Path) -> None:
    line, codes = Schema(x=discreet.Ordinal(0, 4095)), np.arange(4096)[:, None]
    release = published(line, codes, np.full(4096, 20))
    again = discreet.load(release.save(tmp_path / "now"))
    question = {"x": (700, 2222)}
    assert release.manifest["summary"]["smooth"] is True
    assert again.count(question).value == release.count(question).value
    summary = release.summary
    assert isinstance(summary, AdaptiveBlocks)
    before = AdaptiveBlocks(release.schema, summary.trees, smooth=False)
    assert "smooth" not in before.facts()
    asked = Questions(np.array([[700]]), np.array([[2222]]), 1, np.array([0]))
    old, new = before.answer(asked, 0.95), summary.answer(asked, 0.95)
    assert (old.low, old.high, old.plain) == (new.low, new.high, new.plain)
    assert np.array_equal(before._answering[0].estimates.smooth, before._answering[0].estimates.agreeing)


@pytest.mark.parametrize("names", [["income"], ["income", "age"]])
def test_looks_without_noise_are_the_counts_of_their_blocks(names: list[str]) -> None:
    """Counted along a line, and cell by cell where there are several attributes."""
    every = {"income": discreet.Ordinal(0, 999, special=[0, 500]), "age": discreet.Ordinal(0, 49)}
    schema = Schema({name: every[name] for name in names})
    dice = np.random.default_rng(3)
    codes = np.stack([dice.integers(0, schema[name].size, 4000) for name in names], axis=1)
    found = blocks(published(schema, codes, np.full(4000, 500), noise=ZeroNoise()))
    assert len(found) > 100
    for row in found.to_dict("records"):
        inside = np.ones(4000, np.bool_)
        for place, name in enumerate(names):
            inside &= (codes[:, place] >= row[f"{name}_first"]) & (codes[:, place] <= row[f"{name}_last"])
        assert row["look"] == 500 * inside.sum()


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"levels": []}, "levels must be a list"),
        ({"levels": [4]}, "level 1: name the attributes, such as {age = 4}"),
        ({"levels": [{"agee": 4}]}, "'agee' is not among the release's attributes. Did you mean 'age'"),
        ({"levels": [{"age": 0}]}, "age has no hierarchy, so give a width from 1 to 100, not 0"),
        ({"levels": [{"place": "town"}]}, "level 1: place: "),
        ({"shares": [1]}, "numbers above 0, one for each level"),
        ({"shares": "x"}, "numbers above 0, one for each level"),
        ({"stop": [1, -1]}, "stop must be two numbers of at least 0"),
        ({"stop": [float("nan"), 1]}, "stop must be two numbers of at least 0"),
        ({"stop": [1, float("inf")]}, "stop must be two numbers of at least 0"),
        ({"stop": 3}, "stop must be two numbers of at least 0"),
        ({"workload": ["age <"]}, "workload, question 1: "),
        ({"workload": ["age < 5"], "shares": [1, 1]}, "give only one of the two"),
        ({"guess": 5}, "guess must be such as {rows = 50000}"),
        ({"guess": {"row": 5}}, "'row' is nothing to guess. Did you mean"),
        ({"guess": {"rows": 5, "shape": "round"}}, "shape must be one of even"),
        ({"guess": {"rows": 0}}, "guess: rows must be above zero"),
        ({"total": 0.5, "singles": 0.5}, "must leave something"),
        ({"levels": [{"age": 1}, {"place": "town"}]}, "level 2: place: "),
        ({"epsilon": "1e-15"}, "noise of a scale above"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_is_charged(parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(BadParameter, match=says):
        published(SCHEMA, *some(), **parameters)


def test_singles_need_several_attributes() -> None:
    with pytest.raises(BadParameter, match="one tree only"):
        published(Schema(x=discreet.Ordinal(0, 9)), [[1]], [1], singles="0.1")


def test_columns_of_the_release_are_no_names_of_attributes() -> None:
    with pytest.raises(BadParameter, match="'look' is the name of a column"):
        published(Schema(look=discreet.Ordinal(0, 9)), [[1]], [1])


def test_a_first_level_of_too_many_blocks_is_refused() -> None:
    schema = Schema(x=discreet.Ordinal(0, 2**32 - 1), y=discreet.Ordinal(0, 2**32 - 1))
    with pytest.raises(BadParameter, match=r"the first level has 1.84e\+19 blocks, too many"):
        published(schema, [[1, 1]], [1], levels=["cells"])


def test_a_question_about_no_cell_is_nothing() -> None:
    found = published(SCHEMA, *some()).count("age = 3 and age = 4")
    assert (found.value, found.stderr, found.low, found.high) == (0, 0, 0, 0)


def test_no_look_that_was_not_taken_is_shown() -> None:
    table = published(SCHEMA, *some()).to_pandas()
    roots = table.groupby("tree", sort=False).head(1)
    assert roots["look"].isna().tolist() == [False, True, True]
    age = table[table["tree"] == "age"].iloc[1:]
    cells = age["age_first"] == age["age_last"]
    assert (age["second_look"].isna() == (age["divided"] | cells)).all()
    assert cells.any()
    assert not age["second_look"].isna().all()


def test_quantiles_of_2_to_the_60_values() -> None:
    release = published(Schema(v=discreet.Ordinal(0, 2**60 - 1)), [[2**59 + 12345]], [100_000])
    found = release.quantile("v", 0.5, level=SURE)
    assert abs(found.value - 2**59) < 2**40
    assert found.low <= 2**59 + 12345 <= found.high


def test_no_typical_error_is_next_to_nothing() -> None:
    """Where a block is shared out by an attribute of which hardly anything is known to be there."""
    schema = Schema(x=discreet.Ordinal(0, 199), y=discreet.Ordinal(0, 199))
    codes = np.stack([np.full(50_000, 5), np.arange(50_000) % 200], axis=1)
    release = published(schema, codes, np.ones(50_000, np.int64))
    for where in ({"x": 150}, {"x": 150, "y": 3}, {"x": (100, 199), "y": 7}):
        assert release.count(where).stderr > 0.01
