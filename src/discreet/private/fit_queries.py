"""The rows of a source, compared with the declared domains: how many fit, and examples of what does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import Any

from discreet.naming import OTHER
from discreet.privacy import Unit
from discreet.private.engines.base import USER, Source
from discreet.private.engines.coding import coded
from discreet.private.engines.counting_query import read
from discreet.private.engines.expressions import expressions_of
from discreet.private.engines.session import Limits, arrow_table, kept_table
from discreet.private.engines.users import with_users
from discreet.private.engines.values import engine_of
from discreet.schema import Attribute, Nominal, Schema

#: so many different values are looked at for what they may mean
MOST_VALUES = 1_000

Values = list[tuple[str, int]]


@dataclass(frozen=True)
class AttributeCounts:
    """How many rows have a value in the domain, beyond its ends, of no use, none; and values that are not inside."""

    inside: int
    beyond: int
    unread: int
    missing: int
    lost: int
    unread_values: Values
    beyond_values: Values


@dataclass(frozen=True)
class RowCounts:
    """All of it: attributes by name, planned releases by name, and how many users have how many rows."""

    rows: int
    attributes: dict[str, AttributeCounts]
    releases: dict[str, int]
    nobody: int
    users_by_rows: dict[int, int]


def row_counts(
    source: Source, schema: Schema, unit: Unit, releases: Mapping[str, Sequence[str]], limits: Limits
) -> RowCounts:
    """Reads all rows; `releases` are the attributes of each."""
    return read(source, schema, unit, limits, lambda parts: _counted(parts, schema, unit, releases))


def _counted(parts: list[Any], schema: Schema, unit: Unit, releases: Mapping[str, Sequence[str]]) -> RowCounts:
    with ExitStack() as stack:
        states = _states(parts, schema, unit, stack)
        aliases = {name: f"a{place}" for place, name in enumerate(schema)}
        wanted = {"rows": states.count()}
        for alias in aliases.values():
            wanted |= {f"{alias}_{what}": _number(states[f"{alias}_{what}"]) for what in ("in", "far", "none", "lost")}
        for place, names in enumerate(releases.values()):
            counts = reduce(and_, (~states[f"{aliases[name]}_lost"] for name in names), states.someone)
            wanted[f"release{place}"] = _number(counts)
        wanted["nobody"] = _number(~states.someone)
        (found,) = _fetched(states.aggregate(**wanted))
        attributes = {name: _attribute(states, alias, found) for name, alias in aliases.items()}
        numbers = {name: found[f"release{place}"] for place, name in enumerate(releases)}
        by_rows = {} if unit.is_row else _users_by_rows(states)
        return RowCounts(found["rows"], attributes, numbers, found["nobody"], by_rows)


def _states(parts: list[Any], schema: Schema, unit: Unit, stack: ExitStack) -> Any:
    """One row for each row: what each of its values is, as text and as truth values, and its user."""
    engine = engine_of(parts[0].get_backend())
    kinds = [] if unit.is_row else [part[USER].type() for part in parts]
    rows = []
    for raw in parts:
        # a source may be a stream, which is read once
        part = stack.enter_context(kept_table(raw)) if engine.is_duckdb else raw
        part = part if unit.is_row else with_users(part, engine, unit.column, kinds)
        attributes: dict[str, Attribute] = {}
        keep: dict[str, Any] = {"user_id": engine.words.null("string") if unit.is_row else part[USER]}
        again = {}
        for place, attribute in enumerate(schema.values()):
            alias = f"a{place}"
            attributes[alias] = replace(attribute, outside="drop", null="drop", special=None)
            keep[f"{alias}_none"] = engine.missing(part[alias])
            text = engine.text(part[alias])
            keep[f"{alias}_text"] = engine.words.null("string") if text is None else text
            if not isinstance(attribute, Nominal):
                again[f"{alias}_far"] = part[alias]
                attributes[f"{alias}_far"] = replace(attribute, outside="clamp", null="drop", special=None)
        codes = coded(part.mutate(**again) if again else part, attributes, keep, engine)
        found = dict(_attribute_states(codes, schema))
        rows.append(codes.select(user_id=codes.user_id, someone=_someone(codes, unit), **found))
    return stack.enter_context(kept_table(engine.words.union(*rows))) if engine.is_duckdb else engine.words.union(*rows)


def _someone(codes: Any, unit: Unit) -> Any:
    return expressions_of(codes).literal(True) if unit.is_row else codes.user_id.notnull()


def _attribute_states(codes: Any, schema: Schema) -> Iterator[tuple[str, Any]]:
    words = expressions_of(codes)
    for place, attribute in enumerate(schema.values()):
        alias = f"a{place}"
        inside, none = codes[alias].notnull(), codes[f"{alias}_none"]
        far = words.literal(False) if isinstance(attribute, Nominal) else ~inside & codes[f"{alias}_far"].notnull()
        none = ~inside & ~far & none
        unread = ~inside & ~far & ~none
        kept = inside
        if attribute.outside == "clamp":  # there is no nearest end for what is no value at all, so its rule is null's
            kept = kept | far | (unread if attribute.null == OTHER else words.literal(False))
        elif attribute.outside == OTHER:
            kept = kept | far | unread
        if attribute.null == OTHER:
            kept = kept | none
        yield f"{alias}_in", inside
        yield f"{alias}_far", far
        yield f"{alias}_none", none
        yield f"{alias}_lost", ~kept
        yield f"{alias}_text", words.ifelse(far | unread, codes[f"{alias}_text"], words.null("string"))


def _attribute(states: Any, alias: str, found: Mapping[str, int]) -> AttributeCounts:
    inside, beyond, none, lost = (found[f"{alias}_{what}"] for what in ("in", "far", "none", "lost"))
    unread = found["rows"] - inside - beyond - none
    far = states[f"{alias}_far"]
    return AttributeCounts(
        inside,
        beyond,
        unread,
        none,
        lost,
        _values(states.filter(~far), alias) if unread else [],
        _values(states.filter(far), alias) if beyond else [],
    )


def _values(states: Any, alias: str) -> Values:
    """The most frequent values that are not inside, and how many rows have each."""
    column = f"{alias}_text"
    counted = (
        states.filter(states[column].notnull()).group_by(text=states[column]).aggregate(n=lambda part: part.count())
    )
    ordered = counted.order_by([counted.n.desc(), counted.text]).limit(MOST_VALUES)
    return [(row["text"], row["n"]) for row in _fetched(ordered)]


def _users_by_rows(states: Any) -> dict[int, int]:
    users = states.filter(states.someone).group_by("user_id").aggregate(n=lambda part: part.count())
    numbers = users.group_by("n").aggregate(users=lambda part: part.count())
    return {row["n"]: row["users"] for row in sorted(_fetched(numbers), key=lambda row: row["n"])}


def _number(holds: Any) -> Any:
    return holds.sum().fill_null(0)


def _fetched(expression: Any) -> list[dict[str, Any]]:
    return list(arrow_table(expression).to_pylist())
