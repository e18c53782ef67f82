"""Tables of PostgreSQL, counted and bounded there: by a role that may only read, and only aggregates come to us."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from urllib.parse import urlsplit

from discreet.errors import SourceError
from discreet.private.engines.base import USER, Source, Wanted
from discreet.private.engines.postgres_types import base_types, plain_column
from discreet.private.engines.session import Limits, quiet
from discreet.private.engines.sql.writing import quoted

SCHEMES = ("postgresql://", "postgres://")
#: how values are written as text, whatever the role or the database prefers; large expressions are not worth compiling
_SETTINGS = {"TimeZone": "UTC", "DateStyle": "ISO, YMD", "extra_float_digits": "1", "jit": "off"}
_NAMES = re.compile(r'(?:"(?:[^"]|"")+"|[^".]+)(?:\.(?:"(?:[^"]|"")+"|[^".]+)){0,2}')
_REASONS = {
    "28P01": "the password or the role is wrong",
    "28000": "this role may not connect",
    "3D000": "there is no such database",
    "42P01": "there is no such table; name it with its schema, such as public.visits",
    "3F000": "there is no such schema",
    "42501": "the role may not read it, or not call a function of the server; GRANT SELECT on it",
}


class PostgresSource(Source):
    """Some rows of a PostgreSQL database; a subclass says which, and through which connection."""

    counts_itself = True
    comes_to_us = False

    def __init__(self, name: str, *, without_rows: bool = False) -> None:
        self._ending = " LIMIT 0" if without_rows else ""
        with self._told(name), self._connected() as backend:
            self._rows = self._relation(backend)
            with backend.con.cursor() as cursor, backend.con.transaction():
                cursor.execute(f"SELECT * FROM {self._rows} LIMIT 0")
                found = list(cursor.description or ())
            kinds = base_types(backend.con, [one.type_code for one in found])
        super().__init__(name, [one.name for one in found])
        self._kinds = {one.name: kinds.get(one.type_code, "") for one in found}
        whole = [one.name for one in found if self._kinds[one.name] == "numeric" and one.scale == 0]
        self._kinds |= dict.fromkeys(whole, "numeric(, 0)")

    @contextmanager
    def tables(self, wanted: Wanted, limits: Limits, careful: bool) -> Iterator[list[Any]]:
        import ibis
        import ibis.expr.operations as ops

        if self._kinds.get(wanted.get(USER, "")) == "bytea":
            raise SourceError(f"column {wanted[USER]!r} cannot name users: turn its bytes into text in a view")
        columns = {alias: plain_column(name, self._kinds[name]) for alias, name in wanted.items()}
        picked = ", ".join(f"{sql} AS {quoted(alias)}" for alias, (sql, _) in columns.items())
        types = ibis.schema({alias: known for alias, (_, known) in columns.items()})
        # where there are no rows, none can be quoted
        with self._told(self.name) if self._ending else nullcontext(), self._connected() as backend, quiet():
            query = f"SELECT {picked} FROM {self._rows} AS given{self._ending}"
            yield [ops.SQLQueryResult(query, types, backend).to_expr()]

    @abstractmethod
    def _connected(self) -> Any:
        """A context with an ibis backend whose settings are ours."""

    @abstractmethod
    def _relation(self, backend: Any) -> str:
        """SQL that names the rows."""

    @staticmethod
    @contextmanager
    def _told(name: str) -> Iterator[None]:
        """Failures that say what is wrong in our own words: those of the server may quote what it was given."""
        import psycopg

        reason = None
        try:
            yield
        except (psycopg.Error, UnicodeError) as error:
            state = getattr(error, "sqlstate", None)
            if state is None and "password authentication failed" in str(error):
                state = "28P01"
            if state is None and "does not exist" in str(error):
                state = "3D000"
            if state is None and "no password supplied" in str(error):
                reason = "it wants a password: set PGPASSWORD, or write a line into ~/.pgpass"
            reason = reason or _REASONS.get(state or "", "no connection, or the server refused; try it with psql")
        if reason is not None:
            raise SourceError(f"{name}: {reason}")


class PostgresTable(PostgresSource):
    """A table or view by its address, through connections of our own that can only read."""

    def __init__(self, address: str, table: str, *, without_rows: bool = False) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError:
            raise SourceError("PostgreSQL needs more: pip install 'discreet[postgres]'") from None
        if not _NAMES.fullmatch(table):
            raise SourceError(f"{table!r} is no name of a table; write it like visits, or like public.visits")
        self._address, self._table = address, table
        super().__init__(f"{_shown(address)}::{table}", without_rows=without_rows)

    def without_rows(self) -> Source:
        return PostgresTable(self._address, self._table, without_rows=True)

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        import ibis
        import psycopg

        with psycopg.connect(self._address, autocommit=True) as connection:
            _configure(connection, {**_SETTINGS, "default_transaction_read_only": "on"})
            yield ibis.postgres.from_connection(connection)

    def _relation(self, backend: Any) -> str:
        parts = re.findall(r'"(?:[^"]|"")+"|[^".]+', self._table)
        return ".".join(part if part.startswith('"') else quoted(part) for part in parts)


class IbisPostgresSource(PostgresSource):
    """An ibis table in PostgreSQL, through its own connection, which gets its settings back afterwards."""

    def __init__(self, table: Any, name: str, *, without_rows: bool = False) -> None:
        self._given = table
        super().__init__(name, without_rows=without_rows)

    def without_rows(self) -> Source:
        return IbisPostgresSource(self._given, self.name, without_rows=True)

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        backend = self._given.get_backend()
        before = _configure(backend.con, _SETTINGS)
        try:
            yield backend
        finally:
            if not backend.con.closed:
                _configure(backend.con, before)

    def _relation(self, backend: Any) -> str:
        with quiet():
            backend.to_pyarrow(self._given.limit(0))  # makes ibis register what the table refers to
            return f"({backend.compile(self._given)})"


def _configure(connection: Any, settings: dict[str, str]) -> dict[str, str]:
    """Change settings of a session; returns what they were."""
    before = {}
    with connection.cursor() as cursor, connection.transaction():
        for name, value in settings.items():
            before[name] = cursor.execute("SELECT current_setting(%s)", [name]).fetchone()[0]
            cursor.execute("SELECT set_config(%s, %s, false)", [name, value])
    return before


def _shown(address: str) -> str:
    """An address without role, password and parameters."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise SourceError(
            "the address of the database is malformed; write postgresql://ROLE@HOST:PORT/DATABASE"
        ) from None
    return f"postgresql://{parts.hostname or ''}{port}{parts.path}"
