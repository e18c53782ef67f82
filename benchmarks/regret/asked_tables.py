"""Settings of tables and ranges: counts by some attributes, and what people ask of these.

Classes of `Table`: any cell, cells of records, roll-ups (each attribute alone, and each level of a hierarchy), subsets
(boxes with random ends) and the total. Of `Ranges`: small, medium and large ranges, prefixes, any cell, nodes of
hierarchies and the total. The error of a class is the mean absolute error of its answers, and no less than a tenth of
the noise of one count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.accuracy.asking import CLASSES, OF_RECORDS, RANDOM, TOTAL, Ends, boxes
from benchmarks.accuracy.shapes import Floats, Ints, dice
from benchmarks.regret.counted import Counted
from benchmarks.regret.scores import Setting
from discreet.mechanisms import Request
from discreet.planning.predicted import true_counts
from discreet.planning.question_classes import boxes as boxed
from discreet.planning.question_classes import joined
from discreet.privacy import Unit
from discreet.private.bounded import Bounded
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Nominal, Schema
from discreet.tasks import Ranges, Task

#: of each class
ASKED = 100
NEGLIGIBLE = 0.1
#: of Table
CELLS, FULL, ROLLUPS, SUBSETS = "any cell", "cells of records", "roll-ups", "subsets"


def setting(one: Counted, epsilon: str, guessed: bool) -> Setting:
    """With a public guess of the rows, to one digit, or without any."""
    rows = float(f"{one.counts.counts.sum():.0e}")
    parameters: dict[str, Any] = {"guess": {"rows": int(rows)}} if guessed else {}
    task = one.task(list(one.schema), **parameters)
    request = Request.of(task, one.schema, Unit(), epsilon)
    classes = _range_classes if isinstance(task, Ranges) else _table_classes
    name = f"{one.name}, epsilon {epsilon}{', rows guessed' if guessed else ''}"
    return of_counts(name, one.half, task, request, one.counts, one.counts, classes(one.schema, one.counts))


def of_counts(
    name: str, half: str, task: Task, request: Request, data: Bounded, truth: Counts, classes: Mapping[str, Questions]
) -> Setting:
    asked = joined(list(classes.values()))
    true, floor = true_counts(truth, asked), NEGLIGIBLE / float(request.epsilon)
    ends = np.cumsum([one.count for one in classes.values()])[:-1]

    def errors(values: Floats) -> dict[str, float]:
        parts = np.split(np.abs(values - true), ends)
        return {name: max(float(part.mean()), floor) for name, part in zip(classes, parts, strict=True)}

    return Setting(name, half, task, request, data, asked, errors)


def _table_classes(schema: Schema, counts: Counts) -> dict[str, Questions]:
    ends = boxes(schema.sizes, ASKED, records_of(counts))
    found = {CELLS: ends["single cells"], FULL: ends[OF_RECORDS], SUBSETS: ends[RANDOM], TOTAL: ends[TOTAL]}
    classes = {name: boxed(*inner) for name, inner in found.items()}
    rollups = {**(_alone(schema) if len(schema) > 1 else {}), **dict(_levels(schema))}
    return {**classes, **{f"{ROLLUPS}: by {name}": questions for name, questions in rollups.items()}}


def _range_classes(schema: Schema, counts: Counts) -> dict[str, Questions]:
    """Of nominal attributes a question asks for a node of the hierarchy, or for all, as often."""
    ends = boxes(schema.sizes, ASKED, records_of(counts))
    rolled, nominal = dice("nodes", schema.sizes), [isinstance(one, Nominal) for one in schema.values()]
    found: dict[str, Ends] = {"single cells": ends["single cells"], TOTAL: ends[TOTAL]}
    if not all(nominal):
        found |= {name: ends[name] for name in CLASSES if name not in found}
    elif len(schema) > 1:
        found["nodes"] = ends[RANDOM]
    for name, (first, last) in found.items():
        for place, attribute in enumerate(schema.values()):
            if isinstance(attribute, Nominal) and name not in ("single cells", TOTAL):
                levels = [attribute.level(depth) for depth in range(attribute.depth)]
                nodes = np.array([[low, high] for level in levels for _, low, high in level])
                some = nodes[rolled.integers(0, len(nodes), len(first))]
                some[rolled.random(len(first)) < 0.5] = 0, attribute.size - 1
                first[:, place], last[:, place] = some.T
    classes = {name: boxed(*inner) for name, inner in found.items()}
    return {**classes, **{f"groups: by {name}": questions for name, questions in _levels(schema)}}


def _alone(schema: Schema) -> dict[str, Questions]:
    found = {}
    for place, (name, attribute) in enumerate(schema.items()):
        codes = np.arange(attribute.size)
        found[name] = _along(schema, place, codes, codes)
    return found


def _levels(schema: Schema) -> Iterator[tuple[str, Questions]]:
    for place, (name, attribute) in enumerate(schema.items()):
        if isinstance(attribute, Nominal):
            for depth in range(attribute.depth - 1):
                _, first, last = zip(*attribute.level(depth), strict=True)
                yield f"{name}, level {depth + 1}", _along(schema, place, np.array(first), np.array(last))


def _along(schema: Schema, place: int, first: Ints, last: Ints) -> Questions:
    """Some spans of one attribute; all others whole."""
    some = np.unique(np.linspace(0, len(first) - 1, ASKED).astype(np.int64))
    ends = np.zeros((len(some), len(schema)), np.int64), np.tile(np.array(schema.sizes) - 1, (len(some), 1))
    ends[0][:, place], ends[1][:, place] = first[some], last[some]
    return boxed(*ends)


def records_of(counts: Counts) -> Ints:
    """The cells of some records."""
    chosen = dice("records", counts.sizes).choice(len(counts.counts), 4 * ASKED, p=counts.counts / counts.counts.sum())
    return np.asarray(counts.codes[chosen], np.int64)
