"""The tables of a ledger inside SQLite: how they are made and checked, and how entries go in and out."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import astuple, replace

from discreet.errors import LedgerError
from discreet.ledger.entries import Entry, Scope, current_user, kept_name, timestamp
from discreet.ledger.faults import NOT_A_LEDGER, damaged
from discreet.ledger.standing import State

APPLICATION = 0x44534C47  # "DSLG" tells a ledger from other SQLite files
#: the first has charges for all rows alone, and earlier versions read it; a ledger gets the second when it needs it
PLAIN, FULL = 1, 2
SETTINGS = ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON")
COLUMNS = "seq, kind, time, who, what, nano, id, digest, hash"
SCOPE = "dataset, period, partition, neighbours"
REFUSE = "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
TRIGGERS = (
    f"CREATE TRIGGER no_update BEFORE UPDATE ON entries {REFUSE}",
    f"CREATE TRIGGER no_delete BEFORE DELETE ON entries {REFUSE}",
    # INSERT OR REPLACE removes the old row without firing the trigger on deletes
    f"""CREATE TRIGGER no_replace BEFORE INSERT ON entries
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
            OR EXISTS (SELECT 1 FROM entries WHERE kind = NEW.kind AND id = NEW.id) {REFUSE}""",
)
LAYOUTS = {
    PLAIN: (
        """CREATE TABLE entries (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('opened', 'charge', 'release-recorded')),
        time TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
        nano INTEGER CHECK (typeof(nano) = 'integer' AND nano >= 0 OR nano IS NULL AND kind = 'opened'),
        id TEXT NOT NULL, digest TEXT NOT NULL, hash TEXT NOT NULL,
        UNIQUE (kind, id))""",
        *TRIGGERS,
    ),
    FULL: (
        """CREATE TABLE entries (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('opened', 'charge', 'release-recorded', 'raised', 'closed', 'reopened',
            'dataset-added')),
        time TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
        nano INTEGER CHECK (typeof(nano) = 'integer' AND nano >= 0 OR nano IS NULL AND kind = 'opened'),
        id TEXT NOT NULL, digest TEXT NOT NULL, hash TEXT NOT NULL,
        dataset TEXT NOT NULL, period TEXT NOT NULL, partition TEXT NOT NULL,
        neighbours TEXT NOT NULL CHECK (neighbours IN ('', 'add-remove', 'replace')),
        UNIQUE (kind, id))""",
        *TRIGGERS,
    ),
}


def lay_out(connection: sqlite3.Connection, dataset: str, cap: int | None) -> None:
    """Make the tables and the first entry, in one transaction."""
    for statement in (*SETTINGS, "BEGIN IMMEDIATE", *LAYOUTS[PLAIN]):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {PLAIN}")
    # the unique id makes every ledger's chain its own, even if another one starts with the same words
    name = kept_name(dataset, "dataset")
    append(connection, State(), Entry(0, "opened", timestamp(), current_user(), name, cap, uuid.uuid4().hex, ""))
    connection.execute("COMMIT")


def _extend(connection: sqlite3.Connection) -> None:
    """The same entries in tables of the second format, inside of a transaction: all of it happens, or nothing."""
    entries = list(rows(connection, "ORDER BY seq"))
    connection.execute("DROP TABLE entries")
    for statement in LAYOUTS[FULL]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {FULL}")
    for entry in entries:
        _insert(connection, entry)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_format(connection: sqlite3.Connection, place: str) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = _version(connection)
    if application != APPLICATION:
        raise LedgerError(NOT_A_LEDGER.format(place=place))
    if version not in LAYOUTS:
        raise LedgerError(
            f"{place} is in format {version}, and this version of Discreet knows formats {PLAIN} and {FULL}: "
            "use the version that wrote it, or a newer one"
        )


def check_tables(connection: sqlite3.Connection, place: str) -> None:
    """Whether tables, triggers and the file's pages are as `lay_out` and SQLite made them."""
    objects = "SELECT name, sql FROM sqlite_master ORDER BY name"
    with closing(sqlite3.connect(":memory:")) as model:
        for statement in LAYOUTS[_version(connection)]:
            model.execute(statement)
        if connection.execute(objects).fetchall() != model.execute(objects).fetchall():
            raise damaged(place, "its tables or triggers are not as they were made")
    if (fault := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
        raise damaged(place, fault)


def rows(connection: sqlite3.Connection, clause: str, *values: object) -> Iterator[Entry]:
    columns = COLUMNS if _version(connection) == PLAIN else f"{COLUMNS}, {SCOPE}"
    found = connection.execute(f"SELECT {columns} FROM entries {clause}", values)
    return (replace(Entry(*row[:9]), scope=Scope(*row[9:])) for row in found)


def find(connection: sqlite3.Connection, kind: str, release_id: str) -> Entry | None:
    return next(rows(connection, "WHERE kind = ? AND id = ?", kind, release_id), None)


def heads(connection: sqlite3.Connection, first: int = 1) -> dict[int, str]:
    """The number and the hash of every entry from this number on."""
    return dict(connection.execute("SELECT seq, hash FROM entries WHERE seq >= ?", (first,)))


def append(connection: sqlite3.Connection, state: State, entry: Entry) -> Entry:
    entry = replace(entry, seq=state.seq + 1).chained(state.head)
    if not entry.is_plain and _version(connection) == PLAIN:
        _extend(connection)
    _insert(connection, entry)
    return entry


def _insert(connection: sqlite3.Connection, entry: Entry) -> None:
    line = (entry.seq, entry.kind, entry.time, entry.who, entry.what, entry.nano, entry.id, entry.digest, entry.hash)
    if _version(connection) == PLAIN:
        connection.execute(f"INSERT INTO entries ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", line)
    else:
        values = (*line, *astuple(entry.scope))
        connection.execute(f"INSERT INTO entries ({COLUMNS}, {SCOPE}) VALUES ({','.join('?' * 13)})", values)
