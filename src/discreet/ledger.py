"""The budget account of one data set: durable, append-only, chained by hashes, shared between processes.

Costs are whole nano-epsilons, rounded up. A charge is one immediate transaction that checks the cap and
writes the entry, so neither two processes nor a crash can pass the cap. Every entry's hash covers the one
before it; a release keeps the hash of its charge, which an older copy of the ledger would not contain.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import secrets
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from discreet.errors import BadParameter, BudgetExceeded, LedgerError
from discreet.privacy import exact

NANO = 10**9
LARGEST = 2**63 - 1  # what an SQLite integer holds
APPLICATION, FORMAT = 0x44534C47, 1  # "DSLG" tells a ledger from other SQLite files
GENESIS = hashlib.sha256(b"discreet ledger 1").hexdigest()
SETTINGS = ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON")
COLUMNS = "seq, kind, time, who, what, nano, id, digest, hash"
REFUSE = "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
LAYOUT = (
    """CREATE TABLE entries (
        seq INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('opened', 'charge', 'release-recorded')),
        time TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
        nano INTEGER CHECK (typeof(nano) = 'integer' AND nano >= 0 OR nano IS NULL AND kind = 'opened'),
        id TEXT NOT NULL, digest TEXT NOT NULL, hash TEXT NOT NULL,
        UNIQUE (kind, id))""",
    f"CREATE TRIGGER no_update BEFORE UPDATE ON entries {REFUSE}",
    f"CREATE TRIGGER no_delete BEFORE DELETE ON entries {REFUSE}",
    # INSERT OR REPLACE removes the old row without firing the trigger on deletes
    f"""CREATE TRIGGER no_replace BEFORE INSERT ON entries
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
            OR EXISTS (SELECT 1 FROM entries WHERE kind = NEW.kind AND id = NEW.id) {REFUSE}""",
)

_AGAIN = "repeat with the same release id: a charge that did reach the disk is not made twice"
_DAMAGED = "{place}: the ledger was changed by hand or damaged ({error}). Restore it from a backup"
_NOT_A_LEDGER = "{place} is not a Discreet ledger and was left as it is. Name the ledger's file, or a new one"
_NO_ACCESS = (
    "{place} cannot be opened ({error}). See that it exists and that you may write it and its folder, where "
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
    sqlite3.SQLITE_IOERR: "{place}: the disk failed or a quota is used up ({error}). Mend that and " + _AGAIN,
    sqlite3.SQLITE_NOTADB: _NOT_A_LEDGER,
}

# SQLite's locks do not survive a fork, so a fork waits until no thread is inside an operation.
_one_operation = threading.RLock()
if hasattr(os, "register_at_fork"):
    _release = _one_operation.release
    os.register_at_fork(before=_one_operation.acquire, after_in_parent=_release, after_in_child=_release)


@dataclass(frozen=True)
class Entry:
    """One line of the account. `nano` is the cap (or None) of `opened` and the cost of a `charge`."""

    seq: int
    kind: str
    time: str
    who: str
    what: str
    nano: int | None
    id: str
    digest: str
    hash: str = ""

    @property
    def epsilon(self) -> Fraction | None:
        return _epsilon(self.nano)

    def chained(self, previous: str) -> Entry:
        """This entry with the hash that it must have after the entry whose hash is `previous`."""
        # repr: only tampering can put in what JSON does not know
        text = json.dumps([previous, *astuple(self)[:-1]], separators=(",", ":"), default=repr)
        return replace(self, hash=hashlib.sha256(text.encode("ascii")).hexdigest())


@dataclass(frozen=True)
class Charge:
    """A cost that is in the ledger for good. `head`, the hash of its entry, belongs in the release."""

    release_id: str
    request: str
    epsilon: Fraction
    time: str
    head: str
    repeated: bool


@dataclass(frozen=True)
class _State:
    """What the checked entries add up to."""

    seq: int = 0
    head: str = GENESIS
    dataset: str = ""
    budget: int | None = None
    spent: int = 0

    def after(self, entry: Entry, place: str) -> _State:
        first = self.seq == 0
        if (entry.kind == "opened") != first or entry.chained(self.head) != entry:
            raise _damaged(place, f"entry {entry.seq} is not as it was written")
        if first:
            return _State(entry.seq, entry.hash, entry.what, entry.nano)
        return replace(self, seq=entry.seq, head=entry.hash, spent=self.spent + (entry.nano or 0))


class Ledger:
    """An account: `Ledger.open` to charge it, `Ledger.read` to look. Safe in threads, processes and forks."""

    def __init__(self, path: str | Path | None, timeout: float, *, read_only: bool = False) -> None:
        self._place = "the account in memory" if path is None else _text(str(path), "the path of a ledger")
        self._file = None if path is None else Path(os.path.realpath(path))
        self._timeout, self._read_only, self._process = timeout, read_only, os.getpid()
        self._state = _State()
        if path is None:
            self._memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._memory.close)

    @classmethod
    def open(cls, path: str | Path | None, dataset: str, budget: Fraction | None, *, timeout: float = 30.0) -> Ledger:
        """The ledger of `dataset` at `path`, created if absent; None keeps the account in memory only."""
        ledger, dataset, cap = cls(path, timeout), _text(dataset, "dataset"), _cap(budget)
        if ledger._file is None:
            _lay_out(ledger._memory, dataset, cap)
        else:
            with _one_operation, _explained(ledger._place, timeout):
                _create_if_absent(ledger._file, ledger._place, dataset, cap)
        ledger._check_format()
        ledger.verify()
        ledger._check_purpose(dataset, cap)
        return ledger

    @classmethod
    def read(cls, path: str | Path, *, timeout: float = 30.0) -> Ledger:
        """An existing ledger, to look at. `entries` shows even a damaged one; `verify` and totals do not."""
        ledger = cls(path, timeout, read_only=True)
        ledger._check_format()
        return ledger

    @property
    def durable(self) -> bool:
        return self._file is not None

    @property
    def dataset(self) -> str:
        return self._now().dataset

    @property
    def budget(self) -> Fraction | None:
        return _epsilon(self._now().budget)

    @property
    def spent(self) -> Fraction:
        return Fraction(self._now().spent, NANO)

    @property
    def left(self) -> Fraction | None:
        """What may still be charged; None when the ledger has no cap."""
        state = self._now()
        return None if state.budget is None else Fraction(state.budget - state.spent, NANO)

    def head(self) -> str:
        return self._now().head

    def contains_head(self, head: str) -> bool:
        """Whether this account ever stood at `head`: if not, it is an older copy, or another ledger."""
        return any(entry.hash == head for entry in self.entries())

    def entries(self) -> list[Entry]:
        with self._transaction("BEGIN") as connection:
            return list(_rows(connection, "ORDER BY seq"))

    def charge(self, release_id: str, request: str, epsilon: Fraction, who: str, what: str) -> Charge:
        """Spend `epsilon` for good, or find that this very request has already been paid for."""
        release_id, request = _text(release_id, "release id"), _text(request, "request digest")
        who, what, cost = _text(who, "who"), _text(what, "what"), -(-exact(epsilon, "epsilon") * NANO // 1)
        with self._transaction("BEGIN IMMEDIATE") as connection:
            state = self._catch_up(connection)
            earlier = paid = _find(connection, "charge", release_id)
            if paid is None:
                self._check_cap(state, cost)
                line = Entry(0, "charge", _time(), who, what, cost, release_id, request)
                paid = _append(connection, state, line)
            elif (paid.digest, paid.nano) != (request, cost):
                raise LedgerError(
                    f"{self._place}: release {release_id!r} was charged for another request by {paid.who} "
                    f"on {paid.time}. Give the changed request a new release id; nothing was charged"
                )
        return Charge(release_id, request, Fraction(cost, NANO), paid.time, paid.hash, earlier is not None)

    def record(self, release_id: str, digest: str) -> None:
        """Fix the bytes of a charged release by their digest; a second, different digest is refused."""
        release_id, digest = _text(release_id, "release id"), _text(digest, "release digest")
        with self._transaction("BEGIN IMMEDIATE") as connection:
            state, paid = self._catch_up(connection), _find(connection, "charge", release_id)
            earlier = _find(connection, "release-recorded", release_id)
            if paid is None:
                raise LedgerError(f"{self._place}: release {release_id!r} was never charged: charge it first")
            if earlier is None:
                line = replace(paid, kind="release-recorded", time=_time(), nano=0, digest=digest)
                _append(connection, state, line)
            elif earlier.digest != digest:
                raise LedgerError(
                    f"{self._place}: release {release_id!r} was recorded with other bytes on {earlier.time}. "
                    "Discard this output and use the recorded one"
                )

    def recorded(self, release_id: str) -> str | None:
        with self._transaction("BEGIN") as connection:
            entry = _find(connection, "release-recorded", _text(release_id, "release id"))
        return None if entry is None else entry.digest

    def verify(self) -> None:
        """Check the file, its append-only triggers and the whole chain; LedgerError says what is wrong."""
        with self._transaction("BEGIN") as connection, closing(sqlite3.connect(":memory:")) as model:
            objects = "SELECT name, sql FROM sqlite_master ORDER BY name"
            for statement in LAYOUT:
                model.execute(statement)
            if connection.execute(objects).fetchall() != model.execute(objects).fetchall():
                raise _damaged(self._place, "its tables or triggers are not as they were made")
            if (fault := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                raise _damaged(self._place, fault)
            self._catch_up(connection, _State())

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        """One operation, on its own connection to the file, so that no lock or handle outlives it."""
        if self._read_only and begin != "BEGIN":
            raise LedgerError(f"{self._place} was opened to be read only; to charge, use Ledger.open")
        with _one_operation, _explained(self._place, self._timeout):
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
            raise LedgerError("an account in memory cannot be shared with a forked process; keep a ledger file")
        return self._memory

    def _now(self) -> _State:
        with self._transaction("BEGIN") as connection:
            return self._catch_up(connection)

    def _catch_up(self, connection: sqlite3.Connection, start: _State | None = None) -> _State:
        """Check the entries after `start`; by default, those that this object has not checked before."""
        known = self._state
        again = next(_rows(connection, "WHERE seq = ?", known.seq), None)
        if known.seq and (again is None or again.hash != known.head):
            raise LedgerError(
                f"{self._place}: entry {known.seq}, which this program has seen, is gone: an older copy or "
                "another ledger was put in its place. Put the right one back; nothing was charged"
            )
        state = known if start is None else start
        for entry in _rows(connection, "WHERE seq > ? ORDER BY seq", state.seq):
            state = state.after(entry, self._place)
        if not state.seq:
            raise _damaged(self._place, "it has no entries")
        self._state = state
        return state

    def _check_format(self) -> None:
        with self._transaction("BEGIN") as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise LedgerError(_NOT_A_LEDGER.format(place=self._place))
        if version != FORMAT:
            raise LedgerError(
                f"{self._place} is in format {version}, and this version of Discreet knows format {FORMAT}: "
                "use the version that wrote it, or a newer one"
            )

    def _check_purpose(self, dataset: str, cap: int | None) -> None:
        state = self._state
        if state.dataset != dataset:
            raise LedgerError(
                f"{self._place} is the ledger of data set {state.dataset!r}, not of {dataset!r}. Name the "
                f"right ledger or, if the data are the same, call the data set {state.dataset!r}"
            )
        if cap is not None and cap != state.budget:
            raise LedgerError(
                f"{self._place} was opened with {_budget(state.budget)}, not {_budget(cap)}. That is "
                f"fixed for a ledger: ask for {_budget(state.budget)}"
            )

    def _check_cap(self, state: _State, cost: int) -> None:
        left = (LARGEST if state.budget is None else state.budget) - state.spent
        if cost > left:
            raise BudgetExceeded(
                f"{self._place}: data set {state.dataset!r} has {_budget(state.budget)}; spent "
                f"{_plain(state.spent)}, asked {_plain(cost)}, left {_plain(left)}. Nothing was charged: "
                + (f"ask for at most {_plain(left)}" if left else "this data set can give no more releases")
            )


def _create_if_absent(file: Path, place: str, dataset: str, cap: int | None) -> None:
    """Build the ledger under another name and link it into place, so that it is there whole or not at all."""
    draft = file.with_name(f".{secrets.token_hex(8)}.new-ledger")
    try:
        if file.exists():
            return
        if _pending(file) and not file.exists():  # SQLite would play that log into the new ledger
            raise LedgerError(
                f"{place} is missing, but {file.name}-wal beside it holds its last charges. Put it back; "
                "remove that file only if the account is really to start anew"
            )
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        with closing(_connection(draft, "mode=rw", 0)) as connection:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                raise LedgerError(f"{place}: no ledger can be kept there; name a folder on a local disk")
            _lay_out(connection, dataset, cap)
        with suppress(FileExistsError):  # another process was first: its ledger is the one to open
            os.link(draft, file)
        if hasattr(os, "O_DIRECTORY"):  # where a folder can be opened, its new name must be made durable
            os.fsync(folder := os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY))
            os.close(folder)
    except OSError as error:
        raise LedgerError(
            f"{place}: the ledger cannot be made there ({error.strerror}). Name a file in an existing, "
            "writable folder on a local disk"
        ) from error
    finally:
        for leftover in (draft.name, f"{draft.name}-wal", f"{draft.name}-shm"):
            with suppress(OSError):
                draft.with_name(leftover).unlink()


def _lay_out(connection: sqlite3.Connection, dataset: str, cap: int | None) -> None:
    try:
        who = _text(getpass.getuser(), "who")
    except (KeyError, OSError):
        who = "unknown"
    for statement in (*SETTINGS, "BEGIN IMMEDIATE", *LAYOUT):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    # the random id makes every ledger's chain its own, even if one is started anew with the same words
    _append(connection, _State(), Entry(0, "opened", _time(), who, dataset, cap, secrets.token_hex(16), ""))
    connection.execute("COMMIT")


def _connection(file: Path, options: str, timeout: float) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.as_uri()}?{options}", timeout, isolation_level=None, uri=True)


def _pending(file: Path) -> bool:
    """Whether charges that are not yet in the file itself wait in SQLite's write-ahead log beside it."""
    try:
        return os.stat(f"{file}-wal").st_size > 0
    except OSError:
        return False


