"""Answers that agree with publicly known totals: post-processing between a summary and whoever asks.

A question is cut into what is known (groups that lie in it wholly) and what is open. If all that is open lies in known
groups, it and the rest of these groups add up to a known number d, so two estimates of it meet: its own, y, and d less
that of the rest, d - r.

Where the noise has a known law, the number is that of least squares, y + w (d - y - r) with w = Cov(y, y + r) /
Var(y + r), of variance Var(y) - w Cov(y, y + r), and the interval is its own or that of y or of d - r, whichever has
the least width; the widths depend on no data, so choosing costs nothing. Elsewhere the number is the mean of both,
weighed by their typical errors, and the interval that of y or of d - r, by which of the two sets has fewer cells.
An interval never leaves 0 to d. What reaches beyond known groups is answered as it was measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Questions, picked
from discreet.queries.known_parts import KnownParts
from discreet.queries.known_totals import KnownTotals
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Summary
from discreet.summaries.known_sums import AnswerColumns, fitted_by_law, weighed

Places = NDArray[np.int64]


def informed(summary: Summary, known: KnownTotals | None) -> Summary:
    """The summary, its answers made to agree with known totals if there are any."""
    return summary if known is None else Informed(summary, known)


class Informed(Summary):
    """A summary of counts of which some totals are known. It is written as what it was without them."""

    def __init__(self, inner: Summary, known: KnownTotals) -> None:
        self.inner, self.totals = inner, known

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        return self.inner.schema

    @property
    def shape(self) -> str:  # type: ignore[override]
        return self.inner.shape

    @property
    def adds_up(self) -> bool:  # type: ignore[override]
        return self.inner.adds_up

    def __getattr__(self, name: str) -> Any:
        """What only some summaries have, such as what synthetic rows are fitted to."""
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def to_arrow(self) -> Any:
        return self.inner.to_arrow()

    def stored(self) -> Any:
        return self.inner.stored()

    def facts(self) -> dict[str, Any]:
        return self.inner.facts()

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> Summary:
        raise TypeError("a summary is read without known totals, which are given to it afterwards")

    def answer(self, questions: Questions, level: float) -> Answers:
        cut, plain = self.totals.cut(questions), self.inner.answer(questions, level)
        found = AnswerColumns.of(plain)
        settled, inside, exact = cut.settled, cut.inside, cut.exact
        # what holds a known group and reaches beyond all of them
        reaching = np.flatnonzero(cut.holds & ~settled & ~inside)
        asked = cut.open()
        if reaching.size:
            found.put(reaching, AnswerColumns.of(self.inner.answer(picked(asked, reaching), level)))
        if (some := np.flatnonzero(inside)).size:
            found.put(some, self._inside(cut, picked(asked, some), some, level))
        done = np.flatnonzero(settled)
        found.put(done, AnswerColumns.nothing(done.size))
        known = settled | (inside & (cut.around == 0))
        return found.answers(exact, plain.measured, known)

    def _inside(self, cut: KnownParts, asked: Questions, some: Places, level: float) -> AnswerColumns:
        """Of questions whose open part lies in known groups."""
        direct, most = self.inner.answer(asked, level), cut.around[some]
        found, around = AnswerColumns.of(direct), cut.surroundings(some)
        if self.inner.adds_up:
            found.value = _scaled(found.value, self.inner.answer(around, level).of_counts().value, most)
        bounds = np.zeros(some.size, np.bool_) if direct.bounds is None else direct.bounds
        able = np.flatnonzero(cut.workable(some) & ~bounds)
        if able.size:
            rest = cut.rest(some[able], picked(around, able))
            sets = picked(asked, able), rest, picked(around, able)
            fitted = fitted_by_law if self.inner.noise_of_parts else weighed
            found.put(able, fitted(self.inner, found.some(able), sets, most[able], level))
        found.limit(most)
        return found

    def sums_of(self, questions: Questions) -> tuple[Places, Places, NDArray[np.bool_]]:
        """The questions in groups, the known sum of each group's answers or -1, and which hold something known."""
        cut = self.totals.cut(questions)
        return *cut.sums(), cut.holds


def _scaled(value: Floats, whole: Floats, known: Floats) -> Floats:
    """In proportion to the known count of what they are part of: sums of such numbers agree as well."""
    return np.asarray(np.where(whole > 0, value * known / np.where(whole > 0, whole, 1.0), value))
