"""A first spec, drafted from a data file for its custodian to review.

This is the one place that reads domains off private data, so what it writes carries a mark that `publish`
refuses: domains are public, and only a person can say which of these are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

from discreet.errors import BadSpec, SourceError
from discreet.schema import Attribute, Nominal, Ordinal
from discreet.schema.bins import period_end, period_start
from discreet.spec import toml_key, toml_table, toml_value
from discreet.spec.check import DRAFT_MARK

MOST_LABELS = 200
MOST_SINGLE_VALUES = 1_000
MOST_EXAMPLE_CELLS = 10_000

_INTEGERS = {f"{sign}{size}int" for sign in ("", "u") for size in ("tiny", "small", "", "big", "huge")}
_INTEGERS |= {"integer", "uinteger"}
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


def draft_spec(path: str | Path) -> str:
    """A commented spec for a CSV or Parquet file. Its text shows values of the data: keep it private."""
    file = Path(path)
    attributes, left_out = _look(file)
    if not attributes:
        raise SourceError(f"{path}: no column has values a domain could be drafted from; write the spec by hand")
    stem = file.name.split(".")[0] or "data"
    parts = [
        _HEAD,
        "# Paths are meant from the folder of this file.\n" + toml_table("data", {"source": str(path), "name": stem}),
        _PRIVACY.format(ledger=toml_value(f"{stem}.ledger")),
        _RULES,
        *(toml_table(f"attributes.{toml_key(name)}", attribute.to_dict()) for name, attribute in attributes.items()),
        *(f"# [attributes.{toml_value(name)}] is left out: {reason}.\n" for name, reason in left_out.items()),
        "# An example. Smaller epsilon: more privacy, more noise.\n"
        + toml_table("releases.example", {"task": "table", "by": _example(attributes), "epsilon": 0.5}),
    ]
    return "\n".join(parts)


def _look(path: Path) -> tuple[dict[str, Attribute], dict[str, str]]:
    """The attributes that could be drafted, and why the other columns could not."""
    if not path.is_file():
        raise SourceError(f"{path}: there is no such file; correct the path")
    if path.stat().st_size == 0:
        raise SourceError(f"{path}: the file is empty")
    import duckdb

    with tempfile.TemporaryDirectory() as scratch:
        settings: Any = {"temp_directory": scratch, "autoinstall_known_extensions": False}
        try:
            with duckdb.connect(config=settings) as connection:
                if path.suffix.lower() in (".parquet", ".pq"):
                    relation = connection.read_parquet(str(path))
                else:
                    relation = connection.read_csv(str(path), sample_size=-1)
                relation.create_view("data")
                names = [(name, kind.id.lower()) for name, kind in zip(relation.columns, relation.types, strict=True)]
                return _columns(connection, names)
        except duckdb.Error:
            # the engine's own message would quote rows
            raise SourceError(
                f"{path}: cannot be read; it must be Parquet, or CSV in UTF-8 with a header and one delimiter"
            ) from None


def _columns(connection: Any, columns: list[tuple[str, str]]) -> tuple[dict[str, Attribute], dict[str, str]]:
    attributes: dict[str, Attribute] = {}
    left_out: dict[str, str] = {}
    for name, kind in columns:
        try:
            attributes[name] = _attribute(connection, name, kind)
        except _LeaveOut as reason:
            left_out[name] = str(reason)
        except BadSpec:
            left_out[name] = "its values fit no simple domain; declare it by hand"
    return attributes, left_out


class _LeaveOut(Exception):
    """Why a column cannot be drafted."""


def _attribute(connection: Any, name: str, kind: str) -> Attribute:
    column = '"' + name.replace('"', '""') + '"'
    if kind == "boolean":
        return Nominal(["false", "true"])
    if kind in _INTEGERS:
        return _ends(connection, column, "", _integers)
    if kind in ("float", "double", "decimal"):
        return _ends(connection, f"{column}::DOUBLE", f"WHERE isfinite({column}::DOUBLE)", _reals)
    if kind == "date" or kind.startswith("timestamp"):
        return _ends(connection, f"{column}::DATE", f"WHERE isfinite({column})", _dates)
    if kind in ("varchar", "enum", "uuid"):
        return _labels(connection, f"{column}::VARCHAR")
    raise _LeaveOut(f"values of type {kind} have no cells; derive a column that has")


def _ends(connection: Any, value: str, finite: str, bins: Callable[[Any, Any], Ordinal]) -> Ordinal:
    low, high = connection.execute(f"SELECT min({value}), max({value}) FROM data {finite}").fetchone()
    if low is None:
        raise _LeaveOut("it is empty")
    return bins(low, high)


def _labels(connection: Any, value: str) -> Nominal:
    wanted = f"SELECT DISTINCT {value} FROM data WHERE {value} IS NOT NULL LIMIT {MOST_LABELS + 1}"
    labels = sorted(label for (label,) in connection.execute(wanted).fetchall())
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
