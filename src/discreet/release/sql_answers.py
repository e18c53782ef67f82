"""SQL of a release: what a statement asks, answered by the same estimates as every other question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.queries import Boxes, bind
from discreet.queries.sql_items import Item
from discreet.queries.sql_statement import SqlStatement, read_sql
from discreet.queries.where import And, Not, Predicate
from discreet.release.answer_columns import columns_of
from discreet.release.frame import Frame, free_name
from discreet.release.groups import GroupRows, grouping, groups_of
from discreet.release.quantiles import quantile_codes
from discreet.release.subset_shares import Halves, subset_shares
from discreet.schema import Ordinal
from discreet.summaries import Summary


@dataclass(frozen=True, eq=False)
class _Column:
    """An answer to one item: values with their ends, and by what they are ordered."""

    value: Any
    low: Any
    high: Any
    keys: Any
    ends: Any = None
    notes: tuple[str, ...] = ()


def sql_answers(summary: Summary, known: Iterable[str], text: str, level: float) -> Frame:
    """A table with the columns that were selected; each answer has its ends beside it."""
    names = tuple(known)
    statement = read_sql(text, summary.schema, names)
    asking = _Asking(summary, statement, level)
    several = sum(item.kind != "group" for item in statement.items) > 1
    columns: dict[str, Any] = {}
    keys, notes = [], []
    for item in statement.items:
        if item.kind == "group":
            label, places = asking.group(item)
            columns[free_name(item.name, columns)] = label
            keys.append(places)
            continue
        found = asking.answer(item)
        name = free_name(item.name, columns)
        columns[name] = found.value
        for end in ("low", "high", *(["ends"] if found.ends is not None else [])):
            columns[free_name(f"{name}_{end}" if several else end, columns)] = getattr(found, end)
        keys.append(found.keys)
        notes += [note for note in found.notes if note not in notes]
    if not statement.order and statement.limit is None and not statement.offset:
        return Frame(columns, notes)
    rows = np.arange(len(asking.groups))
    for place, falling in reversed(statement.order):
        mine = np.asarray(keys[place])[rows]
        rows = rows[np.argsort(-mine if falling else mine, kind="stable")]
    stop = None if statement.limit is None else statement.offset + statement.limit
    return Frame(columns, notes).chosen(rows[statement.offset : stop])


class _Asking:
    """The groups of a statement, and the answers to its items."""

    def __init__(self, summary: Summary, statement: SqlStatement, level: float) -> None:
        self.summary, self.statement, self.level = summary, statement, level
        schema = summary.schema
        by = [place.attribute if place.level is None else (place.attribute, place.level) for place in statement.groups]
        cuts = {place.attribute: place.cuts for place in statement.groups if place.cuts is not None}
        named = groups_of(by, cuts or None, schema, ())
        self.groups: GroupRows = grouping(named, schema, self._selected(statement.where), only_met=True)

    def _selected(self, *conditions: Predicate | None) -> Boxes:
        joined = And(tuple(one for one in conditions if one is not None))
        return bind(joined, self.summary.schema).boxes(self.summary.schema.sizes)

    def group(self, item: Item) -> tuple[Any, Any]:
        """Labels, and places in the declared order."""
        assert item.place is not None
        place = list(self.groups.columns).index(item.place.attribute)
        return self.groups.columns[item.place.attribute], self.groups.places[place]

    def answer(self, item: Item) -> _Column:
        if item.kind == "quantile":
            return self._quantiles(item)
        where = self.statement.where
        halves = None
        if item.only is not None:
            halves = Halves(self._selected(where, item.only), self._selected(where, Not(item.only)))
        if item.kind == "share":
            indices = {self.summary.schema.names.index(place.attribute) for place in item.within}
            shares = subset_shares(self.summary, self.groups, indices, halves, self.level)
            value, low, high = (item.factor * part for part in (shares.value, shares.low, shares.high))
            return _Column(value, low, high, value, notes=(self.summary.why_bounds,) if shares.bounds else ())
        asked = self.groups.questions if halves is None else self.groups.questions_of(halves.satisfying)
        found, notes = columns_of(self.summary.answer(asked, self.level).of_counts(), self.summary.why_bounds)
        said = tuple(note for note in notes if "ends" in found)  # a column `kept` is not shown here
        return _Column(found["count"], found["low"], found["high"], found["count"], found.get("ends"), said)

    def _quantiles(self, item: Item) -> _Column:
        assert item.place is not None
        name = item.place.attribute
        ordinal, index = self.summary.schema[name], self.summary.schema.names.index(name)
        assert isinstance(ordinal, Ordinal)
        codes, bounded = quantile_codes(self.summary, self.groups, index, [item.share], self.level)
        value, low, high = ([ordinal.label(code) for code in column] for column in codes[:, 0].T.tolist())
        return _Column(value, low, high, codes[:, 0, 0], notes=(self.summary.why_bounds,) if bounded else ())
