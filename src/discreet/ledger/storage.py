"""Where a ledger is kept, a file or memory: making it whole or not at all, and one connection per operation."""

from __future__ import annotations

import os
import sqlite3
import threading
import uuid
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from discreet.errors import LedgerError, is_address
from discreet.ledger.entries import checked_text
from discreet.ledger.faults import explained
from discreet.ledger.heads import Witness, heads_file, sync_folder
from discreet.ledger.layout import SETTINGS, lay_out
from discreet.naming import usable_path

# SQLite's locks do not survive a fork, so a fork waits until no thread is inside an operation.
_one_operation = threading.RLock()
if hasattr(os, "register_at_fork"):
    _release = _one_operation.release
    os.register_at_fork(before=_one_operation.acquire, after_in_parent=_release, after_in_child=_release)


class Storage:
    """The place of one ledger. `path` None keeps it in the memory of this process."""

    def __init__(self, path: str | Path | None, timeout: float, *, read_only: bool = False) -> None:
        if path is not None:
            usable_path(path, "the path of a ledger")
        self.place = "the account in memory" if path is None else checked_text(str(path), "the path of a ledger")
        if path is not None and is_address(str(path)) and not os.path.exists(path):
            raise LedgerError("a ledger is a file on a local disk; name one instead of a URL or an address")
        self._file = None if path is None else Path(os.path.realpath(path))
        self._timeout, self._read_only, self._process = timeout, read_only, os.getpid()
        if path is None:
            self._memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._memory.close)

    def witness(self) -> Witness:
        return Witness(self._file, self.place, read_only=self._read_only)

    @property
    def durable(self) -> bool:
        return self._file is not None

    def create_if_absent(self, dataset: str, cap: int | None) -> None:
        if self._file is None:
            lay_out(self._memory, dataset, cap)
        else:
            with _one_operation, explained(self.place, self._timeout):
                _create_file_if_absent(self._file, self.place, dataset, cap)

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        """One operation, on its own connection to the file, so that no lock or handle outlives it."""
        if self._read_only and begin != "BEGIN":
            raise LedgerError(f"{self.place} was opened only for reading; to charge, use Ledger.open")
        with _one_operation, explained(self.place, self._timeout):
            connection = self._connect()
            try:
                for statement in (*SETTINGS, begin):
                    connection.execute(statement)
                yield connection
                connection.execute("COMMIT")
            finally:
                with suppress(sqlite3.Error):  # the error that led here is the one to show
                    connection.rollback()
                if self.durable:
                    connection.close()

    def _connect(self) -> sqlite3.Connection:
        if self._file is not None:
            # SQLite needs its side files even to read, unless told that nobody writes
            still = self._read_only and not _pending(self._file) and not os.access(self._file.parent, os.W_OK)
            return _connection(self._file, "immutable=1" if still else "mode=rw", self._timeout)
        if os.getpid() != self._process:  # parent and child would each spend the whole of their copy
            raise LedgerError("an account in memory cannot be shared with a forked process; use a ledger file")
        return self._memory


def _create_file_if_absent(file: Path, place: str, dataset: str, cap: int | None) -> None:
    """Build the ledger under another name and link it into place, so that it is there whole or not at all."""
    draft = file.with_name(f".{uuid.uuid4().hex}.new-ledger")
    try:
        if file.exists():
            return
        if _pending(file) and not file.exists():  # SQLite would play that log into the new ledger
            raise LedgerError(
                f"{place} is missing, but {file.name}-wal beside it holds its last charges. Put it back; "
                "remove that file only if the account should really start again from zero"
            )
        if heads_file(file).exists() and not file.exists():
            raise LedgerError(
                f"{place} is missing, but {heads_file(file).name} beside it knows its entries. Put it back; remove "
                "that file only if the account should really start again from zero"
            )
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(_connection(draft, "mode=rw", 0)) as connection:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                raise LedgerError(f"{place}: a ledger cannot be kept there; name a folder on a local disk")
            lay_out(connection, dataset, cap)
        with suppress(FileExistsError):  # another process was first: its ledger is the one to open
            os.link(draft, file)
        sync_folder(file.parent)
    except OSError as error:
        raise LedgerError(
            f"{place}: the ledger cannot be created there ({error.strerror}). Name a file in an existing, "
            "writable folder on a local disk"
        ) from error
    finally:
        for leftover in (draft.name, f"{draft.name}-wal", f"{draft.name}-shm"):
            with suppress(OSError):
                draft.with_name(leftover).unlink()


def _connection(file: Path, options: str, timeout: float) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.as_uri()}?{options}", timeout=timeout, isolation_level=None, uri=True)


def _pending(file: Path) -> bool:
    """Whether charges that are not yet in the file itself wait in SQLite's write-ahead log beside it."""
    try:
        return os.stat(f"{file}-wal").st_size > 0
    except OSError:
        return False
