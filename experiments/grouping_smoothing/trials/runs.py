"""Runs of the methods for items, and how far their counts are off."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.items.item_method import ItemMethod
from discreet.noise import Noise, SeededSource
from discreet.tasks import Items
from experiments.grouping_smoothing.data.user_items import UserItems
from experiments.shared.bounded import OnlyHistories
from experiments.shared.chance import seed_of

#: the paper's epsilons: 0.1, ln 2 and ln 3
EPSILONS = (Fraction("0.1"), Fraction("0.693"), Fraction("1.099"))
SEED = 20_121


@dataclass(frozen=True)
class GroupingRun:
    """What one run of a method gave: errors by both measures, and what it says of its groups."""

    absolute: float
    relative: float
    facts: dict[str, Any]


def mechanism(case: UserItems, method: str, epsilon: Fraction, parameters: dict[str, Any]) -> ItemMethod:
    task = Items("item", method=method, count="users", bound=case.bound, **parameters)
    made = mechanism_for(task, Request.of(task, case.schema, case.unit, epsilon))
    assert isinstance(made, ItemMethod)
    return made


def run(case: UserItems, method: str, epsilon: Fraction, noise: Noise, **parameters: Any) -> GroupingRun:
    summary: Any = mechanism(case, method, epsilon, parameters).measure(OnlyHistories(case), noise)
    if method == "lpa":
        return GroupingRun(*case.errors(summary.parts[0].values), {})
    view = summary.parts[0]
    return GroupingRun(*case.errors(view.values), view.facts())


def noise_for(*what: object) -> Noise:
    """Noise that is the same whenever the same is asked for."""
    text = "|".join(str(one) for one in (SEED, *what))
    return Noise(SeededSource(seed_of(text, "little")))
