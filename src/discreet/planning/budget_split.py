"""How to divide a budget among the releases of a spec, so that each meets its goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.planning.least_epsilon import Needed


@dataclass(frozen=True)
class BudgetPart:
    """What one release should have: what it needs for its goal, and what it gets of the budget."""

    release: str
    method: str
    needs: Fraction | None
    suggested: Fraction | None


def taken(found: list[Needed]) -> Needed | None:
    """The method that `auto` takes, if it can meet the goal; else the one that needs least."""
    able = [one for one in found if one.epsilon is not None]
    return min(able, key=lambda one: (not one.auto, one.epsilon), default=None)


def divided(
    needs: Mapping[str, Needed | None], budget: Fraction | None, times: Mapping[str, int] | None = None
) -> list[BudgetPart]:
    """Every release gets what it needs; what is left of the budget, or missing, is shared in proportion.

    `times` says how often the epsilon of a release counts, if that is more than once.
    """
    often = times or {}
    total = sum((often.get(name, 1) * (one.epsilon or Fraction(0)) for name, one in needs.items() if one), Fraction(0))
    factor = Fraction(1) if budget is None or not total else budget / total
    return [
        BudgetPart(name, "", None, None)
        if one is None or one.epsilon is None
        else BudgetPart(name, one.method, one.epsilon, _rounded_down(one.epsilon * factor))
        for name, one in needs.items()
    ]


def _rounded_down(epsilon: Fraction) -> Fraction:
    """To three digits, so that parts do not add up to more than the whole."""
    step = Fraction(1, 1000)
    while epsilon < 100 * step:
        step /= 10
    return epsilon // step * step
