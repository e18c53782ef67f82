"""A summary of few cells: its weights, its sums, what an answer uses, its error bars, and its file."""

from __future__ import annotations

import json
import math
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import discreet
from discreet.errors import BadParameter
from discreet.kernels.sorted_rows import sparse_box_sums
from discreet.noise import Noise, SeededSource
from discreet.numbers.laws import half_widths
from discreet.privacy import Alpha
from discreet.queries import Questions
from discreet.summaries.base import Answers
from discreet.summaries.remainders import Totals
from discreet.summaries.sparse_cells import SparseCells
from discreet.summaries.sparse_law import poisson_limits
from tests.laplace_law import LaplaceLaw

ALPHA = Alpha.of(2)
LINE = discreet.Schema(x=discreet.Ordinal(0, 99))


def cells(values: dict[int, int], **rule: Any) -> SparseCells:
    """A summary of a line of a hundred cells, some of which are here."""
    numbers = np.array(sorted(values), np.int64)
    held = np.array([values[cell] for cell in sorted(values)], np.int64)
    return SparseCells(LINE, numbers, held, {"alpha": str(ALPHA.numerator), "two_sided": True, "theta": 1, **rule})


def asked(summary: SparseCells, *ranges: tuple[int, int], level: float = 0.95) -> Answers:
    """One question for each range."""
    first, last = (np.array(ends).reshape(-1, 1) for ends in zip(*ranges, strict=True))
    return summary.answer(Questions(first, last, len(ranges), np.arange(len(ranges))), level)


# --- weights and sums


@pytest.mark.parametrize("tau", [Fraction(1, 2), Fraction(1), Fraction(15, 2), Fraction(40)])
def test_a_weight_is_the_value_over_the_chance_to_be_here(tau: Fraction) -> None:
    values = {i: v for i, v in enumerate(range(-45, 46)) if v}
    summary = cells(values, tau=float(tau))
    for value, weight in zip(summary.values.tolist(), summary.weights.tolist(), strict=True):
        assert Fraction(weight) * min(Fraction(abs(value)) / tau, Fraction(1)) == value


@pytest.mark.parametrize("rule", [{}, {"tau": None}, {"tau": 0.0}, {"theta": 4, "cut_to": 9}])
def test_without_sampling_weights_are_values(rule: dict[str, Any]) -> None:
    summary = cells({3: -7, 5: 12}, **rule)
    assert summary.weights.tolist() == [-7, 12]


@settings(max_examples=60)
@given(st.data(), st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 60))
def test_sums_over_boxes_are_those_of_numpy(draw: Any, sizes: list[int], many: int) -> None:
    cell = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = sorted(draw.draw(st.sets(cell, max_size=many)))
    codes = np.array(rows, np.int64).reshape(-1, len(sizes))
    columns = np.arange(2.0 * len(rows)).reshape(-1, 2) - 5
    ends = [sorted(pair) for pair in draw.draw(st.lists(st.tuples(cell, cell), min_size=1, max_size=8))]
    pairs = np.sort(np.array(ends, np.int64).reshape(-1, 2, len(sizes)), axis=1)
    out = np.zeros((len(pairs), 2))
    sparse_box_sums(codes, columns, pairs[:, 0].copy(), pairs[:, 1].copy(), out)
    for (first, last), found in zip(pairs, out, strict=True):
        inside = np.all((codes >= first) & (codes <= last), axis=1)
        assert found.tolist() == columns[inside].sum(axis=0).tolist()


def test_many_boxes_at_once_are_answered_as_each_alone() -> None:
    """Rows are looked through by the attribute that narrows boxes down, whichever that is."""
    dice, sizes = np.random.default_rng(), (4, 50, 6)
    schema = discreet.Schema({name: discreet.Ordinal(0, size - 1) for name, size in zip("abc", sizes, strict=True)})
    numbers = np.sort(dice.choice(math.prod(sizes), 400, replace=False))
    rule = {"alpha": str(ALPHA.numerator), "two_sided": True, "theta": 1, "tau": 5.0}
    summary = SparseCells(schema, numbers, dice.integers(1, 9, 400), rule)
    for narrow in range(3):
        first, last = np.zeros((100, 3), np.int64), np.tile(np.array(sizes) - 1, (100, 1))
        first[:, narrow] = last[:, narrow] = np.arange(100) % sizes[narrow]
        first[:, (narrow + 1) % 3] = dice.integers(0, 3, 100)
        together = summary.answer(Questions(first, last, 100, np.arange(100)), 0.95)
        for place in range(100):
            alone = summary.answer(Questions(first[[place]], last[[place]], 1, np.array([0])), 0.95)
            for column in ("value", "stderr", "low", "high"):
                assert getattr(together, column)[place] == pytest.approx(getattr(alone, column)[0], rel=1e-9, abs=1e-9)


