"""The reviewer's page: the report to sign, as the command writes it, and its verdict as JSON.

It is made anew each time, from every byte of the folder: what was opened or shown before decides nothing.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from discreet.release.reported import reported
from discreet.web.analyst.open_releases import Shelf
from discreet.web.shell.guard import DOCUMENT
from discreet.web.shell.limits import fields_of, text
from discreet.web.shell.pages import API, NotHere, as_json
from discreet.web.shell.workspace import Workspace, check_release_folder

_MOST_LEDGERS = 5


class ReportPages:
    def __init__(self, workspace: Workspace, shelf: Shelf) -> None:
        self.workspace, self.shelf = workspace, shelf

    def routes(self) -> list[Route]:
        return [
            Route("/releases/{release}/report", self.page),
            Route(API + "/releases/{release}/report", self.json),
        ]

    def page(self, request: Request) -> Response:
        """With the bytes that the command writes, and its red verdict where something was changed."""
        made = self._made(request)
        return Response(made.html, media_type="text/html", headers={"content-security-policy": DOCUMENT})

    def json(self, request: Request) -> Response:
        said = self._made(request).to_dict()
        return as_json({**said, "command": self.command(request.path_params["release"], _wanted(request))})

    def ledgers(self, name: str) -> list[str]:
        """Those that may have paid for a release, the ones beside its folder first. Analysts have none."""
        beside, known = self.shelf.path(name).parent, self.workspace.ledgers()
        return sorted(known, key=lambda one: known[one].parent != beside)[:_MOST_LEDGERS]

    def command(self, name: str, ledger: str) -> str:
        root = self.workspace.folder or Path()
        paid = ["--ledger", str(self.workspace.ledgers()[ledger].relative_to(root))] if ledger else []
        return shlex.join(["discreet", "report", self.shelf.folder(name), *paid, "-o", "report.html"])

    def _made(self, request: Request) -> Any:
        folder, ledger = self.shelf.path(request.path_params["release"]), _wanted(request)
        known = self.workspace.ledgers()
        if ledger and ledger not in known:
            raise NotHere("There is no ledger of this name here; the list is on the first page.")
        check_release_folder(folder)
        return reported(folder, ledger=known[ledger] if ledger else None)


def _wanted(request: Request) -> str:
    return text(fields_of(request.url.query), "ledger")
