"""Shares of groups among what holds them, with ends that hold the true share as often as they say.

Where the joint law of part and whole is known, it decides. Elsewhere a share is part / (part + rest), where the rest is
counted by questions of its own: it rises with the part and falls with the rest, so that it lies between what the ends
of both intervals give. Each of the two is asked at a level at which both ends of a side are right together with
probability 1 - (1 - level) / 2. Where half-widths follow standard errors, the level itself is enough: with s the share,
(1 - s) part - s rest is zero, and its standard error is not above (1 - s) that of the part and s that of the rest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Boxes, Questions, cut_questions
from discreet.release.groups import EVERYTHING, GroupRows
from discreet.release.ratios import ratios_between, ratios_by_law
from discreet.summaries import Answers, Summary
from discreet.summaries.linear_laws import WeightedBoxes

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shares:
    """Of each group; low..high holds the true one."""

    value: Floats
    low: Floats
    high: Floats
    bounds: bool


@dataclass(frozen=True, eq=False)
class Halves:
    """What is selected, divided by a condition: a share may be of those alone that satisfy it."""

    satisfying: Boxes
    others: Boxes


def subset_shares(
    summary: Summary, groups: GroupRows, within: Collection[int], halves: Halves | None, level: float
) -> Shares:
    """The share of each group among all groups that are the same in the attributes `within`."""
    part = groups.questions if halves is None else groups.questions_of(halves.satisfying)
    whole = cut_questions(groups.selected, {index: groups.ends[index] for index in within} or EVERYTHING)
    over, under = (np.asarray(summary.answer(asked, level).of_counts().value, np.float64) for asked in (part, whole))
    under = np.broadcast_to(under, over.shape)
    pencil = summary.pencil(WeightedBoxes.plain(part), WeightedBoxes.plain(whole))
    if pencil is not None:
        value, _, low, high = ratios_by_law(pencil, over, under, (0.0, 1.0), level)
        return Shares(value, low, high, bounds=False)
    each = level if summary.widths_follow_errors else 1 - (1 - level) / 2
    found, rest = (summary.answer(asked, each).of_counts() for asked in (part, _rest(summary, groups, within, halves)))
    low, high = _ratio(found.low, rest.high, 0.0), _ratio(found.high, rest.low, 1.0)
    value, _, low, high = ratios_between(over, under, low, high, np.zeros(over.shape), (0.0, 1.0))
    return Shares(value, low, high, any(_bounds(one) for one in (found, rest)))


def _ratio(part: NDArray[Any], rest: NDArray[Any], unknown: float) -> Floats:
    part, rest = np.asarray(part, np.float64), np.asarray(rest, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = part / (part + rest)
    return np.where(np.isnan(share), unknown, share)


def _bounds(found: Answers) -> bool:
    return found.bounds is not None and bool(found.bounds.any())


def _rest(summary: Summary, groups: GroupRows, within: Collection[int], halves: Halves | None) -> Questions:
    """What each group is not, of all that `within` leaves: beyond it in one attribute, and like it in those before."""
    pieces, rows = [], len(groups)
    fixed = {index: ends for index, ends in groups.ends.items() if index in within}
    for index, ends in groups.ends.items():
        if index in within:
            continue
        last = summary.schema.sizes[index] - 1
        below = np.column_stack([np.zeros(rows, np.int64), ends[:, 0] - 1])
        above = np.column_stack([ends[:, 1] + 1, np.full(rows, last)])
        pieces += [cut_questions(groups.selected, {**fixed, index: side}) for side in (below, above)]
        fixed[index] = ends
    if halves is not None:
        pieces.append(groups.questions_of(halves.others))
    attributes = len(summary.schema)
    none = np.empty((0, attributes), np.int64)
    owner = np.concatenate([np.empty(0, np.int64), *(piece.owner for piece in pieces)])
    order = np.argsort(owner, kind="stable")
    first, last_codes = (
        np.concatenate([none, *(getattr(piece, end) for piece in pieces)])[order] for end in ("first", "last")
    )
    return Questions(first, last_codes, rows, owner[order])
