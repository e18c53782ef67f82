"""Asks the web app in this process, without a socket: one request at a time, as a browser with a cookie would."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx

from discreet.web.assembly import web_app
from discreet.web.shell.session import COOKIE, FORM_KEY, BrowserSession
from discreet.web.shell.workspace import Workspace

PORT = 8765
Result = TypeVar("Result")


def done(work: Coroutine[Any, Any, Result]) -> Result:
    """In a thread of its own: where a browser is open, the main one has a loop that runs already."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()


class Client:
    """`get` and `post` carry the cookie, and forms their key and origin, unless headers or fields say otherwise."""

    def __init__(self, workspace: Workspace) -> None:
        self.session = BrowserSession()
        self.host = f"{self.session.name}:{PORT}"
        self.origin = f"http://{self.host}"
        self.app = web_app(workspace, self.session, PORT, warmed=False)

    def request(self, method: str, path: str, headers: Mapping[str, str] | None = None, **more: Any) -> httpx.Response:
        sent = {"host": self.host, "cookie": f"{COOKIE}={self.session.cookie}", **(headers or {})}
        sent = {name: value for name, value in sent.items() if value}

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=self.origin) as client:
                return await client.request(method, path, headers=sent, **more)

        return done(ask())

    def get(self, path: str, headers: Mapping[str, str] | None = None, **more: Any) -> httpx.Response:
        return self.request("GET", path, headers, **more)

    def post(
        self, path: str, fields: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        sent = {FORM_KEY: self.session.form_key, **(fields or {})}
        return self.request("POST", path, {"origin": self.origin, **(headers or {})}, data=sent)


def analyst(*outs: Path) -> Client:
    """For releases only."""
    return Client(Workspace(None, outs))


def custodian(folder: Path) -> Client:
    return Client(Workspace(folder))
