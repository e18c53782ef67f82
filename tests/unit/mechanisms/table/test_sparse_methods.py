"""The five sparse methods at their edges: no data, no empty cell, huge domains, refusals, and what a release shows."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise, ZeroNoise
from discreet.privacy import Unit
from discreet.private.publish import Data
from discreet.schema import Schema
from discreet.summaries.sparse_cells import SparseCells
from tests.statistics import compare

METHODS: dict[str, dict[str, Any]] = {
    "filter": {"theta": 3},
    "threshold": {"tau": "7.5"},
    "priority": {"size": 20},
    "filter-threshold": {"theta": 2, "tau": "15/2"},
    "filter-priority": {"theta": 2, "size": 20},
}
SIDES = ["two", "one"]
CellCounts = dict[tuple[int, ...], int]
each_method = pytest.mark.parametrize("method", METHODS)
each_side = pytest.mark.parametrize("sided", SIDES)


def table_of(*sizes: int) -> Schema:
    return discreet.Schema({f"a{i}": discreet.Ordinal(0, size - 1) for i, size in enumerate(sizes)})


def data_of(schema: Schema, counts: CellCounts) -> Data:
    codes = np.array(list(counts), np.int64).reshape(-1, len(schema))
    return discreet.from_counts(schema, codes, np.array(list(counts.values()), np.int64))


def published(
    schema: Schema, counts: CellCounts, method: str, noise: Noise | None = None, **parameters: Any
) -> SparseCells:
    task = discreet.Table(list(schema), method=method, **parameters)
    summary = data_of(schema, counts).publish(task, 1, noise=noise).summary
    assert isinstance(summary, SparseCells)
    check(summary)
    return summary


def check(summary: SparseCells) -> None:
    """What holds for every summary: cells of the domain, each once, values that pass.

    They stand in the schema's order, so that a cell's place says nothing.
    """
    codes, sizes = summary.codes, summary.schema.sizes
    assert np.all(codes >= 0)
    assert np.all(codes < np.array(sizes))
    cells = list(map(tuple, codes.tolist()))
    assert cells == sorted(set(cells))
    strengths = np.abs(summary.values) if summary.rule["two_sided"] else summary.values
    assert np.all(strengths >= summary.rule["theta"])


# --- tables that are empty, full, or smaller than what is asked for


@each_side
@each_method
def test_no_data_at_all(method: str, sided: str) -> None:
    summary = published(table_of(200, 5), {}, method, sided=sided, **METHODS[method])
    assert 0 < len(summary.values) < 1000
    assert "size" not in METHODS[method] or len(summary.values) == METHODS[method]["size"]


@each_side
@each_method
def test_no_empty_cell(method: str, sided: str) -> None:
    counts: CellCounts = {(i,): 1 + i for i in range(60)}
    summary = published(table_of(60), counts, method, sided=sided, **METHODS[method])
    assert 0 < len(summary.values) <= 60


@each_method
def test_one_cell_in_all(method: str) -> None:
    tables: tuple[CellCounts, ...] = ({}, {(0,): 10**6})
    for counts in tables:
        summary = published(table_of(1), counts, method, **METHODS[method])
        assert len(summary.values) <= 1
        assert len(summary.values) == 1 or not counts


@each_side
@pytest.mark.parametrize("method", ["filter", "priority", "filter-priority"])
def test_a_size_beyond_the_table_keeps_all_that_pass(method: str, sided: str) -> None:
    parameters = {**METHODS[method], "size": 10**8, "sided": sided}
    summary = published(table_of(500), {(7,): 50, (8,): 90}, method, **parameters)
    assert {7, 8} <= set(summary.codes[:, 0].tolist())
    assert np.array_equal(summary.weights, summary.values)
    assert not summary.tau


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("method", ["priority", "filter-priority"])
def test_a_sample_of_no_more_than_there_is(method: str, size: int) -> None:
    """Without noise there are three cells: a fourth is the first whose tau is not needed."""
    theta = {} if method == "priority" else {"theta": 2}
    counts: CellCounts = {(3,): 5, (4,): 7, (9,): 2}
    summary = published(table_of(10), counts, method, ZeroNoise(), size=size, **theta)
    assert len(summary.values) == min(size, 3)
    assert bool(summary.tau) == (size < 3)


# --- filters that leave little or nothing


@each_side
@pytest.mark.parametrize("theta", [1000, 10**6, 2**60 - 1])
@pytest.mark.parametrize("method", ["filter", "filter-threshold", "filter-priority"])
def test_a_filter_that_no_empty_cell_passes(method: str, theta: int, sided: str) -> None:
    """The chance of one to pass is below any float; a cell that is far above stays, the others go."""
    parameters = {**METHODS[method], "theta": theta, "sided": sided}
    counts: CellCounts = {(5, 5): theta + 500, (9, 9): theta - 500, (0, 0): 3}
    summary = published(table_of(10**6, 10**6), counts, method, **parameters)
    assert summary.codes.tolist() == [[5, 5]]
    assert abs(int(summary.values[0]) - theta - 500) < 300
    assert published(table_of(10, 10), {}, method, **parameters).codes.shape == (0, 2)


def test_ties_are_cut_at_random_and_never_the_larger() -> None:
    """Eight cells of one count and two larger ones, without noise."""
    cut, trials, hits = 5, 300, np.zeros(10, np.int64)
    counts: CellCounts = {(i,): 9 if i in (2, 6) else 5 for i in range(10)}
    for _ in range(trials):
        kept = published(table_of(10), counts, "filter", ZeroNoise(), theta=2, size=cut).codes[:, 0]
        assert kept.size == cut
        hits[kept] += 1
    assert hits[[2, 6]].tolist() == [trials, trials]
    expected = np.full(8, (cut - 2) / 8)
    assert compare(np.delete(hits, [2, 6]), trials, expected).holds


def test_a_limit_of_two() -> None:
    """There p is a number of 64 bits, of which no approximation would do."""
    for sided in SIDES:
        for scale in (1, 2, 7):
            schema = table_of(3000)
            task = discreet.Table(["a0"], method="threshold", tau=2, sided=sided)
            summary = data_of(schema, {(5,): 900}).publish(task, Fraction(1, scale)).summary
            assert 5 in summary.codes[:, 0]  # type: ignore[attr-defined]


# --- domains of any size


def sparsely(method: str, cells: int) -> dict[str, Any]:
    """Parameters at which few of very many empty cells are kept."""
    theta = {"theta": 1 + math.ceil(math.log(cells))}
    parameters: dict[str, dict[str, Any]] = {
        "filter": theta,
        "threshold": {"tau": cells // 20},
        "priority": {"size": 20},
        "filter-threshold": {**theta, "tau": "99.5"},
        "filter-priority": {**theta, "size": 20},
    }
    return parameters[method]


@each_method
def test_thirty_attributes(method: str) -> None:
    schema = table_of(*[10] * 30)
    heavy = {tuple((7 * i + j) % 10 for j in range(30)): 10**6 for i in range(5)}
    task = discreet.Table(list(schema), method=method, **sparsely(method, 10**30))
    release = data_of(schema, heavy).publish(task, 1)
    summary: Any = release.summary
    check(summary)
    for cell in heavy:
        found = release.count(dict(zip(schema, cell, strict=True))).value
        if "filter" in method:  # else a million is next to nothing
            assert abs(found - 10**6) < 200
    assert release.count().low <= release.count().value <= release.count().high


BORDERS = [
    (3, 715827883, 2147483647),  # 2**62 - 1
    (2**30, 2**30, 4),
    (5, 5581, 8681, 49477, 384773),  # 2**62 + 1
    (7, 7, 73, 127, 337, 92737, 649657),  # 2**63 - 1
    (2**30, 2**30, 8),
    (2, 5, 5581, 8681, 49477, 384773),  # 2**63 + 2
    (2**30, 2**30, 16),
]


@pytest.mark.parametrize("sizes", BORDERS, ids=[str(math.prod(sizes)) for sizes in BORDERS])
@each_method
def test_domains_about_the_limits_of_64_bits(method: str, sizes: tuple[int, ...]) -> None:
    """The first and the last cell are as heavy as noise on the whole domain, so that any sample holds them."""
    cells = math.prod(sizes)
    first, last = (0,) * len(sizes), tuple(size - 1 for size in sizes)
    parameters = sparsely(method, cells)
    summary = published(table_of(*sizes), {first: cells // 10, last: cells // 10}, method, **parameters)
    kept = list(map(tuple, summary.codes.tolist()))
    if method == "priority":  # a priority of theirs may be passed by twenty others, but rarely is
        assert len(kept) == 20
    else:
        assert (kept[0], kept[-1]) == (first, last)


def test_an_attribute_too_wide_for_a_wide_table_costs_nothing() -> None:
    refused(table_of(2**31, 2**31), "filter", {"theta": 60}, r"a0 has more than 2\*\*31")
    published(table_of(2**31, 2**30), {(2**31 - 1, 0): 500}, "filter", theta=60)


@each_method
def test_too_many_cells_cost_nothing(method: str) -> None:
    refused(table_of(*[2**30] * 12), method, METHODS[method], "1e100 cells")


# --- parameters


def refused(schema: Schema, method: str, parameters: dict[str, Any], message: str) -> None:
    data = data_of(schema, {})
    with pytest.raises(BadParameter, match=message):
        data.publish(discreet.Table(list(schema), method=method, **parameters), 1)
    assert data.ledger.spent == 0


BAD = [
    *((m, {**METHODS[m], "sided": s}, "sided must be") for m in METHODS for s in ("both", None, 1)),
    *((m, {"size": s}, "size must be") for m in METHODS for s in (0, -1, 1.5, "3", True)),
    *(
        (m, {**METHODS[m], "theta": t}, "theta must be")
        for m in METHODS
        if "filter" in m
        for t in (0, -1, 1.5, "2", True, 2**60, math.nan)
    ),
    *(
        (m, {**METHODS[m], "tau": t}, "tau must")
        for m in ("threshold", "filter-threshold")
        for t in (0, -1, "x", None, math.nan, math.inf, True, "1e-101", "1e101", "1e9999")
    ),
    *((m, {"size": 10**9}, "size must be at most") for m in ("priority", "filter-priority")),
    ("filter", {"tau": 3}, "no parameter 'tau'"),
    ("threshold", {"theta": 3, "tau": 3}, "no parameter 'theta'"),
    ("priority", {"theta": 3}, "no parameter 'theta'"),
]


@pytest.mark.parametrize(("method", "parameters", "message"), BAD)
def test_bad_parameters_cost_nothing(method: str, parameters: dict[str, Any], message: str) -> None:
    refused(table_of(10), method, parameters, message)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [("filter", {"theta": 2}), ("threshold", {"tau": 9}), ("filter-threshold", {"theta": 2, "tau": "9.5"})],
)
def test_a_summary_as_large_as_the_table_costs_nothing(method: str, parameters: dict[str, Any]) -> None:
    refused(table_of(10**6, 10**6), method, parameters, "cells would be kept even of an empty table")


def chosen(method: str, cells: int, **parameters: Any) -> dict[str, tuple[Any, str]]:
    task = discreet.Table(["a0"], method=method, **parameters)
    made = mechanism_for(task, Request(table_of(cells), Unit(), Fraction(1, 2), parameters))
    return {each["name"]: (each["value"], each["origin"]) for each in made.chosen}


@pytest.mark.parametrize("size", [10, 1000])
def test_a_default_theta_is_that_of_the_formula(size: int) -> None:
    a, cells = math.exp(-1 / 2), 10**9
    theta, origin = chosen("filter", cells, size=size)["theta"]
    assert theta == math.ceil(math.log((1 + a) * size / (2 * cells)) / math.log(a))
    assert origin.startswith("default")
    one_sided = chosen("filter", cells, size=size, sided="one")["theta"][0]
    assert one_sided == math.ceil(math.log((1 + a) * size / cells) / math.log(a))


@pytest.mark.parametrize("size", [10, 1000, 99_999])
def test_a_default_tau_keeps_the_wanted_number_of_an_empty_table(size: int) -> None:
    tau, origin = chosen("threshold", 10**9, size=size)["tau"]
    a = math.exp(-1 / 2)
    assert float(Fraction(tau)) == pytest.approx(10**9 * 2 * a / (1 - a * a) / size, rel=1e-4)
    assert origin.startswith("default")
    assert chosen("threshold", 10**9, tau="1000.5")["tau"] == ("1000.5", "given")


@pytest.mark.parametrize("rows", [10**6, 10**10])
def test_a_tau_for_guessed_records_is_that_of_the_paper(rows: int) -> None:
    """(records + m E|noise|) / size, with a public guess where the paper has the private total."""
    a, size = math.exp(-1 / 2), 1000
    tau, origin = chosen("threshold", 10**9, size=size, guess={"rows": rows})["tau"]
    assert float(Fraction(tau)) == pytest.approx((rows + 10**9 * 2 * a / (1 - a * a)) / size, rel=1e-4)
    assert origin == f"default: a table of {rows:,} records would keep 1,000 cells in expectation"
    filtered = chosen("filter-threshold", 10**9, size=size, theta=2, guess={"rows": rows})["tau"][0]
    lighter = chosen("filter-threshold", 10**9, size=size, theta=2)["tau"][0]
    assert Fraction(lighter) < Fraction(filtered) < Fraction(tau)
    assert chosen("threshold", 10**9, tau="1000.5", guess={"rows": rows})["tau"] == ("1000.5", "given")


def test_a_small_table_of_guessed_records_is_kept_whole() -> None:
    assert chosen("threshold", 100, size=1000, guess={"rows": 50})["tau"][0] == "1"


@each_method
def test_without_parameters_the_defaults_are_told(method: str) -> None:
    told = chosen(method, 10**9)
    assert told["size"][0] == 100_000
    assert all(origin.startswith("default") for _, origin in told.values())
    assert ("theta" in told, "tau" in told) == ("filter" in method, "threshold" in method)


# --- what a release shows


@each_method
def test_a_release_shows_the_summary_and_nothing_else(method: str, tmp_path: Path) -> None:
    """Of an empty table and one of 3571 heavy cells, all but the summary is the same to the letter."""
    schema, shown = table_of(10_000, 3), []
    for name, cells in (("none", 0), ("full", 3571)):
        data = data_of(schema, {(i, i % 3): 100_003 + i for i in range(cells)})
        task = discreet.Table(list(schema), method=method, **METHODS[method])
        summary: Any = data.publish(task, 1, name="r", to=tmp_path / name).summary
        assert sorted(path.name for path in (tmp_path / name).iterdir()) == ["release.json", "table.parquet"]
        manifest = json.loads((tmp_path / name / "release.json").read_text(encoding="utf-8"))
        files, rule = manifest["files"], manifest["summary"]
        assert files.keys() == {"table.parquet"}
        assert files["table.parquet"].keys() == {"sha256", "bytes"}
        if "priority" in method:
            assert rule.pop("tau") == summary.tau
        shown.append({key: manifest[key] for key in manifest if key not in ("time", "ledger", "seal", "files")})
        table = pq.read_table(tmp_path / name / "table.parquet")
        assert set(table.column_names) <= {"a0", "a1", "count", "weighted_count"}
        assert len(table) == len(summary.values)
    assert shown[0] == shown[1]
