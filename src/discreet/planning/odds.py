"""Epsilon in words: what a release can at most teach somebody who suspects something of a person."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.privacy import Unit

SUSPICION = 0.1


def posterior(epsilon: Fraction, suspicion: float = SUSPICION) -> float:
    """The most that a suspicion can become: a release multiplies its odds by at most exp(epsilon)."""
    odds = suspicion / (1 - suspicion)
    return 1 / (1 + math.exp(-min(float(epsilon), 700.0)) / odds)


def in_words(epsilon: Fraction, unit: Unit, by: str = "the release") -> str:
    whose = "a row" if unit.is_row else f"a {unit.column}"
    told = f"{whose} is in the data" if unit.neighbours == "add-remove" else f"{whose} is what it is, and not another"
    return (
        f"In words: a suspicion of {percent(SUSPICION)} that {told} becomes at most {at_most(posterior(epsilon))} by "
        f"{by}, whatever else is known."
    )


def at_most(share: float) -> str:
    """Rounded up to a tenth of a percent; near certainty, to as many digits as it takes."""
    tenth = math.ceil(share * 1000 - 1e-9) / 10
    return f"{tenth:g} %" if tenth < 100 else percent(share)


def percent(share: float) -> str:
    """To the nearest percent; where that would say certainty, with as many digits as it takes."""
    digits = next((digits for digits in range(8) if round(share * 100, digits) < 100), None)
    return "nearly 100 %" if digits is None else f"{share * 100:.{digits}f} %"
