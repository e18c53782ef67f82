"""Answers to questions that no published table holds: an estimate (`joint_fits`) between bounds (`joint_bounds`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.errors import CannotAnswer
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers
from discreet.summaries.joint_bounds import JointBounds
from discreet.summaries.joint_fits import JointFits
from discreet.summaries.several_tables import Alike
from discreet.transforms.effects import Attributes, Placed

MOST_QUESTIONS = 1 << 18
"""Of those that no table holds, at once."""


@dataclass(frozen=True)
class JointAnswers:
    """`held` answers what one of the tables over `sets` holds; `tables` are non-negative, and agree."""

    schema: Schema
    sets: Sequence[Attributes]
    held: Callable[[Questions, float], Answers]
    tables: Sequence[Placed]

    @cached_property
    def _fits(self) -> JointFits:
        return JointFits(self.schema.sizes, self.tables)

    @cached_property
    def _bounds(self) -> JointBounds:
        return JointBounds(self.schema.sizes, self.sets, self.held)

    def added(self, found: Answers, apart: Sequence[Alike], level: float) -> Answers:
        """`found` with the answers to these questions too."""
        bounds = np.zeros(len(found.value), np.bool_) if found.bounds is None else found.bounds.copy()
        value, stderr = found.value.copy(), found.stderr.copy()
        low, high = found.low.copy(), found.high.copy()
        for group in apart:
            self._check(group)
            asked, mine = tuple(group.asked), group.numbers
            estimate = self._fits.values(group.questions, asked)
            least, most = self._bounds.of(group.questions, asked, level)
            value[mine], stderr[mine], bounds[mine] = estimate, np.nan, True
            low[mine], high[mine] = np.minimum(least, estimate), np.maximum(most, estimate)
        return replace(found, value=value, stderr=stderr, low=low, high=high, bounds=bounds)

    def _check(self, group: Alike) -> None:
        names = [self.schema.names[place] for place in group.asked]
        missing = [name for name, place in zip(names, group.asked, strict=True) if not self._has(place)]
        if missing:
            raise CannotAnswer(f"no table of this release has {', '.join(missing)}; ask about others")
        if group.questions.count > MOST_QUESTIONS:
            raise CannotAnswer(
                f"no table of this release holds {', '.join(names)} together, and estimates are made for at most "
                f"{MOST_QUESTIONS:,} questions at once, not {group.questions.count:,}; ask about fewer attributes, or "
                "for fewer cells (`where`)"
            )

    def _has(self, place: int) -> bool:
        return any(place in held for held in self.sets)
