"""How dates and moments may be written in text, other than 2024-05-31, and which ways fit given texts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from itertools import product

_DAYS = (
    *("%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%m/%d/%y", "%d/%m/%y"),
    *("%d.%m.%Y", "%d.%m.%y", "%m-%d-%Y", "%d-%m-%Y", "%d-%m-%y", "%Y.%m.%d", "%Y%m%d"),
    *("%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d%b%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"),
    "%Y-%m-%d",
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", "T%H:%M", "T%H:%M:%S")
#: what publishing reads without being told
_PLAIN = "%Y-%m-%d"
#: likeliest first
FORMATS = (
    *(day + time for day, time in product(_DAYS, _TIMES) if day != _PLAIN or time.endswith("%p")),
    "%Y%m%d%H%M%S",
)
_MOST_TEXTS = 1_000


def fitting_formats(texts: Collection[str]) -> list[str]:
    """Every format by which each of these texts is a date, likeliest first; of very many texts the first count.

    `12/1/2010 8:26` fits both `%m/%d/%Y %H:%M` and `%d/%m/%Y %H:%M`; among many days, one is above the twelfth.
    """
    some = [text.strip() for text in list(texts)[:_MOST_TEXTS]]
    return [form for form in FORMATS if all(_fits(text, form) for text in some)] if some else []


def _fits(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)
    except ValueError:
        return False
    return True