def _rows(connection: sqlite3.Connection, clause: str, *values: object) -> Iterator[Entry]:
    return (Entry(*row) for row in connection.execute(f"SELECT {COLUMNS} FROM entries {clause}", values))


def _find(connection: sqlite3.Connection, kind: str, release_id: str) -> Entry | None:
    return next(_rows(connection, "WHERE kind = ? AND id = ?", kind, release_id), None)


def _append(connection: sqlite3.Connection, state: _State, entry: Entry) -> Entry:
    entry = replace(entry, seq=state.seq + 1).chained(state.head)
    connection.execute(f"INSERT INTO entries ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", astuple(entry))
    return entry


@contextmanager
def _explained(place: str, timeout: float) -> Iterator[None]:
    """Turn SQLite's errors into ours, each with its fix."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # the rest is detail
        message = _EXPLANATIONS.get(code, _DAMAGED)
        raise LedgerError(message.format(place=place, timeout=timeout, error=error)) from error


def _damaged(place: str, fault: str) -> LedgerError:
    return LedgerError(_DAMAGED.format(place=place, error=fault))


def _text(value: str, name: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise BadParameter(f"{name} must be a text, not empty and without NUL, not {value!r}")
    # a user name or path that is no valid text must not stop a charge
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _time() -> str:
    return datetime.now(UTC).isoformat()


def _cap(budget: Fraction | None) -> int | None:
    nano = None if budget is None else exact(budget, "budget") * NANO
    if nano is not None and (nano.denominator != 1 or nano > LARGEST):
        raise BadParameter(
            f"budget {budget} must be a whole number of billionths, of at most {_plain(LARGEST)}: write, for "
            f"example, {_plain(min(nano // 1, LARGEST) or 1)}"
        )
    return None if nano is None else int(nano)


def _epsilon(nano: int | None) -> Fraction | None:
    return None if nano is None else Fraction(nano, NANO)


def _plain(nano: int) -> str:
    return f"{nano // NANO}.{nano % NANO:09d}".rstrip("0").rstrip(".")


def _budget(cap: int | None) -> str:
    return "no budget" if cap is None else f"a budget of {_plain(cap)}"
