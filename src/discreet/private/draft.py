"""A first spec, drafted from a data file for its custodian to review.

This is the one place that takes domains from private data, so what it writes carries a mark that `publish`
refuses: domains are public, and only a person can say which of these may be.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

import ibis

from discreet.errors import BadSpec, DiscreetError, SourceError
from discreet.private.engines.coding import coded
from discreet.private.engines.csv_text import CsvLayout
from discreet.private.engines.file_sources import CSV_SUFFIXES
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import UNLIMITED, quiet, was_stopped
from discreet.private.engines.values import Engine
from discreet.schema import Attribute, Nominal, Ordinal
from discreet.schema.bins import period_end, period_start
from discreet.spec.checking import DRAFT_MARK
from discreet.spec.toml import toml_key, toml_table, toml_value

MOST_LABELS = 200
MOST_SINGLE_VALUES = 1_000
MOST_EXAMPLE_CELLS = 10_000
FEWEST_CODES = 20  # below, no value needs to be special
ONE_IN = 10  # of the rows: what a special value holds
TIMES = 10  # and how many times what those beside it hold

_HEAD = f"""\
# A draft, to be reviewed.
#
# The domains below were read from the private data: its lowest and highest values, its labels, and special values
# that many rows have. Published as they are, they would tell everyone that such a value occurs. For each attribute,
# compare with what is public knowledge (a code book, a form, a law), write that instead, and then remove the next line.
# Nothing is published while it is here.
{DRAFT_MARK} = true
"""
_PRIVACY = """\
[privacy]
# Whose presence is hidden: one row. If a person can have several rows, name the column that identifies
# people, and how many rows of each may count:
#   unit = "person_id"
#   max_rows = 10
unit = "row"
neighbours = "add-remove"
# What all releases together may cost; without it there is no cap:
#   budget = 3.0
ledger = {ledger}
"""
_RULES = """\
# `outside` says what happens to values that are not in the domain: "drop", "other" (a cell of their own)
# or, for numbers and dates, "clamp" (to the nearest end). `null` does the same for missing values.
"""
_SPECIAL = """\
# Values that very many rows have, for methods that can count each of them apart. They were read from the private
# data too: keep those that everyone would expect, such as an income of zero.
"""


def draft_spec(path: str | Path, folder: str | Path | None = None) -> str:
    """A commented spec for a CSV or Parquet file, to be kept in `folder`, or here without one.

    Its text shows values of the data: keep it private.
    """
    file = Path(path)
    delimiter = _delimiter(file)
    found = _look(file, delimiter)
    attributes = {name: domain for name, domain in found.items() if not isinstance(domain, str)}
    left_out = {name: reason for name, reason in found.items() if isinstance(reason, str)}
    if not attributes:
        raise SourceError(f"{path}: no column has values a domain could be drafted from; write the spec by hand")
    stem = file.name.split(".")[0] or "data"
    data = {"source": str(path) if folder is None else _seen_from(folder, file), "name": stem}
    if delimiter is not None:
        data["delimiter"] = delimiter
    parts = [
        _HEAD,
        "# Paths are relative to the folder of this file.\n" + toml_table("data", data),
        _PRIVACY.format(ledger=toml_value(f"{stem}.ledger")),
        _RULES,
        *(_declared(name, attribute) for name, attribute in attributes.items()),
        *(f"# [attributes.{toml_value(name)}] is left out: {reason}.\n" for name, reason in left_out.items()),
        "# An example. Smaller epsilon: more privacy, more noise.\n"
        + toml_table("releases.example", {"task": "table", "by": _example(attributes), "epsilon": 0.5}),
    ]
    return "\n".join(parts)


def _declared(name: str, attribute: Attribute) -> str:
    fields = attribute.to_dict()
    special = fields.pop("special", None)
    text = toml_table(f"attributes.{toml_key(name)}", fields)
    return f"{text}{_SPECIAL}special = {toml_value(special)}\n" if special else text


def _seen_from(folder: str | Path, file: Path) -> str:
    if file.is_absolute():
        return str(file)
    try:
        return os.path.relpath(file, os.path.realpath(folder))
    except ValueError:  # two drives
        return str(file.absolute())


def _delimiter(path: Path) -> str | None:
    """What separates the columns of a CSV file, if a reader must be told; judged by its first line."""
    if not path.is_file():
        raise SourceError(f"{path}: there is no such file; correct the path")
    if not path.name.lower().endswith(CSV_SUFFIXES) or len(CsvLayout.of(path, None, "utf-8-sig").names) > 1:
        return None
    columns = {mark: len(CsvLayout.of(path, mark, "utf-8-sig").names) for mark in ";\t|,"}
    best = max(columns, key=lambda mark: columns[mark])
    return best if columns[best] > 1 else None


def _look(path: Path, delimiter: str | None) -> dict[str, Attribute | str]:
    """For each column its domain, or why none could be drafted."""
    source = open_source(path, delimiter=delimiter)
    wanted = {f"a{place}": name for place, name in enumerate(source.columns) if name}
    for careful in (False, True):
        try:
            with source.tables(wanted, UNLIMITED, careful) as (table,):
                found = _columns(table, wanted)
        except DiscreetError:
            raise
        except Exception as error:  # the engine's own message would quote rows
            if was_stopped(error):
                raise KeyboardInterrupt from None
            continue
        labels = [label for domain in found.values() if isinstance(domain, Nominal) for label in domain.labels]
        # the careful reading puts U+FFFD in place of bytes that are no text
        if not (careful and any("\ufffd" in label for label in labels)):
            return found
    raise SourceError(f"{path}: cannot be read; it must be Parquet, or CSV in UTF-8 with a header and one delimiter")


def _columns(table: Any, wanted: dict[str, str]) -> dict[str, Attribute | str]:
    engine = Engine(table.get_backend())
    found: dict[str, Attribute | str] = {}
    for alias, name in wanted.items():
        try:
            domain = _domain(table[alias], engine)
            found[name] = domain if isinstance(domain, str) else _with_special(domain, table.select(alias), engine)
        except BadSpec:
            found[name] = "its values fit no simple domain; declare it by hand"
    return found


def _domain(raw: Any, engine: Engine) -> Attribute | str:
    """The domain of a column, by what publishing will find in it, or why it has none.

    Text holds numbers or dates only if publishing can read every one of them so; else the texts themselves are labels.
    """
    kind = raw.type()
    is_text = kind.is_string()
    if kind.is_boolean():
        return Nominal(["false", "true"])
    if kind.is_uuid():
        return _labels(engine.text(raw))
    readings = list(_readings(raw, engine))
    if not readings:
        return f"values of type {kind} cannot be put into bins; add a column of numbers, dates or labels"
    for bins, value, fits in readings:
        low, high, others = _ends(raw, value, fits | engine.missing(raw) if is_text else fits)
        if low is not None and not (is_text and others):
            return bins(low, high)
    return _labels(raw.nullif("")) if is_text else "it is empty"


def _readings(raw: Any, engine: Engine) -> Iterator[tuple[Callable[[Any, Any], Ordinal], Any, Any]]:
    """As what a column can be read: how its bins are made, the values, and whether each can be the end of a domain."""
    kind = raw.type()
    if kind.is_integer():
        yield _integers, raw, raw.notnull()
        return
    number, day = engine.number(raw), engine.day(raw)
    if kind.is_string():
        whole = raw.try_cast("int64")
        yield _integers, whole, number == whole.cast("float64")
    if number is not None:
        yield _reals, number, ~number.isinf()
    if day is not None:  # one that Python knows, whose last day may stand for infinity
        yield _dates, day, (day >= ibis.literal(date.min)) & (day < ibis.literal(date.max))


def _ends(raw: Any, value: Any, fits: Any) -> tuple[Any, Any, int]:
    """The lowest and the highest of the values that fit, and how many do not."""
    rows = raw.as_table().select(value=value, fits=fits.fill_null(False), there=raw.notnull())
    lowest, highest = rows.value.min(where=rows.fits), rows.value.max(where=rows.fits)
    found = rows.aggregate(low=lowest, high=highest, others=(rows.there & ~rows.fits).sum())
    ((low, high, others),) = _fetched(found)
    return low, high, others or 0


def _fetched(expression: Any) -> list[tuple[Any, ...]]:
    with quiet():
        table = expression.get_backend().to_pyarrow(expression)
    return [tuple(row.values()) for row in table.to_pylist()]


def _labels(text: Any) -> Nominal | str:
    found = text.name("label").as_table().distinct()
    labels = sorted(label for (label,) in _fetched(found.filter(found.label.notnull()).limit(MOST_LABELS + 1)))
    if len(labels) > MOST_LABELS:
        return f"it has more than {MOST_LABELS} labels; make it the unit if it names people, else use hierarchy_csv"
    return Nominal(labels) if labels else "it is empty"


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


def _example(attributes: dict[str, Attribute]) -> list[str]:
    """Two attributes whose table is small, or the smallest one."""
    first, *others = sorted(attributes, key=lambda name: attributes[name].size)
    most = MOST_EXAMPLE_CELLS // attributes[first].size
    return [first, *(name for name in others[:1] if attributes[name].size <= most)]
