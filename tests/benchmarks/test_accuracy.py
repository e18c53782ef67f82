"""The benchmark of accuracy: data, questions, trials and rows, on small tables. No limit is checked here."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import benchmarks.adaptive
from benchmarks import accuracy
from benchmarks.accuracy import (
    adult,
    against_papers,
    commuting,
    grids,
    item_counts,
    item_sets,
    long_line,
    many_tables,
    rows,
    shapes,
    three_ways,
    trials,
)
from benchmarks.accuracy.asking import CLASSES, OF_RECORDS, RANDOM, TOTAL, Ends, boxes, sums
from benchmarks.accuracy.trials import Found, Method
from benchmarks.measure import Report
from discreet.mechanisms import registry
from discreet.schema import Ordinal, Schema
from discreet.summaries.share_steps import Weighed
from discreet.summaries.shared_counts import SharedCounts

GEOMETRIC = Method("table", "geometric")
MISSING = Method("ranges", "no-such-method")


@pytest.fixture(autouse=True)
def no_real_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))
    monkeypatch.setattr(
        item_sets, "MADE_UP", {"few": lambda dice, part: (np.arange(900) // 3, np.arange(900) % 7, 150)}
    )
    monkeypatch.setattr(item_counts, "TRIALS", 1)
    return tmp_path


def found(*errors: float, held: float = 0.95, width: float = 10.0, endless: float = 0.0) -> Found:
    return Found(np.array(errors), held, width, endless)


def brute(table: np.ndarray[tuple[int, ...], np.dtype[np.int64]], ends: Ends) -> list[int]:
    return [
        int(table[tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))].sum())
        for first, last in zip(*ends, strict=True)
    ]


def test_made_up_shapes_are_the_same_in_every_run() -> None:
    for sizes in ((64,), (16, 16)):
        one, other = ({shape.name: shape.records(1000) for shape in shapes.shapes(sizes)} for _ in range(2))
        assert list(one) == list(shapes.MADE_UP)
        for name, table in one.items():
            assert table.sum() == 1000
            assert np.array_equal(table, other[name])


def test_real_shapes_are_read_and_new_ones_are_in_half_b(no_real_data: Path) -> None:
    (no_real_data / "dpbench" / "2D").mkdir(parents=True)
    np.save(no_real_data / "dpbench" / "2D" / "checkin_256_256.npy", np.eye(256))
    np.save(no_real_data / "dpbench" / "2D" / "new.of.somebody.npy", np.eye(256))
    np.save(no_real_data / "dpbench" / "2D" / "other_size.npy", np.eye(8))
    read = shapes.shapes((256, 256))[:2]
    assert [(shape.name, shape.half) for shape in read] == [("checkin", "A"), ("new", "B")]
    assert "dpbench/1D" in shapes.absent()
    assert "dpbench/2D" not in shapes.absent()


@pytest.mark.parametrize("sizes", [(64,), (16, 8)])
def test_true_answers_are_sums_over_boxes_of_every_class(sizes: tuple[int, ...]) -> None:
    table = np.random.default_rng(1).integers(0, 9, sizes)
    every = boxes(sizes, 50, np.argwhere(table))
    assert set(every) == {RANDOM, OF_RECORDS, *CLASSES}
    for ends in every.values():
        assert np.all((ends[0] >= 0) & (ends[0] <= ends[1]) & (ends[1] < sizes))
        assert sums(table)(ends).tolist() == brute(table, ends)
    assert sums(table)(every[TOTAL]).tolist() == [table.sum()]


def test_trials_compare_what_users_are_told_with_the_truth() -> None:
    data, asked = grids.made(shapes.Shape("uniform", np.ones(32)), 10**4, 20)
    got = trials.tried(data, GEOMETRIC, "10", asked, 4)
    assert set(got) == set(asked.classes)
    assert got["single cells"].errors.shape == (4,)
    assert got[RANDOM].error < 5
    assert got[RANDOM].held > 0.5
    only = asked.only(TOTAL)
    assert only.true.tolist() == [10**4]
    assert len(only.frame) == 1


def test_a_method_that_is_not_there_is_skipped_with_a_note() -> None:
    report = Report("test")
    assert trials.known(report, "a case", [MISSING, GEOMETRIC]) == [GEOMETRIC]
    assert report.rows[0].what == "a case, no-such-method"
    assert str(report.rows[0].measured).startswith("skipped")
    assert report.missed == 0


def test_ratios_are_means_over_data_sets_with_halves_and_the_worst_in_words() -> None:
    ours = {"HEPTH": found(1, 3), "new": found(3), "spikes": found(2)}
    theirs = {"HEPTH": found(4), "new": found(3), "spikes": found(4)}
    report = Report("test")
    rows.compare(report, "ours", rows.Compared(ours, theirs), 0.5)
    mean, words = report.rows
    assert mean.measured == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert mean.held is False
    assert "half A 0.5, half B 0.75; worst 1 (new); intervals hold 95.0%" in str(words.measured)


def test_intervals_without_an_upper_end_are_counted_apart() -> None:
    assert "no upper ends" in rows.intervals({"a": found(1, endless=1.0, width=float("inf"))})
    assert "mean width 10, 50% without" in rows.intervals({"a": found(1, endless=1.0), "b": found(1)})


def point(ours: Found, *theirs: Found) -> against_papers.Point:
    data, asked = grids.made(shapes.Shape("uniform", np.ones(8)), 100, 5)
    every = (*CLASSES, OF_RECORDS)
    methods = {Method("ranges", f"paper {place}"): dict.fromkeys(every, one) for place, one in enumerate(theirs)}
    return against_papers.Point(
        "uniform", "10^2", {ADAPTIVE: dict.fromkeys(every, ours), **methods}, data, asked, "0.1"
    )


ADAPTIVE = Method("ranges", "adaptive")
PAPERS = [Method("ranges", "paper 0"), Method("ranges", "paper 1")]


def worst(report: Report) -> float:
    (row,) = [row for row in report.rows if "beyond chance" in row.what]
    assert isinstance(row.measured, float)
    return row.measured


def test_regret_is_against_the_best_and_looks_twice_at_what_seems_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    again: list[str] = []

    def tried(data: object, method: Method, *_: object) -> dict[str, Found]:
        again.append(method.name)
        return dict.fromkeys((*CLASSES, OF_RECORDS), found(4.0) if method == ADAPTIVE else found(2.0))

    monkeypatch.setattr(against_papers, "tried", tried)
    report = Report("test")
    against_papers.regret(report, "case", [point(found(30), found(20), found(90))], PAPERS)
    assert again == ["adaptive", "paper 0"] * len(CLASSES)
    assert worst(report) == pytest.approx(2)
    assert report.missed == 1
    again.clear()
    report = Report("test")
    against_papers.regret(report, "case", [point(found(20), found(20), found(90))], PAPERS)
    assert again == []
    assert (worst(report), report.missed) == (1, 0)


def test_regret_takes_errors_that_are_next_to_nothing_as_equal() -> None:
    report = Report("test")
    against_papers.regret(report, "case", [point(found(0.9), found(0.0), found(0.5))], PAPERS)
    assert worst(report) == 1


def test_chance_is_taken_off_in_standard_errors() -> None:
    ratio = against_papers.Ratio("somewhere", "A", "privelet", 2.0, 0.1)
    assert ratio.beyond_chance == pytest.approx(2 * np.exp(-0.3))
    assert found(1, 3).chance == pytest.approx(0.5)
    assert found(1).chance == 0


def gzipped(path: Path, lines: list[str]) -> None:
    path.write_bytes(gzip.compress("\n".join(lines).encode()))


def test_flows_are_all_pairs_of_places(tmp_path: Path) -> None:
    gzipped(tmp_path / "ri_xwalk.csv.gz", ["tabblk2010,cty,trct", "112,1,11", "111,1,11", "121,1,12", "231,2,23"])
    lines = ["w_geocode,h_geocode,S000", "111,112,3", "231,112,2", "121,231,4"]
    gzipped(tmp_path / "ri_od_main_JT00_2019.csv.gz", lines)
    _, asked = commuting.made(tmp_path)
    true = {name: asked.true[place].tolist() for name, place in asked.classes.items()}
    assert set(true) == set(commuting.LIMITS)
    assert true[TOTAL] == [9]
    assert true["counties of one side"] == [5, 4, 7, 2]
    assert true["county flows"] == [3, 2, 4, 0]
    assert true["tracts of one side"] == [5, 0, 4, 3, 4, 2]
    assert true["tract flows"] == [3, 0, 2, 0, 0, 0, 0, 4, 0]


def test_one_way_and_two_way_cells_are_counted(tmp_path: Path) -> None:
    sizes = dict.fromkeys(adult.COLUMNS, 2)
    (tmp_path / "adult_discretised-domain.json").write_text(json.dumps(sizes), encoding="utf-8")
    lines = [",".join(adult.COLUMNS), "0,1,0,0,0,0,0,1", "0,1,0,0,0,0,0,0"]
    (tmp_path / "adult_discretised.csv").write_text("\n".join(lines), encoding="utf-8")
    data, asked = adult.made(tmp_path)
    assert data.schema.cells == 2**8
    assert asked.true[asked.classes["one-way cells"]].tolist() == [2, 0, 0, 2, *[2, 0] * 5, 1, 1]
    assert asked.true[asked.classes["two-way cells"]].size == 28 * 4
    got = trials.tried(data, GEOMETRIC, "10", asked, 1)
    assert got["two-way cells"].error < 20


def test_three_way_tables_are_read_off_pairs(no_real_data: Path) -> None:
    (folder := no_real_data / "adult").mkdir()
    sizes = dict.fromkeys(adult.COLUMNS, 2)
    (folder / "adult_discretised-domain.json").write_text(json.dumps(sizes), encoding="utf-8")
    lines = [",".join(adult.COLUMNS), *["0,1,0,0,0,0,0,1", "0,1,1,0,0,0,0,0"] * 5000]
    (folder / "adult_discretised.csv").write_text("\n".join(lines), encoding="utf-8")
    report = Report("", True)
    three_ways.run(report)
    shown = {row.what: row.measured for row in report.rows}
    said = "adult, 7 three-way tables from all pairs, epsilon 1, equal"
    assert float(shown[f"{said}: total variation"]) < float(shown[f"{said}: that of the product of one-way counts"])
    assert "hold" in str(shown[f"{said}: bounds"])


def test_without_real_data_the_rest_is_measured_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "CASES", (grids.Case("64 values", (64,), (10, 100, 1000), {"adaptive": (1.0,) * 3}),))
    monkeypatch.setattr(long_line, "QUICK_RECORDS", 100)
    monkeypatch.setattr(many_tables, "peoples", lambda: iter(()))  # has tests of its own
    monkeypatch.setattr(trials, "QUICK_QUESTIONS", 10)
    monkeypatch.setattr(trials, "QUICK_TRIALS", 1)
    report = accuracy.run(True)
    shown = {row.what: row.measured for row in report.rows}
    assert "set DISCREET_DATA" in str(shown["adult: real data"])
    assert isinstance(shown["64 values, 10^2 records, privelet*: error / privelet, as measured"], float)
    assert isinstance(shown["2^30 values, epsilon 1, random ranges, wavelet-filter-priority: error / baseline"], float)
    assert report.missed == 0


def test_a_full_run_has_limits_for_adaptive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry(), ("ranges", "adaptive"), registry()["ranges", "dyadic-filter-priority"])
    monkeypatch.setattr(grids, "CASES", (grids.Case("64 values", (64,), (10, 100), {"adaptive": (9.0, 9.0)}),))
    monkeypatch.setattr(long_line, "RECORDS", 100)
    monkeypatch.setattr(many_tables, "peoples", lambda: iter(()))
    monkeypatch.setattr(trials, "QUESTIONS", 10)
    monkeypatch.setattr(trials, "TRIALS", 1)
    monkeypatch.setattr(against_papers, "SECOND_TRIALS", 1)
    limits = {row.what: row.limit for row in accuracy.run(False).rows if row.limit is not None}
    assert limits["64 values, 10^2 records, adaptive: error / privelet, as measured"] == 9
    assert limits["64 values, adaptive: worst error / best paper's beyond chance"] == 1.1
    assert limits["2^30 values, epsilon 1, random ranges, adaptive: error / baseline"] == 1 / 15
    assert limits["items: KL / sra's, geometric mean"] == 0.3
    assert all("adaptive" in what or what.startswith("items: ") for what in limits)


def test_made_up_users_are_the_same_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("DISCREET_DATA", "nowhere")
    one, other = ({made.name: made for made in item_sets.item_sets(quick=True)} for _ in range(2))
    assert len(one) == 12
    for name, made in one.items():
        assert np.array_equal(made.true, other[name].true)
        assert made.true.sum() == made.item.size
        assert made.kept(made.most, distinct=False, scores=None, salt=bytes(16)).table(10**6).sum() == made.item.size
        few = made.kept(2, distinct=False, scores=None, salt=bytes(16))
        assert few.bins(4)[2:].sum() == 0
        assert few.users == np.unique(made.owner).size


def test_contexts_are_of_items_or_of_users_and_the_same_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for whose in ("item", "user", "nobody"):
        monkeypatch.setattr(item_sets, "IN_CONTEXTS", {"few": (3, whose)})
        (one,), (other,) = (list(item_sets.sets_in_contexts(quick=True)) for _ in range(2))
        assert one.true.size == 450
        assert np.array_equal(one.true, other.true)
        assert one.kept(2, distinct=False, scores=None, salt=bytes(16)).table(9).sum() == 600
    report = Report("test", quick=False)
    item_counts._contexts(report)
    limits = {row.what: row.limit for row in report.rows if row.limit is not None}
    assert limits["items in contexts: L1 / sra's, geometric mean"] == 0.4
    assert len(limits) == 7


def test_errors_of_items_are_worked_out() -> None:
    true = np.array([6.0, 3.0, 1.0, 0.0])
    exact, off = item_counts._errors(true, true), item_counts._errors(true[::-1], true)
    assert (exact["L1"], exact["MSE"], exact["precision at 10"]) == (0, 0, 1)
    assert off["L1"] == pytest.approx(1.6)
    assert off["MSE"] == pytest.approx(20.0)
    assert off["KL"] > exact["KL"] >= 0


def test_the_best_other_is_not_the_luckiest() -> None:
    own = np.array([2.0, 2.0, 2.0, 2.0])
    lucky, steady = np.array([1.0, 9.0, 1.0, 9.0]), np.array([4.0, 4.0, 4.0, 4.0])
    # each time the lucky one is chosen it has no luck, and the steady one is chosen where the other has
    assert item_counts._to_best(own, {"lucky": lucky, "steady": steady}) == pytest.approx((2 / 9 * 2 / 4) ** 0.5)
    assert item_counts._to_best(own[:1], {"lucky": lucky[:1], "steady": steady[:1]}) == pytest.approx(2.0)


def test_numbers_that_know_the_law_of_counts() -> None:
    true = np.array([0, 0, 0, 400, 1000])
    clear = SharedCounts(
        Schema(item=Ordinal(0, 4)), Weighed(np.array([9, -3, 2, 390, 1020]), Fraction(5)), None, most=1
    )
    assert item_counts.with_known_law(clear, true) == pytest.approx([0, 0, 0, 400, 1000], abs=1)
    noise = SharedCounts(
        Schema(item=Ordinal(0, 4)), Weighed(np.array([300, 250, 280, 290, 280]), Fraction(10**6)), None, most=1
    )
    assert item_counts.with_known_law(noise, true) == pytest.approx(np.full(5, 280), rel=0.01)


def test_times_of_adaptive_need_no_real_data() -> None:
    report = Report("test", quick=True)
    assert [job.limit for job in benchmarks.adaptive._jobs(report)] == [0.1, 0.2, 2.0]
    assert "set DISCREET_DATA" in str(report.rows[-1].measured)


def test_luck_of_a_few_releases_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def releases(one: object, epsilon: str, count: int) -> item_counts.Releases:
        tries.append(count)
        every = (*item_counts.ERRORS, item_counts.KNOWN_LAW, *item_counts.PRECISIONS, "all items", "top 10")
        own = {name: np.full(count, 1.0) for name in every}
        if count == item_counts.TRIALS:
            own["precision at 10"] = np.full(count, 9.0)
        return own, {"sra": {name: np.full(count, 1.0) for name in every}}

    monkeypatch.setattr(item_counts, "_releases", releases)
    report = Report("test", quick=False)
    item_counts._items(report)
    assert tries.count(item_counts.SECOND_TRIALS) == tries.count(item_counts.TRIALS) > 0
    worst = {row.what: row.measured for row in report.rows if row.what.endswith("own, worst")}
    assert worst["items: best other's precision at 10 / own, worst"] == 1.0
