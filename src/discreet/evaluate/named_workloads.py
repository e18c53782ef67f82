"""Workloads: named sets of questions about a release's attributes, repeatable by their seed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.naming import did_you_mean
from discreet.noise import Noise, SeededSource
from discreet.queries import Questions, questions_of, read_questions
from discreet.schema import Attribute, Nominal, Schema
from discreet.summaries.base import per_question
from discreet.tasks import Items, Marginals, Ranges, Table, Task

Integers = NDArray[np.int64]

SEED = 4
#: how many random questions a workload has
COUNT = 2000
#: tables of more cells are not asked cell by cell
MOST_CELLS = 200_000
SUBSETS = (10, 100, 1000)


@dataclass(frozen=True, eq=False)
class Workload:
    """Questions about a schema. `tabular`: they are the cells of one table, each once; `counted`: what the release
    counts itself, so that no question is a sum of several of its counts."""

    name: str
    schema: Schema
    questions: Questions
    tabular: bool = False
    counted: bool = False

    @cached_property
    def coverage(self) -> NDArray[np.float64]:
        """The share of all cells that each question covers."""
        return per_question(self.questions, covered(self.schema, self.questions))


def build(text: str, schema: Schema) -> list[Workload]:
    """The workloads that a word names: `marginals-2`, all tables of two attributes; `name.csv`, questions of a file."""
    if text.endswith(".csv"):
        if not Path(text).is_file():
            raise BadParameter(f"workload {text!r}: there is no such file; correct the path")
        return [Workload(Path(text).stem, schema, read_questions(text, schema))]
    word, _, number = text.partition("-")
    if word == "marginals" and number.isdecimal():
        return marginals(schema, int(number))
    if text not in BUILDERS:
        known = [*BUILDERS, "marginals-1", "marginals-2", "FILE.csv"]
        raise BadParameter(f"there is no workload {text!r}.{did_you_mean(text, known)} Known: {', '.join(known)}")
    return BUILDERS[text](schema)


def natural_workloads(task: Task, schema: Schema) -> list[Workload]:
    """What people ask a release of this task, for when no workload is named; `schema` has its attributes."""
    queries = task.parameters.get("queries")
    if isinstance(task, Marginals) and queries:
        return [Workload("queries", schema, questions_of(queries, schema), counted=True)]
    if isinstance(task, Marginals):
        return [*_tables_of("tables", schema, _sets(task, schema), counted=True), *_single_attributes(schema)]
    wanted = ["cells"] if schema.cells <= MOST_CELLS else []
    if not isinstance(task, Items):
        wanted.append("ranges")
    if isinstance(task, Ranges) and any(not isinstance(attribute, Nominal) for attribute in schema.values()):
        wanted.append("prefixes")
    if isinstance(task, Table):  # sums of cells from anywhere, which nobody asks a tree of ranges
        wanted.append("subsets")
    return [*(one for word in wanted for one in BUILDERS[word](schema)), *_single_attributes(schema)]


def _sets(task: Marginals, schema: Schema) -> list[tuple[int, ...]]:
    """The attributes of each table, by their places."""
    if task.sets:
        return [tuple(sorted(schema.names.index(name) for name in names)) for names in task.sets]
    ways = task.parameters.get("ways")
    return list(itertools.combinations(range(len(schema)), ways if isinstance(ways, int) else 1))


def _single_attributes(schema: Schema) -> list[Workload]:
    return (
        _tables_of("single attributes", schema, [(place,) for place in range(len(schema))]) if len(schema) > 1 else []
    )


def _tables_of(name: str, schema: Schema, sets: Sequence[tuple[int, ...]], counted: bool = False) -> list[Workload]:
    """Every cell of several tables as one workload; of very many cells those of the smallest tables."""
    sized = sorted(sets, key=lambda places: math.prod(schema.sizes[place] for place in places))
    sums = itertools.accumulate(math.prod(schema.sizes[place] for place in places) for places in sized)
    few = [places for places, cells in zip(sized, sums, strict=True) if cells <= MOST_CELLS] or sized[:1]
    asked = [_table("", schema, places).questions for places in few]
    first, last = (np.concatenate([getattr(one, ends) for one in asked]) for ends in ("first", "last"))
    said = name if len(few) == len(sets) else f"{name} (the {len(few)} smallest)"
    return [Workload(said, schema, boxes(first, last), counted=counted)]


def cells(schema: Schema) -> list[Workload]:
    """Every cell."""
    if schema.cells > MOST_CELLS:
        raise BadParameter(f"workload cells: {schema.cells:.3g} cells are too many to ask one by one; use subsets")
    return [_table("cells", schema, tuple(range(len(schema))))]


def ranges(schema: Schema) -> list[Workload]:
    """Privelet's: 1, 2, ... restricted attributes, each equally often; ranges and hierarchy nodes at random."""
    return [Workload("ranges", schema, predicates(schema, COUNT, SEED))]


