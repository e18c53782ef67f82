"""A budget that is divided among releases is what they cost together."""

from __future__ import annotations

from fractions import Fraction

from discreet.planning.budget_split import divided
from discreet.planning.least_epsilon import Needed


def test_what_is_charged_twice_counts_twice() -> None:
    needs = {name: Needed("geometric", "why", {"cells": Fraction(1, 2)}) for name in ("month", "all")}
    parts = {part.release: part.suggested for part in divided(needs, Fraction(3), {"month": 2})}
    assert parts == {"month": 1, "all": 1}
    assert {part.suggested for part in divided(needs, Fraction(3))} == {Fraction(3, 2)}
