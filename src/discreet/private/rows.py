"""Rows in files, frames and databases, counted where they are. What counts them loads on first use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from discreet.privacy import Unit
from discreet.schema import Ordinal, Schema, Span

if TYPE_CHECKING:
    from discreet.private.counts import Counts
    from discreet.private.engines.base import Source
    from discreet.private.engines.session import Limits
    from discreet.private.kept import Histories


@dataclass(frozen=True)
class Rows:
    """A source that engines can count, and what they may use of the machine."""

    source: Source
    limits: Limits
    has_rows = True

    def check(self, schema: Schema, unit: Unit, task: str = "table") -> None:
        from discreet.private.engines.counting_query import check

        self.source.require([*schema.columns, *([] if unit.is_row else [unit.column])])
        check(self.source, schema, unit, task)

    def during(self, name: str, dates: Ordinal, span: Span) -> Rows:
        """Only the rows of a period, by the attribute of this name. Reads none."""
        from discreet.private.engines.period_source import PeriodSource

        return replace(self, source=PeriodSource(self.source, dates.reading.column or name, dates, span))

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
        from discreet.private.engines.counting_query import count

        return count(self.rows.source, self.schema, self.unit, salt=self.salt, limits=self.rows.limits)

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        from discreet.private.engines.counting_query import count_sets

        names = [[self.schema.names[place] for place in places] for places in sets]
        source, limits = self.rows.source, self.rows.limits
        return count_sets(source, self.schema, names, self.unit, salt=self.salt, limits=limits)

    def histories(self, looks: int) -> Histories:
        if self.unit.is_row:
            return self.table().histories(looks)
        from discreet.private.engines.row_histories import histories

        limits = replace(self.rows.limits, threads=1) if self.repeatable else self.rows.limits
        return histories(self.rows.source, self.schema, self.unit, looks=looks, limits=limits)
