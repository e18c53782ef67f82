"""Kinds of data that intervals are tried on, friendly and hostile, and classes of questions about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.mechanisms import Mechanism, Request, mechanism_for
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.open_data import from_counts
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries import Summary
from discreet.tasks import Task
from tests.rows_in_memory import PlainRows, Row

Counts = NDArray[np.int64]
LEVELS = (0.8, 0.95, 0.99)
CLASSES = ("cell", "heavy cell", "empty cell", "roll-up", "range", "subset", "total")
#: of a user's rows; some users have as many
MOST = 12


def _zipf(cells: int, power: float) -> Counts:
    order = np.arange(cells) * 11 % cells if cells % 11 else np.arange(cells)
    return np.asarray(3000 / (1.0 + order) ** power, np.float64).astype(np.int64)


#: what a table may be like, by the number of its cells
TABLES: dict[str, Callable[[int], Counts]] = {
    "empty": lambda cells: np.zeros(cells, np.int64),
    "uniform": lambda cells: np.full(cells, 9),
    "one huge cell": lambda cells: np.where(np.arange(cells) == cells // 3, 100_000, 0),
    "zipf": lambda cells: _zipf(cells, 1.1),
    "clustered": lambda cells: np.where(np.arange(cells) % 16 < 4, 40 + np.arange(cells) % 7, 0),
    "below theta": lambda cells: 1 + np.arange(cells) % 2,
}


@dataclass(frozen=True)
class Sample:
    """Exact counts, and what can be measured again and again."""

    counts: Counts
    bounded: Callable[[Mechanism, bytes], Any]
    unit: Unit


def tables(schema: Schema) -> Iterator[tuple[str, Sample]]:
    """Ready counts of rows, and of users who all have as many rows as they may, in one cell each."""
    codes = np.array(list(product(*map(range, schema.sizes))))

    def of(counts: Counts, unit: Unit) -> Sample:
        origin = from_counts(schema, codes, counts, unit=unit).origin
        return Sample(counts, lambda made, salt: origin.bounded(made.request.schema, unit, salt), unit)

    for kind, counts in TABLES.items():
        yield kind, of(counts(len(codes)), Unit())
    yield "heavy users", of(np.where(np.arange(len(codes)) % 5 == 0, 4 * MOST, 0), Unit("who", max_rows=MOST))
    yield "skew 2", of(_zipf(len(codes), 2.0), Unit())


def users(schema: Schema) -> Iterator[tuple[str, Sample]]:
    """Rows of users with few and many records: alike, each in one cell only, heavy ones different, skewed."""
    dice, cells = np.random.default_rng(20_261_117), schema.cells
    skewed = 1 / (1.0 + np.arange(cells)) ** 2
    kinds: dict[str, Callable[[int], Any]] = {
        "all alike": lambda user: dice.integers(0, cells, 3),
        "heavy users": lambda user: np.full(MOST, user % 3) if user % 4 == 0 else dice.integers(0, cells, 1),
        "heavy users elsewhere": lambda user: (
            cells - 1 - np.arange(MOST) % cells if user % 4 == 0 else dice.integers(0, cells // 2, 2)
        ),
        "skew 2": lambda user: dice.choice(cells, dice.integers(1, MOST + 1), p=skewed / skewed.sum()),
        "nobody": lambda user: np.empty(0, np.int64),
    }
    for kind, of_user in kinds.items():
        rows: list[Row] = []
        for user in range(150):
            cells_of_user = [np.unravel_index(int(cell), schema.sizes) for cell in of_user(user)]
            rows += [(f"u{user}", tuple(int(code) for code in codes)) for codes in cells_of_user]
        yield kind, _of_rows(schema, rows)


def _of_rows(schema: Schema, rows: list[Row]) -> Sample:
    counts = np.zeros(schema.sizes, np.int64)
    for _, codes in rows:
        counts[codes] += 1
    unit, plain = Unit("who", max_rows=MOST), PlainRows(schema, rows)
    return Sample(counts.reshape(-1), lambda made, salt: plain.bounded(made.request.schema, unit, salt), unit)


def users_per_item(sample: Sample, mechanism: Mechanism) -> Counts:
    """How many different users each item has; a user has it once, however many records."""
    bounded = sample.bounded(mechanism, b"")
    found: dict[int, set[Any]] = {}
    for user, codes in bounded.rows:
        found.setdefault(codes[0], set()).add(user)
    size = mechanism.request.schema.sizes[0]
    return np.array([len(found.get(item, ())) for item in range(size)], np.int64)


def boxes(schema: Schema, truth: Counts) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """For each class the boxes of one question, as first and last codes; `truth` has the shape of the schema."""
    sizes, last = schema.sizes, tuple(size - 1 for size in schema.sizes)
    zeros = tuple(0 for _ in sizes)

    def cell(number: int) -> list[tuple[Any, Any]]:
        codes = np.unravel_index(number, sizes)
        return [(codes, codes)]

    flat = truth.reshape(-1)
    yield "cell", cell(flat.size // 2)
    yield "heavy cell", cell(int(np.argmax(flat)))
    yield "empty cell", cell(int(np.argmin(flat)))
    yield "roll-up", [(zeros, (*last[:-1], max(0, (sizes[-1] - 1) // 2)))]
    yield "range", [((sizes[0] // 4, *zeros[1:]), ((3 * sizes[0]) // 4, *last[1:]))]
    yield "subset", [one for number in range(1, flat.size, 3) for one in cell(number)]
    yield "total", [(zeros, last)]


def questions(schema: Schema, truth: Counts, summary: Summary) -> tuple[list[str], Questions, NDArray[np.float64]]:
    """All classes that a summary answers, as one list of questions, and their true counts."""
    names: list[str] = []
    first, last, owner, true = [], [], [], []
    for name, some in boxes(schema, truth):
        ends = [np.array(side, np.int64) for side in zip(*some, strict=True)]
        alone = Questions(ends[0], ends[1], 1, np.zeros(len(some), np.int64))
        try:
            summary.answer(alone, 0.9)
        except CannotAnswer:
            continue
        first.append(ends[0])
        last.append(ends[1])
        owner.append(np.full(len(some), len(names)))
        true.append(sum(int(truth[tuple(slice(a, b + 1) for a, b in zip(*box, strict=True))].sum()) for box in some))
        names.append(name)
    joined = Questions(np.concatenate(first), np.concatenate(last), len(names), np.concatenate(owner))
    return names, joined, np.array(true, np.float64)


def redrawn(task: Task, schema: Schema, sample: Sample, epsilon: str, trials: int) -> Iterator[Summary]:
    mechanism = mechanism_for(task, Request.of(task, schema, sample.unit, epsilon))
    for trial in range(trials):
        yield mechanism.measure(sample.bounded(mechanism, trial.to_bytes(8)), Noise())
