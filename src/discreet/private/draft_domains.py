"""What the columns of a file could be, read off the private data for a draft: domains, dates by their format, ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from math import ceil, floor
from typing import Any

from discreet.errors import BadSpec
from discreet.private.date_formats import FORMATS, fitting_formats
from discreet.private.engines.coding import coded
from discreet.private.engines.session import arrow_table
from discreet.private.engines.values import Engine
from discreet.schema import Attribute, Nominal, Ordinal, Reading
from discreet.schema.bins import period_end, period_start

MOST_LABELS = 200
MOST_SINGLE_VALUES = 1_000
FEWEST_CODES = 20  # below, no value needs to be special
ONE_IN = 10  # of the rows: what a special value holds
TIMES = 10  # and how many times what those beside it hold
FEWEST_IDS = 20  # below, a column called an id is a list of labels like any other
FAR = 0.001  # of the rows: what may lie beyond either end
FAR_TIMES = 10  # and how many times as wide the domain would be with them

COMPACT = "%Y%m%d"
_FIRST_DAY, _LAST_DAY = date(1800, 1, 1), date(2200, 12, 31)

_PEOPLE = (
    "user|person|people|patient|customer|client|member|subscriber|employee|student|household|participant|respondent"
)
#: customer_id, CustomerID, userid, patient, InvoiceNo; not "paid" or "piano"
_ID = re.compile(
    rf"(?i:id|uuid|guid)$|.*[\W_](?i:id|uuid|guid|no|nr|number)$|.*[a-z](?:Id|ID|No|Nr)$|(?i:{_PEOPLE})[\W_]?(?i:id)?$"
)
_CODE_DIGITS = 11  # whole numbers of one length and as many digits are codes, not amounts


@dataclass(frozen=True)
class DraftedColumn:
    """An attribute, or why there is none; and what was seen in the column."""

    attribute: Attribute | None
    #: what it was read as or, if there is no attribute, why it is left out
    said: str
    #: if it looks like an id that several rows have: a number of rows that few of its values exceed
    rows_each: int | None = None
    #: whether it is a list of labels, too long for a spec
    is_long: bool = False
    #: if the labels are codes of so many digits
    digits: int | None = None


def drafted_column(column: Any, name: str, engine: Engine) -> DraftedColumn:
    """What one column could be, by what publishing will find in it. `column` is a table of this column alone."""
    (alias,) = column.columns
    raw = column[alias]
    try:
        if _ID.match(name) and (found := _id(raw, engine)) is not None:
            return found
        found = _domain(raw, engine)
        if found.attribute is None:
            return found
        return replace(found, attribute=_with_special(found.attribute, column, engine))
    except BadSpec:
        return DraftedColumn(None, "its values fit no simple domain; declare it by hand")


def is_of_people(name: str) -> bool:
    """Whether a column's name says that it tells people apart, rather than invoices."""
    return re.search(_PEOPLE, name, re.IGNORECASE) is not None


def _id(raw: Any, engine: Engine) -> DraftedColumn | None:
    """The column as an id, unless its values are too few or no names."""
    text = engine.text(raw)
    kind = raw.type()
    if text is None or kind.is_boolean() or kind.is_timestamp() or kind.is_date():
        return None
    rows = raw.table.select(id=text.nullif(""))
    each = rows.filter(rows.id.notnull()).group_by("id").aggregate(n=lambda some: some.count())
    parts = each.id.re_search(r"^-?[0-9]*\.[0-9]*[1-9]").sum()  # numbers that are not whole are amounts
    found = each.aggregate(ids=each.count(), rows=each.n.sum(), usual=each.n.quantile(0.9), parts=parts)
    ((ids, total, usual, amounts),) = _fetched(found)
    if ids < FEWEST_IDS or amounts:
        return None
    if total == ids:
        return DraftedColumn(None, "it looks like an id, with one row for each, and an id is nothing to count by")
    least = int(_round_width(Fraction(ceil(usual))))
    return DraftedColumn(None, "it looks like an id, of which several rows may be one person's", rows_each=least)


