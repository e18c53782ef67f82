"""A spec as cards: one for each attribute and release, with each mistake beside its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.cli.describing import checked
from discreet.errors import BadParameter, DiscreetError
from discreet.spec import Spec
from discreet.spec.problem import Problem
from discreet.web.custodian.spec_files import (
    changed,
    changed_all,
    document_of,
    literal,
    mark_of,
    read_literal,
    save,
    text_of,
    with_table,
    without_table,
)
from discreet.web.shell.limits import Fields, text, texts

#: what a field holds that a form has
KEY = "key."
MOST_CARDS = 100
#: keys that a card offers beside those that are there
#: what a form can add; items need more than a form asks for
TASKS = ("table", "ranges", "marginals")
_OFFERED = {"ordinal": ("low", "high", "width", "outside", "null"), "nominal": ("values", "outside", "null")}


@dataclass(frozen=True)
class CardField:
    key: str
    value: str
    mistakes: list[Problem]


@dataclass(frozen=True)
class Card:
    """One table of a spec: its keys, and mistakes that belong to none of them."""

    table: tuple[str, ...]
    name: str
    entries: list[CardField]
    mistakes: list[Problem]

    @property
    def wrong(self) -> int:
        return len(self.mistakes) + sum(len(entry.mistakes) for entry in self.entries)


@dataclass(frozen=True)
class SpecPage:
    """All that a page about a spec shows."""

    name: str
    text: str
    mark: str
    problems: list[Problem]
    notes: list[str]
    spec: Spec | None
    general: list[Card] = field(default_factory=list)
    attributes: list[Card] = field(default_factory=list)
    releases: list[Card] = field(default_factory=list)

    @property
    def elsewhere(self) -> list[Problem]:
        """Mistakes that no card shows."""
        shown = [
            id(problem)
            for card in [*self.general, *self.attributes, *self.releases]
            for problem in [*card.mistakes, *(one for entry in card.entries for one in entry.mistakes)]
        ]
        return [problem for problem in self.problems if id(problem) not in shown]


def spec_page(name: str, path: Path) -> SpecPage:
    said = text_of(path)
    problems, notes, sound = checked(path)
    page = SpecPage(name, said, mark_of(said), problems, notes, sound)
    try:
        document = document_of(said)
    except DiscreetError:
        return page  # the problems say why
    for kind, cards in (("attributes", page.attributes), ("releases", page.releases)):
        tables = document.get(kind)
        if isinstance(tables, Mapping):
            cards += [
                _card((kind, one), one, held, problems) for one, held in tables.items() if isinstance(held, Mapping)
            ]
    for kind in ("data", "privacy", "about"):
        if isinstance(held := document.get(kind), Mapping):
            page.general.append(_card((kind,), kind, held, problems))
    return page


def _card(table: tuple[str, ...], name: str, held: Mapping[str, Any], problems: Sequence[Problem]) -> Card:
    place = ".".join(table)
    mine = [one for one in problems if one.place == place or one.place.startswith(f"{place}.")]
    rest = {id(one): one.place[len(place) + 1 :].split("[")[0] for one in mine}
    lacking = [key for key in _OFFERED.get(str(held.get("kind")), ()) if key not in held and table[0] == "attributes"]
    lacking = [key for key in lacking if key in ("low", "high", "values") and key in rest.values()] or lacking[:0]
    keys = list(dict.fromkeys([*held, *lacking]))
    entries = [
        CardField(key, literal(held[key]) if key in held else "", [one for one in mine if rest[id(one)] == key])
        for key in keys
    ]
    return Card(table, name, entries, [one for one in mine if rest[id(one)] not in keys])


def change_card(path: Path, fields: Fields) -> None:
    """What a card's form says, into the file."""
    table = _table(path, fields)
    changes = {name.removeprefix(KEY): value for name, value in fields if name.startswith(KEY)}
    if new := text(fields, "new_key"):
        if new in changes:
            raise BadParameter(f"{new}: is there already; change it where it is")
        changes[new] = text(fields, "new_value")
    said = text_of(path)
    save(path, changed(said, table, changes), text(fields, "mark"))


def change_many(path: Path, fields: Fields) -> int:
    """One key of all attributes whose name holds a text, as many as the page had said."""
    key, value, wanted = text(fields, "key"), text(fields, "value"), text(fields, "q")
    if not key:
        raise BadParameter("key: say which key to change, such as null")
    said = text_of(path)
    mark = text(fields, "mark")
    attributes = document_of(said).get("attributes")
    names = [name for name in attributes if matches(name, wanted)] if isinstance(attributes, Mapping) else []
    if text(fields, "number") not in ("", str(len(names))):
        raise BadParameter(f"number: {len(names)} attributes have such a name, the page showed others; search again")
    save(path, changed_all(said, [("attributes", name) for name in names], {key: value}), mark)
    return len(names)


def add_release(path: Path, fields: Fields) -> None:
    """One more thing to publish; what is wrong with it is a mistake on its card."""
    name, task, cost = text(fields, "name"), text(fields, "task"), text(fields, "epsilon")
    by = [part.strip() for part in text(fields, "by").split(",") if part.strip()]
    for what, said in (("name", name), ("by", by), ("epsilon", cost)):
        if not said:
            raise BadParameter(f"{what}: is missing; a release needs a name, attributes to count by, and an epsilon")
    if task not in TASKS:
        raise BadParameter(f"task: use one of {', '.join(TASKS)}")
    ways = {"ways": min(2, len(by))} if task == "marginals" else {}
    values = {"task": task, "by": by, **ways, "epsilon": read_literal(cost, "epsilon")}
    said = text_of(path)
    save(path, with_table(said, ("releases", name), values), text(fields, "mark"))


def take_away(path: Path, fields: Fields) -> None:
    """An attribute that nobody counts by, or a release that nobody wants. What was published stays."""
    table = _table(path, fields)
    if len(table) != 2 or table[0] not in ("attributes", "releases"):
        raise BadParameter("table: only attributes and releases can be taken away here")
    save(path, without_table(text_of(path), table), text(fields, "mark"))


def matches(name: str, wanted: str) -> bool:
    return wanted.casefold() in name.casefold()


def _table(path: Path, fields: Fields) -> tuple[str, ...]:
    """The table that is named, if the spec has it."""
    table = tuple(texts(fields, "table"))
    found: Any = document_of(text_of(path))
    for part in table:
        found = found.get(part) if isinstance(found, Mapping) else None
    if not 1 <= len(table) <= 2 or not isinstance(found, Mapping):
        raise BadParameter("table: the spec has no such table; reload the page")
    return table
