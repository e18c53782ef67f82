"""Settings of marginals and of items: tables of people, and what users have.

Classes of `Marginals`: the cells of every table, some anywhere and some of records; each table is a class of the one
family of tables, and the total is another. Of `Items`: L1 over all items, relative to all records; and the top 10 that
are found, p of them, as an error 1 / (p / 10 + 0.05).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from benchmarks.accuracy.asking import TOTAL
from benchmarks.accuracy.item_sets import ItemSet, item_sets
from benchmarks.accuracy.people import People, peoples
from benchmarks.accuracy.shapes import Floats, Ints, dice
from benchmarks.regret.asked_tables import of_counts
from benchmarks.regret.scores import Setting
from discreet.mechanisms import Request
from discreet.planning.question_classes import boxes as boxed
from discreet.planning.stand_ins import InventedRows
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Ordinal, Schema
from discreet.tasks import Items, Marginals
from experiments.shared.bounded import OnlyHistories

#: cells of each table, half of them of records
ASKED = 40
#: how many attributes of people are combined, and how many in each table
SHAPES = ((14, 1), (8, 2), (14, 2), (6, 3))
TOP = 10


def marginals(epsilon: str, quick: bool) -> Iterator[Setting]:
    """The first attributes of each table of people."""
    for people in list(peoples())[:: 2 if quick else 1]:
        for many, ways in SHAPES[1:2] if quick else SHAPES:
            if many <= len(people.sizes):
                yield _marginals(people, many, ways, epsilon)


def _marginals(people: People, many: int, ways: int, epsilon: str) -> Setting:
    schema = Schema({f"a{place}": Ordinal(0, size - 1) for place, size in enumerate(people.sizes[:many])})
    task = Marginals(list(schema), ways=ways)
    request = Request.of(task, schema, Unit(), epsilon)
    counts = Counts.from_arrays(schema.sizes, people.codes[:, :many], np.ones(len(people.codes), np.int64))
    name = f"{people.name}: tables of {ways} among {many}, epsilon {epsilon}"
    return of_counts(name, people.half, task, request, InventedRows(counts), counts, _classes(schema, people, ways))


def _classes(schema: Schema, people: People, ways: int) -> dict[str, Questions]:
    rolled = dice("tables", schema.sizes, ways)
    last = np.array(schema.sizes) - 1
    found = {}
    for places in map(list, combinations(range(len(schema)), ways)):
        of_records = people.codes[rolled.integers(0, len(people.codes), ASKED // 2)][:, places]
        anywhere = rolled.integers(0, np.array(schema.sizes)[places], (ASKED // 2, ways))
        codes = np.concatenate([of_records, anywhere])
        ends = np.zeros((len(codes), len(schema)), np.int64), np.tile(last, (len(codes), 1))
        ends[0][:, places] = ends[1][:, places] = codes
        found[f"tables: {' x '.join(schema.names[place] for place in places)}"] = boxed(*ends)
    return {**found, TOTAL: boxed(np.zeros((1, len(schema)), np.int64), last[None, :].astype(np.int64))}


def items(epsilon: str, quick: bool) -> Iterator[Setting]:
    for one in item_sets(quick):
        yield _items(one, epsilon)


def _items(one: ItemSet, epsilon: str) -> Setting:
    schema = Schema(item=Ordinal(0, one.items - 1))
    task = Items("item", **({"count": "users"} if one.name.endswith("users") else {}))
    request = Request.of(task, schema, Unit("who", max_rows=one.most), epsilon)
    each = np.arange(one.items)[:, None]
    true = one.true.astype(np.float64)

    def errors(values: Floats) -> dict[str, float]:
        found = np.isin(_top(values), _top(true)).mean()
        return {"L1": float(np.abs(values - true).sum() / true.sum()), "top 10": float(1 / (found + 0.05))}

    name = f"items, {one.name}, epsilon {epsilon}"
    return Setting(name, one.half, task, request, OnlyHistories(one), boxed(each, each), errors)


def _top(values: Floats) -> Ints:
    return np.argsort(-values, kind="stable")[:TOP]
