"""How far counts like two that are compared lie apart in the same release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import CannotAnswer
from discreet.numbers.pencils import Floats
from discreet.queries import cut_questions
from discreet.queries.selection import Selection
from discreet.release.expressions import Expression, key
from discreet.schema import Ordinal
from discreet.summaries.linear_laws import WeightedBoxes

if TYPE_CHECKING:
    from discreet.release.release import Release

#: of more groups so many are looked at, spread over all; and so many differences between them
_MOST_GROUPS, _MOST_PAIRS = 128, 192

Range = tuple[int, int]
#: numbers of ranges of values, with what their counts are multiplied by
Contrast = list[tuple[int, float]]


@dataclass(frozen=True, eq=False)
class Differences:
    """Between counts like a and b, on their scale, with the variances of their noise, which is not that of a less b.

    They come from so many `groups` beside a and b, and tell as much as `worth` independent differences.
    """

    values: Floats
    variances: Floats
    worth: float
    groups: int

    @classmethod
    def none(cls) -> Differences:
        return cls(np.zeros(0), np.zeros(0), 0.0, 0)


def comparable_differences(a: Expression, b: Expression) -> Differences:
    """Of pairs like a and b: two choices of as many values in a row of one attribute, all other conditions the same.

    Values that have an order are as far from each other as those of a and b; of others, every pair counts.
    """
    found = _alike(a, b)
    if found is None:
        return Differences.none()
    release, selection, place, one, other = found
    attribute = release.schema[release.schema.names[place]]
    if isinstance(attribute, Ordinal):
        ranges, contrasts, worth = _in_order(attribute.bins, one, other)
    else:
        ranges, contrasts, worth = _without_order(len(attribute.labels) - attribute.has_other, one, other)
    if not contrasts:
        return Differences.none()
    groups = len({*ranges} - {one, other})
    everything = Selection(({**selection.products[0], place: ((0, attribute.size - 1),)},))
    try:
        values, variances = _measured(release, everything, place, ranges, contrasts)
    except CannotAnswer:
        return Differences.none()
    return Differences(values, variances, worth, groups)


def _alike(a: Expression, b: Expression) -> tuple[Release, Selection, int, Range, Range] | None:
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
    if len(runs[0]) != 1 or len(runs[1]) != 1:
        return None
    (first, last), (other_first, other_last) = runs[0][0], runs[1][0]
    if last - first != other_last - other_first or abs(first - other_first) <= last - first:
        return None
    return release, selection, differ[0], (first, last), (other_first, other_last)


def _in_order(values: int, one: Range, other: Range) -> tuple[list[Range], list[Contrast], float]:
    """Pairs as far from each other as these, that have no value of these."""
    width, away, start = one[1] - one[0] + 1, abs(one[0] - other[0]), min(one[0], other[0])
    ranges: list[Range] = []
    for first in range(start % width, values - away - width + 1, width):
        pair = [(begin, begin + width - 1) for begin in (first, first + away)]
        if all(_apart(mine, theirs) for mine in pair for theirs in (one, other)):
            ranges += pair
    many = len(ranges) // 2
    kept = range(0, many, _step(many, _MOST_PAIRS))
    # a value that is in two differences is counted twice: squares of differences in a row tell two thirds as much
    worth = len(kept) ** 2 / (1.5 * len(kept) - 0.5) if kept else 0.0
    contrasts: list[Contrast] = [[(2 * number, 1.0), (2 * number + 1, -1.0)] for number in kept]
    return ranges, contrasts, worth


def _without_order(values: int, one: Range, other: Range) -> tuple[list[Range], list[Contrast], float]:
    """Pairs of all others, and each of them with the middle between these two, whose noise is not that of a less b."""
    width, start = one[1] - one[0] + 1, min(one[0], other[0])
    every = [(first, first + width - 1) for first in range(start % width, values - width + 1, width)]
    others = [mine for mine in every if _apart(mine, one) and _apart(mine, other)]
    others = others[:: _step(len(others), _MOST_GROUPS)]
    pairs = list(combinations(range(2, len(others) + 2), 2))
    # a middle has half of the variance, of noise and of what is true: this makes it that of two single ones
    unit = math.sqrt(4 / 3)
    contrasts: list[Contrast] = [
        *([(i, unit), (0, -unit / 2), (1, -unit / 2)] for i in range(2, len(others) + 2)),
        *([(i, 1.0), (j, -1.0)] for i, j in pairs[:: _step(len(pairs), _MOST_PAIRS)]),
    ]
    return [one, other, *others], contrasts, float(len(others))


def _apart(one: Range, other: Range) -> bool:
    return one[1] < other[0] or other[1] < one[0]


def _step(many: int, most: int) -> int:
    return max(1, -(-many // most))


def _measured(
    release: Release, everything: Selection, place: int, ranges: Sequence[Range], contrasts: list[Contrast]
) -> tuple[Floats, Floats]:
    """Contrasts by the law of their noise, or with the typical errors of their counts where that is not known."""
    asked = cut_questions(everything.boxes(release.schema.sizes), {place: np.array(ranges)})
    owner = np.repeat(np.arange(len(contrasts)), [len(one) for one in contrasts])
    group = np.array([number for one in contrasts for number, _ in one])
    weight = np.array([times for one in contrasts for _, times in one])
    # questions have their boxes side by side
    starts = np.searchsorted(asked.owner, np.arange(asked.count + 1))
    many = np.diff(starts)[group]
    rows = np.repeat(starts[group] - np.cumsum(many) + many, many) + np.arange(many.sum())
    over = WeightedBoxes(
        asked.first[rows], asked.last[rows], len(contrasts), np.repeat(owner, many), np.repeat(weight, many)
    )
    none = np.zeros((0, asked.first.shape[1]), np.int64)
    pencil = release.summary.pencil(over, WeightedBoxes(none, none, 1, np.zeros(0, np.int64), np.zeros(0)))
    if pencil is not None:
        return pencil.over, pencil.over_variance
    found = release.answers(asked, 0.5)
    counts, errors = np.asarray(found.measured, np.float64), np.square(found.stderr)
    summed = (np.bincount(owner, part, len(contrasts)) for part in (weight * counts[group], weight**2 * errors[group]))
    values, variances = (np.asarray(one, np.float64) for one in summed)
    return values, variances
