"""Private data that an experiment holds already in the one form that its methods look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from discreet.private.counts import Counts
from discreet.private.kept import Histories


@dataclass(frozen=True)
class OnlyHistories:
    """What users have, for methods that look at nothing else."""

    held: Histories

    def histories(self, looks: int) -> Histories:
        return self.held

    def table(self) -> NoReturn:
        raise TypeError("only histories are held")

    def tables(self, sets: Sequence[Sequence[int]]) -> NoReturn:
        raise TypeError("only histories are held")


@dataclass(frozen=True)
class OnlyTables:
    """One table for each set of attributes, for methods that look at nothing else."""

    held: list[Counts]

    def tables(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        return self.held

    def table(self) -> NoReturn:
        raise TypeError("only tables of some attributes are held")

    def histories(self, looks: int) -> NoReturn:
        raise TypeError("only tables of some attributes are held")
