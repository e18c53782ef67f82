"""A witness beside the ledger: a line for each entry, its number and its hash, in a file that only ever grows.

An older copy of a ledger is whole in itself. What gives it away is that the witness knows entries which it lacks. A
line is written after its entry is durable, so after a crash the witness may lack the last entries, and never knows one
that did not happen; the next opening writes what is missing. Lines may come twice and in any order, so that writers
need no lock: each says, on its own, that the chain had this hash at this number.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import LedgerError

#: number of an entry -> its hash
Heads = Mapping[int, str]
_LINE = re.compile(rb"([0-9]{1,18}) ([0-9a-f]{64})")


def heads_file(ledger: Path) -> Path:
    return ledger.with_name(f"{ledger.name}.heads")


@dataclass(frozen=True)
class News:
    """Lines that were not checked before, and how far the file is known once they are."""

    lines: frozenset[tuple[int, str]] = frozenset()
    end: int = 0

    @property
    def first(self) -> int:
        return min((number for number, _ in self.lines), default=2**62)


class Witness:
    """The witness of the ledger in `file`; without a file there is none, and it knows nothing."""

    def __init__(self, file: Path | None, place: str, *, read_only: bool = False) -> None:
        self._ledger, self._file = file, None if file is None else heads_file(file)
        self._place, self._read_only = place, read_only
        self._checked = 0

    def news(self, *, everything: bool = False) -> News:
        """What was written since the last `confirm`. To be read before the ledger, which then must know all of it."""
        if self._file is None:
            return News()
        try:
            with self._file.open("rb") as file:
                known = 0 if everything else self._checked
                start = known if known <= os.fstat(file.fileno()).st_size else 0
                file.seek(start)
                text = file.read()
        except FileNotFoundError:
            return News()
        except OSError as error:
            if self._read_only:  # whoever may only look at a ledger may not see its witness
                return News()
            raise LedgerError(
                f"{self._place}: {self._file.name} beside it, which tells a restored copy, cannot be read "
                f"({error.strerror}). Check that you may read and write both files"
            ) from error
        whole = text[: text.rfind(b"\n") + 1]  # the rest is being written, or was when a disk was full
        found = (_LINE.fullmatch(line) for line in whole.splitlines())
        return News(frozenset((int(one[1]), one[2].decode()) for one in found if one), start + len(whole))

    def confirm(self, news: News, chain: Heads) -> None:
        """Refuses unless the chain has every one of these heads."""
        if self._file is None:
            return
        if lacking := [number for number, head in news.lines if chain.get(number) != head]:
            raise LedgerError(
                f"{self._place}: an older copy or another ledger was put in its place: it lacks entry {min(lacking)}, "
                f"which {self._file.name} beside it knows. Put the newest copy back; nothing was charged. `discreet "
                "ledger LEDGER --against RELEASES` says which releases a copy lacks. If the newest one is lost, so is "
                "what was spent: begin another ledger, with a budget that counts every release there may have been"
            )
        self._checked = news.end

    def write(self, heads: Iterable[tuple[int, str]]) -> None:
        """Adds these heads, durably."""
        lines = "".join(f"{number} {head}\n" for number, head in heads).encode()
        if self._file is None or not lines:
            return
        try:
            with self._opened() as handle:
                # the first newline ends a line that a full disk has cut
                if os.write(handle, b"\n" + lines) <= len(lines):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle)
        except OSError as error:
            raise LedgerError(
                f"{self._place}: {self._file.name} beside it, which tells a restored copy, cannot be written "
                f"({error.strerror}). Fix that and publish again under the same name: no charge is made twice"
            ) from error

    @contextmanager
    def _opened(self) -> Iterator[int]:
        assert self._ledger is not None
        assert self._file is not None
        is_new = not self._file.exists()
        handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if is_new:  # whoever may charge the ledger must be able to write here
                os.chmod(self._file, stat.S_IMODE(os.stat(self._ledger).st_mode) & 0o666)
                sync_folder(self._file.parent)
            yield handle
        finally:
            os.close(handle)


def sync_folder(folder: Path) -> None:
    """Makes a new name in a folder durable, where a folder can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
