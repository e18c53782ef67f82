"""Two sets of cells whose counts add up to a known number: estimates of both that do so, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import laws, spreads
from discreet.queries import Questions
from discreet.summaries.base import Answers, Floats, Moments, Summary, cells_asked

Places = NDArray[np.int64]
#: what is asked, the rest of the known groups around it, and both together
Sets = tuple[Questions, Questions, Questions]
#: decides between intervals of the same width
_NEARLY = 1 + 1e-9


@dataclass
class AnswerColumns:
    """Columns of answers that are put together from several askings."""

    value: Floats
    stderr: Floats
    low: Floats
    high: Floats
    bounds: NDArray[np.bool_]
    parts: dict[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, answers: Answers) -> AnswerColumns:
        counted = answers.of_counts()
        value, stderr, low, high = (
            np.array(one, np.float64) for one in (counted.value, counted.stderr, counted.low, counted.high)
        )
        bounds = np.zeros(value.size, np.bool_) if counted.bounds is None else counted.bounds.copy()
        parts = {name: np.array(part, np.float64) for name, part in counted.parts.items()}
        return cls(value, stderr, low, high, bounds, parts)

    @classmethod
    def nothing(cls, many: int) -> AnswerColumns:
        """Counts of nothing."""
        value, stderr, low, high = (np.zeros(many) for _ in range(4))
        return cls(value, stderr, low, high, np.zeros(many, np.bool_))

    def some(self, places: Places) -> AnswerColumns:
        value, stderr, low, high = (one[places] for one in (self.value, self.stderr, self.low, self.high))
        parts = {name: part[places] for name, part in self.parts.items()}
        return AnswerColumns(value, stderr, low, high, self.bounds[places], parts)

    def put(self, places: Places, other: AnswerColumns) -> None:
        for name in ("value", "stderr", "low", "high", "bounds"):
            getattr(self, name)[places] = getattr(other, name)
        for name, part in self.parts.items():
            part[places] = other.parts.get(name, 0.0)

    def limit(self, most: Floats) -> None:
        """To what known groups can hold."""
        self.low = np.clip(self.low, 0.0, most)
        self.high = np.clip(self.high, self.low, most)
        self.value = np.clip(self.value, self.low, self.high)
        self.stderr = np.minimum(self.stderr, most)  # nan stays

    def answers(self, exact: Floats, measured: NDArray[Any], known: NDArray[np.bool_]) -> Answers:
        value: NDArray[Any] = self.value + exact
        low: NDArray[Any] = self.low + exact
        high: NDArray[Any] = self.high + exact
        if known.all():
            value, low, high = (one.astype(np.int64) for one in (value, low, high))
        stderr, bounds = np.where(known, 0.0, self.stderr), self.bounds & ~known
        only = bounds if bounds.any() else None
        return Answers(value, stderr, low, high, plain=measured, parts=self.parts, bounds=only, known=known)


def fitted_by_law(summary: Summary, own: AnswerColumns, sets: Sets, known: Floats, level: float) -> AnswerColumns:
    """By least squares, where the law of the noise is known."""
    asked, rest, around = sets
    mine, other = summary.moments_of(asked), summary.moments_of(rest)
    whole = None if summary.noise_of_parts == "independent" else summary.moments_of(around).variance
    weight, variance, fourth = _least_squares(mine, other, whole)
    value = mine.value + weight * (known - mine.value - other.value)
    half = spreads.half_widths(variance, fourth, mine.smallest_scale, level)
    one, two = (_half(summary, *both, level) for both in ((asked, mine), (rest, other)))
    base = fewer_cells(asked, rest)
    halves = np.stack([half, np.where(base, one, one * _NEARLY), np.where(base, two * _NEARLY, two)])
    centres = np.stack([value, mine.value, known - other.value])
    best = np.argmin(halves, axis=0)[None]
    centre, width = (np.take_along_axis(some, best, axis=0)[0] for some in (centres, halves))
    return AnswerColumns(value, np.sqrt(variance), centre - width, centre + width, np.zeros(value.size, np.bool_))


def _half(summary: Summary, questions: Questions, law: Moments, level: float) -> Floats:
    """Half the width of plain answers' intervals."""
    if summary.noise_of_parts == "independent":  # some of these know the whole law of their sums
        plain = summary.answer(questions, level)
        return np.asarray(plain.high - plain.low, np.float64) / 2
    return spreads.half_widths(law.variance, law.fourth, law.smallest_scale, level)


def _least_squares(mine: Moments, other: Moments, whole: Floats | None) -> tuple[Floats, Floats, Floats]:
    """The weight of what is missing to the known count, and the law of what is left: variance and fourth cumulant."""
    both = mine.variance + other.variance if whole is None else whole
    common = mine.variance if whole is None else (mine.variance + whole - other.variance) / 2
    safe = np.where(both > 0, both, 1.0)
    weight = np.where(both > 0, common / safe, 0.5)
    variance = np.maximum(mine.variance - weight * common, 0.0)
    apart = np.abs(1 - weight), np.abs(weight)
    if whole is None:
        return weight, variance, apart[0] ** 4 * mine.fourth + apart[1] ** 4 * other.fourth
    # weights of draws are added up: their fourth powers have a norm, which obeys the triangle inequality
    most = (apart[0] * mine.fourth**0.25 + apart[1] * other.fourth**0.25) ** 4
    # and no weighted sum has more kurtosis than the draw that has most
    return weight, variance, np.minimum(most, laws.kurtosis(mine.smallest_scale) * variance**2)


def weighed(summary: Summary, own: AnswerColumns, sets: Sets, known: Floats, level: float) -> AnswerColumns:
    """The mean of both estimates by their typical errors, and the interval of the set that has fewer cells."""
    asked, rest, _ = sets
    other = AnswerColumns.of(summary.answer(rest, level))
    base = fewer_cells(asked, rest) | other.bounds
    value = own.value
    if not summary.adds_up:  # such numbers were made to add up to the known count already
        mine, theirs = own.stderr**2, np.where(other.bounds, np.inf, other.stderr**2)
        weight = np.where(mine + theirs > 0, mine / np.where(mine + theirs > 0, mine + theirs, 1.0), 0.5)
        value = own.value + np.nan_to_num(weight) * (known - own.value - other.value)
    low, high = np.where(base, own.low, known - other.high), np.where(base, own.high, known - other.low)
    parts = {name: np.where(base, part, other.parts.get(name, 0.0)) for name, part in own.parts.items()}
    return AnswerColumns(value, np.fmin(own.stderr, other.stderr), low, high, own.bounds, parts)


def fewer_cells(asked: Questions, rest: Questions) -> NDArray[np.bool_]:
    """Whether the first has fewer cells; of as many, whether it has the first one, so that one of both is chosen."""
    mine, theirs = cells_asked(asked), cells_asked(rest)
    differ = (corners := _corners(asked)) != (others := _corners(rest))
    place = np.argmax(differ, axis=1)[:, None]
    first = np.take_along_axis(corners, place, axis=1) < np.take_along_axis(others, place, axis=1)
    return np.asarray((mine < theirs) | ((mine == theirs) & first[:, 0]), np.bool_)


def _corners(questions: Questions) -> NDArray[np.int64]:
    """The first cell of each question."""
    order = np.lexsort((*questions.first.T[::-1], questions.owner))
    return questions.first[order[np.searchsorted(questions.owner[order], np.arange(questions.count))]]
