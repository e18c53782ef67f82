"""`guess = {rows = 50000}`: what is publicly known, or guessed, of data that nobody has looked at.

One vocabulary for all tasks. Some methods choose by a guess; for the others it only says what `plan` rehearses them on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import BadParameter
from discreet.naming import did_you_mean
from discreet.parameters import Form
from discreet.privacy import exact

#: more records than this cannot be counted
_MOST = 1 << 62
NAMES = ("rows", "users", "records", "popularity", "shape")
SHAPES = ("even", "zipf", "clustered")
GUESSED_ROWS = Form("{rows}, a public guess")


@dataclass(frozen=True)
class Guess:
    """How many rows and users there are, records of each user, an item's share of the records, how rows are spread."""

    rows: float | None = None
    users: float | None = None
    records: float | None = None
    popularity: float | None = None
    shape: str | None = None

    @classmethod
    def read(cls, given: Any) -> Guess:
        """What was given, or nothing guessed; rows follow from users and the records of each."""
        if given is None:
            return cls()
        if not isinstance(given, Mapping) or not given:
            raise BadParameter(f"guess must be such as {{rows = 50000}}, with public guesses, not {given!r}")
        for name in given:
            if name not in NAMES:
                hint = did_you_mean(name, NAMES)
                raise BadParameter(f"guess: {name!r} is nothing to guess.{hint} Known: {', '.join(NAMES)}")
        shape = given.get("shape")
        if shape is not None and shape not in SHAPES:
            raise BadParameter(f"guess: shape must be one of {', '.join(SHAPES)}, not {shape!r}")
        numbers = {name: _number(name, given[name]) for name in NAMES if name in given and name != "shape"}
        if numbers.get("popularity", 0) > 1:
            raise BadParameter("guess.popularity is the share of records about an item; it must be at most 1")
        if "rows" not in numbers and {"users", "records"} <= numbers.keys():
            numbers["rows"] = numbers["users"] * numbers["records"]
        return cls(shape=shape, **numbers)


def _number(name: str, given: Any) -> float:
    return float(min(exact(given, f"guess: {name}"), Fraction(_MOST)))


def guessed_rows(given: Any) -> float | None:
    """How many records, or None if nothing is guessed that tells."""
    return Guess.read(given).rows
