"""The app: which pages there are. With releases only, the custodian's pages are never loaded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Thread

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from discreet.charts.picture import STYLE
from discreet.errors import DiscreetError
from discreet.web.analyst.open_releases import Shelf
from discreet.web.analyst.report_pages import ReportPages
from discreet.web.analyst.routes import AnalystPages
from discreet.web.analyst.warming import warm
from discreet.web.shell.guard import Guard
from discreet.web.shell.limits import AT_ONCE, fields_of, text
from discreet.web.shell.pages import HERE, START, NotHere, Pages, failed
from discreet.web.shell.session import COOKIE, BrowserSession
from discreet.web.shell.workspace import Workspace

Page = Callable[[Request], Response]


def web_app(workspace: Workspace, session: BrowserSession, port: int, *, warmed: bool = True) -> ASGIApp:
    """Everything behind its guard."""
    private = workspace.folder is not None
    shelf, pages = Shelf(workspace), Pages(session, private)
    routes = AnalystPages(shelf, pages, ReportPages(workspace, shelf)).routes()
    home, more = _analyst_home(shelf, pages), _nothing
    if private:
        from discreet.web.custodian.routes import CustodianPages

        custodian = CustodianPages(workspace, shelf, pages)
        home, more, routes = custodian.home, custodian.warm, [*custodian.routes(), *routes]

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = AT_ONCE
        if warmed:
            Thread(target=warm, args=(shelf, pages, more), daemon=True).start()
        yield

    app = Starlette(
        routes=[
            Route("/", home),
            Route(START, _start(session, pages)),
            Route("/static/{name}", _own_files()),
            *routes,
        ],
        exception_handlers={
            DiscreetError: failed(pages),
            HTTPException: lambda request, error: pages.refuse(request, *_known_status(error)),
            Exception: lambda request, error: pages.refuse(
                request, 500, "Something went wrong here. Nothing was changed."
            ),
        },
        lifespan=running,
    )
    app.router.redirect_slashes = False
    return Guard(app, session, f"{session.name}:{port}", pages.refuse)


def _analyst_home(shelf: Shelf, pages: Pages) -> Page:
    def home(request: Request) -> Response:
        return pages.show("home.html", releases=shelf.listed())

    return home


def _nothing() -> None:
    """What only the custodian's pages need is not loaded for analysts."""


def _start(session: BrowserSession, pages: Pages) -> Page:
    """The token becomes a cookie, once. The page leads on by itself: a redirect would be sent without the cookie."""

    def start(request: Request) -> Response:
        if not session.redeem(text(fields_of(request.url.query), "token")):
            return pages.refuse(
                request, 403, "This address was used before. Start `discreet serve` again for a new one."
            )
        response = pages.show("start.html")
        response.set_cookie(COOKIE, session.cookie, path="/", httponly=True, samesite="strict")
        return response

    return start


def _own_files() -> Page:
    """The few files that pages need, read once: no name leads to any other file."""
    types = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    held = {path.name: (path.read_bytes(), types[path.suffix]) for path in (HERE / "static").iterdir()}
    held["charts.css"] = (STYLE.encode(), "text/css")

    def own_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in held:
            raise NotHere("There is no such file.")
        content, kind = held[name]
        return Response(content, media_type=kind)

    return own_file


def _known_status(error: Exception) -> tuple[int, str]:
    status = getattr(error, "status_code", 500)
    said = {404: "There is no such page.", 405: "This page cannot be asked in that way."}
    return status, said.get(status, "This cannot be answered.")
