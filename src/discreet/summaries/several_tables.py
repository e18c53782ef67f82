"""What summaries of several tables over the same records share: which tables a question is for, and sums of cells."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Summary
from discreet.summaries.columns import read_column
from discreet.transforms import Direct
from discreet.transforms.lines import running_sums


@dataclass(frozen=True, eq=False)
class Alike:
    """Questions about the same attributes (`asked`), and their numbers among all that were asked."""

    numbers: NDArray[np.int64]
    asked: list[int]
    questions: Questions


class SeveralTables(Summary):
    """One part for each set of attributes, its cells in the schema's order."""

    parts: Sequence[Any]
    #: of the noise in any part
    smallest_scale: float

    def __init__(self, schema: Schema, sets: Iterable[Sequence[str]]) -> None:
        self.schema, self.sets = schema, [tuple(names) for names in sets]
        self.places = [tuple(schema.names.index(name) for name in names) for names in self.sets]
        self.shapes = [tuple(schema.sizes[place] for place in places) for places in self.places]

    def answer(self, questions: Questions, level: float) -> Answers:
        return self.answered(self.alike(questions), questions.count, level)

    def alike(self, questions: Questions) -> Iterator[Alike]:
        """The questions, sorted by the attributes that they ask about."""
        asked = self.asked(questions)
        bits = np.packbits(asked, axis=1)  # rows as strings, which sort much faster
        _, rows, group_of = np.unique(bits.view(f"S{bits.shape[1]}")[:, 0], return_index=True, return_inverse=True)
        for group, row in enumerate(rows):
            chosen = np.flatnonzero(group_of == group)
            boxes = np.flatnonzero(group_of[questions.owner] == group)
            owner = np.searchsorted(chosen, questions.owner[boxes])
            some = Questions(questions.first[boxes], questions.last[boxes], chosen.size, owner)
            yield Alike(chosen, np.flatnonzero(asked[row]).tolist(), some)

    def answered(self, groups: Iterable[Alike], count: int, level: float) -> Answers:
        """Answers to the questions of these groups, which are some of `count`."""
        value, variance, fourth, lean = (np.zeros(count) for _ in range(4))
        for group in groups:
            chosen = group.numbers
            value[chosen], variance[chosen], fourth[chosen] = self.moments(group.questions, group.asked)
            lean[chosen] = self.lean(group.asked) * np.sqrt(variance[chosen])
        found = Answers.of_moments(value, variance, fourth, self.smallest_scale, level)
        return replace(found, low=found.low - lean, high=found.high + lean) if lean.any() else found

    def lean(self, asked: list[int]) -> float:
        """By how many standard errors answers may be off in the mean, because scales depend on the noise."""
        return 0.0

    def asked(self, questions: Questions) -> NDArray[np.bool_]:
        """Which attributes (columns) each question (row) restricts."""
        narrowed = (questions.first > 0) | (questions.last < np.array(self.schema.sizes) - 1)
        asked = np.zeros((questions.count, len(self.schema)), np.bool_)
        np.logical_or.at(asked, questions.owner, narrowed)
        return asked

    def narrowed(self, boxes: Boxes) -> tuple[int, ...]:
        """The attributes that any of these boxes restricts."""
        narrowed = (boxes.first > 0) | (boxes.last < np.array(self.schema.sizes) - 1)
        return tuple(np.flatnonzero(narrowed.any(axis=0)).tolist())

    def tables_for(self, wanted: list[int]) -> list[int]:
        """The tables that hold all these attributes."""
        return [number for number, places in enumerate(self.places) if set(wanted) <= set(places)]

    @abstractmethod
    def moments(self, questions: Questions, asked: list[int]) -> tuple[Floats, Floats, Floats]:
        """Value, variance and fourth cumulant of questions that are alike: `asked` has the columns that hold."""

    def tables(self) -> list[NDArray[Any]]:
        """The values that answer, flat."""
        return [part.values for part in self.parts]

    @cached_property
    def running(self) -> list[Floats]:
        """Of each table the sums from the first cell on along every axis."""
        return [
            running_sums([Direct(size) for size in shape], values.reshape(shape).astype(np.float64))
            for shape, values in zip(self.shapes, self.tables(), strict=True)
        ]

    def facts(self) -> dict[str, Any]:
        pairs = zip(self.sets, self.parts, strict=True)
        return {"tables": [{"attributes": list(names), **part.facts()} for names, part in pairs]}

    @staticmethod
    def read_parts(
        kind: Any, schema: Schema, facts: dict[str, Any], parquet: Any, columns: Iterable[str]
    ) -> tuple[list[Sequence[str]], list[Any]]:
        """The sets of attributes, and of each table what `kind` makes of its facts and its rows of these columns."""
        sets = [table["attributes"] for table in facts["tables"]]
        ends = np.cumsum([0, *(math.prod(schema[name].size for name in names) for names in sets)]).tolist()
        expected = f"the tables have {ends[-1]} cells"
        whole = {name: read_column(parquet, name, ends[-1], expected) for name in columns}
        parts = []
        for table, (start, end) in zip(facts["tables"], pairwise(ends), strict=True):
            parts.append(kind.read(table, {name: column[start:end] for name, column in whole.items()}))
        return sets, parts
