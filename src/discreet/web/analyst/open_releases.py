"""Releases that were opened, kept as long as their files stay as they are. A folder of a release is hostile input."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from discreet.errors import DiscreetError
from discreet.release import Release, load
from discreet.release.files import read_manifest
from discreet.web.shell.pages import NotHere
from discreet.web.shell.workspace import Workspace, check_release_folder

_KEPT = 8

Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Listed:
    """What a list of releases says of one: its manifest, or why it cannot be read."""

    name: str
    manifest: dict[str, Any] | None
    fault: str = ""


class Shelf:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = Lock()
        self._open: OrderedDict[str, tuple[Stamp, Release, Lock]] = OrderedDict()
        self._listed: dict[str, tuple[Stamp, Listed]] = {}

    def names(self) -> list[str]:
        return list(self._workspace.releases())

    def path(self, name: str) -> Path:
        """The folder of a release that is in the list; no other text ever becomes a path."""
        found = self._workspace.releases().get(name)
        if found is None:
            raise NotHere("There is no release of this name here; the list is on the first page.")
        return found

    def folder(self, name: str) -> str:
        """What to call its folder in Python and on the command line: as seen from the folder that is served."""
        path, root = self.path(name), self._workspace.folder
        return str(path if root is None else path.relative_to(root))

    @contextmanager
    def using(self, name: str) -> Iterator[Release]:
        """The release, for one question at a time."""
        path = self.path(name)
        with self._lock:
            stamp = _stamp(path)
            if name not in self._open or self._open[name][0] != stamp:
                self._open[name] = (stamp, _loaded(name, path), Lock())
            self._open.move_to_end(name)
            if len(self._open) > _KEPT:
                self._open.popitem(last=False)
            _, release, lock = self._open[name]
        with lock:
            yield release

    def listed(self) -> list[Listed]:
        """All releases, with their manifests only."""
        found = []
        for name, path in self._workspace.releases().items():
            stamp, known = _stamp(path), self._listed.get(name)
            if known is None or known[0] != stamp:
                known = self._listed[name] = (stamp, _listed(name, path))
            found.append(known[1])
        return found


def _listed(name: str, path: Path) -> Listed:
    try:
        check_release_folder(path)
        return Listed(name, read_manifest(path))
    except DiscreetError as error:
        return Listed(name, None, _without_path(error, name, path))


def _loaded(name: str, path: Path) -> Release:
    try:
        check_release_folder(path)
        return load(path)
    except DiscreetError as error:
        raise type(error)(_without_path(error, name, path)) from None


def _without_path(error: DiscreetError, name: str, path: Path) -> str:
    return str(error).replace(str(path), name)


def _stamp(path: Path) -> Stamp:
    """Changes when a file of a release does."""
    try:
        with os.scandir(path) as found:
            stats = [
                (entry.name, entry.stat(follow_symlinks=False)) for entry, _ in zip(found, range(100), strict=False)
            ]
    except OSError:
        return ()
    # the time of a change can be set back by whoever may write the file; that of its entry cannot
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size) for name, stat in stats))
