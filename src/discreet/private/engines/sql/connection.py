"""Our own DuckDB: its connection, and tables of it to begin expressions with."""

from __future__ import annotations

from itertools import count
from typing import Any

from discreet.private.engines.sql.kinds import SqlKind
from discreet.private.engines.sql.own_tables import SqlTable
from discreet.private.engines.sql.writing import quoted


class OwnDuckdb:
    """What counting asks of a backend of ibis."""

    name = "duckdb"

    def __init__(self, config: dict[str, Any]) -> None:
        import duckdb

        self.con = duckdb.connect(":memory:", config=config)
        self._numbers = count()
        self.raw_sql("SET timezone = 'UTC'")

    def fresh(self) -> str:
        """A name for a table inside of a query, given once."""
        return f"t{next(self._numbers)}"

    def raw_sql(self, query: str) -> Any:
        return self.con.execute(query)

    def described(self, query: str) -> dict[str, SqlKind]:
        """The columns that a query gives."""
        return {name: SqlKind(kind) for name, kind, *_ in self.raw_sql(f"DESCRIBE {query}").fetchall()}

    def table(self, name: str) -> SqlTable:
        """A table or view by its name."""
        return SqlTable(self, quoted(name), self.described(f"SELECT * FROM {quoted(name)}"))

    def create_table(self, name: str, rows: SqlTable, *, temp: bool) -> SqlTable:
        """A table that holds what a query gives."""
        kind = "TEMP TABLE" if temp else "TABLE"
        self.raw_sql(f"CREATE {kind} {quoted(name)} AS {rows.sql}").fetchall()
        return self.table(name)

    def disconnect(self) -> None:
        self.con.close()
