"""An answer and how far it may be off."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal

from discreet.charts.small_bars import small_bar


@dataclass(frozen=True, slots=True)
class Named:
    """A quantity beside the true count that a release can tell more about."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A count: the true one lies in low..high with probability `level`, beyond either end with half of the rest.

    `value` is the best estimate and `stderr` its typical error. `high` is infinite where no upper end can be promised.
    `note` says what else to know; `measured` is the plain noisy measurement. Where `ends` is "bounds", nothing was
    measured: low..high is all that other counts leave possible, wider than an interval, and `stderr` is nan or a guess.
    """

    value: float
    stderr: float
    low: float
    high: float
    level: float = 0.95
    note: str = ""
    measured: float | None = None
    besides: Named | None = None
    #: what makes the interval wide, by name, where that is more than noise
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)
    #: what low and high are
    ends: Literal["interval", "bounds"] = "interval"

    def __str__(self) -> str:
        decimals = _decimals(self.stderr)

        def interval(low: float, high: float) -> str:
            if math.isinf(high):
                return f"{_number(low, decimals)} or more, no upper end can be promised"
            return f"{_number(low, decimals)} to {_number(high, decimals)}"

        value, stderr = (_number(number, decimals) for number in (self.value, self.stderr))
        # without an upper end, or with bounds, nobody knows how far the number is off
        shown = f"{value} ± {stderr}" if math.isfinite(self.high) and self.ends == "interval" else value
        what = f"{100 * self.level:.10g} %" if self.ends == "interval" else f"bounds at {100 * self.level:.10g} %"
        parts = [f"{shown} ({what}: {interval(self.low, self.high)})"]
        if self.besides is not None:
            other = self.besides
            parts.append(f"{other.name}: {_number(other.value, decimals)} ({interval(other.low, other.high)})")
        return "; ".join([*parts, *([self.note] if self.note else [])])

    def _repr_html_(self) -> str:
        """What `str` says, behind a small bar."""
        return small_bar(self.value, self.low, self.high, self.high if math.isfinite(self.high) else self.value) + (
            f" {html.escape(str(self))}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python numbers and text, ready for JSON; None for an end that is not there."""
        numbers = {name: _plain(getattr(self, name)) for name in ("value", "stderr", "low", "high", "level")}
        details: dict[str, Any] = {} if self.measured is None else {"measured": _plain(self.measured)}
        if self.besides is not None:
            inner = self.besides
            ends = {name: _plain(getattr(inner, name)) for name in ("value", "low", "high")}
            details["besides"] = {"name": inner.name, **ends}
        if self.parts:
            details["parts"] = {name: _plain(part) for name, part in self.parts.items()}
        return {**numbers, "ends": self.ends, "note": self.note, "details": details}


def _decimals(stderr: float) -> int:
    """Two significant digits of the error, and never digits below them: more would pretend."""
    if not 0 < stderr < 10:
        return 0
    return min(1 - math.floor(math.log10(stderr)), 17)


def _number(number: float, decimals: int) -> str:
    shown = f"{number:,.{0 if number % 1 == 0 else decimals}f}"
    return shown[1:] if shown.startswith("-") and not shown.strip("-0.") else shown


def _plain(number: float) -> int | float | None:
    if isinstance(number, Integral):
        return int(number)
    return float(number) if math.isfinite(number) else None
