"""A release on disk: plain Parquet and release.json in a folder that is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, TamperedRelease
from discreet.summaries import SHAPES, Summary

MANIFEST = "release.json"
TABLE = "table.parquet"
FORMAT = 1


def seal_of(manifest: dict[str, Any]) -> str:
    """The hash of everything in a manifest but the seal itself; the manifest holds the hashes of the other files."""
    content = {key: value for key, value in manifest.items() if key != "seal"}
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def write_files(folder: Path, manifest: dict[str, Any], summary: Summary) -> dict[str, Any]:
    """Write both files and force them to the disk; the manifest as written, with file hashes and seal."""
    import pyarrow.parquet as pq

    table = summary.to_arrow()
    # without Arrow's or pandas' own notes: the columns say it all
    pq.write_table(table.replace_schema_metadata(None), folder / TABLE, compression="zstd", store_schema=False)
    complete = {**manifest, "format": FORMAT, "files": {TABLE: _digest(folder / TABLE)}}
    complete["seal"] = seal_of(complete)
    text = json.dumps(complete, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    for path in (folder / TABLE, folder / MANIFEST, folder):
        _sync(path)
    return complete


def place(
    target: Path, write: Callable[[Path], dict[str, Any]], before_rename: Callable[[str], None] = lambda seal: None
) -> dict[str, Any]:
    """Write into a private folder beside `target`, then rename it into place; nothing is left behind on failure.

    `before_rename` is told the seal when all bytes are on disk and none are visible yet.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    hidden = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".unpublished", dir=target.parent))
    recorded = False
    try:
        manifest = write(hidden)
        before_rename(manifest["seal"])
        recorded = True
        hidden.chmod(0o755 & ~_umask())
        hidden.rename(target)
        _sync(target.parent)
    except BaseException:
        if not recorded:  # else it is the only copy of what was paid for, and `find_unpublished` finds it
            shutil.rmtree(hidden, ignore_errors=True)
        raise
    return manifest


def find_unpublished(target: Path, seal: str) -> Path | None:
    """A folder that was written and recorded, but never renamed because the process ended in between."""
    for hidden in target.parent.glob(f".{target.name}.*.unpublished"):
        try:
            if json.loads((hidden / MANIFEST).read_text(encoding="utf-8")).get("seal") == seal:
                return hidden
        except (OSError, ValueError):
            continue
    return None


def read_manifest(folder: Path) -> dict[str, Any]:
    """release.json, complete and untouched, or TamperedRelease."""
    if not folder.is_dir():
        raise DiscreetError(f"{folder}: no such folder; a release is a folder with {MANIFEST} in it")
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TamperedRelease(f"{folder}: has no {MANIFEST}; copy the whole release folder again") from None
    except (OSError, ValueError):
        raise TamperedRelease(f"{folder}: {MANIFEST} is cut off or not JSON; copy the release again") from None
    if not isinstance(manifest, dict) or "seal" not in manifest:
        raise TamperedRelease(f"{folder}: {MANIFEST} is not that of a release")
    if manifest.get("format") != FORMAT:
        raise DiscreetError(f"{folder}: was written in format {manifest.get('format')!r}; upgrade discreet to read it")
    if manifest["seal"] != seal_of(manifest):
        raise TamperedRelease(f"{folder}: {MANIFEST} was changed after it was published; get the release again")
    return manifest


def read_summary(folder: Path, manifest: dict[str, Any], schema: Any) -> Summary:
    """The summary, after every file was found to have the bytes that were published."""
    for name, published in manifest["files"].items():
        if Path(name).name != name or not (folder / name).is_file():
            raise TamperedRelease(f"{folder}: {name} is missing; copy the whole release folder again")
        if _digest(folder / name) != published:
            raise TamperedRelease(f"{folder}: {name} was changed or cut off after it was published; get it again")
    facts = manifest["summary"]
    try:
        return SHAPES[facts["shape"]].read(schema, facts, folder / TABLE)
    except (KeyError, ValueError, TypeError) as error:
        raise TamperedRelease(f"{folder}: its files do not fit together ({error})") from None


def _digest(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": path.stat().st_size}


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
