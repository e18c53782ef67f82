"""Which of two numbers is larger, by how much, and how likely that is."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from discreet.charts.small_bars import small_bar
from discreet.numbers.signs import chance_among
from discreet.queries.estimate import Estimate
from discreet.release.comparable import Differences, comparable_differences
from discreet.release.expressions import Expression, pencil_of

#: at these levels intervals are tried one after the other, where noise has no law that is known
_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998, 0.9995, 0.9999, 0.99999)
#: below it nothing is said about which is larger
_TELLS = 0.5 + 1e-9
#: more is not said in words
_NEARLY = 0.999


@dataclass(frozen=True, slots=True)
class Comparison:
    """`difference` is a less b. `probability` is that of a being the larger one, nan if nothing can be said.

    It goes by the known noise, and by how far counts of this kind are likely to lie apart: `groups` is how many others
    of the release told that, 0 if there is only this difference. Where no law of the noise is known (`exactly` is
    False), it goes by the widest interval that tells them apart, so that the larger one is at least that likely. If
    both are the same, neither is larger, and the probability says nothing.
    """

    difference: Estimate
    probability: float
    exactly: bool = True
    groups: int = 0

    @property
    def larger(self) -> str | None:
        """ "a" or "b"; None if that cannot be told."""
        if math.isnan(self.probability) or abs(self.probability - 0.5) < _TELLS - 0.5:
            return None
        return "a" if self.probability > 0.5 else "b"

    def __str__(self) -> str:
        if self.larger is None:
            return f"cannot tell which is larger; a less b: {self.difference}"
        sure = max(self.probability, 1 - self.probability)
        more = "" if self.exactly and sure < _NEARLY else " or more"
        # what is a least value must not be rounded up
        tenths = 1000 * min(sure, _NEARLY)
        shown = f"{(math.floor(tenths + 1e-6) if more else tenths) / 10:.3g} %{more}"
        by = f"this difference and {self.groups} other counts like these" if self.groups else "this difference alone"
        return f"{self.larger} is larger with probability {shown}, judging by {by}; a less b: {self.difference}"

    def _repr_html_(self) -> str:
        """What `str` says, behind a small bar of how sure it is."""
        sure = 0.0 if self.larger is None else max(self.probability, 1 - self.probability)
        return f"{small_bar(sure, sure, sure, 1.0)} {html.escape(str(self))}"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: None where there is no probability."""
        known = not math.isnan(self.probability)
        return {
            "larger": self.larger,
            "probability": self.probability if known else None,
            "exactly": self.exactly,
            "groups": self.groups,
            "difference": self.difference.to_dict(),
        }


def compared(a: Expression, b: Expression, level: float, *, across: bool = False) -> Comparison:
    difference = a.plus(b, -1, across=across)
    found = difference.answer(level)
    if not difference.counts and not difference.others:  # the same twice
        return Comparison(found, 0.5 + 0.5 * math.copysign(1, found.value) if found.value else 0.5)
    others, step = comparable_differences(a, b), float(difference.step)
    pencil = None if difference.others else pencil_of(difference, Expression())
    if pencil is not None:
        value, variance, kurtosis = pencil.over.item(), pencil.over_variance.item(), pencil.kurtosis_at(0.0).item()
        known = all(math.isfinite(part.over_share.item()) for part in pencil.parts)
        # where it is only known that it is not above this, the least that any law up to it says
        laws = (kurtosis,) if known else (kurtosis, kurtosis / 3, 0.0)
        said = (_among(value, variance, law, others, step) for law in laws)
        return Comparison(found, min(said, key=lambda one: abs(one - 0.5)), groups=others.groups)
    sure, side = 0.0, 0
    for tried in _LEVELS:
        ends = difference.answer(tried)
        if ends.low <= 0 <= ends.high:
            break
        sure, side = tried, 1 if ends.low > 0 else -1
    if not side:
        return Comparison(found, math.nan, exactly=False, groups=others.groups)
    # as far out as normal noise would have to be, had it such an interval
    size, deviation = NormalDist().inv_cdf(0.5 + sure / 2), found.stderr
    if not 0 < deviation < math.inf:
        deviation, step, others = 1.0, 0.0, Differences.none()
    said_of_it = _among(side * size * deviation, deviation**2, 0.0, others, step)
    return Comparison(found, said_of_it, exactly=False, groups=others.groups)


def _among(value: float, variance: float, kurtosis: float, others: Differences, step: float) -> float:
    return chance_among(value, variance, kurtosis, others.values, others.variances, others.worth, step)
