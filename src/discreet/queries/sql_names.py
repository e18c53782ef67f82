"""What SQL is asked about here: names that belong to a release, and refusals that say what is possible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from discreet.errors import BadParameter, CannotAnswer
from discreet.queries.binding import attribute_index
from discreet.schema import Nominal, Ordinal, Schema

POSSIBLE = (
    "possible is: select attributes, count(*), share() and quantile(attribute, 0.5) from release, with where, "
    "group by, order by and limit"
)
_SHOWN = 60


@dataclass(frozen=True)
class Place:
    """An attribute, a level of its hierarchy, or ranges of it (`cuts`), as a statement names it."""

    attribute: str
    level: str | None = None
    cuts: Any = None

    @property
    def title(self) -> str:
        return self.level or self.attribute


@dataclass(frozen=True)
class Names:
    """The attributes of a release, and what the statement calls the release itself."""

    schema: Schema
    known: tuple[str, ...]
    tables: tuple[str, ...] = ("release",)

    def place(self, column: Any) -> Place:
        """What a column of a statement is: `age`, `release.age`, or a level such as `district.side`."""
        parts = [part.name for part in column.parts]
        if len(parts) > 1 and parts[0].casefold() in self.tables and self._found(parts[0]) not in self.schema:
            parts = parts[1:]
        if len(parts) > 2:
            raise refusal(column, "names more than an attribute and a level of it")
        name = self._found(parts[0])
        attribute_index(name, self.schema, self.known)
        if len(parts) == 1:
            return Place(name)
        attribute = self.schema[name]
        if not isinstance(attribute, Nominal):
            raise CannotAnswer(f"SQL: {name} has no hierarchy, so it has no level {parts[1]!r}; write {name}")
        levels = {level.casefold(): level for level in attribute.levels or ()}
        level = levels.get(parts[1].casefold(), parts[1])
        attribute.level(level)  # refuses what is none
        return Place(name, level)

    def ordinal(self, column: Any, what: str) -> str:
        place = self.place(column)
        if place.level is not None or not isinstance(self.schema[place.attribute], Ordinal):
            raise CannotAnswer(
                f"SQL: {place.title} has no order, so {what} cannot be told; ask for an ordinal attribute"
            )
        return place.attribute

    def hides(self, name: str, place: Place) -> bool:
        """Whether something else than an attribute has its name."""
        own = self._found(name)
        return own in self.schema and place != Place(own)

    def _found(self, name: str) -> str:
        """As the schema writes it: SQL does not tell capitals from small letters."""
        if name in self.schema:
            return name
        alike = [own for own in self.schema if own.casefold() == name.casefold()]
        return alike[0] if len(alike) == 1 else name


def refusal(part: Any, why: str, instead: str = POSSIBLE) -> BadParameter:
    """A part of a statement that cannot be answered: which, where it is, why, and what can be."""
    return BadParameter(f"SQL{_where(part)}: {shown(part)} {why}; {instead}")


def shown(part: Any) -> str:
    """The part as SQL, short, and on one line."""
    try:
        text = part if isinstance(part, str) else part.sql(dialect="duckdb")
    except Exception:  # a part that its own library cannot write
        text = type(part).__name__
    text = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return f"`{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}`"


def _where(part: Any) -> str:
    """The line and the column at which it starts, as far as the parser kept them."""
    if isinstance(part, str):
        return ""
    places: Iterable[Any] = (node.meta for node in part.walk() if "line" in node.meta)
    first = min(places, key=lambda meta: (meta["line"], meta["col"]), default=None)
    if first is None:
        return ""
    column = first["col"] - (first["end"] - first["start"]) if {"start", "end"} <= first.keys() else first["col"]
    return f", line {first['line']}, position {column}"
