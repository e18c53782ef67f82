"""Which of two numbers is larger, by how much, and how likely that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from discreet.numbers.signs import chance_above_zero, chance_among
from discreet.queries.estimate import Estimate
from discreet.release.comparable import Differences, comparable_differences
from discreet.release.expressions import Expression, pencil_of

#: at these levels intervals are tried one after the other, where noise has no law that is known
_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998, 0.999)
#: below it nothing is said about which is larger
_TELLS = 0.5 + 1e-9
#: more is not said in words
_NEARLY = 0.999


@dataclass(frozen=True, slots=True)
class Comparison:
    """`difference` is a less b. `probability` is that of a being the larger one, nan if nothing can be said.

    It goes by the known noise, and by how far other counts of this kind lie apart in the release, if there are enough
    of them: `groups` is how many, 0 if the noise alone decides. Where no law of the noise is known, it is at least that
    much for the larger one (`exactly` is False): the highest level at which the interval still tells them apart.
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
        shown = f"{100 * min(sure, _NEARLY):.3g} %{more}"
        by = f"as {self.groups} such counts lie apart" if self.groups else "by the noise alone"
        return f"{self.larger} is larger with probability {shown}, {by}; a less b: {self.difference}"

    def to_dict(self) -> dict[str, Any]:
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
    others = comparable_differences(a, b)
    pencil = None if difference.others else pencil_of(difference, Expression())
    if pencil is not None:
        kurtosis = pencil.kurtosis_at(0.0).item()
        # where it is only known that it is not above this, a sum of several draws is more likely than a single one
        known = all(math.isfinite(part.over_share.item()) for part in pencil.parts)
        law = pencil.over.item(), pencil.over_variance.item(), kurtosis if known else kurtosis / 3
        if others is None:
            return Comparison(found, chance_above_zero(*law))
        return Comparison(found, _among(law, others), groups=others.groups)
    sure, side = 0.0, 0
    for tried in _LEVELS:
        ends = difference.answer(tried)
        if ends.low <= 0 <= ends.high:
            break
        sure, side = tried, 1 if ends.low > 0 else -1
    least = sure / 2
    if others is not None and side:
        value = replace(difference, measured=True).best(level)[0]
        least = min(least, max(side * (_among((value, found.stderr**2, 1.0), others) - 0.5), 0.0))
    if least < _TELLS - 0.5:
        return Comparison(found, math.nan, exactly=False, groups=0 if others is None else others.groups)
    return Comparison(found, 0.5 + side * least, exactly=False, groups=0 if others is None else others.groups)


def _among(law: tuple[float, float, float], others: Differences) -> float:
    return chance_among(*law, others.values, others.variances, others.groups - 1)
