"""Adult over eight columns, 1,814,400 cells, 48,842 persons, epsilon 1: cells of one-way and two-way tables.

The columns are workclass, education-num, marital-status, occupation, relationship, race, sex and income>50K.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np

import discreet
from benchmarks.accuracy.asking import Asked, Texts, asked
from benchmarks.accuracy.rows import intervals
from benchmarks.accuracy.shapes import Ints, columns, folder
from benchmarks.accuracy.trials import Method, known, trials, tried
from benchmarks.measure import Report
from discreet.private.publish import Data
from discreet.schema import Nominal, Ordinal, Schema

EPSILON = "1"
COLUMNS = ("workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex", "income>50K")
ORDERED = ("education-num",)
METHODS = [Method("table", name) for name in ("geometric", "filter-priority", "adaptive")]
LIMITS = {"one-way cells": 60.0, "two-way cells": 70.0}


def run(report: Report) -> None:
    if (where := folder("adult")) is None:
        return
    data, asking = made(where)
    what = f"adult, {len(COLUMNS)} columns, {data.schema.cells:,} cells, epsilon {EPSILON}"
    for method in known(report, what, METHODS):
        found = tried(data, method, EPSILON, asking, trials(report.quick))
        for name, limit in LIMITS.items():
            text = f"{what}, {method.said}: mean error of {name}"
            if method.name == "adaptive":
                report.at_most(text, found[name].error, limit)
            else:
                report.note(text, found[name].error)
            report.note(f"{text}, intervals", intervals({name: found[name]}))


def made(where: Path) -> tuple[Data, Asked]:
    schema, rows = read(where)
    data = discreet.from_counts(schema, rows, np.ones(len(rows), np.int64))
    ways = {name: _cells(schema, rows, way) for way, name in enumerate(LIMITS, start=1)}
    return data, asked(schema, ways)


def read(where: Path) -> tuple[Schema, Ints]:
    """The columns, and the code of every row in each."""
    sizes = json.loads((where / "adult_discretised-domain.json").read_text(encoding="utf-8"))
    codes = columns(where / "adult_discretised.csv", COLUMNS)
    rows = np.array([codes[name] for name in COLUMNS]).astype(np.int64).T
    kinds = {
        name: Ordinal(0, sizes[name] - 1) if name in ORDERED else Nominal([str(i) for i in range(sizes[name])])
        for name in COLUMNS
    }
    return Schema(kinds), rows


def _cells(schema: Schema, rows: Ints, ways: int) -> tuple[Texts, Ints]:
    """Every cell of all tables of so many attributes; a blank is all of an attribute."""
    texts: list[list[str]] = [[] for _ in schema]
    true = []
    for places in combinations(range(len(schema)), ways):
        sizes = tuple(schema.sizes[place] for place in places)
        numbers = np.ravel_multi_index(tuple(rows[:, place] for place in places), sizes)
        true.append(np.bincount(numbers, minlength=int(np.prod(sizes))))
        codes = np.indices(sizes).reshape(ways, -1)
        for place, column in enumerate(texts):
            if place in places:
                column += [str(code) for code in codes[places.index(place)].tolist()]
            else:
                column += [""] * true[-1].size
    return texts, np.concatenate(true)
