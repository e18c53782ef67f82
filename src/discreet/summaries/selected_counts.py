"""Noisy counts of a few items that were selected as the largest; of others only that they were not selected.

So others have no more than the last that was selected and the noise by which it won, and all together no more than the
users that a noisy histogram allows: an upper end, whatever the data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of
from discreet.numbers import written
from discreet.numbers.laws import DiscreteLaplace, half_widths
from discreet.privacy import Alpha, as_text
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary, cells_asked, per_question
from discreet.summaries.columns import arrow_table, checked_counts, distinct_rows
from discreet.summaries.labels import codes_of, labels_of
from discreet.summaries.share_intervals import most_records
from discreet.summaries.share_steps import Weighed, bins_facts, read_bins

Ints = NDArray[np.int64]

#: parts of what high may miss: for items that were selected and for others each, and for the histogram
_EACH, _BINS = 0.2, 0.1
#: without a histogram, as in older releases
_EACH_ALONE = 0.25


@dataclass(frozen=True, eq=False)
class UsersByItems:
    """Noisy numbers of users by how many different items they have, of which up to `most` count."""

    bins: Weighed
    most: int


class SelectedCounts(Summary):
    """`codes` are the selected items, first the one that was selected first; `values` their counts, measured apart.

    `scale` is that of the counts' noise, `selecting` that of the one-sided noise by which they were selected. `users`
    say how many there can be; older releases do not have them.
    """

    shape = "selected-counts"
    why_bounds = (
        "not all that is asked was selected: of items that were not, it is known only that they lost; they add nothing "
        "to the number, and high is the most that they can have; low to high are bounds, not an interval"
    )

    def __init__(
        self,
        schema: Schema,
        codes: Ints,
        values: Ints,
        scale: Fraction,
        selecting: Fraction,
        users: UsersByItems | None = None,
    ) -> None:
        self.schema, self.codes, self.values = schema, codes, values
        self.scale, self.selecting, self.users = scale, selecting, users

    def answer(self, questions: Questions, level: float) -> Answers:
        inside = np.zeros((2, self.schema.cells + 1), np.int64)
        inside[:, self.codes + 1] = np.stack([self.values, np.ones_like(self.values)])
        running = np.cumsum(inside, axis=1)
        first, last = questions.first[:, 0], questions.last[:, 0]
        value, known = (per_question(questions, sums[last + 1] - sums[first]) for sums in running)
        half = half_widths(Alpha.of(self.scale), known, level)
        others = cells_asked(questions) - known
        variance = known * DiscreteLaplace.of(self.scale).variance
        stderr = np.where(others > 0, np.nan, np.sqrt(variance))
        high = np.where(others > 0, self._most(value, known, others, 1 - level), value + half)
        return Answers(value, stderr, value - half, high, bounds=others > 0)

    def _most(self, value: Ints, known: Ints, others: Ints, miss: float) -> Ints:
        """What selected items have at most, and what all others do; wrong with a chance of at most miss / 2."""
        each = _EACH_ALONE if self.users is None else _EACH
        above = half_widths(Alpha.of(self.scale), known, 1 - 2 * each * miss)
        found = value + above + others * self._most_of_others(each * miss)
        if self.users is None:
            return np.asarray(found)
        there_are = most_records(self.users.bins, self.users.most, known + others, _BINS * miss)
        return np.asarray(np.maximum(np.minimum(found, there_are), value))  # as wide as it takes to hold the number

    def _most_of_others(self, miss: float) -> int:
        """What no item that was not selected has more users than: they lost to the last one that was, and its noise.

        Which item is last was decided by the noise, so that of any item may be as large.
        """
        own = DiscreteLaplace.of(self.scale).half_width(1 - miss)
        luck = math.ceil(math.log(2 * self.schema.cells / miss) / DiscreteLaplace.of(self.selecting).rate)
        return max(int(self.values[-1]) + own + luck, 0)

    def was_selected(self, questions: Questions) -> NDArray[np.bool_]:
        """As `ranking.Selected` asks."""
        return np.isin(questions.first[:, 0], self.codes)

    def chosen_among(self, questions: Questions) -> Ints:
        return np.full(questions.count, self.codes.size)

    def to_arrow(self) -> Any:
        item = self.schema.names[0]
        return arrow_table({item: labels_of(self.schema[item], self.codes), "count": self.values})

    def facts(self) -> dict[str, Any]:
        facts = {"scale": as_text(self.scale), "selected": self.codes.size, "selecting": as_text(self.selecting)}
        if self.users is None:
            return facts
        return {**facts, "most": self.users.most, "users by records": bins_facts(self.users.bins)}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SelectedCounts:
        item, table = schema.names[0], distinct_rows(parquet)
        codes, values = codes_of(schema[item], table[item]), checked_counts(array_of(table["count"]))
        if len(schema) != 1 or codes.size != written.whole(facts, "selected", 1) or values.dtype != np.int64:
            raise ValueError("the table does not have one whole count for each selected item")
        if np.unique(codes).size != codes.size:
            raise ValueError("the table has an item twice")
        users = None
        if "users by records" in facts:
            most = written.whole(facts, "most", 2, schema.cells)
            users = UsersByItems(read_bins(facts["users by records"], most), most)
        return cls(schema, codes, values, written.scale(facts["scale"]), written.scale(facts["selecting"]), users)
