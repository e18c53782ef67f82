"""Files in object stores and on web sites: copied whole into a private folder, and only where that is switched on.

The copy is for its owner only, and is removed with the source. Credentials come from the environment, as the
libraries of these stores read them; an address that has some of its own is refused.
"""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from discreet.errors import SourceError
from discreet.private.engines.lazily import Lazily

pa = Lazily("pyarrow")

REMOTE_SCHEMES = ("s3://", "gs://", "https://")
_PATIENCE = 60.0
_CHUNK = 1 << 22


def is_remote(thing: Any) -> bool:
    return isinstance(thing, str) and thing.lower().startswith(REMOTE_SCHEMES)


def shown(address: str) -> str:
    """An address without what follows the path, which may give access."""
    return address.partition("?")[0].partition("#")[0]


def copied(address: str, folder: Path) -> Path:
    """A copy of a file, or in an object store of a folder, whose address ends with a slash."""
    parts = urlsplit(address)
    if "@" in parts.netloc or not parts.hostname:
        raise SourceError(
            f"{parts.scheme}://...: an address says where a file is, such as s3://bucket/people.parquet, and no more; "
            "credentials belong into the environment"
        )
    folder.mkdir(parents=True)
    if parts.scheme == "https":
        return _downloaded(address, folder / _name_of(parts.path, address))
    if parts.query or parts.fragment:
        raise SourceError(f"{shown(address)}: leave out what follows ? or #; settings belong into the environment")
    return _fetched(address, parts.scheme, parts.netloc + unquote(parts.path), folder)


def _name_of(path: str, address: str) -> str:
    name = PurePosixPath(unquote(path)).name
    if not name or path.endswith("/"):
        raise SourceError(f"{shown(address)}: names no file; only object stores have folders that can be opened")
    return name


def _downloaded(address: str, path: Path) -> Path:
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, build_opener

    class OnlySecure(HTTPRedirectHandler):
        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
            if not newurl.lower().startswith("https://"):
                fp.close()
                raise OSError("led away from https")
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    try:
        with build_opener(OnlySecure).open(address, timeout=_PATIENCE) as answer, path.open("wb") as file:
            shutil.copyfileobj(answer, file, _CHUNK)
            promised = answer.headers.get("Content-Length")
    except HTTPError as error:
        error.close()
        raise SourceError(f"{shown(address)}: the server answered {error.code}; correct the address") from None
    except (OSError, ValueError):
        raise SourceError(f"{shown(address)}: cannot be fetched; is its server there, and trusted?") from None
    if promised is not None and path.stat().st_size != int(promised):
        raise SourceError(f"{shown(address)}: broke off before its end; try again")
    return path


def _endpoint() -> str | None:
    """Where a store is that speaks S3 and is not Amazon's, as Amazon's own tools are told."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")


def _google(fs: Any) -> Any:
    """An emulator asks for no credentials; where there are none, Google's library would look for them very long."""
    emulated = "CLOUD_STORAGE_EMULATOR_ENDPOINT" in os.environ
    return fs.GcsFileSystem(anonymous=emulated, retry_time_limit=timedelta(seconds=_PATIENCE))


def _fetched(address: str, scheme: str, place: str, folder: Path) -> Path:
    try:
        from pyarrow import fs

        store = fs.S3FileSystem(endpoint_override=_endpoint()) if scheme == "s3" else _google(fs)
        target = folder / PurePosixPath(place).name
        if place.endswith("/"):
            target.mkdir()
            files = store.get_file_info(fs.FileSelector(place.rstrip("/"), recursive=True))
        else:
            files = [store.get_file_info(place)]
        for file in files:
            if file.type == fs.FileType.File:
                inside = target / PurePosixPath(file.path).relative_to(place) if place.endswith("/") else target
                inside.parent.mkdir(parents=True, exist_ok=True)
                with store.open_input_stream(file.path) as source, inside.open("wb") as copy:
                    shutil.copyfileobj(source, copy, _CHUNK)
    except (OSError, ValueError, pa.ArrowException, ImportError):
        raise SourceError(
            f"{address}: cannot be fetched; are the address, the credentials in the environment and the region right?"
        ) from None
    if not target.exists():
        raise SourceError(f"{address}: there is no such file; a folder ends with a slash")
    return target
