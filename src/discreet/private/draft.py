"""A first spec, drafted from a data file for its custodian to review.

This is the one place that reads domains off private data, so what it writes carries a mark that `publish`
refuses: domains are public, and only a person can say which of these are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

from discreet.errors import BadSpec, DiscreetError, SourceError
from discreet.private.engines.csv_text import CsvLayout
from discreet.private.engines.files import CSV_SUFFIXES
from discreet.private.engines.session import Limits, quiet, was_stopped
from discreet.private.engines.source import open_source
from discreet.private.engines.values import Engine
from discreet.schema import Attribute, Nominal, Ordinal
from discreet.schema.bins import period_end, period_start
from discreet.spec.checking import DRAFT_MARK
from discreet.spec.toml import toml_key, toml_table, toml_value

MOST_LABELS = 200
MOST_SINGLE_VALUES = 1_000
MOST_EXAMPLE_CELLS = 10_000

_HEAD = f"""\
# A draft, to be reviewed.
#
# The domains below were read off the private data: its lowest and highest values and its labels. Published as
# they are, they would tell everyone that such a value occurs. For each attribute, compare with what is
# public knowledge (a code book, a form, a law), write that instead, and then remove the next line.
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


def draft_spec(path: str | Path, folder: str | Path | None = None) -> str:
    """A commented spec for a CSV or Parquet file, to be kept in `folder`, or here without one.

    Its text shows values of the data: keep it private.
    """
    file = Path(path)
    delimiter = _delimiter(file)
    attributes, left_out = _look(file, delimiter)
    if not attributes:
        raise SourceError(f"{path}: no column has values a domain could be drafted from; write the spec by hand")
    stem = file.name.split(".")[0] or "data"
    data = {"source": str(path) if folder is None else _seen_from(folder, file), "name": stem}
    if delimiter is not None:
        data["delimiter"] = delimiter
    parts = [
        _HEAD,
        "# Paths are meant from the folder of this file.\n" + toml_table("data", data),
        _PRIVACY.format(ledger=toml_value(f"{stem}.ledger")),
        _RULES,
        *(toml_table(f"attributes.{toml_key(name)}", attribute.to_dict()) for name, attribute in attributes.items()),
        *(f"# [attributes.{toml_value(name)}] is left out: {reason}.\n" for name, reason in left_out.items()),
        "# An example. Smaller epsilon: more privacy, more noise.\n"
        + toml_table("releases.example", {"task": "table", "by": _example(attributes), "epsilon": 0.5}),
    ]
    return "\n".join(parts)


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
    if path.stat().st_size == 0:
        raise SourceError(f"{path}: the file is empty")
    if not path.name.lower().endswith(CSV_SUFFIXES) or len(CsvLayout.of(path, None, "utf-8-sig").names) > 1:
        return None
    columns = {mark: len(CsvLayout.of(path, mark, "utf-8-sig").names) for mark in ";\t|,"}
    best = max(columns, key=lambda mark: columns[mark])
    return best if columns[best] > 1 else None


def _look(path: Path, delimiter: str | None) -> tuple[dict[str, Attribute], dict[str, str]]:
    """The attributes that could be drafted, and why the other columns could not."""
    source = open_source(path, delimiter=delimiter)
    wanted = {f"a{place}": name for place, name in enumerate(source.columns()) if name}
    for careful in (False, True):
        try:
            with source.tables(wanted, Limits(), careful) as (table,):
                attributes, left_out = _columns(table, wanted)
        except DiscreetError:
            raise
        except Exception as error:  # the engine's own message would quote rows
            if was_stopped(error):
                raise KeyboardInterrupt from None
            continue
        if not (careful and any(_is_broken(attribute) for attribute in attributes.values())):
            return attributes, left_out
    raise SourceError(f"{path}: cannot be read; it must be Parquet, or CSV in UTF-8 with a header and one delimiter")


def _is_broken(attribute: Attribute) -> bool:
    """Whether a label holds what the careful reading puts in place of bytes that are no text."""
    return isinstance(attribute, Nominal) and any("\ufffd" in label for label in attribute.labels)


def _columns(table: Any, wanted: dict[str, str]) -> tuple[dict[str, Attribute], dict[str, str]]:
    engine = Engine(table.get_backend())
    attributes: dict[str, Attribute] = {}
    left_out: dict[str, str] = {}
    for alias, name in wanted.items():
        try:
            attributes[name] = _attribute(table[alias], engine)
        except _LeaveOut as reason:
            left_out[name] = str(reason)
        except BadSpec:
            left_out[name] = "its values fit no simple domain; declare it by hand"
    return attributes, left_out


