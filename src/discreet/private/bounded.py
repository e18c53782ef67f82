"""What a mechanism may look at, and where that comes from: two small protocols for rows (`rows`) and ready counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from discreet.privacy import Unit
from discreet.schema import Schema

if TYPE_CHECKING:
    from discreet.private.counts import Counts
    from discreet.private.kept import Histories


class Bounded(Protocol):
    """The data of one request, with what each unit adds bounded. Every call looks at the data. `Counts` are one."""

    def table(self) -> Counts:
        """Counts by all attributes of the request."""

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Counts by some of the attributes at a time, given by their places, all of the same rows."""

    def histories(self, looks: int) -> Histories:
        """What users have, for so many looks at it."""


class Origin(Protocol):
    """Where private data come from."""

    @property
    def has_rows(self) -> bool:
        """Whether it knows whose each record is."""

    def check(self, schema: Schema, unit: Unit, task: str = "table") -> None:
        """Complains if these columns cannot be counted as a task of this name does. Looks at no row."""

    def bounded(self, schema: Schema, unit: Unit, salt: bytes, *, repeatable: bool = False) -> Bounded:
        """The data of one request; with `repeatable`, read in the same order every time, for test noise from a seed."""


@dataclass(frozen=True)
class ReadyCounts:
    """A table by all attributes of a schema, made by somebody else. No bound can be enforced on it any more."""

    schema: Schema
    counts: Counts
    has_rows = False

    def check(self, schema: Schema, unit: Unit, task: str = "table") -> None:
        """Every attribute of the schema is there."""

    def bounded(self, schema: Schema, unit: Unit, salt: bytes, *, repeatable: bool = False) -> Counts:
        return self.counts.marginal([self.schema.names.index(name) for name in schema])
