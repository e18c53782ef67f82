"""`discreet serve`: which folders, and whether private pages exist."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from discreet.errors import BadParameter
from discreet.web.serving import run as serve


def run(folders: Sequence[Path], releases_only: bool, port: int, open_browser: bool) -> None:
    if releases_only and not folders:
        raise BadParameter("--releases-only: name the folders of releases, such as out/by-age")
    if not releases_only and len(folders) > 1:
        raise BadParameter("give one folder to work in; for several releases, use --releases-only")
    if releases_only:
        serve(None, folders, port, open_browser)
    else:
        serve(folders[0] if folders else Path(), None, port, open_browser)
