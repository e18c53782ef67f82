"""Rows for several releases, read and coded once; each release bounds and counts them by itself, with its own salt.

What is kept is the code of every attribute, NULL where its rules drop the row, and the user: all that counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from discreet.privacy import Unit
from discreet.private.engines.base import USER, Source, Wanted
from discreet.private.engines.coding import coded
from discreet.private.engines.session import Limits, kept_table, unreadable, was_stopped
from discreet.private.engines.users import with_users
from discreet.private.engines.values import Engine
from discreet.private.rows import BoundedRows, Rows
from discreet.schema import Ordinal, Reading, Schema

_USER_ID = "user_id"


class SharedRows:
    """The rows of some attributes, for as many releases as there are; nothing is read before the first one asks."""

    has_rows = True

    def __init__(self, rows: Rows, schema: Schema, unit: Unit, stack: ExitStack) -> None:
        self._rows, self._schema = rows, schema
        self._coded = replace(rows, source=_CodedSource(rows, schema, unit, stack))

    def check(self, schema: Schema, unit: Unit, task: str = "table") -> None:
        self._rows.check(schema, unit, task)

    def bounded(self, schema: Schema, unit: Unit, salt: bytes, *, repeatable: bool = False) -> BoundedRows:
        codes = {
            name: Ordinal(0, attribute.size - 1, outside="drop", reading=Reading(f"c{self._schema.names.index(name)}"))
            for name, attribute in schema.items()
        }
        named = unit if unit.is_row else replace(unit, column=_USER_ID)
        return self._coded.bounded(Schema(codes), named, salt, repeatable=repeatable)


@contextmanager
def shared(rows: Rows, schemas: Sequence[Schema], unit: Unit) -> Iterator[Rows | SharedRows]:
    """The same rows, read once for all of these schemas; as they are, if another engine counts them or one asks."""
    if len(schemas) < 2 or not rows.source.comes_to_us:
        yield rows
        return
    together = Schema({name: attribute for schema in schemas for name, attribute in schema.items()})
    with ExitStack() as stack:
        yield SharedRows(rows, together, unit, stack)


class _CodedSource(Source):
    """The codes as a source; they stay in a private DuckDB as long as the stack is open."""

    def __init__(self, rows: Rows, schema: Schema, unit: Unit, stack: ExitStack) -> None:
        names = [f"c{place}" for place in range(len(schema))]
        super().__init__(rows.source.name, names if unit.is_row else [*names, _USER_ID])
        self._rows, self._schema, self._unit, self._stack = rows, schema, unit, stack
        self._kept: Any = None

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        if self._kept is None:
            self._keep()
        yield [self._kept.select(**{alias: self._kept[name] for alias, name in wanted.items()})]

    def _keep(self) -> None:
        source = self._rows.source
        for careful in (False, True) if source.has_careful_reading else (False,):
            with ExitStack() as stack:
                try:
                    self._kept = stack.enter_context(kept_table(self._codes(stack, careful)))
                    self._stack.push(stack.pop_all())
                    return
                except (KeyboardInterrupt, SystemExit, GeneratorExit):
                    raise
                except BaseException as error:
                    if was_stopped(error):
                        raise KeyboardInterrupt from None
                    failure = unreadable(error, source.name)
        raise failure

    def _codes(self, stack: ExitStack, careful: bool) -> Any:
        wanted = {f"a{place}": column for place, column in enumerate(self._schema.columns)}
        if not self._unit.is_row:
            wanted[USER] = self._unit.column
        parts = stack.enter_context(self._rows.source.tables(wanted, self._rows.limits, careful))
        engine = Engine(parts[0].get_backend())
        attributes = {f"a{place}": attribute for place, attribute in enumerate(self._schema.values())}
        kinds = [] if self._unit.is_row else [part[USER].type() for part in parts]
        found = []
        for raw in parts:
            part = raw if self._unit.is_row else with_users(raw, engine, self._unit.column, kinds)
            codes = coded(part, attributes, {} if self._unit.is_row else {_USER_ID: part[USER]}, engine)
            small = {
                f"c{place}": codes[name].cast(_smallest(attribute.size))
                for place, (name, attribute) in enumerate(attributes.items())
            }
            chosen = codes.select(**small, **({} if self._unit.is_row else {_USER_ID: codes[_USER_ID]}))
            found.append(chosen if self._unit.is_row else chosen.filter(chosen[_USER_ID].notnull()))
        return engine.words.union(*found)


def _smallest(size: int) -> str:
    """A type that holds so many codes."""
    return next(f"int{bits}" for bits in (8, 16, 32, 64) if size <= 2 ** (bits - 1))
