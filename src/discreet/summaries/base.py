"""What every summary can do: answer questions with their error, and be written and read as plain columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.prefix import running_box_sums
from discreet.numbers import laws, spreads
from discreet.numbers.corridors import Sides
from discreet.numbers.pencils import Pencil
from discreet.privacy import Alpha
from discreet.queries import Boxes, Questions
from discreet.schema import Schema
from discreet.summaries.linear_laws import LinearLaw, PairedBoxes, ValueRanges, WeightedBoxes

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Besides:
    """A quantity that a method can tell more about than about the true count: named, with an interval of its own."""

    name: str
    value: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Answers:
    """One estimate per question, as columns: the true count lies in low..high, beyond either end with half the rest."""

    value: NDArray[Any]
    stderr: NDArray[np.float64]
    low: NDArray[Any]
    #: infinite where nothing can be promised
    high: NDArray[Any]
    #: the plain measurement, where that is not the value
    plain: NDArray[Any] | None = None
    besides: Besides | None = None
    #: what else than noise makes an interval wide, and how much it may be, by name
    parts: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    #: where nothing was measured: low..high are then bounds, what other answers leave possible; stderr may be nan
    bounds: NDArray[np.bool_] | None = None
    #: where the count is publicly known, so that nothing is estimated
    known: NDArray[np.bool_] | None = None

    @property
    def measured(self) -> NDArray[Any]:
        return self.value if self.plain is None else self.plain

    @classmethod
    def around(cls, value: NDArray[Any], stderr: Floats, half: NDArray[Any]) -> Answers:
        """Intervals of these half-widths."""
        return cls(value, stderr, value - half, value + half)

    def of_counts(self) -> Answers:
        """What is known of counts, which are not below zero; only that of a known count is a single point."""
        low = np.maximum(self.low, 0)
        # at every level the same; bounds have no typical error
        least = np.ceil(np.nan_to_num(self.stderr)).astype(np.asarray(self.high).dtype)
        high = np.maximum(np.maximum(self.high, least), low)
        return replace(self, value=np.clip(self.value, low, high), low=low, high=high, plain=self.measured)

    @classmethod
    def of_draws(cls, value: NDArray[Any], draws: NDArray[np.int64], alpha: Alpha, level: float) -> Answers:
        """Each value has the noise of so many independent draws of one law."""
        stderr = np.sqrt(draws * laws.DiscreteLaplace(alpha).variance)
        return cls.around(value, stderr, laws.half_widths(alpha, draws, level))

    @classmethod
    def of_moments(
        cls, value: Floats, variance: Floats, fourth: Floats, smallest_scale: float, level: float
    ) -> Answers:
        """Each value has a weighted sum of draws, of this variance and fourth cumulant.

        `smallest_scale` is that of the draws, before they are weighted.
        """
        return cls.around(value, np.sqrt(variance), spreads.half_widths(variance, fourth, smallest_scale, level))


class Moments(NamedTuple):
    """Plain answers, the variance and fourth cumulant (or more) of their noise, and the smallest scale drawn at."""

    value: Floats
    variance: Floats
    fourth: Floats
    smallest_scale: float

    @classmethod
    def of_draws(cls, value: NDArray[Any], draws: NDArray[np.int64], alpha: Alpha) -> Moments:
        law = laws.DiscreteLaplace(alpha)
        many = draws.astype(np.float64)
        return cls(value.astype(np.float64), many * law.variance, many * law.fourth_cumulant, 1 / law.rate)


def per_question(questions: Questions, parts: NDArray[Any]) -> NDArray[Any]:
    """The parts of each question added up; most questions are one box."""
    if parts.size == questions.count and np.array_equal(questions.owner, np.arange(questions.count)):
        return parts
    total = np.zeros(questions.count, parts.dtype)
    np.add.at(total, questions.owner, parts)
    return total


def cells_asked(questions: Questions) -> Floats:
    """How many cells each question is about; a float, as there may be more than an integer holds."""
    return per_question(questions, np.prod(questions.last - questions.first + 1.0, axis=1))


def box_sums(questions: Boxes, running: Floats) -> Floats:
    """Of each box, from running sums along every axis of a table."""
    first, last = (np.ascontiguousarray(ends) for ends in (questions.first, questions.last))
    strides, sums = np.array(running.strides, np.int64) // running.itemsize, np.empty(len(first))
    running_box_sums(running.reshape(-1), strides, first, last, sums)
    return sums


class Summary(ABC):
    """Noisy values that know their error. Public: nothing here can reach the data."""

    #: names the shape in release.json
    shape: ClassVar[str]
    #: whether its numbers add up as they are
    adds_up: ClassVar[bool] = False
    #: whether the half-width of an interval is a multiple of the standard error of what its end is about
    widths_follow_errors: ClassVar[bool] = False
    #: whether sums over its blocks lie between two others of known noise (`sides`)
    has_sides: ClassVar[bool] = False
    #: why some of its answers have bounds, and what the number is then
    why_bounds: ClassVar[str] = (
        "no measured table holds all that is asked: the number is an estimate from tables that hold parts of it, and "
        "low to high are bounds of what these leave possible, not an interval"
    )
    schema: Schema

    @property
    def noise_of_parts(self) -> Literal["independent", "additive"] | None:
        """How answers about two sets of cells without common ones go together, where `moments_of` knows their law.

        Their noise is independent; or it is not, but the answer about both together is the sum.
        """
        return None

    def moments_of(self, questions: Questions) -> Moments:
        """The law of plain answers, where noise of a known law is all that they have besides the truth."""
        raise TypeError(f"answers of {type(self).__name__} have more than noise of a known law")

    @abstractmethod
    def answer(self, questions: Questions, level: float) -> Answers:
        """Every question with an interval that covers the truth with probability `level`."""

    def linear_law(self, boxes: Boxes) -> LinearLaw | None:
        """The joint law of the unbiased estimates of these boxes; None if that is not known, or nothing is unbiased."""
        return None

    def pencil(self, over: WeightedBoxes, under: WeightedBoxes) -> Pencil | None:
        """The joint law of two weighted sums, where it is known; `under` may be one for all."""
        law = self.linear_law(
            Boxes(*(np.concatenate(ends) for ends in ((over.first, under.first), (over.last, under.last))))
        )
        return None if law is None else law.pencil(over, under)

    def sides(self, asked: PairedBoxes) -> Sides | None:
        """What two weighted sums lie between, with the noise of these bounds; None if no such law is known."""
        return None

    def value_sides(self, selected: Boxes, attribute: int, ranges: ValueRanges) -> Sides | None:
        """The same of a function of the values of an attribute, summed up over the selected records, and their number.

        `ranges` gives the least and the most of the function between two codes; no box holds a code without value.
        """
        return None

    def chosen_among(self, questions: Questions) -> NDArray[np.int64]:
        """Of each question: out of how many it is picked, if those of the largest answers are.

        Less than all questions where others were set apart by noise that is not in the answer.
        """
        return np.full(questions.count, questions.count)

    def whole_counts(self, questions: Questions) -> NDArray[np.int64] | None:
        """Whole numbers for every question that add up wherever the questions do; None if it has none of its own."""
        return None

    @abstractmethod
    def to_arrow(self) -> Any:
        """The whole summary as an Arrow table: attribute columns with their labels, `count`, and what else it needs."""

    def stored(self) -> Any:
        """What is written to disk, as an Arrow table; the same, unless labels would only repeat the schema's order."""
        return self.to_arrow()

    def said(self) -> dict[str, str]:
        """What else a reader should know first, by heading, in words."""
        return {}

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What, besides the table, is needed to read the summary back: plain JSON."""

    @classmethod
    @abstractmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Summary:
        """The summary from its facts and the path of its Parquet file; a ValueError if they do not fit together."""
