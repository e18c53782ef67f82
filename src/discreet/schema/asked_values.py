"""Values that a question names: what date or number they are, and how messages show them."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction

import numpy as np

from discreet.errors import CannotAnswer

#: signs of a value that a message quotes
_MOST_SHOWN = 200


def moment_of(value: object) -> date | None:
    """The date, or date and time, that a value or text says."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, date) else None


def refuse_times(*asked: object) -> None:
    """Bins are of whole days, which a time of day within one would cut."""
    for value in asked:
        moment = moment_of(value)
        if isinstance(moment, datetime) and moment.time() != time():
            raise CannotAnswer(
                f"{shown_value(value)} has a time of day, but bins are of whole days; write the day, '{moment.date()}'"
            )


def number_of(value: object) -> float | None:
    try:
        if isinstance(value, bool | np.bool_):
            return None
        if isinstance(value, int | np.integer):
            return int(value)
        if isinstance(value, str):
            return int(value) if value.strip().lstrip("+-").isdecimal() else float(value)
        return float(value) if isinstance(value, float | np.floating | Decimal | Fraction) else None
    except (ValueError, OverflowError):
        return None


def shown_value(value: object) -> str:
    """As a message quotes it: of what is too long, its beginning."""
    if value is None:
        return "the domain's end"
    shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"


def iso(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value
