"""Prefix sums and quantiles of an ordinal attribute, from what a summary answers anyway: post-processing.

A code k is the quantile for `share` if share * N records or more are at or below it, but fewer below it. With
A = records up to k, B = records above it, that is (1 - share) A - share B >= 0 at k and < 0 at k - 1. The interval has
every code for which neither can be ruled out: at the true code each of the four counts misses its bound on the side
that matters with half the probability of its interval, so it is lost with probability 1 - level at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Boxes, Questions, cut_questions
from discreet.schema import Nominal, Schema
from discreet.summaries import Summary

MOST_CODES = 1 << 20


@dataclass(frozen=True, slots=True)
class Quantile:
    """Labels of the attribute: the true quantile lies in low..high (both included) with probability `level`."""

    value: Any
    low: Any
    high: Any
    level: float

    def __str__(self) -> str:
        return f"{self.value} ({100 * self.level:.10g} %: {self.low} to {self.high})"

    def to_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("value", "low", "high")}
        return {**{n: v if isinstance(v, int | str) else str(v) for n, v in plain.items()}, "level": self.level}


def prefixes(schema: Schema, selected: Boxes, attribute: int) -> tuple[list[Any], Questions]:
    """The labels of the attribute, and for each the question how many selected records have it or a lower one."""
    codes, label = _ordered(schema, attribute)
    return [label(code) for code in codes.tolist()], _between(selected, attribute, np.zeros_like(codes), codes)


def quantile(summary: Summary, selected: Boxes, attribute: int, share: float, level: float) -> Quantile:
    """The code below which `share` of the selected records lie, with the codes that cannot be ruled out."""
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise BadParameter(f"quantile: share must lie between 0 and 1 (0.5 is the median), not {share!r}")
    codes, label = _ordered(summary.schema, attribute)
    each = 1 - (1 - level) / 2
    up_to = summary.answer(_between(selected, attribute, np.zeros_like(codes), codes), each)
    above = summary.answer(_between(selected, attribute, codes + 1, np.full_like(codes, codes[-1])), each)
    excess = (1 - share) * up_to.value - share * above.value
    most = _times(1 - share, up_to.high) - share * np.maximum(above.low, 0)
    least = (1 - share) * np.maximum(up_to.low, 0) - _times(share, above.high)
    found = min(int(np.count_nonzero(excess[:-1] < 0)), codes.size - 1)
    below = np.concatenate([[-np.inf], least[:-1]])
    possible = np.append(np.flatnonzero((most >= 0) & (below < 0)), found)
    return Quantile(label(found), label(int(possible.min())), label(int(possible.max())), level)


def _times(share: float, counts: Any) -> Any:
    """No part of a count that has no upper end is none of it."""
    return share * np.asarray(counts, np.float64) if share else np.zeros(np.size(counts))


def _ordered(schema: Schema, attribute: int) -> tuple[Any, Callable[[int], Any]]:
    """All codes in order, without the one for other values, which has no place in the order; and their labels."""
    name = schema.names[attribute]
    ordinal = schema[name]
    assert not isinstance(ordinal, Nominal)
    if ordinal.bins > MOST_CODES:
        raise CannotAnswer(
            f"{name} has {ordinal.bins:,} bins, too many for quantiles (at most {MOST_CODES:,}); publish it in wider "
            "bins, or ask for counts of ranges"
        )
    return np.arange(ordinal.bins), ordinal.label


def _between(selected: Boxes, attribute: int, first: Any, last: Any) -> Questions:
    return cut_questions(selected, {attribute: np.stack([first, last], axis=1)})
