"""Publicly known totals as they are given and as releases state them: predicates, or rows of a table, with counts.

`[{"where": "county = 'Kent'", "count": 170363}, {"count": 1097379}]`, or a CSV file or data frame in the form of
questions with a column `count`. What is kept is plain: a predicate as text, or `at`, the cells of a row of a table.
Nothing here knows a schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from datetime import date
from numbers import Integral
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter
from discreet.queries.question_table import read_table
from discreet.queries.where import is_plain_name

COUNT = "count"
MOST_KNOWN = 4096
#: beyond this no count is exact in the arithmetic of answers
MOST_RECORDS = 2**52
_EXAMPLE = """known = [{ where = "county = 'Kent'", count = 170363 }, { count = 1097379 }]"""

Entry = dict[str, Any]


def read_entries(given: Any) -> list[Entry]:
    """Known totals as plain entries, of a list of them, the path of a CSV file, or a data frame."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        raise BadParameter(f"known: must be a list of totals, such as {_EXAMPLE}")
    entries = _listed(given) if isinstance(given, list | tuple) else _tabled(given)
    if not entries:
        raise BadParameter("known: has no totals; leave it out if there are none")
    if len(entries) > MOST_KNOWN:
        raise BadParameter(f"known: has {len(entries):,} totals, more than {MOST_KNOWN:,}; give those of larger groups")
    return entries


def shown(entry: Entry) -> str:
    """Which group an entry is about, for people."""
    if "at" in entry:
        return ", ".join(f"{name} {text}" for name, text in entry["at"].items()) or "everything"
    return entry.get("where") or "everything"


def _listed(given: Iterable[Any]) -> list[Entry]:
    found = []
    for number, one in enumerate(given, 1):
        place = f"known: total {number}"
        if not isinstance(one, Mapping) or not set(one) <= {"where", "at", COUNT} or {"where", "at"} <= set(one):
            raise BadParameter(f"{place}: must have `count` and, unless it is of everything, `where`: {_EXAMPLE}")
        count = _count(one.get(COUNT), place)
        if (at := one.get("at")) is not None:
            if not isinstance(at, Mapping) or not all(isinstance(part, str) for pair in at.items() for part in pair):
                raise BadParameter(f"{place}: `at` must have a text for each attribute; use `where` instead")
            found.append({"at": dict(at), COUNT: count})
            continue
        where = one.get("where")
        if where is not None and not isinstance(where, str | Mapping):
            raise BadParameter(f"{place}: where must be a predicate such as \"county = 'Kent'\", not {where!r}")
        text = _as_text(where, place) if isinstance(where, Mapping) else where
        found.append({**({"where": text} if text else {}), COUNT: count})
    return found


def _tabled(given: Any) -> list[Entry]:
    """The rows of a table of questions that has a column of counts as well."""
    if not isinstance(given, str | Path) and not hasattr(given, "columns"):
        raise BadParameter(f"known: must be a list of totals, the path of a CSV file or a data frame: {_EXAMPLE}")
    try:
        table = read_table(given)
    except BadParameter as error:
        raise BadParameter(f"known: {error}") from None
    counts = next((column for column in table.columns if column.name == COUNT), None)
    if counts is None:
        raise BadParameter(f"known: {table.name} has no column {COUNT!r}; add one with the total of each row")
    others = [column for column in table.columns if column is not counts]
    found: list[Entry] = []
    for row in range(table.count):
        text = counts.texts[counts.index[row]].strip()
        place = f"known: {table.place(row, COUNT)}"
        count = _count(int(text) if text.isascii() and text.isdecimal() else text, place)
        cells = {column.name: column.texts[column.index[row]] for column in others}
        cells = {name: cell for name, cell in cells.items() if cell.strip()}
        if [column.name for column in others] == ["where"]:
            found.append({**cells, COUNT: count})
        else:
            found.append({**({"at": cells} if cells else {}), COUNT: count})
    return found


def _count(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) <= MOST_RECORDS:
        raise BadParameter(f"{place}: count must be a whole number of at least 0, not {value!r}")
    return int(value)


def _as_text(where: Mapping[Any, Any], place: str) -> str:
    """A predicate in a mapping as text, which JSON keeps as it is: a range there would look like a choice."""
    parts = []
    for name, value in where.items():
        if not isinstance(name, str):
            raise BadParameter(f"{place}: the keys of a predicate are names of attributes, not {name!r}")
        quoted = name if is_plain_name(name) else '"' + name.replace('"', '""') + '"'
        if isinstance(value, list | Set):
            ways = [_compared(quoted, one, place) for one in value]
            parts.append(f"({' or '.join(ways)})" if len(ways) > 1 else "".join(ways))
            if not ways:
                raise BadParameter(f"{place}: {name}: the list of values is empty; leave the attribute out to mean all")
        else:
            parts.append(_compared(quoted, value, place))
    return " and ".join(parts)


def _compared(name: str, value: Any, place: str) -> str:
    if not isinstance(value, tuple):
        return f"{name} = {_literal(value, place)}"
    if len(value) != 2 or value == (None, None):
        raise BadParameter(f"{place}: a range is a tuple (low, high) of two ends, not {value!r}; a union is a list")
    low, high = value
    if high is None:
        return f"{name} >= {_literal(low, place)}"
    if low is None:
        return f"{name} <= {_literal(high, place)}"
    return f"{name} between {_literal(low, place)} and {_literal(high, place)}"


def _literal(value: Any, place: str) -> str:
    if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, str | int | float | date):
        raise BadParameter(f"{place}: {value!r} is not a value of an attribute; use text, numbers or dates")
    if isinstance(value, int | float):
        return repr(value)
    text = value if isinstance(value, str) else value.isoformat()
    return "'" + text.replace("'", "''") + "'"
