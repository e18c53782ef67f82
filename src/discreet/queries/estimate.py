"""An answer and how far it may be off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any


@dataclass(frozen=True, slots=True)
class Estimate:
    """A noisy count: the truth lies in low..high with probability `level`; `note` says what else to know."""

    value: float
    stderr: float
    low: float
    high: float
    level: float = 0.95
    note: str = ""
    #: what may lie outside low..high for reasons other than noise (cells that a filter dropped, ...): at most this much
    bias: float = 0.0

    def __str__(self) -> str:
        decimals = _decimals(self.stderr)
        value, stderr, low, high = (
            _number(number, decimals) for number in (self.value, self.stderr, self.low, self.high)
        )
        note = f"; {self.note}" if self.note else ""
        if self.bias:
            note = f"; up to {_number(self.bias, decimals)} more or less, from cells that are not in the release{note}"
        return f"{value} ± {stderr} ({100 * self.level:.10g} %: {low} to {high}){note}"

    def to_dict(self) -> dict[str, Any]:
        """Plain Python numbers and text, ready for JSON."""
        numbers = {name: _plain(getattr(self, name)) for name in ("value", "stderr", "low", "high", "level", "bias")}
        return {**numbers, "note": self.note}


def _decimals(stderr: float) -> int:
    """Two significant digits of the error, and never digits below them: more would pretend."""
    if not 0 < stderr < 10:
        return 0
    return min(1 - math.floor(math.log10(stderr)), 17)


def _number(number: float, decimals: int) -> str:
    shown = f"{number:,.{0 if number % 1 == 0 else decimals}f}"
    return shown[1:] if shown.startswith("-") and not shown.strip("-0.") else shown


def _plain(number: float) -> int | float:
    return int(number) if isinstance(number, Integral) else float(number)