# --- which value is used for what


def test_one_cell_is_answered_by_its_noisy_count_and_several_by_weights() -> None:
    summary = cells({3: 2, 4: -30, 6: 5}, tau=10.0)
    found = asked(summary, (3, 3), (4, 4), (5, 5), (3, 5), (0, 99), (50, 60))
    assert found.value.tolist() == [2, -30, 0, 10 - 30, 10 - 30 + 10, 0]


def test_cells_that_are_all_here_are_answered_by_their_noisy_counts() -> None:
    """Nothing was sampled away between them, so nothing needs to be weighed up."""
    summary = cells({3: 2, 4: -30, 6: 5}, tau=10.0)
    assert asked(summary, (3, 4)).value.tolist() == [2 - 30]
    assert asked(summary, (3, 4)).stderr[0] == pytest.approx(math.sqrt(2 * LaplaceLaw(ALPHA).variance))


def test_a_question_of_several_boxes_is_their_sum() -> None:
    summary = cells({3: 2, 4: -30, 6: 5}, tau=10.0)
    first, last = np.array([[3], [6], [4]]), np.array([[3], [7], [4]])
    found = summary.answer(Questions(first, last, 3, np.array([0, 0, 2])), 0.95)
    assert found.value.tolist() == [10 + 10, 0, -30]
    assert found.high[1] == found.low[1] == 0  # a question about no cell at all


def test_the_facts_say_which_value_is_used_for_what() -> None:
    sampled, filtered = cells({3: 2}, tau=10.0), cells({3: 2}, theta=2)
    assert sampled.facts()["use"] == "cells one by one: `count`; sums: `weighted_count`"
    assert filtered.facts()["use"] == "`count`"
    assert sampled.to_arrow().column_names == ["x", "count", "weighted_count"]
    assert sampled.to_arrow()["weighted_count"].to_pylist() == [10]
    assert filtered.to_arrow().column_names == ["x", "count"]


# --- lists of cells

METHODS: dict[str, dict[str, Any]] = {
    "filter": {"theta": 3},
    "threshold": {"tau": "7.5"},
    "priority": {"size": 20},
    "filter-threshold": {"theta": 2, "tau": "15/2"},
    "filter-priority": {"theta": 2, "size": 20},
}


def released(method: str) -> discreet.Release:
    schema = discreet.Schema(a=discreet.Ordinal(0, 39), b=discreet.Ordinal(0, 4))
    data = discreet.from_counts(schema, [[3, 1], [4, 1], [30, 4]], [60, 2, 9])
    return data.publish(discreet.Table(["a", "b"], method=method, **METHODS[method]), 1)


def frame(cells_: list[tuple[int, int]]) -> pd.DataFrame:
    return pd.DataFrame(cells_, columns=["a", "b"])


@pytest.mark.parametrize("method", METHODS)
def test_a_list_of_cells_is_answered_as_the_same_predicate(method: str) -> None:
    release = released(method)
    listed = [(i, 1) for i in range(2, 9)]
    assert release.count(cells=frame(listed)) == release.count({"a": (2, 8), "b": 1})
    assert release.count(cells=frame([*listed[::-1], *listed[:3]])) == release.count(cells=frame(listed))
    assert release.count(cells=frame([(3, 1)])) == release.count({"a": 3, "b": 1})


@pytest.mark.parametrize("method", METHODS)
def test_a_scattered_list_of_cells_sums_the_weights_of_what_is_listed(method: str) -> None:
    release = released(method)
    summary: Any = release.summary
    listed = [(3, 1), *((i, 3 * i % 5) for i in range(10, 40))]
    inside = [cell in listed for cell in map(tuple, summary.codes.tolist())]
    assert 0 < sum(inside) < len(listed)
    assert release.count(cells=frame(listed)).value == pytest.approx(summary.weights[inside].sum())


@pytest.mark.parametrize(
    "listed",
    [{"a": [1, 2]}, {"a": ["1", "2..5"], "b": ["0", "0"]}, {"a": ["1", "2|3"], "b": ["0", "0"]}],
    ids=["an attribute is missing", "a range", "two values"],
)
def test_a_list_that_names_no_single_cells_is_refused(listed: dict[str, Any]) -> None:
    release = released("filter")
    with pytest.raises(BadParameter, match="each row of cells must name one value of every attribute"):
        release.count(cells=pd.DataFrame(listed))
    with pytest.raises(BadParameter, match=r"either a predicate .* or a list of cells"):
        release.count({"a": 1}, cells=frame([(1, 1)]))


