"""Jobs by home and work block (25,181 x 25,181 cells, 406,052 jobs), epsilon 1: totals, roll-ups and flows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import discreet
from benchmarks.accuracy.asking import TOTAL, Asked, Texts, asked
from benchmarks.accuracy.rows import intervals
from benchmarks.accuracy.shapes import Ints, columns, folder
from benchmarks.accuracy.trials import Method, known, trials, tried
from benchmarks.measure import Report
from discreet.private.publish import Data
from discreet.schema import Nominal, Schema

EPSILON = "1"
LEVELS = {"county": "cty", "tract": "trct", "block": "tabblk2010"}
#: what `auto` chose before there was `adaptive`
METHODS = [Method("table", "filter-priority", {"total": "0.03"}), Method("table", "adaptive")]
LIMITS = {
    TOTAL: 150.0,
    "counties of one side": 100.0,
    "tracts of one side": 40.0,
    "tract flows": 3.0,
    "county flows": None,
}


def run(report: Report) -> None:
    if (where := folder("lodes_ri_2019")) is None:
        return
    what = f"jobs by home and work block, epsilon {EPSILON}"
    methods = known(report, what, METHODS)
    data, asking = made(where)
    for method in methods:
        found = tried(data, method, EPSILON, asking, trials(report.quick))
        for name, limit in LIMITS.items():
            text = f"{what}, {method.said}: mean error of {name}"
            if limit is None or method.name != "adaptive":
                report.note(text, found[name].error)
            else:
                report.at_most(text, found[name].error, limit)
            report.note(f"{text}, intervals", intervals({name: found[name]}))


def made(where: Path) -> tuple[Data, Asked]:
    """Ready counts and questions; flows are all pairs, empty ones included."""
    blocks, cells, counts = read(where)
    schema = Schema(home=blocks, work=blocks)
    data = discreet.from_counts(schema, cells, counts)
    county, tract = (_flows(blocks, level, cells, counts) for level in ("county", "tract"))
    everywhere = np.array([counts.sum()])
    return data, asked(
        schema,
        {
            TOTAL: ([[""], [""]], everywhere),
            "counties of one side": _one_side(*county),
            "tracts of one side": _one_side(*tract),
            "tract flows": _pairs(*tract),
            "county flows": _pairs(*county),
        },
    )


def read(where: Path) -> tuple[Nominal, Ints, Ints]:
    """All blocks; and of every flow the home block, the work block and the number of jobs."""
    blocks = _hierarchy(where / "ri_xwalk.csv.gz")
    jobs = columns(where / "ri_od_main_JT00_2019.csv.gz", ["h_geocode", "w_geocode", "S000"])
    code = {label: place for place, label in enumerate(blocks.labels)}
    cells = np.array([[code[block] for block in jobs[side]] for side in ("h_geocode", "w_geocode")]).T
    return blocks, cells, np.array(jobs["S000"], np.int64)


def _hierarchy(path: Path) -> Nominal:
    levels = columns(path, list(LEVELS.values()))
    tree: dict[str, dict[str, list[str]]] = {}
    for county, tract, block in sorted(zip(*levels.values(), strict=True)):
        tree.setdefault(county, {}).setdefault(tract, []).append(block)
    return Nominal(hierarchy=tree, levels=list(LEVELS))


def _flows(blocks: Nominal, level: str, cells: Ints, counts: Ints) -> tuple[list[str], Ints]:
    """The names of a level, and the jobs from each of its places to each."""
    nodes = blocks.level(level)
    table = np.zeros((len(nodes), len(nodes)), np.int64)
    home, work = (np.searchsorted([first for _, first, _ in nodes], side, "right") - 1 for side in cells.T)
    np.add.at(table, (home, work), counts)
    return [name for name, _, _ in nodes], table


def _one_side(names: list[str], table: Ints) -> tuple[Texts, Ints]:
    blank = [""] * len(names)
    return [names + blank, blank + names], np.concatenate([table.sum(axis=1), table.sum(axis=0)])


def _pairs(names: list[str], table: Ints) -> tuple[Texts, Ints]:
    return [[name for name in names for _ in names], names * len(names)], table.reshape(-1)