def prefixes(schema: Schema) -> list[Workload]:
    """For each ordinal attribute, all ranges that start at its first value."""
    found = []
    for place, (name, attribute) in enumerate(schema.items()):
        if not isinstance(attribute, Nominal):
            last = np.tile(np.array(schema.sizes, np.int64) - 1, (attribute.size, 1))
            last[:, place] = np.arange(attribute.size)
            found.append(Workload(f"prefixes of {name}", schema, boxes(np.zeros_like(last), last)))
    if not found:
        raise BadParameter("workload prefixes: no attribute is ordinal, so none has prefixes")
    return found


def subsets(schema: Schema) -> list[Workload]:
    """Random sets of cells, as in sparse-summaries: each question is a sum over 10, 100 or 1000 cells from anywhere."""
    dice, found = Noise(SeededSource(SEED)), []
    for size in SUBSETS:
        if size < schema.cells:
            count = max(20, COUNT // size)
            # without replacement within a question; domains may be far beyond 64 bits, so attribute by attribute
            codes = np.stack([dice.integers(width, count * size) for width in schema.sizes], axis=1).astype(np.int64)
            owner = np.repeat(np.arange(count), size)
            rows = np.unique(np.column_stack([owner, codes]), axis=0)
            asked = Questions(rows[:, 1:], rows[:, 1:], count, rows[:, 0])
            found.append(Workload(f"subsets of {size}", schema, asked))
    return found


def dpbench(schema: Schema) -> list[Workload]:
    """DPBench's: all prefixes of one attribute; 2,000 random boxes of several."""
    if len(schema) == 1:
        return prefixes(schema)
    return [Workload("random boxes", schema, random_boxes(schema, COUNT, SEED))]


def marginals(schema: Schema, ways: int) -> list[Workload]:
    """All tables of `ways` attributes, one workload for each."""
    if not 1 <= ways <= len(schema):
        raise BadParameter(f"workload marginals-{ways}: there are {len(schema)} attributes")
    return [
        _table(f"marginal {' x '.join(schema.names[place] for place in places)}", schema, places)
        for places in itertools.combinations(range(len(schema)), ways)
        if math.prod(schema.sizes[place] for place in places) <= MOST_CELLS
    ]


def _table(name: str, schema: Schema, places: tuple[int, ...]) -> Workload:
    """Every cell of the table of some attributes."""
    codes = np.indices([schema.sizes[place] for place in places]).reshape(len(places), -1).T
    first = np.zeros((len(codes), len(schema)), np.int64)
    last = np.tile(np.array(schema.sizes, np.int64) - 1, (len(codes), 1))
    first[:, places], last[:, places] = codes, codes
    return Workload(name, schema, boxes(first, last), tabular=True)


def boxes(first: Integers, last: Integers) -> Questions:
    """One question per box."""
    return Questions(first, last, len(first), np.arange(len(first)))


def predicates(schema: Schema, count: int, seed: int) -> Questions:
    """Privelet's workload: 1 to all attributes restricted, equally often; which ones, and to what, is random."""
    dice = Noise(SeededSource(seed))
    attributes = len(schema)
    restricted = 1 + dice.integers(attributes, count)
    order = np.argsort(dice.integers(1 << 62, count * attributes).reshape(count, attributes), axis=1)
    rank = np.argsort(order, axis=1)
    first = np.zeros((count, attributes), np.int64)
    last = np.broadcast_to(np.array(schema.sizes, np.int64) - 1, first.shape).copy()
    for place, attribute in enumerate(schema.values()):
        asked = rank[:, place] < restricted
        low, high = _parts(attribute, count, dice)
        first[asked, place], last[asked, place] = low[asked], high[asked]
    return boxes(first, last)


def _parts(attribute: Attribute, count: int, dice: Noise) -> tuple[Integers, Integers]:
    if isinstance(attribute, Nominal):
        nodes = [ends for depth in range(attribute.depth) for _, *ends in attribute.level(depth)]
        distinct = np.unique(np.array(nodes, np.int64), axis=0)
        chosen = distinct[dice.integers(len(distinct), count)]
        return chosen[:, 0], chosen[:, 1]
    return intervals(attribute.size, count, dice)


def intervals(size: int, count: int, dice: Noise) -> tuple[Integers, Integers]:
    """First and last codes of intervals, all equally likely: two different cuts of size + 1."""
    one = dice.integers(size + 1, count)
    other = dice.integers(size, count)
    other = other + (other >= one)
    return np.minimum(one, other), np.maximum(one, other) - 1


def random_boxes(schema: Schema, count: int, seed: int) -> Questions:
    """A random interval on every attribute."""
    dice = Noise(SeededSource(seed))
    parts = [intervals(size, count, dice) for size in schema.sizes]
    return boxes(np.stack([low for low, _ in parts], axis=1), np.stack([high for _, high in parts], axis=1))


def covered(schema: Schema, questions: Questions) -> NDArray[np.float64]:
    """The share of all cells that each question covers."""
    widths = (questions.last - questions.first + 1) / np.array(schema.sizes, np.float64)
    return np.asarray(widths.prod(axis=1))


BUILDERS: dict[str, Callable[[Schema], list[Workload]]] = {
    builder.__name__: builder for builder in (cells, ranges, prefixes, subsets, dpbench)
}
