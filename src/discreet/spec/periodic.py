"""`period` in a spec: which date attribute tells periods apart, and which releases are about all rows all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import BadParameter, BadSpec
from discreet.privacy import Unit, periods_counted
from discreet.schema import Attribute, Periods, Schema

KEY = "period"
_EVERYTHING = "all"


def declared_periods(fields: Mapping[str, Any], sound: Mapping[str, Attribute], problems: list[str]) -> Periods | None:
    """The periods that one of the attributes declares; mistakes are added to `problems`."""
    given = {name: one[KEY] for name, one in fields.items() if isinstance(one, Mapping) and KEY in one}
    for name in list(given)[1:]:
        first = next(iter(given))
        problems.append(f"[attributes.{name}] period: {first} has one already; rows are told apart by one date only")
    for name, every in list(given.items())[:1]:
        try:
            periods = Periods(name, every)
            if name in sound:
                periods.dates(Schema({name: sound[name]}))
                return periods
        except BadParameter as error:
            problems.append(f"[attributes.{name}] period: {error}")
        except BadSpec as error:
            problems += [f"[attributes.{name}] {problem}" for problem in error.problems]
    return None


def without_period(declared: object) -> object:
    """The attribute itself."""
    if not isinstance(declared, Mapping):
        return declared
    return {key: value for key, value in declared.items() if key != KEY}


def is_about_all_rows(declared: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
    """Whether a release is about all periods at once."""
    has_periods = any(isinstance(one, Mapping) and KEY in one for one in attributes.values())
    if KEY not in declared:
        return not has_periods
    if declared[KEY] != _EVERYTHING:
        raise BadParameter('must be "all", for a release of all rows; which period is said when publishing: --period')
    if not has_periods:
        raise BadParameter("no attribute has a period; leave it out, since a release is of all rows anyway")
    return True


def times_charged(periods: Periods | None, unit: Unit | None) -> int:
    """How many times the epsilon of a release of one period counts towards the budget of a row, see `privacy`."""
    return periods_counted(unit.neighbours) if periods is not None and unit is not None and unit.is_row else 1
