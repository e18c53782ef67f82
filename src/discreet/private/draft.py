"""A first spec, drafted from a data file for its custodian to review.

This is the one place that takes domains from private data, so what it writes carries a mark that `publish`
refuses: domains are public, and only a person can say which of these may be.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, SourceError
from discreet.private.draft_domains import DraftedColumn, drafted_column, is_of_people
from discreet.private.engines.csv_text import CsvLayout
from discreet.private.engines.file_sources import CSV_SUFFIXES
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import UNLIMITED, kept_table, was_stopped
from discreet.private.engines.values import engine_of
from discreet.schema import Attribute, Nominal
from discreet.spec.checking import DRAFT_MARK
from discreet.spec.toml import toml_key, toml_table, toml_value

MOST_EXAMPLE_CELLS = 10_000
#: what the first digits of codes of so many mean, where they are those of places in the United States
_PREFIXES = {5: [2], 11: [2, 5], 12: [5, 11], 15: [5, 11, 12]}

_HEAD = f"""\
# A draft, to be reviewed.
#
# The domains below were read from the private data: its lowest and highest values, its labels, and special values
# that many rows have. Published as they are, they would tell everyone that such a value occurs. For each attribute,
# compare with what is public knowledge (a code book, a form, a law), write that instead, and then remove the next line.
# Nothing is published while it is here.
{DRAFT_MARK} = true
"""
_ROW = """\
# Whose presence is hidden: one row. If a person can have several rows, name the column that identifies
# people, and how many rows of each may count:
#   unit = "person_id"
#   max_rows = 10
unit = "row"
"""
_UNIT = """\
# Whose presence is hidden: everyone with an id of their own in this column, which looks like one that several rows
# have. If it does not tell people apart, name the column that does; if every row is another person, write unit = "row"
# and no max_rows.
unit = {unit}
# Of each at most so many rows count, chosen at random. Most have fewer, which was read from the private data too:
# choose a round number that is plausible by itself. More rows of each need more noise.
max_rows = {max_rows}
"""
_PRIVACY = """\
[privacy]
{unit}neighbours = "add-remove"
# What all releases together may cost; without it there is no cap:
#   budget = 3.0
ledger = {ledger}
"""
_LONG = """\
# [attributes.{quoted}] is left out: {said}.
# If it names people, make it the unit. If there is a public list of what it may be, put that into the first column of
# a CSV file with a header, and take it from there by removing these marks:
# [attributes.{name}]
# kind = "nominal"
# values_csv = {file}
{prefixes}# outside = "other"
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
    """A commented spec for a file of rows, to be kept in `folder`, or here without one.

    Its text shows values of the data: keep it private.
    """
    file = Path(path)
    delimiter = _delimiter(file)
    found = _look(file, delimiter)
    attributes = {name: column.attribute for name, column in found.items() if column.attribute is not None}
    if not attributes:
        raise SourceError(f"{path}: no column has values a domain could be drafted from; write the spec by hand")
    stem = file.name.split(".")[0] or "data"
    data = {"source": str(path) if folder is None else _seen_from(folder, file), "name": stem}
    if delimiter is not None:
        data["delimiter"] = delimiter
    unit = _unit(found)
    chosen = _ROW if unit is None else _UNIT.format(unit=toml_value(unit), max_rows=found[unit].rows_each)
    parts = [
        _HEAD,
        f"# {_summary(found, unit)}\n# Paths are relative to the folder of this file.\n{toml_table('data', data)}",
        _PRIVACY.format(unit=chosen, ledger=toml_value(f"{stem}.ledger")),
        _RULES,
        *(_declared(name, attribute, found[name].said) for name, attribute in attributes.items()),
        *(_left_out(name, column) for name, column in found.items() if column.attribute is None and name != unit),
        "# An example. Smaller epsilon: more privacy, more noise.\n"
        + toml_table("releases.example", {"task": "table", "by": _example(attributes), "epsilon": 0.5}),
    ]
    return "\n".join(parts)


def _summary(found: dict[str, DraftedColumn], unit: str | None) -> str:
    attributes = sum(column.attribute is not None for column in found.values())
    others = len(found) - attributes - (unit is not None)
    named = [f"{attributes} as attributes", *(["1 as the unit"] if unit else []), f"{others} left out, with the reason"]
    return f"Columns that were read: {len(found)}. Below are {', '.join(named)}."


def _unit(found: dict[str, DraftedColumn]) -> str | None:
    """The column that looks most like an id of people who have several rows."""
    ids = [name for name, column in found.items() if column.rows_each is not None]
    return next((name for name in ids if is_of_people(name)), ids[0] if ids else None)


def _left_out(name: str, column: DraftedColumn) -> str:
    if not column.is_long:
        return f"# [attributes.{toml_value(name)}] is left out: {column.said}.\n"
    prefixes = _PREFIXES.get(column.digits or 0)
    hint = f"# prefixes = {prefixes}  # if these are codes of places: a hierarchy by their first digits\n"
    file = toml_value(f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name).strip('-') or 'values'}.csv")
    texts = {"quoted": toml_value(name), "said": column.said, "name": toml_key(name), "file": file}
    return _LONG.format(**texts, prefixes=hint if prefixes else "")


def _declared(name: str, attribute: Attribute, said: str) -> str:
    fields = attribute.to_dict()
    special = fields.pop("special", None)
    text = f"# Read as {said}.\n" + toml_table(f"attributes.{toml_key(name)}", fields)
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


def _look(path: Path, delimiter: str | None) -> dict[str, DraftedColumn]:
    """For each column its domain, or why none could be drafted."""
    source = open_source(path, delimiter=delimiter)
    wanted = {f"a{place}": name for place, name in enumerate(source.columns) if name}
    for careful in (False, True):
        try:
            with ExitStack() as stack:
                (table,) = stack.enter_context(source.tables(wanted, UNLIMITED, careful))
                found = _columns(stack.enter_context(kept_table(table)) if source.is_stream else table, wanted)
        except DiscreetError:
            raise
        except Exception as error:  # the engine's own message would quote rows
            if was_stopped(error):
                raise KeyboardInterrupt from None
            continue
        domains = [column.attribute for column in found.values()]
        labels = [label for domain in domains if isinstance(domain, Nominal) for label in domain.labels]
        # the careful reading puts U+FFFD in place of bytes that are no text
        if not (careful and any("\ufffd" in label for label in labels)):
            return found
    raise SourceError(
        f"{path}: cannot be read; it must be Parquet, Arrow, JSON lines, Excel, or CSV in UTF-8 with a header"
    )


def _columns(table: Any, wanted: dict[str, str]) -> dict[str, DraftedColumn]:
    engine = engine_of(table.get_backend())
    return {name: drafted_column(table.select(alias), name, engine) for alias, name in wanted.items()}


def _example(attributes: dict[str, Attribute]) -> list[str]:
    """Two attributes whose table is small, or the smallest one."""
    first, *others = sorted(attributes, key=lambda name: attributes[name].size)
    most = MOST_EXAMPLE_CELLS // attributes[first].size
    return [first, *(name for name in others[:1] if attributes[name].size <= most)]
