"""The questions that people ask of each task, by class: what a plan tells the error of.

A few questions of each class stand for all of it. Which cells are full and which items are popular depends on data, so
a class is asked with the counts of a stand-in; with none it takes questions from everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.queries.questions import picked
from discreet.schema import Nominal, Schema

Ints = NDArray[np.int64]

#: how many questions stand for a class
ASKED = 48
POPULAR, TOP = 10, 10
#: widths of ranges, as parts of each attribute
WIDTHS = {"1 %": 0.01, "10 %": 0.1, "50 %": 0.5}


#: of a class, in rehearsals, and of all classes together
REHEARSED, ALL_REHEARSED = 16, 128


@dataclass(frozen=True, eq=False)
class QuestionClass:
    """Questions of one kind. `about` says what they are; with `top`, how many of the most frequent are found."""

    name: str
    pick: Callable[[Counts | None], Questions]
    top: int | None = None

    def cells(self) -> float:
        """About how many cells one question adds up, for charts."""
        asked = self.pick(None)
        return float(np.prod(asked.last - asked.first + 1.0, axis=1).sum() / max(asked.count, 1))


def boxes(first: Ints, last: Ints) -> Questions:
    return Questions(first, last, len(first), np.arange(len(first)))


def fixed(name: str, questions: Questions) -> QuestionClass:
    return QuestionClass(name, lambda counts: questions)


def table_classes(schema: Schema) -> list[QuestionClass]:
    """Cells, full ones apart; each attribute alone, by the levels of its hierarchy; and everything."""
    found = [fixed("any cell", _cells(schema)), QuestionClass("full cells", lambda counts: _full(schema, counts))]
    return [*found, *(_rollups(schema) if len(schema) > 1 else _groups(schema)), fixed("total", _everything(schema))]


def range_classes(schema: Schema) -> list[QuestionClass]:
    """Cells, ranges by their width, prefixes, groups of hierarchies, and everything."""
    found = [fixed("any cell", _cells(schema))]
    if any(not isinstance(attribute, Nominal) for attribute in schema.values()):
        found += [fixed(f"ranges of {name}", _ranges(schema, part)) for name, part in WIDTHS.items()]
        found += [fixed(f"prefixes of {name}", _prefixes(schema, name)) for name in _ordinal(schema)]
    return [*found, *_groups(schema), fixed("total", _everything(schema))]


def marginal_classes(schema: Schema, sets: Sequence[Sequence[str]]) -> list[QuestionClass]:
    """The cells of every table of the release, and everything."""
    tables = [fixed(" x ".join(names), _cells(schema, names)) for names in sets]
    return [*tables, fixed("total", _everything(schema))]


def item_classes(schema: Schema, pairs: bool) -> list[QuestionClass]:
    """Popular, typical and rare items; with contexts, items in one context; and how many of the top are found."""
    if pairs:
        return [
            fixed("any pair", _some_pairs(schema)),
            QuestionClass("frequent pairs", lambda counts: _frequent(schema, counts)),
        ]
    item = schema.names[0]
    places = {"popular items": (0.0, 0.0), "typical items": (0.4, 0.6), "rare items": (0.8, 1.0)}
    found = [QuestionClass(name, _of_rank(schema, *span)) for name, span in places.items()]
    if len(schema) > 1:
        found.append(QuestionClass("popular, in one context", _of_rank(schema, 0.0, 0.0, contexts=True)))
    most = min(TOP, schema[item].size)
    every = _cells(schema, [item], most=schema[item].size)
    return [*found, QuestionClass(f"top {most} found", lambda counts: every, top=most)]


def _cells(schema: Schema, names: Iterable[str] | None = None, most: int = ASKED) -> Questions:
    """Cells of the table by these attributes, spread over all of it; others are left open."""
    fixed_names = list(schema if names is None else names)
    sizes = [schema[name].size for name in fixed_names]
    first = np.zeros((1, len(schema)), np.int64)
    if 0 < np.prod(sizes, dtype=np.float64) <= most:
        codes = np.array(list(itertools.product(*map(range, sizes))), np.int64).reshape(-1, len(sizes))
    else:
        codes = np.stack([_spread(size, place, most) for place, size in enumerate(sizes)], axis=1)
    first = np.zeros((len(codes), len(schema)), np.int64)
    last = np.tile(np.array(schema.sizes, np.int64) - 1, (len(codes), 1))
    for place, name in enumerate(fixed_names):
        at = schema.names.index(name)
        first[:, at] = last[:, at] = codes[:, place]
    return boxes(first, last)


def _spread(size: int, place: int, count: int) -> Ints:
    """Codes of one attribute; those of several together fill the table, as multiples of irrational numbers do."""
    steps = np.sqrt(np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0]))[place % 8] / (1 + place // 8)
    return np.asarray(np.minimum((np.arange(1, count + 1) * steps % 1.0 * size).astype(np.int64), size - 1))


def _full(schema: Schema, counts: Counts | None) -> Questions:
    """Cells that hold records, from those of most to those of fewest."""
    if counts is None or not len(counts.counts):
        return _cells(schema)
    order = np.argsort(-counts.counts, kind="stable")
    codes = counts.codes[order[np.unique(np.geomspace(1, order.size, ASKED).astype(np.int64)) - 1]]
    return boxes(codes, codes)


def _rollups(schema: Schema) -> Iterator[QuestionClass]:
    for name in schema:
        yield fixed(f"by {name}", _cells(schema, [name]))
    yield from _groups(schema)


def _groups(schema: Schema) -> Iterator[QuestionClass]:
    """The levels above the leaves of each hierarchy."""
    for place, (name, attribute) in enumerate(schema.items()):
        if not isinstance(attribute, Nominal):
            continue
        for depth in range(attribute.depth - 1):
            nodes = np.array([(low, high) for _, low, high in attribute.level(depth)], np.int64)
            nodes = nodes[np.unique(np.linspace(0, len(nodes) - 1, ASKED).astype(np.int64))]
            first, last = _open(schema, len(nodes))
            first[:, place], last[:, place] = nodes[:, 0], nodes[:, 1]
            level = attribute.levels[depth] if attribute.levels else f"level {depth + 1}"
            yield fixed(f"by {name}.{level}", boxes(first, last))


def _ordinal(schema: Schema) -> list[str]:
    return [name for name, attribute in schema.items() if not isinstance(attribute, Nominal)]


def _ranges(schema: Schema, part: float) -> Questions:
    """Ranges of about this part of every ordinal attribute, in many places."""
    first, last = _open(schema, ASKED)
    for name in _ordinal(schema):
        place = schema.names.index(name)
        size = schema[name].size
        width = max(1, round(part * size))
        first[:, place] = _spread(size - width + 1, place, ASKED)
        last[:, place] = first[:, place] + width - 1
    return boxes(first, last)


def _prefixes(schema: Schema, name: str) -> Questions:
    place, size = schema.names.index(name), schema[name].size
    ends = np.unique(np.linspace(0, size - 1, min(size, ASKED)).astype(np.int64))
    first, last = _open(schema, len(ends))
    last[:, place] = ends
    return boxes(first, last)


def _everything(schema: Schema) -> Questions:
    return boxes(*_open(schema, 1))


def _open(schema: Schema, count: int) -> tuple[Ints, Ints]:
    last = np.tile(np.array(schema.sizes, np.int64) - 1, (count, 1))
    return np.zeros_like(last), last


def _of_rank(schema: Schema, low: float, high: float, contexts: bool = False) -> Callable[[Counts | None], Questions]:
    """Items between two ranks, as parts of all items that have records; from 0 to 0 the most popular."""

    def pick(counts: Counts | None) -> Questions:
        size = schema.sizes[0]
        order = np.arange(size)
        if counts is not None:
            per_item = np.bincount(counts.codes[:, 0], weights=counts.counts, minlength=size)
            order = np.argsort(-per_item, kind="stable")[: max(int(np.count_nonzero(per_item)), 1)]
        begin = min(int(low * order.size), order.size - 1)
        end = max(int(high * order.size), begin + min(POPULAR, order.size))
        some = order[begin:end][np.unique(np.linspace(0, min(end, order.size) - begin - 1, ASKED).astype(np.int64))]
        first, last = _open(schema, len(some))
        first[:, 0] = last[:, 0] = some
        if contexts:
            for place, size in enumerate(schema.sizes[1:], start=1):
                first[:, place] = last[:, place] = _spread(size, place, len(some))
        return boxes(first, last)

    return pick


def _frequent(schema: Schema, counts: Counts | None) -> Questions:
    return _some_pairs(schema) if counts is None else _full(schema, counts)


def _some_pairs(schema: Schema) -> Questions:
    size = schema.sizes[0]
    one = _spread(size, 0, ASKED)
    other = (one + 1 + _spread(max(size - 1, 1), 1, ASKED)) % size
    codes = np.stack([one, other], axis=1)[one != other]
    return boxes(codes, codes)


def few_of(questions: Questions, classes: int) -> Questions:
    """Some of a class's questions, fewer if there are very many classes."""
    most = max(4, min(REHEARSED, ALL_REHEARSED // classes))
    if questions.count <= most:
        return questions
    return picked(questions, np.unique(np.linspace(0, questions.count - 1, most).astype(np.int64)))


def joined(parts: Sequence[Questions]) -> Questions:
    """All questions, one after the other."""
    starts = np.cumsum([0, *(part.count for part in parts)])
    fields: dict[str, Any] = {end: np.concatenate([getattr(part, end) for part in parts]) for end in ("first", "last")}
    owner = np.concatenate([part.owner + start for part, start in zip(parts, starts, strict=False)])
    return Questions(count=int(starts[-1]), owner=owner, **fields)
