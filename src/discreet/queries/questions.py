"""Many questions at once, from a CSV file or a data frame.

Either one column per attribute, where a cell is blank (all codes), a value, label or hierarchy node, a range
`30..39` (both ends included, `30..` and `..39` are open), or a union `a|b|40..49`. A cell that is exactly a
label or node means that, even if it contains `|` or `..`; to unite such labels, use the other form: a single
column `where` with predicates as text. Lines without any character are skipped. Columns such as `id` are not asked
about, and come back beside the answers, as all others do.

Every distinct cell text is bound once; the rest is array work, so a million questions take about a second.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CannotAnswer, DiscreetError, UnknownAttribute
from discreet.queries.binding import Where, attribute_index, bind, range_codes, value_codes
from discreet.queries.question_table import QuestionTable, TextColumn, read_table
from discreet.queries.selection import MOST_BOXES, Boxes, Intervals, unite
from discreet.schema import Attribute, Nominal, Schema

MOST_TOTAL_BOXES = 20_000_000
"""For all questions of one file; they are in memory at once."""

KEPT = ("id", "name", "label", "question", "note")
"""Columns that are not about an attribute, unless one has that name; they come back beside the answers."""

Codes = NDArray[np.int64]
Meaning = TypeVar("Meaning")


@dataclass(frozen=True, eq=False)
class Questions(Boxes):
    """`count` questions as boxes: box i belongs to question owner[i], and owner never decreases.

    A question is the sum over its boxes, which are disjoint. Most questions have one box; a union may have several,
    and a predicate that holds nowhere has none.
    """

    count: int
    owner: Codes


def cut_questions(selected: Boxes, ends: Mapping[int, Codes]) -> Questions:
    """One question for each row of `ends` (first and last code of some attributes): its range cut with every box."""
    count = len(next(iter(ends.values())))
    if count * len(selected.first) > MOST_TOTAL_BOXES:
        raise CannotAnswer("the predicate has too many parts for so many groups; group by less, or ask for parts")
    first = np.repeat(selected.first[None], count, axis=0)
    last = np.repeat(selected.last[None], count, axis=0)
    for attribute, ranges in ends.items():
        first[:, :, attribute] = np.maximum(first[:, :, attribute], ranges[:, :1])
        last[:, :, attribute] = np.minimum(last[:, :, attribute], ranges[:, 1:])
    filled = np.all(first <= last, axis=2)
    return Questions(first[filled], last[filled], count, np.nonzero(filled)[0])


def questions_of(predicates: Iterable[Where], schema: Schema) -> Questions:
    """One question for each predicate."""
    ends = [bind(where, schema).ends(schema.sizes) for where in predicates]
    return _chosen(ends, np.arange(len(ends)), len(schema))


@dataclass(frozen=True, eq=False)
class AskedTable:
    """The questions of a file or frame, and the columns that it has."""

    questions: Questions
    table: QuestionTable

    def columns(self, taken: Iterable[str]) -> dict[str, Any]:
        """Its own columns, as they were given; none has a name that is taken."""
        names = {name: f"question_{name}" if name in set(taken) else name for name in self.table.names}
        return {names[name]: self.table.given(place) for place, name in enumerate(self.table.names)}


def read_questions(source: Any, schema: Schema, known: Iterable[str] = ()) -> Questions:
    """The questions in a CSV file (path) or data frame; errors name the file, the line and the column."""
    return read_question_table(source, schema, known).questions


def read_question_table(source: Any, schema: Schema, known: Iterable[str] = (), keep: Iterable[str] = ()) -> AskedTable:
    """The same with its columns; those named in `keep`, or `id` and its like, are not about attributes."""
    table, known = read_table(source), tuple(known)
    wanted = [keep] if isinstance(keep, str) else list(keep)
    for name in wanted:
        if name not in table.names or name in schema or name == "where":
            why = "is what the questions are about" if name in table.names else "is not there"
            raise BadParameter(f"{table.name}: the column {name!r} that is to be kept {why}; name another")
    kept = {name for name in table.names if name not in schema and name in (*KEPT, *wanted)}
    asking = table.without(kept)
    if not asking.columns:
        raise BadParameter(f"{table.name}: no column is about an attribute; give one per attribute, or `where`")
    # an attribute that is itself called `where` keeps its name
    if asking.names == ("where",) and "where" not in schema:
        (column,) = asking.columns
        ends = _bound(asking, column, lambda text: bind(text, schema, known).ends(schema.sizes))
        return AskedTable(_chosen(ends, column.index, len(schema)), table)
    return AskedTable(_from_attributes(asking, schema, known), table)


def _chosen(ends: Sequence[Codes], index: NDArray[np.integer[Any]], attributes: int) -> Questions:
    """One question for each number in `index`, with the boxes (first and last codes) that `ends` has there."""
    counts = np.fromiter(map(len, ends), dtype=np.int64, count=len(ends))
    owner, rank = _owners(counts[index])
    every = np.concatenate([np.empty((0, attributes, 2), dtype=np.int64), *ends])
    boxes = Boxes.of(every[_starts(counts)[index[owner]] + rank])
    return Questions(boxes.first, boxes.last, len(index), owner)


def _from_attributes(table: QuestionTable, schema: Schema, known: Sequence[str]) -> Questions:
    places = [_attribute_of(table, number, schema, known) for number in range(len(table.columns))]
    bound = {
        index: _CodeColumn(column.index, _bound(table, column, cell_reader(schema[schema.names[index]])))
        for index, column in zip(places, table.columns, strict=True)
    }
    boxes = np.ones(table.count, dtype=np.int64)
    for index, codes in bound.items():
        if codes.single:
            continue
        boxes *= codes.counts[codes.index]
        if boxes.max(initial=0) > MOST_BOXES:
            place = table.place(int(boxes.argmax()), schema.names[index])
            raise CannotAnswer(f"{place}: the unions of this question make over {MOST_BOXES:,} boxes; ask for parts")
    owner, rank = _owners(boxes)
    of_box = owner if len(owner) > table.count else slice(None)
    first = np.empty((len(owner), len(schema)), dtype=np.int64)
    last = np.empty_like(first)
    # a question's boxes are numbered like the digits of a number, one digit per attribute
    for index, size in enumerate(schema.sizes):
        if index not in bound:
            first[:, index], last[:, index] = 0, size - 1
            continue
        codes = bound[index]
        text = codes.index[of_box]
        rows = codes.starts[text]
        if not codes.single:
            rank, digit = np.divmod(rank, codes.counts[text])
            rows = rows + digit
        first[:, index], last[:, index] = codes.first[rows], codes.last[rows]
    return Questions(first, last, table.count, owner)


class _CodeColumn:
    """Per question the number of its text; per text its intervals, all texts' in one row of intervals."""

    def __init__(self, index: NDArray[np.int32], texts: Sequence[Intervals]) -> None:
        flat = itertools.chain.from_iterable(itertools.chain.from_iterable(texts))
        ends = np.fromiter(flat, dtype=np.int64).reshape(-1, 2)
        self.index, self.first, self.last = index, ends[:, 0].copy(), ends[:, 1].copy()
        self.counts = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self.starts = _starts(self.counts)
        self.single = bool((self.counts == 1).all())


