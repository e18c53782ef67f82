"""What every source can do: name its columns, and let its rows be read so that no failure shows any of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from discreet.errors import DiscreetError, SourceError
from discreet.naming import did_you_mean
from discreet.private.engines.session import Limits, unreadable, was_stopped

Result = TypeVar("Result")
#: alias -> name of columns
Wanted = Mapping[str, str]
Work = Callable[[list[Any]], Result]
#: the name under which counting finds the column that names users
USER = "user"
_MOST_NAMES = 40


class Source(ABC):
    """A private table. Its column names are public; nothing else of it is ever shown."""

    #: whether a failed reading is worth a second one, slower and more tolerant
    has_careful_reading = False
    #: whether its rows come by once, for one query alone
    is_stream = False
    #: whether its rows are counted by our own DuckDB, whatever is asked of them
    comes_to_us = True
    #: whether rows stay where they are and only aggregates are handed out
    counts_itself = False
    #: whether what counts them can also do our work on the counts, slice by slice
    has_executors = False

    def __init__(self, name: str, columns: Iterable[str]) -> None:
        self.name = name
        self.columns = list(columns)
        seen: dict[str, int] = {}
        for place, column in enumerate(self.columns, start=1):
            # engines ignore case in names; told by place, because in a file without a header the names are data
            if column and (twin := seen.setdefault(column.casefold(), place)) != place:
                raise SourceError(
                    f"{name}: two columns, {twin} and {place}, have the same name (upper and lower case count as one); "
                    "rename one, or give the file a first line that names its columns"
                )

    def require(self, names: Iterable[str]) -> None:
        """Raises unless every one of these columns is there. Reads nothing private."""
        if lacking := self.lacking(names):
            raise SourceError(f"{self.name}: {' '.join(lacking.values())} Correct the attribute's name or its `column`")

    def lacking(self, names: Iterable[str]) -> dict[str, str]:
        """Those of these columns that are not there, each in a sentence; raises if none of them is."""
        needed = list(dict.fromkeys(names))
        missing = [name for name in needed if not name or name not in self.columns]
        if len(missing) == len(needed) > 1:  # the names found may be data: show none of them
            raise SourceError(
                f"{self.name}: has none of the columns {', '.join(needed)}; "
                "does it name its columns (a CSV file does so in its first line)?"
            )
        known = f" It has: {_some(filter(None, self.columns))}." if len(missing) < len(needed) else ""
        return {name: f"no column {name!r}.{did_you_mean(name, self.columns)}{known}" for name in missing}

    def read(self, wanted: Wanted, limits: Limits, work: Work[Result]) -> Result:
        """What `work` makes of `tables`. No failure on the way shows anything of the rows."""
        result = self._read(wanted, limits, work)
        if isinstance(result, DiscreetError):
            raise result
        return result

    def _read(self, wanted: Wanted, limits: Limits, work: Work[Result]) -> Result | DiscreetError:
        """The result, or what went wrong: returned, so that no frame that sees rows is part of a traceback."""
        for careful in (False, True) if self.has_careful_reading else (False,):
            try:
                with self.tables(wanted, limits, careful) as parts:
                    return work(parts)
            except (KeyboardInterrupt, SystemExit, GeneratorExit):
                raise
            except DiscreetError as error:  # about public facts: a type, an attribute
                error.__cause__ = error.__context__ = None
                return error.with_traceback(None)
            except BaseException as error:  # polars raises some that are no Exception
                if was_stopped(error):
                    raise KeyboardInterrupt from None
                failure = unreadable(error, self.name)
        return failure

    def without_rows(self) -> Source:
        """Columns of the same types, over which a query can be built at no cost: by default, this source itself."""
        return self

    @abstractmethod
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> AbstractContextManager[list[Any]]:
        """Tables (see `expressions`) that together hold every row once, with the columns `wanted` (alias -> name)."""

    def __repr__(self) -> str:
        return f"Source({self.name!r})"


def columns_changed(name: str) -> SourceError:
    return SourceError(f"{name}: its first line is another one than when it was opened; open the data again")


def _some(names: Iterable[str]) -> str:
    """The names, at least as many as fit a few lines."""
    listed = list(names)
    more = f", and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more
