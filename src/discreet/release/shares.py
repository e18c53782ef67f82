"""Shares of all groups of a table in what the table is about, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.numbers.fractions_of_counts import fraction_bounds
from discreet.numbers.pencils import Floats
from discreet.queries import Boxes, Questions, cut_questions
from discreet.queries.questions import Codes
from discreet.release.ratios import ratios_between, ratios_by_law
from discreet.summaries import Answers
from discreet.summaries.linear_laws import WeightedBoxes

if TYPE_CHECKING:
    from discreet.release.release import Release


def table_shares(
    release: Release, selected: Boxes, ends: Mapping[int, Codes], groups: Questions, found: Answers, level: float
) -> dict[str, Floats]:
    """Columns `share`, `share_low` and `share_high`: of each group in all that is selected."""
    every = Questions(selected.first, selected.last, 1, np.zeros(len(selected.first), np.int64))
    whole = release.answers(every, level)
    over = np.asarray(found.value, np.float64)
    under = np.broadcast_to(np.asarray(whole.value, np.float64), over.shape)
    pencil = release.summary.pencil(WeightedBoxes.plain(groups), WeightedBoxes.plain(every))
    if pencil is not None:
        value, _, low, high = ratios_by_law(pencil, over, under, (0.0, 1.0), level)
    else:
        each = 1 - (1 - level) / 2
        both = [release.answers(asked, each) for asked in (groups, rest_of(selected, ends, release.schema.sizes))]
        sides = (np.array([getattr(one, end) for one in both], np.float64) for end in ("low", "high"))
        bounds = fraction_bounds([1.0, 0.0], [1.0, 1.0], *sides)
        value, _, low, high = ratios_between(over, under, *bounds, np.zeros(over.shape), (0.0, 1.0))
    return {"share": value, "share_low": low, "share_high": high}


def rest_of(selected: Boxes, ends: Mapping[int, Codes], sizes: tuple[int, ...]) -> Questions:
    """For each group, the question how many are selected and not in it: below or above it in one attribute, and like
    it in those before.
    """
    pieces, count = [], len(next(iter(ends.values())))
    before: dict[int, Codes] = {}
    for attribute, ranges in ends.items():
        last = np.full(count, sizes[attribute] - 1)
        for low, high in ((np.zeros(count, np.int64), ranges[:, 0] - 1), (ranges[:, 1] + 1, last)):
            # an empty range is cut to nothing
            pieces.append(cut_questions(selected, {**before, attribute: np.stack([low, high], axis=1)}))
        before[attribute] = ranges
    owner = np.concatenate([piece.owner for piece in pieces])
    order = np.argsort(owner, kind="stable")
    first, last = (np.concatenate([getattr(piece, end) for piece in pieces])[order] for end in ("first", "last"))
    return Questions(first, last, count, owner[order])
