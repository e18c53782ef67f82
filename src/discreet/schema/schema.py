"""Declared domains: what values each attribute may take. Public, and never read off the data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, BadSpec, UnknownAttribute
from discreet.naming import did_you_mean, unknown_keys
from discreet.schema.asked_values import shown_value
from discreet.schema.nominal import Nominal
from discreet.schema.ordinal import Ordinal
from discreet.schema.reading import PLAIN, READING_KEYS, Reading

Attribute = Ordinal | Nominal

_RULES = ("outside", "null")
#: keys that name a file, with an example of one
_FILES = {"hierarchy_csv": "blocks.csv", "values_csv": "items.csv"}
_KEYS = {
    "ordinal": ("kind", "low", "high", "width", "edges", *_RULES, "special", *READING_KEYS),
    "nominal": ("kind", "values", "hierarchy", "prefixes", "levels", *_RULES, "special", *READING_KEYS),
}


class Schema(Mapping[str, Attribute]):
    """Attributes by name, in order of the codes: each an `Ordinal` or a `Nominal`.

    `Schema(age=Ordinal(0, 99), sex=Nominal(["Female", "Male"]))`, or by a dict where a name has blanks:
    `Schema({"year of birth": Ordinal(1900, 2025)})`.
    """

    def __init__(self, attributes: Mapping[str, Attribute] | None = None, /, **named: Attribute) -> None:
        merged: dict[str, Attribute] = {**(attributes or {}), **named}
        problems = [] if merged else ["attributes: none declared; declare at least one"]
        folded: dict[str, str] = {}
        for name, attribute in merged.items():
            if not isinstance(name, str) or not name:
                problems.append(f"[attributes] {name!r} is not a name; use the name of a column")
                continue
            if not isinstance(attribute, Ordinal | Nominal):
                problems.append(f"[attributes.{name}] must be an Ordinal or a Nominal, not {type(attribute).__name__}")
            # engines look columns up without regard to case
            if (twin := folded.setdefault(name.casefold(), name)) != name:
                problems.append(f"[attributes.{name}] differs from {twin!r} only in upper and lower case; keep one")
        if problems:
            raise BadSpec(problems)
        self._attributes = merged

    def __getitem__(self, name: str) -> Attribute:
        try:
            return self._attributes[name]
        except KeyError:
            hint = f"{did_you_mean(name, self)} The attributes are: {', '.join(self)}"
            raise UnknownAttribute(f"there is no attribute {shown_value(name)}.{hint}") from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._attributes

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)

    def __eq__(self, other: object) -> bool:
        """Order counts: it is the order of the codes."""
        return isinstance(other, Schema) and list(self._attributes.items()) == list(other._attributes.items())

    def __hash__(self) -> int:
        return hash(tuple(self._attributes.items()))

    def __repr__(self) -> str:
        return f"Schema({self._attributes!r})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes, in their order."""
        return tuple(self._attributes)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of the data that each attribute is read from; several may be read from one."""
        return tuple(attribute.reading.column or name for name, attribute in self._attributes.items())

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each attribute has."""
        return tuple(attribute.size for attribute in self._attributes.values())

    @property
    def cells(self) -> int:
        """The number of cells of the full table, however large."""
        return math.prod(self.sizes)

    def select(self, names: Iterable[str]) -> Schema:
        """The attributes of these names, in this order."""
        wanted = list(names)
        if len(set(wanted)) < len(wanted):
            raise BadParameter(f"an attribute is named twice: {', '.join(wanted)}")
        return Schema({name: self[name] for name in wanted})

    def without_readings(self) -> Schema:
        """The same attributes over columns of their own names that hold labels and values as these are declared."""
        return Schema({name: replace(attribute, reading=PLAIN) for name, attribute in self._attributes.items()})

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON and TOML types. The order of the keys is the order of the codes: do not sort them."""
        return {name: attribute.to_dict() for name, attribute in self._attributes.items()}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], base: Path | None = None) -> Schema:
        """The schema that `to_dict` wrote or a spec declares; see `attribute_from_dict` for `base`."""
        attributes: dict[str, Attribute] = {}
        problems: list[str] = []
        for name, declared in fields.items():
            try:
                attributes[name] = attribute_from_dict(declared, base)
            except BadSpec as error:
                problems += [f"[attributes.{name}] {problem}" for problem in error.problems]
        if problems:
            raise BadSpec(problems)
        return cls(attributes)


def attribute_from_dict(fields: object, base: Path | None = None) -> Attribute:
    """One attribute from the plain types that `to_dict` writes and a spec holds.

    With `base`, the folder of a spec, `values_csv` or `hierarchy_csv` may name a file; without it none is ever read.
    """
    if not isinstance(fields, Mapping):
        raise BadSpec(['must be a table such as { kind = "ordinal", low = 0, high = 99 }'])
    kind = fields.get("kind")
    if not isinstance(kind, str) or kind not in _KEYS:
        given = "missing" if kind is None else f"{kind!r} is unknown"
        hint = did_you_mean(kind, _KEYS)
        raise BadSpec([f'kind: {given}; write "ordinal" (numbers, dates) or "nominal" (labels).{hint}'])
    known = [*_KEYS[kind], *(_FILES if kind == "nominal" and base is not None else [])]
    problems = unknown_keys(fields, known)
    values = {key: value for key, value in fields.items() if key in known and key != "kind"}
    read = {key: values.pop(key) for key in READING_KEYS if key in values}
    try:
        values["reading"] = Reading(**read)
    except BadSpec as error:
        problems += error.problems
        values["reading"] = PLAIN
    try:
        named = [key for key in _FILES if key in values]
        if named and base is not None:
            attribute: Attribute = _from_csv(values, named[0], base)
        else:
            attribute = Ordinal(**values) if kind == "ordinal" else Nominal(**values)
    except BadSpec as error:
        raise BadSpec(problems + error.problems) from None
    if problems:
        raise BadSpec(problems)
    return attribute


def _from_csv(values: dict[str, Any], key: str, base: Path) -> Nominal:
    path = values.pop(key)
    others = ("values", "hierarchy", *_FILES)
    clash = [f"{other}: give either this or {key}, not both" for other in others if other in values]
    if not isinstance(path, str) or not path:
        clash.append(f'{key}: must be the path of a CSV file, such as "{_FILES[key]}"')
    if clash:
        raise BadSpec(clash)
    make = Nominal.from_csv if key == "hierarchy_csv" else Nominal.from_values_csv
    if key == "values_csv" and "levels" in values and "prefixes" not in values:
        raise BadSpec(["levels: a list of values has none; use hierarchy_csv, or prefixes"])
    if key == "hierarchy_csv" and "prefixes" in values:
        raise BadSpec(["prefixes: make a hierarchy of values; use values_csv"])
    try:
        return make(base / path, **values)
    except BadSpec as error:
        own = (*(f"{name}:" for name in ("levels", "prefixes", *_RULES, "special", *READING_KEYS)), "special[")
        raise BadSpec([text if text.startswith(own) else f"{key}: {text}" for text in error.problems]) from None