def _starts(counts: Codes) -> Codes:
    return np.cumsum(counts) - counts


def _owners(counts: Codes) -> tuple[Codes, Codes]:
    """For each box the question it belongs to, and its number among that question's boxes."""
    if counts.sum() > MOST_TOTAL_BOXES:
        raise CannotAnswer(f"the questions make over {MOST_TOTAL_BOXES:,} boxes together; ask them in several files")
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    return owner, np.arange(len(owner), dtype=np.int64) - _starts(counts)[owner]


def _attribute_of(table: QuestionTable, column: int, schema: Schema, known: Sequence[str]) -> int:
    name = table.names[column]
    try:
        return attribute_index(name, schema, known)
    except UnknownAttribute as error:
        hint = ""
        if name == "where":
            hint = ". A column `where` must be the only column of questions, without columns of attributes"
        elif len(table.names) == 1 and any(delimiter in name for delimiter in ";\t|"):
            hint = ". Are the columns separated by something other than a comma?"
        else:
            hint = f". If it is not to be asked about, say so: keep {name!r}"
        raise UnknownAttribute(f"{table.name}, header, column {column + 1}: {error}{hint}") from None


def _bound(table: QuestionTable, column: TextColumn, bind_text: Callable[[str], Meaning]) -> list[Meaning]:
    """What each distinct text of a column means."""
    bound = []
    for number, text in enumerate(column.texts):
        try:
            bound.append(bind_text(text))
        except DiscreetError as error:
            row = int((column.index == number).argmax())
            raise type(error)(f"{table.place(row, column.name)}: {error}") from None
    return bound


