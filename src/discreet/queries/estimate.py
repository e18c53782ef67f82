"""An answer and how far it may be off."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal, Protocol, cast

from discreet.charts.small_bars import small_bar
from discreet.errors import BadParameter


@dataclass(frozen=True, slots=True)
class Named:
    """A quantity beside the true count that a release can tell more about."""

    name: str
    value: float
    low: float
    high: float


class Askable(Protocol):
    """What an estimate is the answer to, so that it can be put together with others; `release.expressions` has it."""

    def plus(self, other: Any, weight: int) -> Askable: ...
    def times(self, number: Any) -> Askable: ...
    def shifted(self, number: Any) -> Askable: ...
    def over(self, other: Any) -> Askable: ...
    def under(self, number: Any) -> Askable: ...
    def answer(self, level: float) -> Estimate: ...


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
    #: what low and high are; "known" if the count is public, and both are that count
    ends: Literal["interval", "bounds", "known"] = "interval"
    #: what to call a count whose relative error is above a threshold; "" below it, None if there is none
    flag: str | None = None

    #: what this is the answer to
    asked: Askable | None = field(default=None, compare=False, repr=False)

    def __float__(self) -> float:
        return float(self.value)

    def __neg__(self) -> Estimate:
        return self * -1

    def __add__(self, other: Any) -> Estimate:
        return self._and(other, 1) if isinstance(other, Estimate) else self._moved(other)

    def __sub__(self, other: Any) -> Estimate:
        return self._and(other, -1) if isinstance(other, Estimate) else self._moved(other, -1)

    def __rsub__(self, other: Any) -> Estimate:
        return (self * -1)._moved(other)

    def __mul__(self, other: Any) -> Estimate:
        if isinstance(other, Estimate):
            raise BadParameter(
                "a product of two estimates has no interval here; ask for a share, a ratio or a difference"
            )
        if not _is_number(other):
            return NotImplemented
        low, high = sorted((_times(self.low, other), _times(self.high, other)))
        asked = None if self.asked is None else self.asked.times(other)
        return self._changed(_times(self.value, other), _times(self.stderr, abs(other)), low, high, asked)

    def __truediv__(self, other: Any) -> Estimate:
        if isinstance(other, Estimate):
            return self._known.over(other._known).answer(max(self.level, other.level))
        if not _is_number(other):
            return NotImplemented
        if other == 0:
            raise BadParameter("an estimate cannot be divided by zero")
        from fractions import Fraction

        return self * (Fraction(1, int(other)) if isinstance(other, Integral) else 1 / other)

    def __rtruediv__(self, other: Any) -> Estimate:
        return self._known.under(other).answer(self.level) if _is_number(other) else NotImplemented

    __radd__, __rmul__ = __add__, __mul__
    #: so that numpy's numbers leave arithmetic to estimates
    __array_ufunc__ = None

    def __lt__(self, other: Any) -> bool:
        raise BadParameter(
            "an estimate may be off, so it is not simply smaller or larger than another number; release.compare(a, b) "
            "says which of two is larger and how likely that is, and float(estimate) gives the bare number"
        )

    __le__ = __gt__ = __ge__ = __lt__

    @property
    def _known(self) -> Askable:
        if self.asked is None:
            raise BadParameter(
                "this estimate does not know its release, so nobody can say how its error goes with another's; ask the "
                "release for both again"
            )
        return self.asked

    def _and(self, other: Estimate, weight: int) -> Estimate:
        return self._known.plus(other._known, weight).answer(max(self.level, other.level))

    def _moved(self, number: Any, sign: int = 1) -> Estimate:
        if not _is_number(number):
            return cast(Estimate, NotImplemented)
        by = sign * number
        asked = None if self.asked is None else self.asked.shifted(by)
        return self._changed(self.value + by, self.stderr, self.low + by, self.high + by, asked)

    def _changed(self, value: float, stderr: float, low: float, high: float, asked: Askable | None) -> Estimate:
        value, stderr, low, high = map(float, (value, stderr, low, high))
        return Estimate(value, stderr, low, high, self.level, self.note, ends=self.ends, asked=asked)

    @property
    def _has_error(self) -> bool:
        """Without an upper end, or with bounds, nobody knows how far the number is off."""
        return math.isfinite(self.high) and math.isfinite(self.low) and self.ends == "interval"

    def __format__(self, spec: str) -> str:
        """As `str`; with the format of a number, such as ".1f", the number and its error in that format."""
        if not spec:
            return str(self)
        return f"{self.value:{spec}} ± {self.stderr:{spec}}" if self._has_error else format(self.value, spec)

    def __str__(self) -> str:
        # bounds have no error to round by
        decimals = _decimals((self.high - self.low) / 4 if math.isnan(self.stderr) else self.stderr)

        def interval(low: float, high: float) -> str:
            if math.isinf(low):
                return "nothing can be promised" if math.isinf(high) else f"{_number(high, decimals)} or less"
            if math.isinf(high):
                return f"{_number(low, decimals)} or more, no upper end can be promised"
            return f"{_number(low, decimals)} to {_number(high, decimals)}"

        value, stderr = (_number(number, decimals) for number in (self.value, self.stderr))
        shown = f"{value} ± {stderr}" if self._has_error else value
        what = f"{100 * self.level:.10g} %" if self.ends == "interval" else f"bounds at {100 * self.level:.10g} %"
        known = f"{value} (publicly known)"
        parts = [known if self.ends == "known" else f"{shown} ({what}: {interval(self.low, self.high)})"]
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
        flag = {} if self.flag is None else {"flag": self.flag}
        return {**numbers, "ends": self.ends, **flag, "note": self.note, "details": details}


def _decimals(stderr: float) -> int:
    """Two significant digits of the error, and never digits below them: more would pretend; four places if exact."""
    if not 0 < stderr < 10:
        return 0 if stderr else 4
    return min(1 - math.floor(math.log10(stderr)), 17)


def _number(number: float, decimals: int) -> str:
    shown = f"{number:,.{0 if number % 1 == 0 else decimals}f}"
    return shown[1:] if shown.startswith("-") and not shown.strip("-0.") else shown


def _plain(number: float) -> int | float | None:
    if isinstance(number, Integral):
        return int(number)
    return float(number) if math.isfinite(number) else None


def _is_number(number: Any) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and math.isfinite(number)


def _times(number: float, by: Any) -> float:
    """Nothing times what has no end is nothing."""
    return float(number * by) if by else 0.0
