"""Counts that somebody else has made. The unit's bounds cannot be enforced on them: whoever made them must have."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.schema import Schema


@dataclass(frozen=True)
class ReadyCounts:
    """A table over all attributes of a schema."""

    schema: Schema
    counts: Counts
    has_rows = False

    def check(self, schema: Schema, unit: Unit) -> None:
        """Every attribute of the schema is there."""

    def bounded(self, schema: Schema, unit: Unit, salt: bytes, *, repeatable: bool = False) -> Counts:
        return self.counts.marginal([self.schema.names.index(name) for name in schema])
