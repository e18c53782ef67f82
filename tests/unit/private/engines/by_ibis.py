"""Any source whose rows come to us, counted by ibis over the same DuckDB instead of by SQL of our own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ibis

from discreet.private.engines.base import Source, Wanted
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import Limits, quiet


class ByIbis(Source):
    def __init__(self, thing: Any) -> None:
        self._source = open_source(thing)
        super().__init__(self._source.name, self._source.columns)

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        with self._source.tables(wanted, limits, careful) as parts:
            own = parts[0].get_backend()
            for place, part in enumerate(parts):
                own.raw_sql(f"CREATE TEMP VIEW by_ibis{place} AS {part.sql}")
            with quiet():
                backend = ibis.duckdb.from_connection(own.con)
                yield [backend.table(f"by_ibis{place}") for place in range(len(parts))]
