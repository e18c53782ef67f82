"""What to say of an interval that says little."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from discreet.errors import CannotAnswer
from discreet.left_out import LeftOut
from discreet.queries import Questions
from discreet.summaries import Answers, Summary

#: an interval of more standard errors than this has more in it than noise
_FAR = 20.0
#: ends of which one is at most so many times the other say something
_NEAR = 4.0
_BUYS_AN_END = {
    **dict.fromkeys(("filter", "filter-threshold", "filter-priority"), "`total = 0.03`"),
    "hpa": "`rescale = true`",
}
_USELESS = "the interval is wider than the count of everything, so it says next to nothing"


def why_no_end(method: str, left_out: Iterable[LeftOut]) -> str:
    """What keeps a method from promising an upper end, and what can be done."""
    reasons = "; ".join(one.short for one in left_out if not one.by_rule)
    buys = _BUYS_AN_END.get(method)
    return f"{reasons}; publishing with {buys} would give one" if buys else reasons


def said_once(notes: Iterable[str]) -> str:
    """Notes as one, without what was said before."""
    return "; ".join(dict.fromkeys(part for note in notes for part in note.split("; ") if part))


def remark(summary: Summary, found: Answers, level: float, no_end: str) -> str:
    """What to say of an answer whose interval holds nearly anything; nothing of others."""
    width = float(found.high[0] - found.low[0])
    if math.isinf(width):
        return no_end
    if width <= _FAR * float(found.stderr[0]) or found.high[0] <= _NEAR * found.low[0]:
        return ""
    ends = np.zeros((1, len(summary.schema)), np.int64), np.array([summary.schema.sizes]) - 1
    try:
        every = summary.answer(Questions(*ends, 1, np.zeros(1, np.int64)), level).of_counts()
    except CannotAnswer:
        return ""
    return _USELESS if width > float(every.value[0]) else ""