# --- error bars


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_interval_of_a_cell_that_is_here_is_that_of_its_noise(level: float) -> None:
    half = LaplaceLaw(ALPHA).half_width(level)
    for rule in ({}, {"theta": 3}):
        found = asked(cells({3: 7}, **rule), (3, 3), level=level)
        assert (found.low[0], found.high[0]) == (7 - half, 7 + half)


def test_a_sum_of_cells_that_are_all_kept_has_the_noise_of_all() -> None:
    found = asked(cells({3: 7}), (0, 9), (0, 99))
    assert (found.high - found.value).tolist() == half_widths(ALPHA, np.array([10, 100]), 0.95).tolist()


def test_sampling_widens_and_what_is_here_bounds_it() -> None:
    """None of ten cells was drawn: each is lighter than tau, so all together are below ten tau."""
    noise = half_widths(ALPHA, np.array([10]), 0.95)[0]
    for tau in (5.0, 1000.0):
        found = asked(cells({50: 9}, tau=tau), (0, 9))
        most = min(10.0, -math.log(0.025)) * tau
        assert found.high[0] == pytest.approx(math.hypot(noise, most))
        assert found.low[0] == -found.high[0]
    assert asked(cells({50: 9}, tau=8.0), (50, 50)).high[0] == 9 + LaplaceLaw(ALPHA).half_width(0.95)
    one = asked(cells({50: 9}, tau=8.0), (51, 51))
    assert one.high[0] == LaplaceLaw(ALPHA).half_width(0.95) + 8


def test_one_sided_samples_leave_nothing_open_below() -> None:
    found = asked(cells({50: 9}, tau=100.0, two_sided=False), (0, 9))
    noise = half_widths(ALPHA, np.array([10]), 0.95)[0]
    assert -10 * mean_above_zero() - noise <= found.low[0] < -10 * mean_above_zero()
    assert found.high[0] > 300


def test_the_standard_error_has_noise_and_sampling() -> None:
    found = asked(cells({3: 2, 4: -30, 6: 5}, tau=10.0), (0, 9))
    variance = 10 * LaplaceLaw(ALPHA).variance + 10.0**2 * (0.8 + 0.5)
    assert found.stderr[0] == pytest.approx(math.sqrt(variance))


def test_what_a_filter_hides_is_in_the_interval() -> None:
    """Each of the seven absent cells had a noisy count below theta, so a count of at most that and its noise."""
    found = asked(cells({3: 8, 4: -9, 6: 5}, theta=5), (0, 9), (3, 4), (7, 7))
    noise = half_widths(ALPHA, np.array([10, 2, 1]), 0.95)
    assert found.high.tolist() == [4 + 7 * 4 + noise[0], -1 + noise[1], 4 + noise[2]]
    assert found.low[1] == -1 - noise[1]


@pytest.mark.parametrize(("cut_to", "hidden"), [(3, 6), (4, 4), (10**30, 4)])
def test_a_cut_hides_what_is_not_larger_than_the_least_that_is_here(cut_to: int, hidden: int) -> None:
    found = asked(cells({3: 8, 4: -9, 6: 6}, theta=5, cut_to=cut_to), (0, 9))
    assert found.high[0] == 5 + 7 * hidden + half_widths(ALPHA, np.array([10]), 0.95)[0]


def test_no_upper_end_where_absent_cells_could_hold_more_than_there_seems_to_be() -> None:
    found = asked(cells({3: 8, 4: -9, 6: 5}, theta=5), (0, 99), (0, 9))
    assert math.isinf(found.high[0])
    assert math.isfinite(found.high[1])
    assert math.isfinite(asked(cells({3: 8}), (0, 99)).high[0])
    assert math.isfinite(asked(cells({3: 8}, tau=30.0), (0, 99)).high[0])


def mean_above_zero() -> float:
    law = LaplaceLaw(ALPHA)
    return math.fsum(k * float(law.pmf(k)) for k in range(1, 200))


def test_what_one_side_adds_in_the_mean_is_taken_off() -> None:
    found = asked(cells({3: 8, 4: 300}, two_sided=False), (0, 99), (3, 3))
    assert found.value.tolist() == pytest.approx([308 - 100 * mean_above_zero(), 8])
    assert found.measured.tolist() == [308, 8]


# --- totals


def totals(count: int, scale: int = 3) -> Totals:
    return Totals(None, np.zeros(1, np.int64), np.array([count]), Fraction(scale))