def _domain(raw: Any, engine: Engine) -> DraftedColumn:
    """The domain of a column, or why it has none.

    Text holds numbers or dates only if publishing can read every one of them so; else the texts themselves are labels.
    """
    kind = raw.type()
    is_text = kind.is_string()
    if kind.is_boolean():
        return DraftedColumn(Nominal(["false", "true"]), "true and false")
    if kind.is_uuid():
        return _labels(engine.text(raw))
    readings = list(_readings(raw, engine))
    if not readings:
        return DraftedColumn(
            None, f"values of type {kind} cannot be put into bins; add a column of numbers, dates or labels"
        )
    if (is_text or kind.is_integer()) and (found := _codes_or_dates(raw, engine)) is not None:
        return found
    for bins, said, value, fits in readings:
        low, high, others = _ends(raw, value, fits | engine.missing(raw) if is_text else fits)
        if low is None or (is_text and others):
            continue
        least, most = (low, high) if bins is _dates else _usual_ends(raw, value, fits)
        if (high - low) > FAR_TIMES * (most - least) > 0:
            said += "; a few lie far beyond these ends, and count in the first and the last bin"
            return DraftedColumn(bins(least, most), said)
        return DraftedColumn(bins(low, high), said)
    if is_text:
        return _by_format(raw, FORMATS, engine) or _labels(raw.nullif(""))
    return DraftedColumn(None, "it is empty")


def _readings(raw: Any, engine: Engine) -> Iterator[tuple[Callable[[Any, Any], Ordinal], str, Any, Any]]:
    """As what a column can be read: how its bins are made, in words, the values, and whether each can be an end."""
    kind = raw.type()
    if kind.is_integer():
        yield _integers, "whole numbers", raw, raw.notnull()
        return
    number, day = engine.number(raw), engine.day(raw)
    if kind.is_string():
        whole = raw.try_cast("int64")
        yield _integers, "whole numbers", whole, number == whole.cast("float64")
    if number is not None:
        yield _reals, "numbers", number, ~number.isinf()
    if day is not None:  # one that Python knows, whose last day may stand for infinity
        yield _dates, "dates", day, (day >= date.min) & (day < date.max)


def _codes_or_dates(raw: Any, engine: Engine) -> DraftedColumn | None:
    """Whole numbers that are no amounts: days such as 20241231, or codes of one length, perhaps with zeros in front."""
    text = engine.text(raw).nullif("")
    rows = raw.table.select(code=text)
    rows = rows.select(length=rows.code.length(), zero=rows.code.startswith("0"), whole=rows.code.re_search("^[0-9]+$"))
    found = rows.aggregate(
        short=rows.length.min(), long=rows.length.max(), zeros=rows.zero.sum(), others=(~rows.whole).sum()
    )
    ((short, long, zeros, others),) = _fetched(found)
    if short is None or short != long or others:
        return None
    if short == len("20241231") and (days := _by_format(raw, (COMPACT,), engine)) is not None:
        return days
    if short < (3 if zeros else _CODE_DIGITS):
        return None
    found = _labels(text)
    said = found.said.replace("labels", f"codes of {short} digits")
    return replace(found, said=said if found.attribute is None else f"{said}, kept as text", digits=short)


def _by_format(raw: Any, formats: tuple[str, ...], engine: Engine) -> DraftedColumn | None:
    """Dates, if one format fits every value; some of the values rule out most formats quickly."""
    if raw.type().is_string():
        texts = raw.table.select(text=raw)
        some = _fetched(texts.filter(~engine.missing(texts.text)).distinct().limit(MOST_LABELS))
        likely = fitting_formats([text for (text,) in some])
        formats = tuple(one for one in formats if one in likely)
    fitting = _fitting(raw, formats, engine) if formats else {}
    if not fitting:
        return None
    first, *others = fitting
    said = f"dates written {first}"
    if others:
        said += f", though {' and '.join(others)} would fit every row too: choose"
    return DraftedColumn(replace(_dates(*fitting[first]), reading=Reading(format=first)), said)


def _fitting(raw: Any, formats: tuple[str, ...], engine: Engine) -> dict[str, tuple[date, date]]:
    """The formats that fit every value there is, each with the first and the last day that it gives."""
    days = {f"d{place}": engine.moment(raw, written).cast("date") for place, written in enumerate(formats)}
    rows = raw.table.select(**days, there=~engine.missing(raw))
    is_day = {name: rows[name].between(_FIRST_DAY, _LAST_DAY) for name in days}
    misses = [(rows.there & ~fits.fill_null(False)).sum().name(f"{name}_misses") for name, fits in is_day.items()]
    ends = [end.name(f"{name}_{way}") for name in days for way, end in _two_ends(rows[name])]
    (seen,) = _fetched(rows.aggregate([rows.there.sum().name("rows"), *misses, *ends]))
    count, missing, found = seen[0], seen[1 : 1 + len(formats)], seen[1 + len(formats) :]
    both = zip(found[::2], found[1::2], strict=True)
    return {written: pair for written, miss, pair in zip(formats, missing, both, strict=True) if count and not miss}


