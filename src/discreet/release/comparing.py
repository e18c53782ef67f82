"""Which of two numbers is larger, by how much, and how likely that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from discreet.numbers.signs import chance_above_zero
from discreet.queries.estimate import Estimate
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

    It is that of the known noise, if nothing else is known of the difference. Where no law is known, it is at least
    that much for the larger one (`exactly` is False): the highest level at which the interval still tells them apart.
    """

    difference: Estimate
    probability: float
    exactly: bool = True

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
        return f"{self.larger} is larger with probability {shown}; a less b: {self.difference}"

    def to_dict(self) -> dict[str, Any]:
        known = not math.isnan(self.probability)
        return {
            "larger": self.larger,
            "probability": self.probability if known else None,
            "exactly": self.exactly,
            "difference": self.difference.to_dict(),
        }


def compared(a: Expression, b: Expression, level: float, *, across: bool = False) -> Comparison:
    difference = a.plus(b, -1, across=across)
    found = difference.answer(level)
    if not difference.counts and not difference.others:  # the same twice
        return Comparison(found, 0.5 + 0.5 * math.copysign(1, found.value) if found.value else 0.5)
    pencil = None if difference.others else pencil_of(difference, Expression())
    if pencil is not None:
        kurtosis = pencil.kurtosis_at(0.0).item()
        # where it is only known that it is not above this, a sum of several draws is more likely than a single one
        known = all(math.isfinite(part.over_share.item()) for part in pencil.parts)
        likely = kurtosis if known else kurtosis / 3
        return Comparison(found, chance_above_zero(pencil.over.item(), pencil.over_variance.item(), likely))
    sure, side = 0.0, 0
    for tried in _LEVELS:
        ends = difference.answer(tried)
        if ends.low <= 0 <= ends.high:
            break
        sure, side = tried, 1 if ends.low > 0 else -1
    if not side:
        return Comparison(found, math.nan, exactly=False)
    return Comparison(found, 0.5 + side * sure / 2, exactly=False)
