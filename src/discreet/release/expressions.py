"""What estimates are answers to: counts of releases, added up, and ratios of these. Answered by their joint law.

Counts of one release share noise. Where its law is known (`Summary.pencil`) the interval of a sum is that of the sum's
own noise; where blocks of cells have a law (`Summary.sides`), it is that of the two sums between which it lies;
elsewhere it is made of the intervals of disjoint parts, each at a level so high that all are right together. Noise of
different releases is independent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet.errors import BadParameter
from discreet.numbers.corridors import Corridor, Sides
from discreet.numbers.fractions_of_counts import sum_bounds
from discreet.numbers.pencils import Floats, Pencil
from discreet.queries.estimate import Estimate
from discreet.queries.forms import CellWeights
from discreet.queries.selection import Selection
from discreet.release.data_sets import chance_between, difference_of
from discreet.release.forms_asked import boxes_of, paired_boxes, part_answers
from discreet.release.remarks import said_once
from discreet.summaries.linear_laws import KnownLaw

if TYPE_CHECKING:
    from discreet.release.release import Release

NOTHING = CellWeights(())


class Quantity(Protocol):
    """Any other answer that can be given at every level, such as a ratio."""

    @property
    def releases(self) -> list[Release]: ...
    def answer(self, level: float) -> Estimate: ...
    def joined(self, share: Fraction, other: Quantity, times: Fraction) -> Term | None:
        """`share` of this and `times` the other as one, where their errors then cancel; a number if that is known."""


#: a quantity with its weight, or a number that needs none
Term = tuple[Fraction, Quantity | None]


@dataclass(frozen=True, eq=False)
class Expression:
    """A constant, weighted counts of releases, and other quantities with their weights."""

    constant: Fraction = Fraction(0)
    counts: tuple[tuple[Release, CellWeights], ...] = ()
    others: tuple[tuple[Fraction, Quantity], ...] = ()
    #: whether plain measurements were asked for
    measured: bool = False

    @classmethod
    def count(cls, release: Release, selection: Selection, *, measured: bool = False) -> Expression:
        form = CellWeights.of(selection)
        return cls(counts=((release, form),) if form.parts else (), measured=measured)

    def __deepcopy__(self, memo: Any) -> Expression:
        return self

    def __reduce__(self) -> Any:
        """An estimate that is pickled forgets the release."""
        return _forgotten, ()

    def plus(self, other: Expression, weight: int, *, across: bool = False) -> Expression:
        """With `weight` times the other; they must be about the same data set, unless `across`."""
        check_same_data([*self.releases, *other.releases], across=across)
        times = other.times(weight)
        forms = {key(release): (release, form) for release, form in self.counts}
        for release, form in times.counts:
            own = forms.get(key(release), (release, NOTHING))[1]
            forms[key(release)] = (release, own.plus(form, release.schema.sizes))
        known, others = _together(self.others, times.others)
        return Expression(
            self.constant + times.constant + known,
            tuple((release, form) for release, form in forms.values() if form.parts),
            others,
            self.measured and other.measured,
        )

    def times(self, number: Any) -> Expression:
        by = exact(number)
        counts = tuple((release, form.times(by)) for release, form in self.counts) if by else ()
        others = tuple((by * share, quantity) for share, quantity in self.others) if by else ()
        return Expression(by * self.constant, counts, others, self.measured)

    def shifted(self, number: Any) -> Expression:
        return replace(self, constant=self.constant + exact(number))

    def over(self, other: Expression) -> Expression:
        from discreet.release.ratios import Ratio

        if other.constant and not other.counts and not other.others:  # a number, such as nobody and five more
            return self.times(1 / other.constant)
        return Expression(others=((Fraction(1), Ratio.of(self, other)),))

    def under(self, number: Any) -> Expression:
        return Expression(constant=exact(number)).over(self)

    @property
    def releases(self) -> list[Release]:
        own = [release for release, _ in self.counts]
        return own + [release for _, quantity in self.others for release in quantity.releases]

    @property
    def not_negative(self) -> bool:
        """Whether it cannot be below zero, whatever the counts."""
        weights = [weight for _, form in self.counts for weight, _ in form.parts]
        return min([self.constant, *weights]) >= 0 and not self.others

    @property
    def step(self) -> Fraction:
        """What it is a multiple of, as counts are whole; 0 if that cannot be told."""
        weights = [weight for _, form in self.counts for weight, _ in form.parts]
        whole = [part for part in (self.constant, *weights) if part]
        if self.others or not whole:
            return Fraction(0)
        return Fraction(math.gcd(*(part.numerator for part in whole)), math.lcm(*(part.denominator for part in whole)))

    def form(self, release: Release) -> CellWeights:
        return next((form for own, form in self.counts if key(own) == key(release)), NOTHING)

    def answer(self, level: float) -> Estimate:
        if not self.counts and not self.others:
            number = float(self.constant)
            return Estimate(number, 0.0, number, number, level, asked=self)
        if len(self.counts) == 1 and not self.others and len(self.counts[0][1].parts) == 1:
            release, form = self.counts[0]
            ((weight, selection),) = form.parts
            found = release.counted(selection.boxes(release.schema.sizes), level, measured=self.measured)
            plain = weight == 1 and not self.constant
            return replace(found if plain else found * weight + self.constant, asked=self)
        if len(self.others) == 1 and not self.counts:
            ((share, quantity),) = self.others
            return replace(quantity.answer(level) * share + self.constant, asked=self)
        if not self.others:
            if (pencil := pencil_of(self, Expression())) is not None:
                return self._by_law(pencil, level)
            if (corridor := corridor_of(self, Expression())) is not None:
                return self._between(corridor, level)
        return self._by_parts(level)

    def best(self, level: float) -> tuple[float, bool]:
        """The best number, of each part on its own; and whether all parts have intervals, not bounds."""
        total, sure = float(self.constant), True
        for release, form in self.counts:
            found = part_answers(release, [selection for _, selection in form.parts], level)
            number = found.measured if self.measured else found.value
            total += float(np.array([float(weight) for weight, _ in form.parts]) @ number)
            sure &= found.bounds is None or not found.bounds.any()
        for share, quantity in self.others:
            found_one = quantity.answer(level)
            total += float(share) * found_one.value
            sure &= found_one.ends == "interval"
        return total, sure

    def _by_law(self, pencil: Pencil, level: float) -> Estimate:
        plain, half = pencil.over.item(), pencil.half_widths(0.0, level).item()
        value = plain if self.measured else self.best(level)[0]
        low, high = min(plain - half, value), max(plain + half, value)
        return self._made(value, math.sqrt(pencil.over_variance.item()), low, high, level)

    def _between(self, corridor: Corridor, level: float) -> Estimate:
        value, found = self.best(level)[0], corridor.at(0.0)
        low, high = found.ends(level)
        return self._made(value, found.stderr, min(low, value), max(high, value), level)

    def _by_parts(self, level: float) -> Estimate:
        """Every part with an interval of its own."""
        terms = len(self.counts) + len(self.others)
        each = 1 - (1 - level) / terms
        low, high, stderr = float(self.constant), float(self.constant), 0.0
        for release, form in self.counts:
            alone = replace(self, constant=Fraction(0), counts=((release, form),), others=())
            ends = _parts_of(release, form, each) if terms == 1 else _ends(alone.answer(each))
            low, high, stderr = low + ends[0], high + ends[1], stderr + ends[2]
        for share, quantity in self.others:
            found = quantity.answer(each) * share
            low, high, stderr = low + found.low, high + found.high, stderr + found.stderr
        value, sure = self.best(level)
        made = self._made(value, stderr, min(low, value), max(high, value), level)
        return made if sure else replace(made, ends="bounds")

    def _made(self, value: float, stderr: float, low: float, high: float, level: float) -> Estimate:
        least = float(self.constant) if self._signs() == {1} else -math.inf
        most = float(self.constant) if self._signs() == {-1} else math.inf
        value, low, high = (min(max(number, least), most) for number in (value, low, high))
        note = said_once(release.note for release in self.releases)
        return Estimate(value, stderr, low, max(high, low), level, note, asked=self)

    def _signs(self) -> set[int]:
        if self.others:
            return {0}
        return {1 if weight > 0 else -1 for _, form in self.counts for weight, _ in form.parts}


def _together(
    some: Sequence[tuple[Fraction, Quantity]], more: Sequence[tuple[Fraction, Quantity]]
) -> tuple[Fraction, tuple[tuple[Fraction, Quantity], ...]]:
    """The sum of both, with quantities made one where they can be: what is known of it, and the rest."""
    known, terms = Fraction(0), list(some)
    for times, quantity in more:
        for place, (share, own) in enumerate(terms):
            found = (share + times, own) if own is quantity else own.joined(share, quantity, times)
            if found is not None:
                weight, one = found
                terms[place : place + 1] = [(weight, one)] if one is not None and weight else []
                known += weight if one is None else 0
                break
        else:
            terms.append((times, quantity))
    return known, tuple(terms)


def key(release: Release) -> str:
    """The same for all copies of one release."""
    return f"{release.manifest['id']} {release.manifest['ledger']['head']}"


def members(release: Release) -> set[str]:
    """What was measured, as keys: of a combination, its releases."""
    return set(release.manifest.get("members", [key(release)]))


def check_same_data(releases: Sequence[Release], *, across: bool = False) -> None:
    """Refuses to mix data sets, unless that was asked for; and a release with what it is a part of."""
    seen: dict[str, set[str]] = {key(one): members(one) for one in releases}
    for (one, inside), (other, within) in itertools.combinations(seen.items(), 2):
        if one != other and inside & within:
            raise BadParameter(
                "one of these releases is part of the other, so their errors go together; ask the combined one for both"
            )
    if across:
        return
    for later in releases[1:]:
        why = difference_of(releases[0].manifest, later.manifest)
        why = why or chance_between(releases[0].manifest, later.manifest)
        if why is not None:
            raise BadParameter(
                f"{why}; if you mean to compare different data, such as two years, say so: release.compare, "
                "release.difference, release.ratio and release.change take `across=True`, commands --across"
            )


def pencil_of(over: Expression, under: Expression) -> Pencil | None:
    """The joint law of both, if that of every release in them is known; constants are added."""
    found: Pencil | None = None
    for release in {key(one): one for one in (*over.releases, *under.releases)}.values():
        sizes = release.schema.sizes
        forms = (boxes_of(expression.form(release), sizes) for expression in (over, under))
        pencil = release.summary.pencil(*forms)
        if pencil is None:
            return None
        found = pencil if found is None else found.beside(pencil)
    if found is None:
        return None
    shifts = (float(over.constant), float(under.constant))
    return replace(found, over=found.over + shifts[0], under=found.under + shifts[1])


def corridor_of(over: Expression, under: Expression) -> Corridor | None:
    """What both lie between, if every release in them can tell that; constants are added."""
    parts: list[Sides] = []
    for release in {key(one): one for one in (*over.releases, *under.releases)}.values():
        above, below, sizes = over.form(release), under.form(release), release.schema.sizes
        weighted = boxes_of(above, sizes), boxes_of(below, sizes)
        if (pencil := release.summary.pencil(*weighted)) is not None:
            parts.append(KnownLaw.of(pencil, *weighted))
        elif (sides := release.summary.sides(paired_boxes(above, below, sizes))) is not None:
            parts.append(sides)
        else:
            return None
    return Corridor(tuple(parts), float(over.constant), float(under.constant))


def _parts_of(release: Release, form: CellWeights, level: float) -> tuple[float, float, float]:
    """The ends of a weighted sum of disjoint parts, and the most that its typical error can be."""
    weights = [float(weight) for weight, _ in form.parts]
    found = part_answers(release, [selection for _, selection in form.parts], 1 - (1 - level) / len(weights))
    low, high = sum_bounds(weights, _column(found.low), _column(found.high))
    return float(low[0]), float(high[0]), float(np.abs(weights) @ found.stderr)


def _column(numbers: Any) -> Floats:
    return np.asarray(numbers, np.float64)[:, None]


def _ends(found: Estimate) -> tuple[float, float, float]:
    return found.low, found.high, found.stderr


def exact(number: Any) -> Fraction:
    return Fraction(number) if isinstance(number, int | float | Fraction) else Fraction(float(number))


def _forgotten() -> None:
    return None
