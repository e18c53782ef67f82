"""What a table is grouped by: values of an attribute, ranges of them, or the groups of one level of a hierarchy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CannotAnswer, DiscreetError
from discreet.naming import OTHER
from discreet.queries import Boxes, Questions, cut_questions
from discreet.queries.binding import attribute_index
from discreet.queries.questions import MOST_TOTAL_BOXES
from discreet.schema import Nominal, Ordinal, Schema

#: one row for all that is selected: up to beyond every code
EVERYTHING = {0: np.array([[0, 2**62]])}

Group = str | tuple[str, str | int]
#: how many ranges, or where they start
Cuts = int | Sequence[Any]
Bins = Cuts | Mapping[str, Cuts] | None
#: an attribute's index, the labels of its groups, and their first and last codes
Grouped = tuple[int, Sequence[Any], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class GroupRows:
    """A row for each combination of groups: its labels as columns, and first and last codes of the attributes."""

    columns: dict[str, list[Any]]
    ends: dict[int, NDArray[np.int64]]
    #: of each row, the place of its group among those of each attribute
    places: NDArray[np.int64]
    selected: Boxes

    def __len__(self) -> int:
        return int(self.places.shape[1])

    @property
    def questions(self) -> Questions:
        return self.questions_of(self.selected)

    def questions_of(self, selected: Boxes) -> Questions:
        """The same rows of another selection; without groups, one row for all of it."""
        return cut_questions(selected, self.ends or EVERYTHING)

    def within(self, attribute: int, first: Any, last: Any, rows: slice = slice(None)) -> Questions:
        """For each of the rows, a question for each range of an attribute; those of one row together."""
        each, among = np.stack([first, last], axis=1), range(len(self))[rows]
        ends = {index: codes[rows].repeat(len(each), axis=0) for index, codes in self.ends.items()}
        asked = np.tile(each, (len(among), 1))
        if attribute in ends:  # which is grouped by ranges: what lies in both
            own = ends[attribute]
            asked = np.stack([np.maximum(asked[:, 0], own[:, 0]), np.minimum(asked[:, 1], own[:, 1])], axis=1)
        return cut_questions(self.selected, {**ends, attribute: asked})


def grouping(groups: Sequence[Grouped], schema: Schema, selected: Boxes, *, only_met: bool = False) -> GroupRows:
    """All combinations; without groups that `selected` rules out, if these are unwanted or would be too many."""
    if len({index for index, _, _ in groups}) != len(groups):
        raise BadParameter("table: an attribute can be grouped by once only; name each attribute once")
    if only_met or math.prod(len(labels) for _, labels, _ in groups) > MOST_TOTAL_BOXES:
        groups = [met(group, selected) for group in groups]
    lengths = [len(labels) for _, labels, _ in groups]
    if math.prod(lengths) > MOST_TOTAL_BOXES:
        raise CannotAnswer(f"this would be a table of {math.prod(lengths):,} rows; group by less, or add `where`")
    places = np.indices(lengths).reshape(len(lengths), math.prod(lengths))
    ends, columns = {}, {}
    for (index, labels, codes), place in zip(groups, places, strict=True):
        ends[index] = codes[place]
        columns[schema.names[index]] = [labels[i] for i in place.tolist()]
    return GroupRows(columns, ends, places, selected)


def groups_of(by: Any, bins: Bins, schema: Schema, known: Iterable[str]) -> list[Grouped]:
    """The groups of each attribute that is named; ordinal ones in ranges, where `bins` says so."""
    if not isinstance(by, Iterable):
        raise BadParameter(f"table: group by the name of an attribute or a list of names, not {by!r}")
    names = [_split(name, schema) for name in ([by] if by and isinstance(by, str | tuple) else by)]
    places = [attribute_index(name, schema, known) for name, _ in names]
    wanted = {} if bins is None else _wanted(bins, [name for name, _ in names], schema)
    return [
        (place, *(ranges(name, schema[name], wanted[name]) if name in wanted else _parts(name, level, schema)))
        for place, (name, level) in zip(places, names, strict=True)
    ]


def grouped(name: Group, schema: Schema, known: Iterable[str]) -> Grouped:
    """The groups of one attribute."""
    return groups_of([name], None, schema, known)[0]


def _wanted(bins: Any, names: Sequence[str], schema: Schema) -> dict[str, Any]:
    """By the attribute that they are for."""
    ordinals = [name for name in names if isinstance(schema[name], Ordinal)]
    if not isinstance(bins, Mapping):
        if not ordinals or (len(ordinals) > 1 and not isinstance(bins, int)):
            raise BadParameter("bins: are for ordinal attributes; say for which one: bins={'age': [18, 65]}")
        return dict.fromkeys(ordinals, bins)
    for name in bins:
        if name not in ordinals:
            why = "has no order" if name in names else "is not grouped by"
            raise BadParameter(f"bins: {name!r} {why}; bins are for ordinal attributes that the table is grouped by")
    return dict(bins)


def ranges(name: str, attribute: Any, cuts: Any) -> tuple[list[str], NDArray[np.int64]]:
    """Labels, and first and last codes: of so many ranges of about as many bins each, or of those between cuts."""
    if isinstance(cuts, int) and not isinstance(cuts, bool):
        if not 1 <= cuts <= min(attribute.bins, MOST_TOTAL_BOXES):
            raise BadParameter(f"bins: {name} has {attribute.bins:,} declared bins; ask for 1 to as many, not {cuts:,}")
        starts = [place * attribute.bins // cuts for place in range(cuts)]
    elif isinstance(cuts, Iterable) and not isinstance(cuts, str | Mapping):
        try:
            starts = [attribute.start(cut) for cut in cuts]
        except DiscreetError as error:
            raise type(error)(f"bins: {name}: {error}") from None
        if any(one >= other for one, other in pairwise(starts)):
            raise BadParameter(f"bins: {name}: cuts must ascend, each above the one before")
        starts = [0, *(start for start in starts if 0 < start < attribute.bins)]
    else:
        raise BadParameter(f"bins: {name}: give a number of ranges, such as 10, or where they start, such as [18, 65]")
    ends = list(pairwise([*starts, attribute.bins]))
    labels = [attribute.span_label(first, end - 1) for first, end in ends]
    codes = [(first, end - 1) for first, end in ends]
    if attribute.has_other:
        labels, codes = [*labels, OTHER], [*codes, (attribute.bins, attribute.bins)]
    return labels, np.array(codes, np.int64)


def _split(group: Any, schema: Schema) -> tuple[str, str | int | None]:
    """The name of the attribute, and the level of its hierarchy, if any."""
    level: str | int | None = None
    name = group
    if isinstance(name, tuple) and len(name) == 2:
        name, level = name
    elif isinstance(name, str) and name not in schema and "." in name:
        name, level = name.rsplit(".", 1)
    if not isinstance(name, str):
        raise BadParameter(f"table: group by the name of an attribute, or (name, level), not {name!r}")
    return name, level


def _parts(name: str, level: str | int | None, schema: Schema) -> tuple[Sequence[Any], NDArray[np.int64]]:
    """Labels, and first and last codes, of an attribute's values or of the groups of a level."""
    attribute = schema[name]
    if level is None:
        if attribute.size > MOST_TOTAL_BOXES:  # before its labels are made
            raise CannotAnswer(f"{name} has {attribute.size:,} values, too many rows; group by ranges of it: bins=10")
        return attribute.labels, np.arange(attribute.size)[:, None].repeat(2, axis=1)
    if not isinstance(attribute, Nominal):
        raise CannotAnswer(f"{name} has no hierarchy, so it has no level {level!r}; group by {name} itself")
    nodes = attribute.level(int(level) if str(level).isdecimal() else level)
    return [label for label, _, _ in nodes], np.array([ends for _, *ends in nodes])


def met(group: Grouped, selected: Boxes) -> Grouped:
    """Without the groups that lie outside of what is selected, as long as any is left."""
    index, labels, codes = group
    order = np.argsort(selected.first[:, index], kind="stable")
    starts, ends = selected.first[order, index], np.maximum.accumulate(selected.last[order, index])
    last = np.searchsorted(starts, codes[:, 1], side="right") - 1
    met = np.flatnonzero((last >= 0) & (ends[last] >= codes[:, 0])) if starts.size else np.empty(0, np.int64)
    if not 0 < met.size < len(codes):
        return group
    return index, [labels[place] for place in met.tolist()], codes[met]
