"""With publicly known totals intervals hold the true count as often as they say.

All methods of tables, ranges and marginals, on the hostile data that intervals are tried on without them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise
from discreet.queries import Questions, bind, questions_of
from discreet.queries.known_entries import read_entries
from discreet.queries.known_totals import KnownTotals
from discreet.schema import Schema
from discreet.summaries import Summary
from discreet.summaries.informed import informed
from discreet.tasks import Task
from tests.conformance.examples import EXAMPLES, SCHEMA
from tests.conformance.kinds_of_data import LEVELS, Counts, Sample, tables
from tests.conformance.test_coverage import Hits, held, short

#: groups whose totals are known: nested ones in a known whole, and one of which nothing else is known
KNOWN: dict[str, list[dict[str, Any]]] = {
    "nested": [{}, {"place": "north"}, {"place": "north", "age": (0, 2)}],
    "apart": [{"place": "a"}, {"place": "c", "age": (0, 3)}],
}
ASKED: dict[str, dict[str, Any]] = {
    "a cell": {"age": 2, "place": "a"},
    "most of a group": {"place": "north", "age": (3, 5)},
    "across groups": {"age": 1},
    "more than a group": {"place": ["a", "b"], "age": (0, 4)},
    "group and rest": {"place": ["a", "c"]},
    "rest": {"place": "b"},
}
METHODS = {
    method: next(task for task in tasks if {"age", "place"} <= set(task.attributes(SCHEMA)))
    for (name, method), tasks in EXAMPLES.items()
    if name != "items"
    and any({"age", "place"} <= set(task.attributes(SCHEMA)) and "queries" not in task.parameters for task in tasks)
}


def true_count(where: dict[str, Any], schema: Schema, truth: Counts) -> int:
    ends = bind(where, schema).ends(schema.sizes)
    return sum(int(truth[tuple(slice(a, b + 1) for a, b in box)].sum()) for box in ends.tolist())


def known_of(groups: list[dict[str, Any]], schema: Schema, truth: Counts) -> KnownTotals:
    said = [{"where": where, "count": true_count(where, schema, truth)} for where in groups]
    return KnownTotals.of(read_entries(said), schema)


def cases(
    task: Task, sample: Sample, epsilon: str, trials: int
) -> Iterator[tuple[KnownTotals, Summary, Questions, Any]]:
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, sample.unit, epsilon))
    schema, every = mechanism.request.schema, list(SCHEMA)
    left = sample.counts.reshape(SCHEMA.sizes).sum(axis=tuple(i for i, name in enumerate(every) if name not in schema))
    order = [name for name in every if name in schema]
    truth = np.transpose(left, [order.index(name) for name in schema])
    asked = questions_of(ASKED.values(), schema)
    true = np.array([true_count(where, schema, truth) for where in ASKED.values()], np.float64)
    for groups in KNOWN.values():
        known = known_of(groups, schema, truth)
        for trial in range(trials):
            summary = mechanism.measure(sample.bounded(mechanism, trial.to_bytes(8)), Noise())
            yield known, summary, asked, true


@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_the_true_count(method: str) -> None:
    trials = 6 if method in ("geometric", "weighted", "adaptive", "agreed") else 2  # more of what `auto` takes
    together: Hits = defaultdict(lambda: np.zeros((2, len(LEVELS))))
    tried = 0
    for _, sample in tables(SCHEMA):
        for epsilon in ("0.1", "1"):
            for known, summary, asked, true in cases(METHODS[method], sample, epsilon, trials):
                for name, holds in zip(ASKED, held(informed(summary, known), asked, true), strict=True):
                    together[name] += holds
                tried += 1
    assert short(together, tried) == []
