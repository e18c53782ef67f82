"""Whole numbers of tables of one and two attributes that agree with each other exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.prefix import box_sums, prefix_sums
from discreet.numbers.presentable import whole_total
from discreet.queries import Questions
from discreet.summaries.agreed_estimates import AgreedEstimates
from discreet.summaries.base import per_question
from discreet.transforms.effects import Attributes
from discreet.transforms.margins import whole_parts, whole_table

Integers = NDArray[np.int64]


class WholeTables:
    """The total is rounded, then one-way tables so that they have it, then pairs so that they have these margins."""

    def __init__(self, estimates: AgreedEstimates) -> None:
        self.estimates = estimates
        self._tables: dict[Attributes, Integers] = {(): np.array(whole_total(estimates.total))}
        self._prefixes: dict[Attributes, Integers] = {}

    def table(self, places: Attributes) -> Integers:
        if places not in self._tables:
            exact = self.estimates.table(places)
            if len(places) == 1:
                self._tables[places] = whole_parts(exact, int(self.table(())))
            else:
                self._tables[places] = whole_table(exact, self.table(places[:1]), self.table(places[1:]))
        return self._tables[places]

    def sums(self, questions: Questions, places: Attributes) -> Integers:
        """Of questions about these attributes only."""
        if not places:
            return int(self.table(())) * np.bincount(questions.owner, minlength=questions.count)
        prefix = self._prefixes.setdefault(places, prefix_sums(self.table(places)))
        strides = np.array(prefix.strides, np.int64) // prefix.itemsize
        first, last = (ends[:, list(places)] for ends in (questions.first, questions.last))
        return np.asarray(per_question(questions, box_sums(prefix.reshape(-1), strides, first, last)))