def cell_reader(attribute: Attribute) -> Callable[[str], Intervals]:
    """A function from the text of a cell to intervals of codes."""
    if isinstance(attribute, Nominal):
        return _label_reader(attribute)
    every = ((0, attribute.size - 1),)
    # questions have many different ranges but few different ends, so ends are bound one by one and kept
    firsts: dict[str, int] = {}
    lasts: dict[str, int] = {}

    def span(low: str, high: str) -> tuple[int, int]:
        if low and high:
            try:
                if low not in firsts:
                    firsts[low] = range_codes(attribute, low, None)[0]
                if high not in lasts:
                    lasts[high] = range_codes(attribute, None, high)[1]
            except DiscreetError:
                pass  # the message below knows both ends
            else:
                if firsts[low] <= lasts[high]:
                    return firsts[low], lasts[high]
        return range_codes(attribute, low or None, high or None)

    def part(text: str) -> tuple[int, int]:
        low, dots, high = text.partition("..")
        return span(low.strip(), high.strip()) if dots else value_codes(attribute, text)

    def cell(text: str) -> Intervals:
        low, _, high = text.partition("..")
        if low in firsts and high in lasts and firsts[low] <= lasts[high]:
            return ((firsts[low], lasts[high]),)
        text = text.strip()
        return unite(map(part, _parts(text))) if text else every

    return cell


def _label_reader(attribute: Nominal) -> Callable[[str], Intervals]:
    every = ((0, attribute.size - 1),)

    @cache
    def names() -> frozenset[str]:
        groups = (name for level in range(attribute.depth - 1) for name, _, _ in attribute.level(level))
        return frozenset(attribute.labels).union(groups)

    def cell(text: str) -> Intervals:
        bare = text.strip()
        if not bare:
            return every
        # cells that need no trimming or splitting are not looked up twice
        if bare == text and "|" not in text:
            return (attribute.node(text),)
        for whole in (text, bare):
            if whole in names():
                return (attribute.node(whole),)
        return unite(map(attribute.node, _parts(bare)))

    return cell


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in text.split("|")]
    if not all(parts):
        raise BadParameter(f"{text!r} has an empty part; a union is written a|b|c")
    return parts


def picked(questions: Questions, which: NDArray[np.int64]) -> Questions:
    """Some of the questions, in this order."""
    order = np.argsort(questions.owner, kind="stable")
    ends = np.searchsorted(questions.owner[order], np.arange(questions.count + 1))
    lengths = (ends[1:] - ends[:-1])[which]
    starts = np.repeat(ends[:-1][which] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    boxes = order[starts + np.arange(int(lengths.sum()))]
    owner = np.repeat(np.arange(which.size), lengths)
    return Questions(questions.first[boxes], questions.last[boxes], which.size, owner)
