"""What every source can do: say its column names, and hand its columns to the counting expression."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from discreet.errors import SourceError
from discreet.naming import did_you_mean
from discreet.private.engines.session import Limits


class Source(ABC):
    """A private table. Its column names are public; nothing else of it shows."""

    def __init__(self, name: str, columns: Iterable[str]) -> None:
        self.name = name
        self._columns = list(columns)
        seen: dict[str, int] = {}
        for place, column in enumerate(self._columns, start=1):
            # engines look columns up without regard to case; by place, for without a header names are data
            if column and (twin := seen.setdefault(column.casefold(), place)) != place:
                raise SourceError(
                    f"{name}: two columns, {twin} and {place}, have the same name (upper and lower case count as one); "
                    "rename one, or give the file a first line that names its columns"
                )

    def columns(self) -> list[str]:
        return list(self._columns)

    def require(self, names: Iterable[str]) -> None:
        """Raises unless every one of these columns is there. Reads nothing private."""
        needed = list(names)
        missing = [name for name in needed if not name or name not in self._columns]
        if not missing:
            return
        if len(missing) == len(needed) > 1:  # what was taken for names may be data: show none of it
            raise SourceError(
                f"{self.name}: has none of the columns {', '.join(needed)}; does its first line name its columns?"
            )
        hints = [f"no column {name!r}.{did_you_mean(name, self._columns)}" for name in missing]
        raise SourceError(f"{self.name}: {' '.join(hints)} Correct the attribute's name or the data")

    def has_careful_reading(self) -> bool:
        """Whether a failed reading is worth a second, slower one that takes what the first does not."""
        return False

    @abstractmethod
    def without_rows(self) -> Source:
        """A source with the same types of columns, over which expressions can be built at no cost, if not be run."""

    @abstractmethod
    def tables(self, wanted: Mapping[str, str], limits: Limits, careful: bool) -> AbstractContextManager[list[Any]]:
        """ibis tables that together hold the rows once, with the columns `wanted` (alias -> name) only."""

    def __repr__(self) -> str:
        return f"Source({self.name!r})"
