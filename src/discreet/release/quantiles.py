"""Prefix sums and quantiles of an ordinal attribute, from what a summary answers anyway: post-processing.

A code k is the quantile for `share` if share * N records or more are at or below it, but fewer below it. With
A = records up to k, B = records above it, that is (1 - share) A - share B >= 0 at k and < 0 at k - 1. The interval has
every code for which neither can be ruled out: at the true code each of the four counts misses its bound on the side
that matters with half the probability of its interval, so it is lost with probability 1 - level at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Boxes, Questions, cut_questions
from discreet.schema import Ordinal, Schema
from discreet.summaries import Summary

#: above this, codes are searched and not tried one by one, and no row is made for each
MOST_CODES = 1 << 20
_AT_A_TIME = 1 << 10


@dataclass(frozen=True, slots=True)
class Quantile:
    """Labels of the attribute: the true quantile lies in low..high (both included) with probability `level`."""

    value: Any
    low: Any
    high: Any
    level: float
    note: str = ""

    def __str__(self) -> str:
        shown = f"{self.value} ({100 * self.level:.10g} %: {self.low} to {self.high})"
        return f"{shown}; {self.note}" if self.note else shown

    def to_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("value", "low", "high")}
        labels = {n: v if isinstance(v, int | str) else str(v) for n, v in plain.items()}
        return {**labels, "level": self.level, **({"note": self.note} if self.note else {})}


def prefixes(schema: Schema, selected: Boxes, attribute: int) -> tuple[list[Any], Questions]:
    """The labels of the attribute, and for each the question how many selected records have it or a lower one."""
    ordinal = _ordinal(schema, attribute)
    if ordinal.bins > MOST_CODES:
        raise CannotAnswer(
            f"{schema.names[attribute]} has {ordinal.bins:,} bins, too many for a row each (at most {MOST_CODES:,}); "
            "ask for quantiles, or for counts of ranges"
        )
    codes = np.arange(ordinal.bins)  # without the one for other values, which has no place in the order
    return [ordinal.label(code) for code in codes.tolist()], _between(selected, attribute, np.zeros_like(codes), codes)


def quantile(summary: Summary, selected: Boxes, attribute: int, share: float, level: float) -> Quantile:
    """The code below which `share` of the selected records lie, with the codes that cannot be ruled out."""
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise BadParameter(f"quantile: share must lie between 0 and 1 (0.5 is the median), not {share!r}")
    ordinal = _ordinal(summary.schema, attribute)
    law = _Law(summary, selected, attribute, share, 1 - (1 - level) / 2)
    if ordinal.bins > MOST_CODES:
        found, low, high = (_first(law, bound, ordinal.bins) for bound in ("excess", "most", "least"))
        low, high = min(found, low), max(found, high)
        at = law.at(np.array([found]))
    else:
        at = law.at(np.arange(ordinal.bins))
        found = min(int(np.count_nonzero(at["excess"][:-1] < 0)), ordinal.bins - 1)
        below = np.concatenate([[-np.inf], at["least"][:-1]])
        possible = np.append(np.flatnonzero((at["most"] >= 0) & (below < 0)), found)
        low, high = int(possible.min()), int(possible.max())
    note = summary.why_bounds if at["bounds"].any() else ""
    return Quantile(ordinal.label(found), ordinal.label(low), ordinal.label(high), level, note)


@dataclass(frozen=True)
class _Law:
    """(1 - share) A - share B at codes, as it is likely, and the most and the least that it may be."""

    summary: Summary
    selected: Boxes
    attribute: int
    share: float
    each: float

    def at(self, codes: Any) -> dict[str, Any]:
        last = _ordinal(self.summary.schema, self.attribute).bins - 1
        up_to = self._answer(np.zeros_like(codes), codes)
        above = self._answer(codes + 1, np.full_like(codes, last))
        share = self.share
        return {
            "excess": (1 - share) * up_to.value - share * above.value,
            "most": _times(1 - share, up_to.high) - share * np.maximum(above.low, 0),
            "least": (1 - share) * np.maximum(up_to.low, 0) - _times(share, above.high),
            "bounds": np.array([answers.bounds is not None and answers.bounds.any() for answers in (up_to, above)]),
        }

    def _answer(self, first: Any, last: Any) -> Any:
        return self.summary.answer(_between(self.selected, self.attribute, first, last), self.each)


def _first(law: _Law, bound: str, bins: int) -> int:
    """The first code at which a bound is not below zero, as far as it rises; looks at few codes at a time."""
    low, high = 0, bins - 1
    while low < high:
        step = -(-(high - low) // _AT_A_TIME)
        codes = np.append(np.arange(low, high, step), high)
        reached = np.flatnonzero(law.at(codes)[bound] >= 0)
        place = int(reached[0]) if reached.size else codes.size - 1
        low, high = int(codes[place - 1]) + 1 if place else low, int(codes[place])
    return high


def _times(share: float, counts: Any) -> Any:
    """No part of a count that has no upper end is none of it."""
    return share * np.asarray(counts, np.float64) if share else np.zeros(np.size(counts))


def _ordinal(schema: Schema, attribute: int) -> Ordinal:
    ordinal = schema[schema.names[attribute]]
    assert isinstance(ordinal, Ordinal)
    return ordinal


def _between(selected: Boxes, attribute: int, first: Any, last: Any) -> Questions:
    return cut_questions(selected, {attribute: np.stack([first, last], axis=1)})