class _LeaveOut(Exception):
    """Why a column cannot be drafted."""


def _attribute(raw: Any, engine: Engine) -> Attribute:
    """The domain of a column, by what publishing will find in it."""
    kind = raw.type()
    if kind.is_boolean():
        return Nominal(["false", "true"])
    if kind.is_string():
        return _of_text(raw, engine)
    if kind.is_uuid():
        return _labels(engine.text(raw))
    if kind.is_integer():
        return _ordinal(_integers, raw, raw, raw.notnull())
    if kind.is_numeric():
        number = engine.number(raw)
        return _ordinal(_reals, raw, number, ~number.isinf())
    if kind.is_date() or kind.is_timestamp():
        day = engine.day(raw)
        return _ordinal(_dates, raw, day, _is_near(day))
    raise _LeaveOut(f"values of type {kind} have no cells; derive a column that has")


def _ordinal(bins: Callable[[Any, Any], Ordinal], raw: Any, value: Any, fits: Any) -> Ordinal:
    low, high, _ = _ends(raw, value, fits)
    if low is None:
        raise _LeaveOut("it is empty")
    return bins(low, high)


def _of_text(raw: Any, engine: Engine) -> Attribute:
    """Numbers or dates only if publishing takes every text for one; else the texts, as written, are labels."""
    number, day, short = engine.number(raw), engine.day(raw), raw.try_cast("int64")
    readings: list[tuple[Callable[[Any, Any], Ordinal], Any, Any]] = [
        (_integers, short, number == short.cast("float64")),
        (_reals, number, ~number.isinf()),
        (_dates, day, _is_near(day)),
    ]
    for bins, value, fits in readings:
        low, high, others = _ends(raw, value, fits | engine.missing(raw))
        if low is not None and not others:
            return bins(low, high)
    return _labels(raw.nullif(""))


def _is_near(day: Any) -> Any:
    """Whether Python knows the day; its last one may stand for infinity."""
    import ibis

    return (day >= ibis.literal(date.min)) & (day < ibis.literal(date.max))


def _ends(raw: Any, value: Any, fits: Any) -> tuple[Any, Any, int]:
    """The lowest and the highest of the values that fit, and how many do not."""
    rows = raw.as_table().select(value=value, fits=fits.fill_null(False), there=raw.notnull())
    found = rows.aggregate(
        low=rows.value.min(where=rows.fits),
        high=rows.value.max(where=rows.fits),
        others=(rows.there & ~rows.fits).sum(),
    )
    ((low, high, others),) = _fetched(found)
    return low, high, others or 0


def _fetched(expression: Any) -> list[tuple[Any, ...]]:
    with quiet():
        table = expression.get_backend().to_pyarrow(expression)
    return [tuple(row.values()) for row in table.to_pylist()]


def _labels(text: Any) -> Nominal:
    found = text.name("label").as_table().distinct()
    labels = sorted(label for (label,) in _fetched(found.filter(found.label.notnull()).limit(MOST_LABELS + 1)))
    if not labels:
        raise _LeaveOut("it is empty")
    if len(labels) > MOST_LABELS:
        raise _LeaveOut(
            f"it has more than {MOST_LABELS} labels; if it identifies people make it the unit, "
            "else declare it with hierarchy_csv"
        )
    return Nominal(labels)


def _integers(low: int, high: int) -> Ordinal:
    if high - low < MOST_SINGLE_VALUES:
        return Ordinal(low, high)
    width = max(1, int(_round_width(Fraction(high - low, 50))))
    start = low // width * width
    return Ordinal(start, start + ((high - start) // width + 1) * width - 1, width)


def _reals(low: float, high: float) -> Ordinal:
    first, last = Fraction(repr(low)), Fraction(repr(high))
    width = _round_width((last - first) / 20 or max(abs(first), Fraction(1)) / 10)
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


def _example(attributes: dict[str, Attribute]) -> list[str]:
    """Two attributes whose table is small, or the smallest one."""
    first, *others = sorted(attributes, key=lambda name: attributes[name].size)
    second = others[:1] if others and attributes[first].size * attributes[others[0]].size <= MOST_EXAMPLE_CELLS else []
    return [first, *second]
