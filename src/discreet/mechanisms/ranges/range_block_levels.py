"""Levels of a tree of blocks as a user gives them: widths of ranges, and levels of hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import BadParameter, DiscreetError
from discreet.mechanisms.ranges.range_block_plan import Level
from discreet.naming import did_you_mean
from discreet.schema import Attribute, Nominal, Schema
from discreet.transforms.partitions import EvenParts, HierarchyParts, Partition


def read_levels(given: Any, schema: Schema) -> tuple[Level, ...] | None:
    """One partition for each attribute and level; what a level does not name stays as the level before has it.

    "cells" stands for single codes, of one attribute or of all.
    """
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not given:
        raise BadParameter('levels must be a list, such as [64, 8, 1] or [{age = 10, place = "county"}, {age = 1}]')
    here: list[Partition] = [EvenParts(attribute.size, attribute.size) for attribute in schema.values()]
    found: list[Level] = []
    for number, level in enumerate(given, start=1):
        where = f"levels, level {number}"
        if level == "cells":
            level = dict.fromkeys(schema, "cells")
        if not isinstance(level, Mapping):
            if len(schema) > 1:
                raise BadParameter(f"{where}: name the attributes, such as {{{schema.names[0]} = 4}}, not {level!r}")
            level = {schema.names[0]: level}
        for name, width in level.items():
            if name not in schema:
                hint = did_you_mean(name, schema)
                raise BadParameter(f"{where}: {name!r} is not among the release's attributes.{hint}")
            here[schema.names.index(name)] = _partition(schema[name], width, f"{where}: {name}")
        found.append(tuple(here))
    return tuple(found)


def _partition(attribute: Attribute, given: Any, where: str) -> Partition:
    if given == "cells":
        return EvenParts(attribute.size, 1)
    if isinstance(attribute, Nominal) and attribute.depth > 1:
        return HierarchyParts(attribute, _depth(attribute, given, where), 1, attribute.special_codes)
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= attribute.size:
        raise BadParameter(f"{where} has no hierarchy, so give a width from 1 to {attribute.size:,}, not {given!r}")
    return EvenParts(attribute.size, given, attribute.special_codes)


def _depth(attribute: Nominal, given: Any, where: str) -> int:
    """The depth of a level of the hierarchy, outermost 1."""
    try:
        attribute.level(given)
    except DiscreetError as error:
        raise BadParameter(f"{where}: {error}") from None
    return list(attribute.levels or ()).index(given) + 1 if isinstance(given, str) else int(given) + 1
