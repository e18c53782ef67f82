"""Ratios of estimates: shares, percent changes, one count over another; with what cannot be ruled out of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import BadParameter, CannotAnswer
from discreet.numbers.corridors import Corridor
from discreet.numbers.fractions_of_counts import fraction_bounds
from discreet.numbers.pencils import Floats, Pencil
from discreet.queries.estimate import Estimate
from discreet.queries.forms import joined
from discreet.queries.selection import Selection, union
from discreet.release.expressions import (
    Expression,
    Quantity,
    Term,
    check_same_data,
    corridor_of,
    exact,
    key,
    pencil_of,
)
from discreet.release.forms_asked import part_answers
from discreet.release.remarks import said_once

if TYPE_CHECKING:
    from discreet.release.release import Release

EMPTY = "there may be nobody in what is divided by"


@dataclass(frozen=True, eq=False)
class Ratio:
    """One expression over another. It lies between `least` and `most` whatever the counts, as none is below zero."""

    above: Expression
    below: Expression
    least: float
    most: float

    @classmethod
    def of(cls, above: Expression, below: Expression, *, across: bool = False) -> Ratio:
        if not below.counts and not below.others:
            raise BadParameter("nobody can be in what is divided by, whatever was counted; ask about others")
        check_same_data([*above.releases, *below.releases], across=across)
        return cls(above, below, *_limits(above, below))

    @property
    def releases(self) -> list[Release]:
        return [*self.above.releases, *self.below.releases]

    def answer(self, level: float) -> Estimate:
        if self.least == self.most:  # all of it, or nothing, whatever the counts
            return Estimate(self.least, 0.0, self.least, self.least, level, asked=self._asked)
        plain = not self.above.others and not self.below.others
        pencil = pencil_of(self.above, self.below) if plain else None
        over, under = self.above.best(level), self.below.best(level)
        best = np.array([over[0]]), np.array([under[0]])
        if pencil is not None:
            found = ratios_by_law(pencil, *best, (self.least, self.most), level)
        elif plain and (corridor := corridor_of(self.above, self.below)) is not None:
            found = ratio_between_sides(corridor, over[0], under[0], (self.least, self.most), level)
        else:
            low, high = self._bounds(level)
            found = ratios_between(*best, low, high, self._doubt(under[0], level), (self.least, self.most))
        value, stderr, low_end, high_end = (column.item() for column in found)
        releases = {key(one): one for one in self.releases}.values()
        notes = [EMPTY if under[0] <= 0 else "", *(release.note for release in releases)]
        ends = "interval" if over[1] and under[1] else "bounds"
        note = said_once(notes)
        return Estimate(value, stderr, low_end, high_end, level, note, asked=self._asked, ends=ends)  # type: ignore[arg-type]

    def joined(self, share: Fraction, other: Quantity, times: Fraction) -> Term | None:
        """Parts of one whole are added up above it, so that what they share cancels."""
        if not isinstance(other, Ratio):
            return None
        rest = self.below.plus(other.below, -1, across=True)
        if rest.counts or rest.others or rest.constant:
            return None
        above = self.above.times(share).plus(other.above.times(times), 1, across=True)
        found = Ratio.of(above, self.below, across=True)
        return (exact(found.least), None) if found.least == found.most else (Fraction(1), found)

    @property
    def _asked(self) -> Expression:
        return Expression(others=((Fraction(1), self),))

    def _bounds(self, level: float) -> tuple[Floats, Floats]:
        """What the intervals of disjoint parts leave possible, or else those of both sums."""
        if (alone := self._one_release) is not None:
            parts = disjoint_parts(alone, self.above, self.below)
            weights = list(parts)
            if all(below >= 0 for _, below in weights):
                try:
                    found = part_answers(alone, list(parts.values()), 1 - (1 - level) / len(weights))
                except CannotAnswer:
                    pass  # both sums can be asked for, if not their parts
                else:
                    above, below = ([float(pair[side]) for pair in weights] for side in (0, 1))
                    least, most = (np.asarray(end, np.float64)[:, None] for end in (found.low, found.high))
                    return fraction_bounds(above, below, least, most)
        each = 1 - (1 - level) / 2
        over, under = self.above.answer(each), self.below.answer(each)
        if under.low <= 0 and not (under.low == 0 and over.low >= 0):
            return np.array([-math.inf]), np.array([math.inf])
        low, high = np.array([[over.low], [under.low]]), np.array([[over.high], [under.high]])
        if over.low >= 0:
            return fraction_bounds([1.0, 0.0], [0.0, 1.0], low, high)
        with np.errstate(divide="ignore"):
            ends = [top / bottom for top in (over.low, over.high) for bottom in (under.low, under.high)]
        return np.array([min(ends)]), np.array([max(ends)])

    @property
    def _one_release(self) -> Release | None:
        releases = {key(one): one for one in self.releases}
        clean = not any((self.above.others, self.below.others, self.above.constant, self.below.constant))
        return next(iter(releases.values())) if clean and len(releases) == 1 else None

    def _doubt(self, under: float, level: float) -> Floats:
        """How far the ratio is typically off, at most: from the errors of both sums."""
        over, below = self.above.answer(level), self.below.answer(level)
        ratio = over.value / under if under > 0 else math.nan
        return np.array([(over.stderr + abs(ratio) * below.stderr) / under if under > 0 else math.nan])


def disjoint_parts(
    release: Release, above: Expression, below: Expression
) -> dict[tuple[Fraction, Fraction], Selection]:
    """Disjoint selections by their weights in both."""
    found: dict[tuple[Fraction, Fraction], list[Selection]] = {}
    sizes = release.schema.sizes
    for one, two, selection in joined(above.form(release), below.form(release), sizes):
        found.setdefault((one, two), []).append(selection)
    return {pair: some[0] if len(some) == 1 else union(some, sizes) for pair, some in found.items()}


def _limits(above: Expression, below: Expression) -> tuple[float, float]:
    """What a ratio cannot pass, as counts are not below zero."""
    releases = {key(one): one for one in (*above.releases, *below.releases)}
    if len(releases) == 1 and not any((above.others, below.others, above.constant, below.constant)):
        pairs = list(disjoint_parts(next(iter(releases.values())), above, below))
        if pairs and all(under >= 0 for _, under in pairs):
            ratios = [float(over / under) if under else math.copysign(math.inf, over) for over, under in pairs]
            return min(ratios), max(ratios)
    return (0.0, math.inf) if above.not_negative and below.not_negative else (-math.inf, math.inf)


def ratios_by_law(
    pencil: Pencil, over: Floats, under: Floats, limits: tuple[float, float], level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Value, typical error and ends of each ratio, by the joint law of what is above and below."""
    low, high = pencil.ratios(level, *limits)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.clip(np.where(under > 0, over / under, np.nan), *limits)
        stderr = np.sqrt(pencil.variance(np.nan_to_num(ratio, posinf=0.0))) / np.abs(under)
    return ratios_between(over, under, low, high, np.where(under > 0, stderr, np.nan), limits)


