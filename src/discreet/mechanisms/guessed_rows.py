"""`guess = {rows = ...}`: a public guess of how many records there are."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.errors import BadParameter
from discreet.parameters import Form
from discreet.privacy import exact

#: more records than this cannot be counted
_MOST = 1 << 62
GUESSED_ROWS = Form("{rows}, a public guess")


def guessed_rows(given: Any) -> float | None:
    """How many records, or None if nothing is guessed."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != {"rows"}:
        raise BadParameter(f"guess must be {{rows = ...}}, a public guess of how many records there are, not {given!r}")
    return float(min(exact(given["rows"], "guess: rows"), Fraction(_MOST)))
