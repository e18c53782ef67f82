"""Rows in files, frames and databases, counted where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.privacy import Unit
from discreet.private import engines
from discreet.schema import Schema

if TYPE_CHECKING:
    from discreet.private.counts import Counts
    from discreet.private.kept import Histories


@dataclass(frozen=True)
class Rows:
    """A source that engines can count, and what they may use of the machine."""

    source: engines.Source
    threads: int | None = None
    memory_limit: str | None = None
    has_rows = True

    @classmethod
    def of(
        cls, source: Any, delimiter: str | None, encoding: str | None, threads: int | None, memory_limit: str | None
    ) -> Rows:
        opened = engines.open_source(source, delimiter=delimiter, encoding=encoding)
        engines.Limits(threads, memory_limit)  # complains now rather than after the charge
        return cls(opened, threads, memory_limit)

    def check(self, schema: Schema, unit: Unit) -> None:
        self.source.require([*schema.names, *([] if unit.is_row else [unit.column])])
        engines.check(self.source, schema, unit)

    def bounded(self, schema: Schema, unit: Unit, salt: bytes, *, repeatable: bool = False) -> BoundedRows:
        return BoundedRows(self, schema, unit, salt, repeatable)


@dataclass(frozen=True)
class BoundedRows:
    """The rows of one request; which of a user's rows count is decided by hashes with the salt."""

    rows: Rows
    schema: Schema
    unit: Unit
    salt: bytes
    repeatable: bool

    def table(self) -> Counts:
        return engines.count(self.rows.source, self.schema, self.unit, salt=self.salt, **self._limits())

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        names = [[self.schema.names[place] for place in places] for places in sets]
        return engines.count_sets(self.rows.source, self.schema, names, self.unit, salt=self.salt, **self._limits())

    def histories(self, looks: int) -> Histories:
        if self.unit.is_row:
            return self.table().histories(looks)
        limits = {**self._limits(), **({"threads": 1} if self.repeatable else {})}
        return engines.histories(self.rows.source, self.schema, self.unit, looks=looks, **limits)

    def _limits(self) -> dict[str, Any]:
        return {"threads": self.rows.threads, "memory_limit": self.rows.memory_limit}
