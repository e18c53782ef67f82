"""How far counts like two that are compared lie apart in the same release: differences between their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import CannotAnswer
from discreet.numbers.pencils import Floats
from discreet.queries import Questions, cut_questions
from discreet.queries.questions import Codes
from discreet.queries.selection import Selection
from discreet.release.expressions import Expression, key
from discreet.schema import Ordinal
from discreet.summaries.linear_laws import WeightedBoxes

if TYPE_CHECKING:
    from discreet.release.release import Release

#: with fewer groups nothing is learnt from them
_FEWEST, _MOST = 8, 1024
_MOST_PAIRS = 512


@dataclass(frozen=True, eq=False)
class Differences:
    """Between pairs of groups, with the variances of their noise; and of how many groups."""

    values: Floats
    variances: Floats
    groups: int


def comparable_differences(a: Expression, b: Expression) -> Differences | None:
    """Of pairs like a and b: two choices of as many values in a row of one attribute, all other conditions the same.

    Values that have an order are as far from each other as those of a and b; of others, every pair counts.
    """
    found = _alike(a, b)
    if found is None:
        return None
    release, selection, place, (one, other) = found
    attribute = release.schema[release.schema.names[place]]
    values = attribute.bins if isinstance(attribute, Ordinal) else len(attribute.labels) - attribute.has_other
    width, start = one[1] - one[0] + 1, min(one[0], other[0])
    firsts = np.arange(start % width, values - width + 1, width)
    if not _FEWEST <= firsts.size <= _MOST:
        return None
    away = abs(one[0] - other[0]) // width if isinstance(attribute, Ordinal) else 0
    pairs = _pairs(firsts.size, away)
    everything = Selection(({**selection.products[0], place: ((0, attribute.size - 1),)},))
    asked = cut_questions(everything.boxes(release.schema.sizes), {place: np.stack([firsts, firsts + width - 1], 1)})
    try:
        return Differences(*_measured(release, asked, pairs), firsts.size)
    except CannotAnswer:
        return None


def _alike(
    a: Expression, b: Expression
) -> tuple[Release, Selection, int, tuple[tuple[int, int], tuple[int, int]]] | None:
    """The release, the selection of one of them, the attribute in which they differ, and its codes in either."""
    if any(one.others or one.constant or len(one.counts) != 1 for one in (a, b)):
        return None
    (release, form), (same, other_form) = a.counts[0], b.counts[0]
    if key(release) != key(same) or any([weight for weight, _ in one.parts] != [1] for one in (form, other_form)):
        return None
    selection, other = form.parts[0][1], other_form.parts[0][1]
    if len(selection.products) != 1 or len(other.products) != 1:
        return None
    one, two = selection.products[0], other.products[0]
    differ = [place for place in {*one, *two} if one.get(place) != two.get(place)]
    if len(differ) != 1 or differ[0] not in one or differ[0] not in two:
        return None
    runs = one[differ[0]], two[differ[0]]
    if len(runs[0]) != 1 or len(runs[1]) != 1 or runs[0][0][1] - runs[0][0][0] != runs[1][0][1] - runs[1][0][0]:
        return None
    return release, selection, differ[0], (runs[0][0], runs[1][0])


def _pairs(groups: int, away: int) -> Codes:
    """So far from each other, if there are enough of these; else all, or as many of all as are looked at."""
    if away and groups - away >= _FEWEST:
        firsts = np.arange(groups - away)
        return np.stack([firsts, firsts + away], axis=1)
    every = np.stack(np.triu_indices(groups, 1), axis=1)
    return every[:: max(1, -(-len(every) // _MOST_PAIRS))]


def _measured(release: Release, asked: Questions, pairs: Codes) -> tuple[Floats, Floats]:
    """Differences by the law of their noise, or with the typical errors of both where that is not known."""
    # of either group of a pair, one after the other, all boxes: questions have theirs side by side
    starts = np.searchsorted(asked.owner, np.arange(asked.count + 1))
    groups = pairs.reshape(-1)
    many = np.diff(starts)[groups]
    rows = np.repeat(starts[groups] - np.cumsum(many) + many, many) + np.arange(many.sum())
    weights = np.repeat(np.tile([1.0, -1.0], len(pairs)), many)
    owner = np.repeat(np.arange(groups.size) // 2, many)
    over = WeightedBoxes(asked.first[rows], asked.last[rows], len(pairs), owner, weights)
    none = np.zeros((0, asked.first.shape[1]), np.int64)
    pencil = release.summary.pencil(over, WeightedBoxes(none, none, 1, np.zeros(0, np.int64), np.zeros(0)))
    if pencil is not None:
        return pencil.over, pencil.over_variance
    found = release.answers(asked, 0.5)
    counts, errors = np.asarray(found.measured, np.float64), np.square(found.stderr)
    return counts[pairs[:, 0]] - counts[pairs[:, 1]], errors[pairs[:, 0]] + errors[pairs[:, 1]]
