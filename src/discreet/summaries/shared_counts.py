"""Noisy weights of items, where each user has a bounded weight that all records share: what `even-shares` publishes.

Numbers come from `share_estimates`, a model; intervals from `share_intervals`, which assume nothing of the data.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.numbers import written
from discreet.numbers.laws import half_widths
from discreet.privacy import Alpha
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Summary, cells_asked, per_question
from discreet.summaries.columns import arrow_table, read_column
from discreet.summaries.labels import labels_of
from discreet.summaries.share_answers import WeighedAnswers
from discreet.summaries.share_draws import ShareDraws
from discreet.summaries.share_estimates import ShareEstimates
from discreet.summaries.share_intervals import BINS, HIGH_WEIGHT, LOW_WEIGHT, SECOND, Hidden, one_sided
from discreet.summaries.share_steps import Corrections, Ints, Weighed

_LEVEL = 0.95
_LARGEST_SUM = 2.0**62


class SharedCounts(Summary):
    """Of users with up to `most` records; `what` is counted: "records", or "users" of an item."""

    shape = "shared-counts"

    def __init__(
        self, schema: Schema, items: Weighed, corrections: Corrections | None, *, most: int, what: str = "records"
    ) -> None:
        self.schema, self.items, self.corrections = schema, items, corrections
        self.most, self.what = most, what
        self.estimates = ShareEstimates(items, corrections, most, what == "records")

    @cached_property
    def hidden(self) -> Hidden | None:
        """What can hide behind weights, if users' were bounded."""
        if self.corrections is None:
            return None
        return Hidden(self.items, self.corrections, self.most, self.what == "users")

    @cached_property
    def _draws(self) -> ShareDraws:
        return ShareDraws(self.estimates)

    def answer(self, questions: Questions, level: float) -> Answers:
        return self.found(questions, level).told(self.items, self.bounded, self.rounding)

    def found(self, questions: Questions, level: float) -> WeighedAnswers:
        asked = cells_asked(questions).astype(np.int64)
        weight = self._sums(questions, self._running[0])
        low, high, half = self._ends(questions, asked, weight, level)
        value = self._sums(questions, self._running[1])
        return WeighedAnswers(weight, half, low, high, value, self._stderr(questions, value))

    @property
    def rounding(self) -> float:
        return 1.0 if self.hidden is None else self.hidden.rounding

    @property
    def bounded(self) -> str:
        """How many records of a user weigh in full; "" if that is no bound."""
        if self.hidden is None:
            return ""
        return f"{self.items.bound:,} {'records' if self.what == 'records' else 'different items'}"

    def _ends(self, questions: Questions, asked: Ints, weight: Ints, level: float) -> tuple[Any, Any, Any]:
        """Low and high, and the half-width of the weight alone. How a miss is divided follows from the question."""
        items, hidden, miss = self.items, self.hidden, 1 - level
        half = half_widths(Alpha.of(items.scale), asked, level)
        if hidden is None:
            return -((half - weight) // items.units), (weight + half) // items.units, half
        assert self.corrections is not None
        # single items may have been measured again, and everything has a total; both were drawn apart
        alone = asked == 1
        every = (asked == self.schema.cells) & ~alone
        counted = self.what == "users"
        below = np.where(alone | every, LOW_WEIGHT, LOW_WEIGHT + SECOND)
        above = np.where(alone & counted, HIGH_WEIGHT, HIGH_WEIGHT + SECOND)
        low, high = np.zeros_like(weight), np.zeros_like(weight)
        for part in np.unique(below):
            some = below == part
            low[some] = -((one_sided(items, asked[some], part * miss) - weight[some]) // items.units)
        for part in np.unique(above):
            some = above == part
            reach = weight[some] + one_sided(items, asked[some], part * miss)
            high[some] = hidden.high(reach, asked[some], BINS * miss)
        total = self.corrections.total
        low = np.where(every, np.maximum(low, total.values[0] - _single(total, SECOND * miss)), low)
        second, place = self._measured_again(questions, alone)
        head, reach = self.corrections.head, _single(self.corrections.head, SECOND * miss)
        # weights decided which items are the head, so of what the low ends of all may miss these have only their part
        decided = _single(items, LOW_WEIGHT * miss * head.values.size / self.schema.cells)
        lows = -((reach - head.values[place]) // head.units), -((decided - weight[second]) // items.units)
        highs = high[second], high[second]
        if counted:  # else the bound may have taken records away
            highs = high[second], (head.values[place] + reach) // head.units
        low[second], high[second] = np.maximum(*lows), np.minimum(*highs)
        # two looks that contradict each other leave the truth anywhere between what either allows
        apart = low[second] > high[second]
        low[second[apart]], high[second[apart]] = np.minimum(*lows)[apart], np.maximum(*highs)[apart]
        return low, high, half

    def _measured_again(self, questions: Questions, alone: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Questions about single items of the head, and where in it these are."""
        assert self.corrections is not None
        heads = self.corrections.heads
        places = np.full(self.schema.cells, -1, np.int64)
        places[heads] = np.arange(heads.size)
        item = np.zeros(questions.count, np.int64)
        item[questions.owner] = questions.first[:, 0]
        second = np.flatnonzero(alone & (places[item] >= 0))
        return second, places[item[second]]

    def chosen_among(self, questions: Questions) -> Ints:
        """Items of the head were measured again after they were chosen: those with the largest counts are of few."""
        found = super().chosen_among(questions)
        if self.corrections is not None:
            found[self._measured_again(questions, cells_asked(questions) == 1)[0]] = self.corrections.heads.size
        return found

    def _stderr(self, questions: Questions, value: Floats) -> Floats:
        """By the model: items vary on their own, within a total that is off by as much for all."""
        own, total = self._sums(questions, self._running[2]), max(float(self._running[1][-1]), 1.0)
        own = own * np.clip(1 - value / total, 0.0, 1.0)
        weights, kept = (
            self._sums(questions, self._running[0]) / self.items.units,
            self._sums(questions, self._running[3]),
        )
        moved = self.estimates.beyond_noise(weights, kept, cells_asked(questions))
        return np.asarray(np.sqrt(own + moved**2 + (self.estimates.total_error * value) ** 2))

    @cached_property
    def _running(self) -> tuple[NDArray[Any], ...]:
        """Running sums of weights, of estimates, of their variances and of likely weights, from nothing on."""
        found = self.estimates
        columns: tuple[NDArray[Any], ...] = self.items.values, found.values, found.variances, found.kept
        return tuple(np.append(np.zeros(1, one.dtype), np.cumsum(one)) for one in columns)

    def _sums(self, questions: Questions, running: NDArray[Any]) -> NDArray[Any]:
        return per_question(questions, running[questions.last[:, 0] + 1] - running[questions.first[:, 0]])

    def count_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """As `ranking.Modelled` asks."""
        return self.item_draws(questions.first[:, 0], draws, random)

    def most_certain(self, questions: Questions, others: int, random: Any) -> Floats:
        """As `ranking.Modelled` asks."""
        return self.items_certain(questions.first[:, 0], others, random)

    def items_certain(self, items: Ints, others: int, random: Any) -> Floats:
        return self._draws.most_certain(items, others, random)

    def item_draws(self, items: Ints, draws: int, random: Any) -> Floats:
        return self._draws.draws(items, draws, random)

    def to_arrow(self) -> Any:
        item = self.schema.names[0]
        labels = labels_of(self.schema[item], np.arange(self.schema.cells))
        return arrow_table({item: labels, "count": self.estimates.values, "shared_count": self.items.values})

    def said(self) -> dict[str, str]:
        if self.hidden is None:
            return {}
        what = "records" if self.what == "records" else "different items of users"
        low, high, level = (f"{100 * part:.0f}" for part in (*self.hidden.beyond(_LEVEL), _LEVEL))
        many = f"{low} to {high} % of all {what} (at {level} %)"
        text = f"{many} are beyond the first {self.items.bound:,} of their user; a model makes up for it"
        return {"beyond the bound": text}

    def facts(self) -> dict[str, Any]:
        facts = {"what": self.what, "most": self.most, "items": self.items.facts()}
        if self.corrections is None or self.hidden is None:
            return facts
        low, high = self.hidden.beyond(_LEVEL)
        beyond = {"low": low, "high": high, "level": _LEVEL}
        return {**facts, **self.corrections.facts(), "share of records beyond the bound": beyond}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SharedCounts:
        if len(schema) != 1:
            raise ValueError("the table has more than items")
        return cls.of_weights(schema, facts, read_weights(parquet, schema.cells))

    @classmethod
    def of_weights(cls, schema: Schema, facts: dict[str, Any], values: Ints) -> SharedCounts:
        """From noisy weights and all else that is known."""
        if facts["what"] not in ("records", "users"):
            raise ValueError("items are counted in another way than any that is known")
        most = written.whole(facts, "most", 1)
        items = Weighed.read(facts["items"], values, most)
        corrections = Corrections.read(facts, schema.cells, most) if "head" in facts else None
        if (corrections is None) != (most == 1):
            raise ValueError("what makes up for bounded weights is missing")
        return cls(schema, items, corrections, most=most, what=facts["what"])


def read_weights(parquet: Any, rows: int) -> Ints:
    """The noisy weights of a table of so many rows."""
    values = read_column(parquet, "shared_count", rows, f"there are {rows} counts", np.int64)
    if float(np.abs(values).sum(dtype=np.float64)) >= _LARGEST_SUM:
        raise ValueError("the table holds counts that add up to more than any release has")
    return values


def _single(weighed: Weighed, miss: float) -> int:
    return int(one_sided(weighed, np.ones(1, np.int64), miss)[0])