def with_totals(values: dict[int, int], *some: Totals, **rule: Any) -> SparseCells:
    plain = cells(values, **rule)
    return SparseCells(LINE, plain.numbers, plain.values, plain.rule, some)


def test_the_total_answers_for_everything() -> None:
    found = asked(with_totals({3: 8, 50: 40}, totals(500), theta=5), (0, 99))
    half = LaplaceLaw(Alpha.of(3)).half_width(0.95)
    assert (found.value[0], found.low[0], found.high[0]) == (500, 500 - half, 500 + half)
    assert found.stderr[0] == pytest.approx(math.sqrt(LaplaceLaw(Alpha.of(3)).variance))


def test_absent_cells_get_their_fair_part_of_what_is_left() -> None:
    found = asked(with_totals({3: 8, 50: 40}, totals(500), theta=5), (0, 49), (3, 3), (4, 4))
    assert found.value.tolist() == pytest.approx([8 + 49 * 452 / 98, 8, 452 / 98])
    assert found.measured.tolist() == [8, 8, 0]


def test_absent_cells_hold_no_more_than_the_total_less_what_is_elsewhere() -> None:
    alone, some = cells({3: 8, 50: 400}, theta=5), with_totals({3: 8, 50: 400}, totals(430), theta=5)
    assert asked(alone, (10, 49)).high[0] > 2 * asked(some, (10, 49)).high[0]
    assert 22 <= asked(some, (10, 49)).high[0] < 100


def test_totals_of_groups_are_used_where_fewer_cells_are_around() -> None:
    groups = Totals("x", np.array([0, 10, 60]), np.array([30, 400, 70]), Fraction(3))
    summary = with_totals({3: 8, 50: 390}, totals(500), groups, theta=5)
    half = LaplaceLaw(Alpha.of(3)).half_width(0.95)
    found = asked(summary, (0, 9), (60, 99), (0, 99), (0, 59), (20, 40))
    assert found.value[:4].tolist() == [30, 70, 500, 430]
    assert (found.low[0], found.high[0]) == (30 - half, 30 + half)
    assert found.value[4] == pytest.approx(21 * 10 / 49)


def test_totals_survive_their_facts_and_odd_ones_are_refused() -> None:
    groups = Totals("x", np.array([0, 10]), np.array([30, -4]), Fraction(7, 2))
    read = Totals.read(LINE, json.loads(json.dumps(groups.to_dict())))
    assert (read.attribute, read.scale) == ("x", Fraction(7, 2))
    assert [read.starts.tolist(), read.counts.tolist()] == [[0, 10], [30, -4]]
    wrong: list[dict[str, Any]] = [{"starts": [1, 10]}, {"starts": [0, 0]}, {"starts": [0, 100]}, {"counts": [1]}]
    for odd in [*wrong, {"starts": []}]:
        with pytest.raises(ValueError, match="totals"):
            Totals.read(LINE, {**groups.to_dict(), **odd})


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_poisson_limits_are_near_the_exact_ones(level: float) -> None:
    counts, miss = np.array([0.0, 1, 2, 5, 20, 300]), (1 - level) / 2
    low, high = poisson_limits(counts, level)
    assert high == pytest.approx(chi2.ppf(1 - miss, 2 * counts + 2) / 2, rel=0.02)
    assert low[counts > 1] == pytest.approx(chi2.ppf(miss, 2 * counts[2:]) / 2, rel=0.1, abs=0.03)
    assert high[0] == pytest.approx(-math.log(miss))
    assert low[0] == 0
    assert np.all(low <= counts)
    assert np.all(counts < high)


def test_a_domain_beyond_the_exact_law_of_its_noise() -> None:
    schema = discreet.Schema({f"a{i}": discreet.Ordinal(1, 10_000) for i in range(5)})
    rule = {"alpha": str(ALPHA.numerator), "two_sided": True, "theta": 1, "tau": 1e18}
    summary = SparseCells(schema, np.zeros((1, 4), np.uint32), np.array([4]), rule)
    everything = Questions(np.zeros((1, 5), np.int64), np.full((1, 5), 9999), 1, np.zeros(1, np.int64))
    found = summary.answer(everything, 0.95)
    assert found.value[0] == 1e18
    assert found.stderr[0] == pytest.approx(math.hypot(1e10 * math.sqrt(LaplaceLaw(ALPHA).variance), 1e18))


# --- files


SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 6),
    day=discreet.Ordinal(date(2020, 2, 27), date(2020, 3, 3)),
    width=discreet.Ordinal(0, 99, 25),
    sex=discreet.Nominal(["f", "m"], outside="other"),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}),
    number=discreet.Ordinal(1, 2, outside="other"),
)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("filter", {"theta": 4}),
        ("filter", {"theta": 2, "size": 30, "sided": "one"}),
        ("threshold", {"tau": "7.5"}),
        ("priority", {"size": 40}),
        ("priority", {"size": 10**6}),
        ("filter-threshold", {"theta": 3, "tau": 9}),
        ("filter-priority", {"theta": 3, "size": 40}),
        ("filter", {"theta": 10**6}),
        ("threshold", {"tau": 10**12}),
    ],
)
def test_labels_survive_a_file(method: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    """Also those of an empty summary, and of columns with numbers, dates, bins, trees and 'other'."""
    codes = np.array([[6, 5, 3, 2, 2, 2], [0, 0, 0, 0, 0, 0], [3, 2, 1, 1, 1, 0]])
    data = discreet.from_counts(SCHEMA, codes, [900, 40, 60])
    task = discreet.Table(list(SCHEMA), method=method, **parameters)
    release = data.publish(task, 1, noise=Noise(SeededSource(7)))
    before: Any = release.summary
    after: Any = discreet.load(release.save(tmp_path / "r")).summary
    assert np.array_equal(after.codes, before.codes)
    assert np.array_equal(after.values, before.values)
    assert np.array_equal(after.weights, before.weights)
    assert after.rule == before.rule
    assert after.facts() == before.facts()
    table = pq.read_table(tmp_path / "r" / "table.parquet")
    assert len(table) == len(before.values)
    assert (len(table) == 0) == (parameters in ({"theta": 10**6}, {"tau": 10**12}))


def test_labels_in_a_file_are_those_of_the_schema(tmp_path: Path) -> None:
    codes = np.array([[6, 5, 3, 2, 2, 2], [0, 0, 0, 0, 0, 0]])
    task = discreet.Table(list(SCHEMA), method="filter", theta=500)
    discreet.from_counts(SCHEMA, codes, [10**6, 10**6]).publish(task, 1).save(tmp_path / "r")
    rows = pq.read_table(tmp_path / "r" / "table.parquet").drop(["count"]).to_pylist()
    assert rows == [
        {"age": 0, "day": date(2020, 2, 27), "width": "0-24", "sex": "f", "place": "a", "number": "1"},
        {"age": 6, "day": date(2020, 3, 3), "width": "75-99", "sex": "other", "place": "c", "number": "other"},
    ]


WIDE = discreet.Schema(
    bins=discreet.Ordinal(0, 4 * 10**9 - 5, 4, outside="other"),
    reals=discreet.Ordinal(0.0, 1e7, 0.1),
    days=discreet.Ordinal(date(1, 1, 1), date(2000, 12, 31)),
    codes=discreet.Nominal([f"{number:03}" for number in range(500)]),
    whole=discreet.Ordinal(-500, 499),
)


def wide_release(many: int) -> discreet.Release:
    dice = np.random.default_rng(11)
    codes = np.stack([dice.integers(0, size, many) for size in WIDE.sizes], axis=1)
    codes[: many // 8, 0] = WIDE["bins"].size - 1  # other
    data = discreet.from_counts(WIDE, codes, dice.integers(50, 90, many))
    return data.publish(discreet.Table(list(WIDE), method="filter", theta=60), 1, noise=Noise(SeededSource(7)))


def test_a_release_of_several_pieces_is_read_as_it_was_made(tmp_path: Path) -> None:
    """Some with many rows and the last with few, and a copy has the same seal."""
    release = wide_release(200_000)
    before: Any = release.summary
    assert before.values.size > 2 * 2**16
    loaded = discreet.load(release.save(tmp_path / "r"))
    after: Any = loaded.summary
    assert np.array_equal(after.codes, before.codes)
    assert np.array_equal(after.numbers, before.numbers)
    assert np.array_equal(after.values, before.values)
    for where in (None, "whole < -400", {"bins": "other"}, "reals >= 5000000 and codes = '007'"):
        assert loaded.count(where) == release.count(where)
    rows = pq.read_table(tmp_path / "r" / "table.parquet").drop(["count"]).slice(70_000, 50).to_pylist()
    for row, codes in zip(rows, before.codes[70_000:70_050].tolist(), strict=True):
        assert row == {name: WIDE[name].label(code) for name, code in zip(WIDE, codes, strict=True)}
    assert discreet.load(loaded.save(tmp_path / "copy")).manifest["seal"] == loaded.manifest["seal"]