def ratio_between_sides(
    corridor: Corridor, over: float, under: float, limits: tuple[float, float], level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """The same of one ratio of which it is known what both sums lie between."""
    least, most = limits
    start = over / under if under > 0 else 0.0
    guess = min(max(start, least), most)
    low, high = corridor.ratios(level, guess, least, most)
    stderr = corridor.at(guess).stderr / under if under > 0 else math.nan
    one, two, first, last, error = (np.array([number]) for number in (over, under, low, high, stderr))
    return ratios_between(one, two, first, last, error, limits)


def ratios_between(
    over: Floats, under: Floats, low: Floats, high: Floats, stderr: Floats, limits: tuple[float, float]
) -> tuple[Floats, Floats, Floats, Floats]:
    """The same, where the ends are known: they hold the value, and are no single point."""
    low, high = np.clip(low, *limits), np.clip(high, *limits)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.clip(np.where(under > 0, over / under, np.nan), *limits)
        middle = np.where(np.isfinite(low + high), (low + high) / 2, np.where(np.isfinite(low), low, 0.0))
    value = np.where(np.isnan(value), middle, value)
    narrow = np.where(high - low < np.nan_to_num(stderr), np.nan_to_num(stderr), 0.0)
    low, high = np.minimum(low, value) - narrow, np.maximum(high, value) + narrow
    return value, stderr, np.clip(low, *limits), np.clip(high, *limits)