def _two_ends(day: Any) -> list[tuple[str, Any]]:
    return [("low", day.min()), ("high", day.max())]


def _ends(raw: Any, value: Any, fits: Any) -> tuple[Any, Any, int]:
    """The lowest and the highest of the values that fit, and how many do not."""
    rows = raw.table.select(value=value, fits=fits.fill_null(False), there=raw.notnull())
    lowest, highest = rows.value.min(where=rows.fits), rows.value.max(where=rows.fits)
    found = rows.aggregate(low=lowest, high=highest, others=(rows.there & ~rows.fits).sum())
    ((low, high, others),) = _fetched(found)
    return low, high, others or 0


def _usual_ends(raw: Any, value: Any, fits: Any) -> tuple[Any, Any]:
    """Between which nearly all of these numbers lie; whole numbers, if they are."""
    rows = raw.table.select(value=value, fits=fits.fill_null(False))
    rows = rows.filter(rows.fits & rows.value.notnull())
    found = rows.aggregate(low=rows.value.quantile(FAR), high=rows.value.quantile(1 - FAR))
    ((low, high),) = _fetched(found)
    return (floor(low), ceil(high)) if value.type().is_integer() else (float(low), float(high))


def _fetched(expression: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in arrow_table(expression).to_pylist()]


def _labels(text: Any) -> DraftedColumn:
    found = text.table.select(label=text).distinct()
    labels = sorted(label for (label,) in _fetched(found.filter(found.label.notnull()).limit(MOST_LABELS + 1)))
    if len(labels) > MOST_LABELS:
        return DraftedColumn(None, f"it has more than {MOST_LABELS} labels", is_long=True)
    return DraftedColumn(Nominal(labels), "labels") if labels else DraftedColumn(None, "it is empty")


def _integers(low: int, high: int) -> Ordinal:
    if high - low < MOST_SINGLE_VALUES:
        return Ordinal(low, high)
    width = max(1, int(_round_width(Fraction(high - low, 50))))
    start = low // width * width
    return Ordinal(start, start + ((high - start) // width + 1) * width - 1, width)


def _reals(low: float, high: float) -> Ordinal:
    first, last = Fraction(repr(low)), Fraction(repr(high))
    width = _round_width((last - first) / 20 or max(abs(first), Fraction(1)) / 10)
    width = max(width, Fraction("1e-300"))  # floats end soon below, and its multiples must be told apart
    start, end = floor(first / width), max(ceil(last / width), floor(first / width) + 1)
    return Ordinal(float(start * width), float(end * width), float(width))


def _dates(low: date, high: date) -> Ordinal:
    days = (high - low).days
    if days < MOST_SINGLE_VALUES:
        return Ordinal(low, high)
    period = "month" if days < 3_660 else "year"
    return Ordinal(period_start(low, period), period_end(high, period), period)


def _round_width(least: Fraction) -> Fraction:
    """The smallest of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... that is at least `least`."""
    power = Fraction(1)
    while power > least:
        power /= 10
    while power * 10 <= least:
        power *= 10
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)


def _with_special(attribute: Attribute, column: Any, engine: Engine) -> Attribute:
    """The attribute with those of its values that very many rows of its column have."""
    if attribute.size < FEWEST_CODES:
        return attribute
    (name,) = column.columns
    codes = coded(column, {name: attribute}, {}, engine)
    rows = dict(_fetched(codes.filter(codes[name].notnull()).group_by(name).aggregate(rows=lambda part: part.count())))
    reach = len(rows) if isinstance(attribute, Nominal) else 2  # labels have no order
    special: list[Any] = [attribute.label(code) for code in _crowded(rows, reach)]
    return replace(attribute, special=special)


def _crowded(rows: dict[int, int], reach: int) -> list[int]:
    """Codes with many of all rows, and many times the mean of the codes beside them, of those that occur at all."""
    codes, total = sorted(rows), sum(rows.values())
    found = []
    for at, code in enumerate(codes):
        near = [rows[other] for other in (*codes[max(0, at - reach) : at], *codes[at + 1 : at + 1 + reach])]
        if near and rows[code] * ONE_IN >= total and rows[code] * len(near) >= TIMES * sum(near):
            found.append(code)
    return found
