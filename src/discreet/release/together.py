"""Several summaries of the same records as one: every question is answered by all that can answer it.

Their noise is independent. Where its law is known, measurements are averaged by the inverse of their variances, and the
interval is that of the average. A summary whose noise has no such law says an interval of its own; intervals are then
taken at a level so high that all are right together, and what is in all of them is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.numbers.corridors import Mixed, Sides, SideSums
from discreet.numbers.pencils import Floats, Pencil
from discreet.queries import Boxes, Questions, cut_questions
from discreet.schema import Schema
from discreet.summaries import Answers, Summary
from discreet.summaries.linear_laws import KnownLaw, PairedBoxes, ValueRanges, WeightedBoxes

_TINY = 1e-12
#: of more values ranges are taken, so that the covariances of all pairs can be looked up
MOST_VALUES = 448
Law = TypeVar("Law")


@dataclass(frozen=True, eq=False)
class Voice:
    """One of the summaries: what it is called, what it cost, and where its attributes are in the joint schema."""

    name: str
    summary: Summary
    epsilon: float
    places: list[int]

    def knows(self, asked: NDArray[np.bool_]) -> bool:
        return set(np.flatnonzero(asked).tolist()) <= set(self.places)

    def its_own(self, boxes: Any) -> Any:
        """Boxes of the joint schema that narrow none but its attributes, as boxes of its own schema."""
        return replace(boxes, first=boxes.first[:, self.places], last=boxes.last[:, self.places])

    def value_sides(self, selected: Boxes, attribute: int, ranges: ValueRanges) -> Sides | None:
        """What it says of sums over the values of an attribute of the joint schema, if it knows any law of them."""
        own, place = self.its_own(selected), self.places.index(attribute)
        found = self.summary.value_sides(own, place, ranges)
        return found or self._values_by_law(own, place, ranges)

    def _values_by_law(self, selected: Boxes, place: int, ranges: ValueRanges) -> Sides | None:
        """From the joint law of counts of all values, or of as many ranges of them as such laws are looked up for."""
        first, last = int(selected.first[:, place].min()), int(selected.last[:, place].max())
        starts = np.unique(np.linspace(first, last + 1, min(last - first + 1, MOST_VALUES), endpoint=False).astype(int))
        codes = np.stack([starts, np.append(starts[1:], last + 1) - 1], axis=1)
        asked, everyone = (cut_questions(selected, {place: some}) for some in (codes, np.array([[first, last]])))
        under = WeightedBoxes.plain(everyone)
        laws, ends = [], ranges(codes[:, 0], codes[:, 1])
        for end in ends:
            rows = np.zeros(len(asked.first), np.int64)
            over = WeightedBoxes(asked.first, asked.last, 1, rows, np.asarray(end, np.float64)[asked.owner])
            pencil = self.summary.pencil(over, under)
            if pencil is None:
                return None
            laws.append(KnownLaw.of(pencil, over, under))
        return ValueLaws(laws[0], laws[1], (float(np.min(ends[0])), float(np.max(ends[1]))))


@dataclass(frozen=True, eq=False)
class ValueLaws:
    """Sums of the least and of the most that a function of values may be, whose noise is known."""

    least: KnownLaw
    most: KnownLaw
    #: the lowest and the highest that the function is
    span: tuple[float, float]

    def at(self, ratio: float) -> SideSums:
        low, high = self.least.at(ratio), self.most.at(ratio)
        # in the difference a record weighs the function less the ratio
        step = max(abs(end - ratio) for end in self.span)
        return replace(low, high=high.high, high_variance=high.high_variance, step=step)


@dataclass(frozen=True, eq=False)
class Opinion:
    """What one says of some questions, at a level that leaves room for the others, and its share in the number."""

    voice: Voice
    answers: Answers
    share: Floats


class Together(Summary):
    """All of them, under a schema that has the attributes of each."""

    shape = "together"

    def __init__(self, schema: Schema, voices: Sequence[Voice]) -> None:
        self.schema, self.voices = schema, list(voices)

    def answer(self, questions: Questions, level: float) -> Answers:
        count = questions.count
        value, stderr, low, high, plain = (np.zeros(count) for _ in range(5))
        bounds, known = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        for numbers, some, asked in self._alike(questions):
            found = self._joined(some, asked, level)
            columns = (found.value, found.stderr, found.low, found.high, found.measured)
            for mine, theirs in zip((value, stderr, low, high, plain), columns, strict=True):
                mine[numbers] = theirs
            bounds[numbers] = False if found.bounds is None else found.bounds
            known[numbers] = False if found.known is None else found.known
        some_known, some_bounds = known if known.any() else None, bounds if bounds.any() else None
        return Answers(value, stderr, low, high, plain, bounds=some_bounds, known=some_known)

    def _alike(self, questions: Questions) -> Iterator[tuple[NDArray[np.int64], Questions, NDArray[np.bool_]]]:
        """The questions by the attributes that they ask about."""
        narrowed = self._narrowed(questions)
        asked = np.zeros((questions.count, len(self.schema)), np.bool_)
        np.logical_or.at(asked, questions.owner, narrowed)
        kinds, group_of = np.unique(asked, axis=0, return_inverse=True)
        for group, kind in enumerate(kinds):
            numbers = np.flatnonzero(group_of.reshape(-1) == group)
            boxes = np.flatnonzero(np.isin(questions.owner, numbers))
            owner = np.searchsorted(numbers, questions.owner[boxes])
            yield numbers, Questions(questions.first[boxes], questions.last[boxes], numbers.size, owner), kind

    def _narrowed(self, boxes: Boxes) -> NDArray[np.bool_]:
        return (boxes.first > 0) | (boxes.last < np.array(self.schema.sizes) - 1)

    def _joined(self, some: Questions, asked: NDArray[np.bool_], level: float) -> Answers:
        heard = self._heard(some, asked)
        if len(heard) == 1:
            return heard[0].summary.answer(heard[0].its_own(some), level)
        pencil = self._averaged(heard, WeightedBoxes.plain(some), _nothing(len(self.schema), some.count))
        alone = [voice for voice, law in pencil if law is None]
        laws = [(voice, law) for voice, law in pencil if law is not None]
        each = 1 - (1 - level) / (len(alone) + bool(laws))
        opinions = [voice.summary.answer(voice.its_own(some), each) for voice, _ in pencil]
        value, plain, stderr = _weighed(opinions)
        ends = [
            (one.low, one.high) for one, (_, law) in zip(opinions, pencil, strict=True) if law is None or len(laws) == 1
        ]
        if len(laws) > 1:
            together = average([law for _, law in laws])
            half = together.half_widths(0.0, each)
            ends.append((together.over - half, together.over + half))
        low = np.max([np.asarray(one, np.float64) for one, _ in ends], axis=0)
        high = np.min([np.asarray(one, np.float64) for _, one in ends], axis=0)
        # intervals that contradict each other: one of them is wrong, and nobody knows which
        low, high = np.minimum(low, high), np.maximum(low, high)
        found = Answers(value, stderr, np.minimum(low, value), np.maximum(high, value), plain)
        return _with_known(found, opinions)

    def _heard(self, some: Questions, asked: NDArray[np.bool_]) -> list[Voice]:
        """Who can answer: by measurements, if any can."""
        measured: list[Voice] = []
        bounded: list[Voice] = []
        reasons: list[CannotAnswer] = []
        for voice in self.voices:
            if not voice.knows(asked):
                continue
            try:
                found = voice.summary.answer(voice.its_own(some), 0.5)
            except CannotAnswer as error:
                reasons.append(error)
                continue
            (bounded if found.bounds is not None and found.bounds.any() else measured).append(voice)
        if measured or bounded:
            return measured or bounded[:1]
        if reasons:
            raise reasons[0]
        names = [name for name, wanted in zip(self.schema, asked, strict=True) if wanted]
        raise CannotAnswer(
            f"none of these releases has {', '.join(names)} together; ask about fewer attributes at once"
        )

    @staticmethod
    def _averaged(
        heard: Sequence[Voice], over: WeightedBoxes, under: WeightedBoxes
    ) -> list[tuple[Voice, Pencil | None]]:
        return [(voice, voice.summary.pencil(voice.its_own(over), voice.its_own(under))) for voice in heard]

    def pencil(self, over: WeightedBoxes, under: WeightedBoxes) -> Pencil | None:
        """The average of those whose law is known, unless others were given more epsilon, or join in by `sides`."""
        both = Boxes(*(np.concatenate(ends) for ends in ((over.first, under.first), (over.last, under.last))))
        able = self._able(both)
        if any(voice.summary.has_sides for voice in able):
            return None
        known = _most_of(self._averaged(able, over, under))
        return average(known, _even_ratio(over, under)) if known else None

    def sides(self, asked: PairedBoxes) -> Mixed | None:
        over, under = (asked.weighted(weights) for weights in (asked.over, asked.under))
        found: list[tuple[Voice, Sides | None]] = []
        for voice, pencil in self._averaged(self._able(asked), over, under):
            law = voice.summary.sides(voice.its_own(asked)) if pencil is None else KnownLaw.of(pencil, over, under)
            found.append((voice, law))
        known = _most_of(found)
        return Mixed(known) if known else None

    def value_sides(self, selected: Boxes, attribute: int, ranges: ValueRanges) -> Mixed | None:
        able = [voice for voice in self._able(selected) if attribute in voice.places]
        known = _most_of((voice, voice.value_sides(selected, attribute, ranges)) for voice in able)
        return Mixed(known) if known else None

    def _able(self, boxes: Boxes) -> list[Voice]:
        asked = np.any(self._narrowed(boxes), axis=0)
        return [voice for voice in self.voices if voice.knows(asked)]

    def opinions(self, questions: Questions, level: float) -> list[Opinion]:
        """Of one kind of questions, what each one says by itself, and how much it weighs in the number."""
        found = []
        for _, some, asked in self._alike(questions):
            heard = self._heard(some, asked)
            answers = [voice.summary.answer(voice.its_own(some), level) for voice in heard]
            found += [Opinion(*one) for one in zip(heard, answers, _shares(answers), strict=True)]
        return found

    def to_arrow(self) -> NoReturn:
        raise CannotAnswer("releases put together have no table of their own; use `table(...)`, or take each by itself")

    def facts(self) -> dict[str, Any]:
        return {"shape": self.shape, "releases": [voice.name for voice in self.voices]}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> NoReturn:
        raise ValueError("releases put together are not kept in a file")


def _most_of(found: Iterable[tuple[Voice, Law | None]]) -> list[Law]:
    """The laws that are known; none, if others were given more epsilon."""
    pairs = list(found)
    known, unknown = (sum(v.epsilon for v, law in pairs if (law is None) is without) for without in (False, True))
    return [law for _, law in pairs if law is not None] if known >= unknown else []


def average(pencils: Sequence[Pencil], ratio: Floats | float = 0.0) -> Pencil:
    """By the inverse variances of over - ratio * under, which are public, as the ratio is.

    Both sums of a pencil weigh alike, so that what they have in common still cancels.
    """
    shares = _inverse([one.variance(ratio) for one in pencils])
    parts = [one.times(share, share) for one, share in zip(pencils, shares, strict=True)]
    found = parts[0]
    for part in parts[1:]:
        found = found.beside(part)
    return found


def _even_ratio(over: WeightedBoxes, under: WeightedBoxes) -> Floats:
    """What the ratio would be if all cells had as many records."""
    top, bottom = (form.summed(np.prod(form.last - form.first + 1.0, axis=1)) for form in (over, under))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(bottom > 0, top / bottom, 0.0))


def _inverse(variances: Sequence[Floats]) -> list[Floats]:
    weights = [1 / np.maximum(variance, _TINY) for variance in variances]
    return [weight / np.sum(weights, axis=0) for weight in weights]


def _shares(answers: Sequence[Answers]) -> list[Floats]:
    """How much each weighs in the number: by its typical error."""
    errors = [np.where(np.isfinite(one.stderr), one.stderr, 1e9) for one in answers]
    return _inverse([np.square(error) for error in errors])


def _with_known(found: Answers, opinions: Sequence[Answers]) -> Answers:
    """What one of them knows, it alone says."""
    for one in opinions:
        if one.known is None:
            continue
        known = one.known if found.known is None else one.known & ~found.known
        put: dict[str, Any] = {
            name: np.where(known, np.asarray(getattr(one, name), np.float64), getattr(found, name))
            for name in ("value", "stderr", "low", "high")
        }
        every = known if found.known is None else known | found.known
        found = replace(found, **put, known=every)
    return found


def _weighed(answers: Sequence[Answers]) -> tuple[Floats, Floats, Floats]:
    shares = _shares(answers)
    pairs = list(zip(shares, answers, strict=True))
    value, plain = (
        np.sum([share * np.asarray(getattr(one, name), np.float64) for share, one in pairs], axis=0)
        for name in ("value", "measured")
    )
    return value, plain, np.sqrt(np.sum([(share * one.stderr) ** 2 for share, one in pairs], axis=0))


def _nothing(attributes: int, count: int) -> WeightedBoxes:
    none = np.zeros((0, attributes), np.int64)
    return WeightedBoxes(none, none, count, np.zeros(0, np.int64), np.zeros(0))
