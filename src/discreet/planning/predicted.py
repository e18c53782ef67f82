"""The error of classes of questions with one method: exact where noise alone decides, else rehearsed on stand-ins."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.jit import repeatedly
from discreet.mechanisms import Mechanism
from discreet.noise import Noise, SeededSource
from discreet.planning.question_classes import QuestionClass, few_of, joined
from discreet.planning.stand_ins import StandIn
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.queries.known_totals import KnownTotals
from discreet.summaries.informed import informed

Floats = NDArray[np.float64]

#: real data are not quite like any stand-in, so ranges reach further at both ends; see the benchmark `plan`
LOWER, HIGHER = 2.0, 1.5
#: so many questions' worth of what a release says of its own error, beside what was seen
SAID_ITSELF = 3
#: fewer questions than this do not tell a quantile
FEW = 10
_SEED = 20


@dataclass(frozen=True)
class PlannedError:
    """How far answers are off: the root of the mean squared error, exact (both ends the same) or a range.

    `reach` is what the wanted share of the answers keep within; for a class that looks for the top, both are how many
    are found.
    """

    low: float
    high: float
    reach_low: float
    reach_high: float
    basis: str

    def ends(self) -> tuple[float, float, float, float]:
        return self.low, self.high, self.reach_low, self.reach_high

    @property
    def exact(self) -> bool:
        return self.basis == "exact"


def noise_decides(mechanism: Mechanism) -> bool:
    """Whether errors are the same for all data: nothing is left out but rows that the unit's own bound drops.

    Not with known totals: an error is never more than the count of a known group allows.
    """
    most = mechanism.request.unit.most
    others = [
        one for one in mechanism.method_leaves_out() if one.kind != "user-bound" or int(one.facts["bound"]) < most
    ]
    return mechanism.rehearsal == "exact" and not others and mechanism.request.known is None


def exact_errors(mechanism: Mechanism, classes: Sequence[QuestionClass], share: float) -> dict[str, PlannedError]:
    """What noise does to every class of questions, from its law."""
    counted = [one for one in classes if one.top is None]
    if not counted:
        return {}
    parts = [one.pick(None) for one in counted]
    answers = mechanism.noise_alone(joined(parts), share)
    half = np.asarray(answers.high - answers.low, np.float64) / 2
    found = {}
    for one, stderr, width in zip(counted, _cut(parts, answers.stderr), _cut(parts, half), strict=True):
        error, reach = float(np.sqrt((stderr**2).mean())), float(width.mean())
        found[one.name] = PlannedError(error, error, reach, reach, "exact")
    return found


class Rehearsal:
    """Stand-ins, and the true answers to the questions that are asked of them, which are worked out once."""

    def __init__(self, classes: Sequence[QuestionClass], stand_ins: Sequence[StandIn]) -> None:
        repeatedly()
        self.classes, self.stand_ins = classes, stand_ins
        self._known: dict[tuple[int, bool], list[tuple[Questions, Floats]]] = {}

    def errors(self, mechanism: Mechanism, classes: Sequence[QuestionClass], share: float) -> dict[str, PlannedError]:
        """What really running the method did to these classes of questions, over all stand-ins."""
        if mechanism.entries > mechanism.most_rehearsed:
            raise BadParameter(f"{mechanism.entries:.3g} noisy numbers take too long to rehearse; `evaluate` tries it")
        wanted = [place for place, one in enumerate(self.classes) if one in classes]
        tried: list[list[tuple[float, float]]] = [[] for _ in wanted]
        for number, stand_in in enumerate(self.stand_ins):
            every = self._asked(number, mechanism)
            parts = [every[place][0] for place in wanted]
            noise = Noise(SeededSource(_SEED + number))
            summary = informed(mechanism.measure(stand_in.data, noise), _known_of(mechanism, stand_in))
            answers = summary.answer(joined(parts), 0.5).of_counts()
            values, stderrs = (_cut(parts, np.asarray(one, np.float64)) for one in (answers.value, answers.stderr))
            for mine, place, value, stderr in zip(tried, wanted, values, stderrs, strict=True):
                mine.append(_measured(self.classes[place], value, every[place][1], stderr, share))
        named = [self.classes[place] for place in wanted]
        return {one.name: _range(one, mine) for one, mine in zip(named, tried, strict=True) if mine}

    def _asked(self, number: int, mechanism: Mechanism) -> list[tuple[Questions, Floats]]:
        """Questions and true answers, class by class."""
        counts = self.stand_ins[number].truth_for(mechanism)
        key = number, counts is self.stand_ins[number].truth
        if key not in self._known:
            found = []
            for one in self.classes:
                asked = one.pick(counts)
                if one.top is None:
                    asked = few_of(asked, len(self.classes))
                found.append((asked, true_counts(counts, asked) if one.top is None else _per_item(counts)))
            self._known[key] = found
        return self._known[key]


def _known_of(mechanism: Mechanism, stand_in: StandIn) -> KnownTotals | None:
    """The groups whose totals are known, with what the stand-in has there: its counts are not the real ones."""
    known = mechanism.request.known
    return None if known is None else known.having(true_counts(stand_in.truth_for(mechanism), known.groups()))


def _measured(one: QuestionClass, value: Floats, truth: Floats, stderr: Floats, share: float) -> tuple[float, float]:
    """Error and reach of one run; for the first, a few questions more count as off by what the release says itself."""
    if one.top is not None:
        found = float(np.isin(_first(value, one.top), _first(truth, one.top)).sum())
        return found, found
    off = np.abs(value - truth)
    own = stderr[np.isfinite(stderr)]
    more = SAID_ITSELF if own.size else 0
    squares = (off**2).sum() + more * (own**2).mean() if more else (off**2).sum()
    error = math.sqrt(float(squares) / (off.size + more))
    # what few answers keep within says little: Laplace noise keeps within log(1 / (1 - share)) / sqrt(2) of its error
    usual = error * math.log(1 / (1 - share)) / math.sqrt(2)
    return error, max(float(np.quantile(off, share)), usual) if off.size < FEW else float(np.quantile(off, share))


def _first(values: Floats, many: int) -> NDArray[np.int64]:
    return np.argsort(-values, kind="stable")[:many]


def _range(one: QuestionClass, tried: Sequence[tuple[float, float]]) -> PlannedError:
    errors, reaches = np.array(tried).T
    if one.top is not None:
        low, high = float(errors.min()), float(errors.max())
        return PlannedError(low, high, low, high, "rehearsed")
    (low, high), (reach_low, reach_high) = (
        (float(values.min()) / LOWER, float(values.max()) * HIGHER) for values in (errors, reaches)
    )
    return PlannedError(low, high, reach_low, reach_high, "rehearsed")


def _cut(parts: Sequence[Questions], values: Floats) -> Iterator[Floats]:
    """The values of each part of joined questions."""
    yield from np.split(np.asarray(values), np.cumsum([part.count for part in parts])[:-1])


def _per_item(counts: Counts) -> Floats:
    return np.bincount(counts.codes[:, 0], weights=counts.counts, minlength=counts.sizes[0]).astype(np.float64)


def true_counts(counts: Counts, questions: Questions) -> Floats:
    """How many records of a stand-in each question is about."""
    found, weights = np.zeros(questions.count), counts.counts.astype(np.float64)
    columns, last_codes = np.ascontiguousarray(counts.codes.T), np.array(counts.sizes) - 1
    for first, last, owner in zip(questions.first, questions.last, questions.owner, strict=True):
        inside: NDArray[np.bool_] | None = None
        for column, low, high, end in zip(columns, first, last, last_codes, strict=True):
            if low > 0 or high < end:
                here = (column >= low) & (column <= high)
                inside = here if inside is None else inside & here
        found[owner] += weights.sum() if inside is None else weights[inside].sum()
    return found
