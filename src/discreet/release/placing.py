"""A folder is there whole or not at all: written hidden, forced to the disk, then renamed into place.

Between the record in the ledger and the rename a process may die. The hidden folder is then the only copy of what was
paid for, and `recover` finishes the rename. Hidden folders that are no longer written, and that no ledger knows, are
swept away; a writer holds a lock on its own.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError
from discreet.release.files import MANIFEST, TABLE

_SUFFIX = ".unpublished"


def check(target: Path) -> None:
    """Refuse a place where a release cannot be written, before anything is paid for it."""
    if os.path.lexists(target):
        raise DiscreetError(f"{target}: exists already; choose another folder, or remove it first")
    nearest = next(parent for parent in target.absolute().parents if os.path.lexists(parent))
    try:
        shutil.rmtree(_hidden(nearest / target.name), ignore_errors=True)
    except OSError as error:
        raise DiscreetError(f"{target}: cannot be created ({error.strerror}); choose another folder") from None


def place(
    target: Path, manifest: dict[str, Any], table: Any, record: Callable[[str], None] = lambda seal: None
) -> None:
    """Write both files and rename; `record` gets the seal when all bytes are on disk and none is visible yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    hidden = _hidden(target)
    with _opened(hidden) as handle:
        _lock(handle)
        recorded = False
        try:
            _write(hidden / TABLE, memoryview(table))
            _write(hidden / MANIFEST, (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode())
            _sync(hidden)
            record(manifest["seal"])
            recorded = True
            _reveal(hidden, target, manifest["seal"])
        except BaseException:
            if not recorded:
                shutil.rmtree(hidden, ignore_errors=True)
            raise
    sweep(target, manifest["id"])


def recover(target: Path, seal: str) -> None:
    """Finish the rename of a folder that was recorded, if its process ended before it could."""
    for hidden in _siblings(target):
        if _said(hidden).get("seal") == seal:
            _reveal(hidden, target, seal)
            return


def sweep(target: Path, release_id: str) -> None:
    """Remove what a dead process left of this release beside `target`; what another one left may be its only copy."""
    for hidden in _siblings(target):
        if _said(hidden).get("id", release_id) == release_id and not _is_held(hidden):
            shutil.rmtree(hidden, ignore_errors=True)


def _hidden(target: Path) -> Path:
    return Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=_SUFFIX, dir=target.parent))


def _siblings(target: Path) -> Iterator[Path]:
    prefix = f".{target.name}."
    if target.parent.is_dir():
        for path in sorted(target.parent.iterdir()):
            token = path.name.removeprefix(prefix).removesuffix(_SUFFIX)
            if path.name == f"{prefix}{token}{_SUFFIX}" and "." not in token:  # `a` is not `a.b`
                yield path


def _said(folder: Path) -> dict[str, Any]:
    """release.json of a folder that may be anything."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _reveal(hidden: Path, target: Path, seal: str) -> None:
    mask = os.umask(0)
    os.umask(mask)
    try:
        hidden.chmod(0o755 & ~mask)
        hidden.rename(target)
    except OSError:
        if _said(target).get("seal") != seal:  # else somebody else has just finished it for us
            raise
    _sync(target.parent)


def _write(path: Path, content: Any) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    with _opened(folder) as handle:
        os.fsync(handle)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def _is_held(folder: Path) -> bool:
    try:
        with _opened(folder) as handle:
            return not _lock(handle)
    except OSError:
        return True


def _lock(handle: int) -> bool:
    """Hold a lock that ends with the process, however it ends; False if another one holds it."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # no locks here: then nothing is ever taken for abandoned
        return False
    return True
