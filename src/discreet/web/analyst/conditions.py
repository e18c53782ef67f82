"""Conditions that were chosen in a form, as a predicate; and what a form can offer for each attribute."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.queries.where import is_plain_name
from discreet.schema import Nominal, Schema
from discreet.web.shell.limits import Fields, text, texts

#: a form lists labels of no larger attribute
MOST_CHOICES = 400
IS, FROM, TO = "is.", "from.", "to."
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class Offer:
    """One attribute in a form: labels to choose from, or two ends to write."""

    name: str
    ordered: bool
    choices: list[str]
    first: str
    last: str
    middle: str
    size: int
    levels: list[str]


def offers(schema: Schema) -> list[Offer]:
    return [_offer(name, schema[name]) for name in schema]


def _offer(name: str, attribute: Any) -> Offer:
    if isinstance(attribute, Nominal):
        few = attribute.size <= MOST_CHOICES
        nodes = (
            [] if not few else [label for depth in range(attribute.depth - 1) for label, *_ in attribute.level(depth)]
        )
        choices = list(dict.fromkeys([*nodes, *attribute.labels])) if few else []
        depths = range(attribute.depth - 1)
        levels = [f"{name}.{attribute.levels[depth] if attribute.levels else depth}" for depth in depths]
        return Offer(name, False, choices, "", "", "", attribute.size, levels)
    first, last, middle = (str(attribute.label(code)) for code in (0, attribute.bins - 1, attribute.bins // 2))
    return Offer(name, True, [], first, last, middle, attribute.size, [])


def example(offered: Sequence[Offer]) -> str:
    """A predicate that this release can answer, as a hint of how they are written."""
    parts = [f"{quoted_name(one.name)} = {quoted(one.choices[0])}" for one in offered if one.choices][:1]
    numbers = [one for one in offered if one.ordered and _NUMBER.fullmatch(one.middle)]
    ranged = [f"{quoted_name(one.name)} >= {one.middle}" for one in numbers]
    return " and ".join([*ranged[:1], *parts])


def chosen(fields: Fields, schema: Schema) -> str:
    """The predicate of what was chosen beside the one that was written; nothing if nothing was."""
    parts = []
    for name in schema:
        labels = texts(fields, IS + name)
        if len(labels) == 1:
            parts.append(f"{quoted_name(name)} = {quoted(labels[0])}")
        elif labels:
            parts.append(f"{quoted_name(name)} in ({', '.join(map(quoted, labels))})")
        low, high = text(fields, FROM + name), text(fields, TO + name)
        if low and high:
            parts.append(f"{quoted_name(name)} between {_end(low)} and {_end(high)}")
        elif low or high:
            parts.append(f"{quoted_name(name)} {'>=' if low else '<='} {_end(low or high)}")
    return " and ".join(parts)


def joined(where: str, more: str) -> str:
    if not where or not more:
        return where or more
    return f"{_bracketed(where)} and {more}"


def _bracketed(where: str) -> str:
    return f"({where})" if re.search(r"\bor\b", where, re.IGNORECASE) else where


def quoted_name(name: str) -> str:
    return name if is_plain_name(name) else '"' + name.replace('"', '""') + '"'


def quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _end(value: str) -> str:
    return value if _NUMBER.fullmatch(value) else quoted(value)
