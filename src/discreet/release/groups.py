"""What a table is grouped by: the values of an attribute, or the groups of one level of its hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Boxes
from discreet.queries.binding import attribute_index
from discreet.queries.questions import MOST_TOTAL_BOXES
from discreet.schema import Nominal, Schema

Group = str | tuple[str, str | int]
#: an attribute's index, the labels of its groups, and their first and last codes
Grouped = tuple[int, Sequence[Any], NDArray[np.int64]]


def named_groups(by: Any) -> Sequence[Group]:
    """One or several, as a list."""
    if isinstance(by, str | tuple):
        return [by]
    if not isinstance(by, Iterable):
        raise BadParameter(f"table: group by the name of an attribute or a list of names, not {by!r}")
    return list(by)


def grouped(name: Group, schema: Schema, known: Iterable[str]) -> Grouped:
    """The attribute's index, and its groups: their labels, and their first and last codes."""
    level: str | int | None = None
    if isinstance(name, tuple) and len(name) == 2:
        name, level = name
    elif isinstance(name, str) and name not in schema and "." in name:
        name, level = name.rsplit(".", 1)
    if not isinstance(name, str):
        raise BadParameter(f"table: group by the name of an attribute, or (name, level), not {name!r}")
    index = attribute_index(name, schema, known)
    attribute = schema[name]
    if level is None:
        if attribute.size > MOST_TOTAL_BOXES:  # before its labels are made
            raise CannotAnswer(f"{name} has {attribute.size:,} values, too many rows; count ranges of it instead")
        return index, attribute.labels, np.arange(attribute.size)[:, None].repeat(2, axis=1)
    if not isinstance(attribute, Nominal):
        raise CannotAnswer(f"{name} has no hierarchy, so it has no level {level!r}; group by {name} itself")
    nodes = attribute.level(int(level) if str(level).isdecimal() else level)
    return index, [label for label, _, _ in nodes], np.array([ends for _, *ends in nodes])


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
