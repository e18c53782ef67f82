"""Quantiles of an ordinal attribute, from what a summary answers anyway: post-processing.

A code k is the quantile for `share` if share * N records or more are at or below it, but fewer below it. With
A = records up to k, B = records above it, that is (1 - share) A - share B >= 0 at k and < 0 at k - 1. The interval has
every code for which neither can be ruled out: at the true code each of the four counts misses its bound on the side
that matters with half the probability of its interval, so it is lost with probability 1 - level at most.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.queries import Boxes
from discreet.release.frame import Frame, free_name
from discreet.release.groups import Grouped, GroupRows, grouping
from discreet.schema import Ordinal, Schema
from discreet.summaries import Answers, Summary

#: above this, codes are searched and not tried one by one, and no row is made for each
MOST_CODES = 1 << 20
_AT_A_TIME = 1 << 10
#: questions about as many boxes are answered together
_AT_ONCE = 1 << 20


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

    def _repr_html_(self) -> str:
        """What `str` says."""
        return html.escape(str(self))

    def to_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("value", "low", "high")}
        labels = {n: v if isinstance(v, int | str) else str(v) for n, v in plain.items()}
        return {**labels, "level": self.level, **({"note": self.note} if self.note else {})}


def quantile(summary: Summary, selected: Boxes, attribute: int, share: float, level: float) -> Quantile:
    """The value below which `share` of the selected records lie, with those that cannot be ruled out."""
    groups = grouping([], summary.schema, selected)
    (codes,), noted = quantile_codes(summary, groups, attribute, [share], level)
    found, low, high = (_ordinal(summary.schema, attribute).label(code) for code in codes[0].tolist())
    return Quantile(found, low, high, level, summary.why_bounds if noted else "")


def quantile_table(
    summary: Summary, selected: Boxes, named: Sequence[Grouped], attribute: int, shares: Any, level: float
) -> Frame:
    """The same for each group and each share, a row for each."""
    name, ordinal = summary.schema.names[attribute], _ordinal(summary.schema, attribute)
    wanted = list(shares) if isinstance(shares, Iterable) and not isinstance(shares, str) else [shares]
    if not wanted:
        raise BadParameter("quantile: give at least one share, such as 0.5")
    groups = grouping(named, summary.schema, selected, only_met=True)
    codes, noted = quantile_codes(summary, groups, attribute, wanted, level)
    labels = {column: [label for label in given for _ in wanted] for column, given in groups.columns.items()}
    taken = {*labels, "low", "high"}
    value, share = (free_name(column, taken) for column in (name, "share"))
    ends = zip((value, "low", "high"), codes.reshape(-1, 3).T.tolist(), strict=True)
    found = {column: [ordinal.label(code) for code in mine] for column, mine in ends}
    return Frame({**labels, share: wanted * len(groups), **found}, [summary.why_bounds] if noted else [])


def quantile_codes(
    summary: Summary, groups: GroupRows, attribute: int, shares: Sequence[Any], level: float
) -> tuple[NDArray[np.int64], bool]:
    """(groups, shares, 3): of each the code, the lowest and the highest possible; and whether bounds were used."""
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise BadParameter(f"quantile: share must lie between 0 and 1 (0.5 is the median), not {share!r}")
    bins = _ordinal(summary.schema, attribute).bins
    law = _Law(summary, groups, attribute, 1 - (1 - level) / 2)
    codes, noted = np.empty((len(groups), len(shares), 3), np.int64), False
    if bins > MOST_CODES:
        for row, place in np.ndindex(codes.shape[:2]):
            find = partial(_first, law, bins=bins, row=row, share=shares[place])
            found, low, high = find("excess"), find("most"), find("least")
            low, high = (0, bins - 1) if law.nobody(row) else (min(found, low), max(found, high))
            codes[row, place] = found, low, high
            noted |= law.at(np.array([found]), slice(row, row + 1)).bounds
        return codes, noted
    step = max(1, _AT_ONCE // (bins * max(1, len(groups.selected.first))))
    for start in range(0, len(groups), step):
        rows = slice(start, start + step)
        at = law.at(np.arange(bins), rows)
        noted |= at.bounds
        for place, share in enumerate(shares):
            found = np.minimum(np.count_nonzero(at.excess(share)[:, :-1] < 0, axis=1), bins - 1)
            below = np.column_stack([np.full(len(found), -np.inf), at.least(share)[:, :-1]])
            possible = (at.most(share) >= 0) & (below < 0)
            possible[np.arange(len(found)), found] = True
            possible[at.nobody] = True
            highest = bins - 1 - possible[:, ::-1].argmax(axis=1)
            codes[rows, place] = np.column_stack([found, possible.argmax(axis=1), highest])
    return codes, noted


@dataclass(frozen=True)
class _Sides:
    """(1 - share) A - share B at codes, as it is likely, and the most and the least that it may be; a row per group."""

    up_to: Answers
    above: Answers
    rows: int

    def excess(self, share: float) -> Any:
        rest, part = _weights(share)
        return self._rows(rest * self.up_to.value - part * self.above.value)

    def most(self, share: float) -> Any:
        rest, part = _weights(share)
        return self._rows(_times(rest, self.up_to.high) - part * np.maximum(self.above.low, 0))

    def least(self, share: float) -> Any:
        rest, part = _weights(share)
        return self._rows(rest * np.maximum(self.up_to.low, 0) - _times(part, self.above.high))

    @property
    def nobody(self) -> NDArray[np.bool_]:
        """Groups in which there is surely nobody, so that nothing is ruled out: those of the last code hold all."""
        return np.asarray(self._rows(self.up_to.high)[:, -1] <= 0)

    @property
    def bounds(self) -> bool:
        return any(side.bounds is not None and bool(side.bounds.any()) for side in (self.up_to, self.above))

    def _rows(self, values: Any) -> Any:
        return np.asarray(values).reshape(self.rows, -1)


@dataclass(frozen=True)
class _Law:
    """What is known of the records up to codes, and above them."""

    summary: Summary
    groups: GroupRows
    attribute: int
    each: float

    def at(self, codes: Any, rows: slice) -> _Sides:
        last = _ordinal(self.summary.schema, self.attribute).bins - 1
        up_to = self.groups.within(self.attribute, np.zeros_like(codes), codes, rows)
        above = self.groups.within(self.attribute, codes + 1, np.full_like(codes, last), rows)
        below, beyond = (self.summary.answer(asked, self.each) for asked in (up_to, above))
        return _Sides(below, beyond, len(range(len(self.groups))[rows]))

    def nobody(self, row: int) -> bool:
        """Whether there is surely nobody in a group."""
        last = _ordinal(self.summary.schema, self.attribute).bins - 1
        return bool(self.at(np.array([last]), slice(row, row + 1)).nobody[0])


def _first(law: _Law, bound: str, *, bins: int, row: int, share: float) -> int:
    """The first code at which a bound is not below zero, as far as it rises; looks at few codes at a time."""
    low, high = 0, bins - 1
    while low < high:
        step = -(-(high - low) // _AT_A_TIME)
        codes = np.append(np.arange(low, high, step), high)
        reached = np.flatnonzero(getattr(law.at(codes, slice(row, row + 1)), bound)(share)[0] >= 0)
        place = int(reached[0]) if reached.size else codes.size - 1
        low, high = int(codes[place - 1]) + 1 if place else low, int(codes[place])
    return high


def _weights(share: float) -> tuple[float, float]:
    """1 - share and share, both times a whole number that makes them whole: 1 - 0.9 in floats is not 0.1."""
    exact = Fraction(str(float(share)))
    return float(exact.denominator - exact.numerator), float(exact.numerator)


def _times(share: float, counts: Any) -> Any:
    """No part of a count that has no upper end is none of it."""
    return share * np.asarray(counts, np.float64) if share else np.zeros(np.size(counts))


def _ordinal(schema: Schema, attribute: int) -> Ordinal:
    ordinal = schema[schema.names[attribute]]
    assert isinstance(ordinal, Ordinal)
    return ordinal
