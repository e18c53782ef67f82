"""Those rows of a source whose day lies in one period. A row without a day that can be read is in no period."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from discreet.private.engines.base import Source, Wanted
from discreet.private.engines.derived_values import derived
from discreet.private.engines.session import Limits
from discreet.private.engines.values import engine_of
from discreet.schema import Ordinal, Span

_WHEN = "of_period"


class PeriodSource(Source):
    """A source of which other rows are never seen; the days are read as the attribute `dates` reads them."""

    def __init__(self, source: Source, column: str, dates: Ordinal, span: Span) -> None:
        super().__init__(source.name, source.columns)
        source.require([column])
        self._source, self._column, self._dates, self._span = source, column, dates, span
        self.has_careful_reading = source.has_careful_reading
        self.comes_to_us, self.counts_itself = source.comes_to_us, source.counts_itself
        self.has_executors = source.has_executors

    def without_rows(self) -> Source:
        return PeriodSource(self._source.without_rows(), self._column, self._dates, self._span)

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        with self._source.tables({**wanted, _WHEN: self._column}, limits, careful) as parts:
            yield [self._within(part).select(*wanted) for part in parts]

    def _within(self, part: Any) -> Any:
        engine = engine_of(part.get_backend())
        value = derived(part[_WHEN], self._dates, engine)
        day = None if value is None else engine.day(value)
        if day is None:  # the type of the column holds no days
            return part.filter(engine.words.literal(False))
        return part.filter((day >= self._span.first) & (day <= self._span.last))
