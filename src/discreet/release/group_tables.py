"""Tables of counts by groups: in which order, how many, and as whole numbers that add up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.numbers.presentable import whole_total
from discreet.queries import Boxes, Questions
from discreet.release.frame import Frame
from discreet.release.groups import GroupRows
from discreet.release.whole_numbers import whole_numbers
from discreet.summaries import Answers, Summary


def arranged(frame: Frame, groups: GroupRows, sort: str | None, ascending: bool | None, largest: int | None) -> Frame:
    """The rows in the wanted order: groups as declared, numbers from the highest, unless `ascending` says otherwise."""
    if largest is not None and (isinstance(largest, bool) or not isinstance(largest, int) or largest < 1):
        raise BadParameter(f"table: largest must be a whole number of at least 1, not {largest!r}")
    if ascending is not None and sort is None:
        raise BadParameter("table: `ascending` is about the column that `sort` names; give both")
    if sort is not None and sort not in frame.columns:
        raise BadParameter(f"table: cannot sort by {sort!r}; the columns are {', '.join(frame.columns)}")
    rows: NDArray[np.int64] | None = None
    if largest is not None:
        rows = _order(frame["count"], up=False)[:largest]
    if sort is not None:
        names, label = list(groups.columns), sort in groups.columns
        keys = groups.places[names.index(sort)] if label else np.asarray(frame[sort])
        among = np.arange(len(frame)) if rows is None else rows
        rows = among[_order(keys[among], up=label if ascending is None else ascending)]
    return frame if rows is None else frame.chosen(rows)


def _order(keys: NDArray[Any], *, up: bool) -> NDArray[np.int64]:
    """Equal ones stay as they are, either way."""
    if keys.dtype.kind not in "iuf":
        keys = np.unique(keys, return_inverse=True)[1]
    return np.asarray(np.argsort(keys if up else -keys, kind="stable"))


def whole_table(summary: Summary, asked: Questions, parts: Answers, selected: Boxes, level: float) -> NDArray[np.int64]:
    """Whole numbers of at least zero for the groups of a table, which add up to that of all."""
    agreed = summary.whole_counts(asked)
    if agreed is not None:
        return agreed
    every = Questions(selected.first, selected.last, 1, np.zeros(len(selected.first), np.int64))
    total = whole_count(summary, every, summary.answer(every, level).of_counts())
    return whole_numbers(summary, asked, parts, total)


def whole_count(summary: Summary, asked: Questions, found: Answers) -> int:
    """Of one question."""
    agreed = summary.whole_counts(asked)
    return whole_total(found.value[0]) if agreed is None else int(agreed[0])
