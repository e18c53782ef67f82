"""Numbers that a release.json says, checked as they are read: whoever can write a file can write anything into it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.privacy import Alpha, exact

MOST = 1 << 62
_LEAST_SCALE = Fraction(1, 10**30)


def whole(facts: Mapping[str, Any], name: str, low: int = 0, high: int = MOST) -> int:
    """A whole number, which may be written as text."""
    found = facts[name]
    if isinstance(found, str) and found.isascii() and found.isdecimal() and len(found) < 30:
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
        raise ValueError(f"{name} must be a whole number" + (f" from {low} to {high}" if high <= MOST else ""))
    return found


def real(found: Any, name: str, low: float, high: float) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not low <= found <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}")
    return float(found)


def alpha(facts: Mapping[str, Any]) -> Alpha:
    return Alpha(whole(facts, "alpha", 1, (1 << 64) - 1))


def scale(found: Any) -> Fraction:
    """The scale of noise that can have been drawn."""
    number = exact(found, "scale")
    Alpha.of(number)
    if number < _LEAST_SCALE:
        raise ValueError("scale is too small for noise")
    return number


def weights(found: Any, count: int) -> tuple[float, ...]:
    """So many shares of one sum."""
    if not isinstance(found, list) or len(found) != count:
        raise ValueError(f"there must be {count} weights")
    shares = tuple(real(one, "weights", 0.0, 1.0) for one in found)
    if not math.isclose(sum(shares), 1.0, rel_tol=1e-6):
        raise ValueError("weights must add up to 1")
    return shares
