"""A folder is there whole or not at all: written hidden, forced to the disk, then renamed into place.

Between the record in the ledger and the rename a process may die. The hidden folder is then the only copy of what was
paid for, and `recover` finishes the rename. Hidden folders that are no longer written, and that no ledger knows, are
swept away; a writer holds a lock on its own. A release that another one is to replace is renamed first: between the two
renames it is hidden, and `restore` puts it back.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError
from discreet.release.files import MANIFEST, Content, read_manifest

_SUFFIX = ".unpublished"
_REPLACED = ".replaced"
_STAGED, _LEAVING = ".slices", ".leaving"


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
    target: Path,
    manifest: dict[str, Any],
    contents: Mapping[str, Content],
    record: Callable[[str], None] = lambda seal: None,
    *,
    instead: bool = False,
) -> None:
    """Write all files and rename; `record` gets the seal when all bytes are on disk and none is visible yet.

    What is given by a path is moved if it lies in a `staging` folder, else copied. With `instead`, a release that is
    there is moved away just before, and removed just after.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    hidden = _hidden(target)
    with _opened(hidden) as handle:
        _lock(handle)
        kept = False
        try:
            for name, content in contents.items():
                _write(hidden / name, content)
            _write(hidden / MANIFEST, (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode())
            _sync(hidden)
            kept = True  # an interrupt may come after the record: then this is the only copy of what was paid for
            try:
                record(manifest["seal"])
            except DiscreetError:
                kept = False
                raise
            (_replace if instead else _reveal)(hidden, target, manifest["seal"])
        except BaseException:
            if not kept:
                shutil.rmtree(hidden, ignore_errors=True)
            raise
    sweep(target, manifest["id"])


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A private folder beside the place of a release, for files that may become parts of it; gone in the end.

    It is renamed first: a writer who is late finds no folder of its name any more.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep_staging(target)
    folder = _hidden(target, _STAGED)
    with _opened(folder) as handle:
        _lock(handle)
        try:
            yield folder
        finally:
            _removed(folder)


def _sweep_staging(target: Path) -> None:
    """What a dead process left of slices for this place, of which none was published."""
    for folder in _siblings(target, _STAGED):
        if not _is_held(folder):
            _removed(folder)
    for folder in _siblings(target, _LEAVING):
        shutil.rmtree(folder, ignore_errors=True)


def _removed(folder: Path) -> None:
    gone = folder.with_name(folder.name.removesuffix(_STAGED) + _LEAVING)
    with suppress(OSError):
        folder.rename(gone)
    for _ in range(3):  # a file that was just being made may have come since its folder was listed
        shutil.rmtree(gone, ignore_errors=True)


def check_replaceable(target: Path) -> None:
    """Refuse to write over anything but a release whose folder has nothing else in it."""
    restore(target)
    if not os.path.lexists(target):
        check(target)
        return
    fix = "choose another folder, or remove it first"
    if target.is_symlink() or not target.is_dir():
        raise DiscreetError(f"{target}: is not the folder of a release; {fix}")
    try:
        known = {MANIFEST, *read_manifest(target)["files"]}
    except DiscreetError as error:
        raise DiscreetError(f"{target}: is not a release that can be read; {fix} ({error})") from None
    if others := sorted({path.name for path in target.iterdir()} - known):
        raise DiscreetError(f"{target}: also holds {others[0]!r}, which is not part of the release; {fix}")


def restore(target: Path) -> None:
    """Put back what was moved away for a release that then never came, because its process ended."""
    moved = target.parent / f".{target.name}{_REPLACED}"
    if moved.is_dir() and not os.path.lexists(target):
        with suppress(OSError):
            moved.rename(target)


def _replace(hidden: Path, target: Path, seal: str) -> None:
    replaced = _moved_away(target)
    try:
        _reveal(hidden, target, seal)
    except OSError:
        restore(target)
        raise
    if replaced is not None:
        shutil.rmtree(replaced, ignore_errors=True)


def _moved_away(target: Path) -> Path | None:
    moved = target.parent / f".{target.name}{_REPLACED}"
    if not target.is_dir():
        return None
    shutil.rmtree(moved, ignore_errors=True)  # of a process that ended after its release was in place
    target.rename(moved)
    return moved


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
    _sweep_staging(target)


def _hidden(target: Path, suffix: str = _SUFFIX) -> Path:
    return Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=suffix, dir=target.parent))


def _siblings(target: Path, suffix: str = _SUFFIX) -> Iterator[Path]:
    prefix = f".{target.name}."
    if target.parent.is_dir():
        for path in sorted(target.parent.iterdir()):
            token = path.name.removeprefix(prefix).removesuffix(suffix)
            if path.name == f"{prefix}{token}{suffix}" and "." not in token:  # `a` is not `a.b`
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


def _write(path: Path, content: Content) -> None:
    if isinstance(content, Path) and content.parent.name.endswith(_STAGED):
        content.rename(path)  # whoever wrote it has forced it to the disk
        return
    with path.open("xb") as file:
        if isinstance(content, Path):
            with content.open("rb") as source:
                shutil.copyfileobj(source, file)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    with _opened(folder) as handle:
        if handle is not None:
            os.fsync(handle)


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """A handle of a folder; None where only files can be opened, as on Windows."""
    if not hasattr(os, "O_DIRECTORY"):
        yield None
        return
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


def _lock(handle: int | None) -> bool:
    """Hold a lock that ends with the process, however it ends; False if another one holds it."""
    if handle is None:
        return False
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # no locks here: then nothing is ever taken for abandoned
        return False
    return True
