"""Which files a server knows, by name. Nothing that a browser sends ever becomes a path: names come from this list.

Links are never followed: a link in a folder, to a folder or to a file, is not listed, and a release that holds one is
refused.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from discreet.errors import BadParameter, TamperedRelease
from discreet.release.files import MANIFEST
from discreet.web.shell.limits import LARGEST_MANIFEST, LARGEST_RELEASE, MOST_LISTED

_SPEC, _LEDGER = ".toml", ".ledger"
_DATA = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


@dataclass(frozen=True)
class Workspace:
    """A folder with specs, ledgers and releases; or, for analysts, releases only."""

    folder: Path | None = None
    outs: Sequence[Path] = field(default=())

    def releases(self) -> dict[str, Path]:
        """By name: folders of releases, here or one or two folders down."""
        if self.folder is not None:
            return _named((_dotted(path, self.folder), path) for path in _releases_below(self.folder, 2))
        found = []
        for out in self.outs:
            inside = [out] if is_release(out) else list(_releases_below(out, 1))
            found += [(path.name or path.resolve().name, path) for path in inside]
        return _named(found)

    def specs(self) -> dict[str, Path]:
        return self._files(lambda name: name.endswith(_SPEC), _SPEC)

    def ledgers(self) -> dict[str, Path]:
        return self._files(lambda name: name.endswith(_LEDGER), _LEDGER)

    def data_files(self) -> dict[str, Path]:
        """Files of rows that a spec could describe."""
        return self._files(lambda name: name.lower().endswith(_DATA), "")

    def _files(self, wanted: Callable[[str], bool], ending: str) -> dict[str, Path]:
        if self.folder is None:
            return {}
        inside = [path for path in _entries(self.folder) if _kind(path) == "folder" and not path.name.startswith(".")]
        return _named(
            (_dotted(path, self.folder).removesuffix(ending), path)
            for folder in [self.folder, *(one for one in inside if not is_release(one))]
            for path in _entries(folder)
            if wanted(path.name) and _kind(path) == "file"
        )


def checked_outs(outs: Sequence[Path]) -> Workspace:
    """Releases for analysts; refused if a folder has none."""
    for out in outs:
        if not is_release(out) and not any(_releases_below(out, 1)):
            raise BadParameter(
                f"{out}: is not the folder of a release and holds none; name a release, such as out/by-age"
            )
    return Workspace(None, tuple(outs))


def checked_folder(folder: Path) -> Workspace:
    if not folder.is_dir():
        raise BadParameter(f"{folder}: there is no such folder; make it, or name another one")
    return Workspace(folder)


def is_release(folder: Path) -> bool:
    return _kind(folder / MANIFEST) == "file"


def check_release_folder(folder: Path) -> None:
    """Refuses what no release has: links, folders, devices, and more bytes than can be meant."""
    size = 0
    for path in _entries(folder, MOST_LISTED):
        if _kind(path) != "file":
            raise TamperedRelease(f"{folder.name}: {path.name!r:.80} is not a plain file; get the release again")
        bytes_of = path.stat().st_size
        size += bytes_of
        if size > LARGEST_RELEASE or (path.name == MANIFEST and bytes_of > LARGEST_MANIFEST):
            raise TamperedRelease(f"{folder.name}: is too large to be shown here; ask it with `discreet query`")


def _releases_below(folder: Path, depth: int) -> Iterator[Path]:
    for path in _entries(folder):
        if _kind(path) != "folder" or path.name.startswith("."):
            continue
        if is_release(path):
            yield path
        elif depth > 1:
            yield from _releases_below(path, depth - 1)


def _entries(folder: Path, most: int = 10 * MOST_LISTED) -> list[Path]:
    """What lies in a folder, sorted; the first ones of very many."""
    try:
        with os.scandir(folder) as found:
            return [folder / name for name in sorted(entry.name for entry, _ in zip(found, range(most), strict=False))]
    except OSError:
        return []


def _kind(path: Path) -> str:
    """ "file" or "folder"; nothing for links and whatever else there may be."""
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):
        return ""
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else ""


def _dotted(path: Path, folder: Path) -> str:
    return ":".join(path.relative_to(folder).parts)


def _is_text(name: str) -> bool:
    """Whether an address can hold it: names of files may be any bytes."""
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def _named(found: Iterator[tuple[str, Path]] | Sequence[tuple[str, Path]]) -> dict[str, Path]:
    """Each under its name, with a number behind it if another has that."""
    names: dict[str, Path] = {}
    for name, path in found:
        if not _is_text(name):
            continue
        free, number = name, 1
        while free in names:
            number += 1
            free = f"{name}-{number}"
        if len(names) < MOST_LISTED:
            names[free] = path
    return names
