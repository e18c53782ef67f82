"""What can go wrong with a ledger's file, in words: each of SQLite's errors with its place and its fix."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from discreet.errors import LedgerError

_AGAIN = "publish again under the same name: a charge that did reach the disk is not made twice"
_DAMAGED = "{place}: the ledger was changed by hand or damaged ({error}). Restore it from a backup"
NOT_A_LEDGER = "{place} is not a Discreet ledger and was left as it is. Name the ledger's file, or a new one"
_NO_ACCESS = (
    "{place} cannot be opened ({error}). Check that it exists and that you may write to it and its folder, where "
    "SQLite keeps a log beside it; nothing was charged"
)
_LOCKED = (
    "ledger locked: another program has held {place} for more than {timeout:g} s. Let it finish or end it, "
    "then try again; nothing was charged"
)
_EXPLANATIONS = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_PROTOCOL: _LOCKED,
    sqlite3.SQLITE_CANTOPEN: _NO_ACCESS,
    sqlite3.SQLITE_READONLY: _NO_ACCESS,
    sqlite3.SQLITE_PERM: _NO_ACCESS,
    sqlite3.SQLITE_FULL: "{place}: the disk is full. Free some space and " + _AGAIN,
    sqlite3.SQLITE_IOERR: "{place}: the disk failed or a quota is used up ({error}). Fix that and " + _AGAIN,
    sqlite3.SQLITE_NOTADB: NOT_A_LEDGER,
}


@contextmanager
def explained(place: str, timeout: float) -> Iterator[None]:
    """Turn SQLite's errors into ours, each with its fix."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # the rest is detail
        message = _EXPLANATIONS.get(code, _DAMAGED)
        raise LedgerError(message.format(place=place, timeout=timeout, error=error)) from error


def damaged(place: str, fault: str) -> LedgerError:
    return LedgerError(_DAMAGED.format(place=place, error=fault))
