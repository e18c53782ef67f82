"""`discreet serve`: sockets of this machine only, the address to open, and the server itself."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from discreet.errors import BadParameter, MissingExtra


def run(folder: Path | None, outs: Sequence[Path] | None, port: int, open_browser: bool) -> None:
    try:
        import jinja2  # noqa: F401
        import uvicorn

        from discreet.web.assembly import web_app
    except ImportError as missing:
        raise MissingExtra(f"serve needs {missing.name}: pip install 'discreet[web]'") from None
    from discreet.web.shell.session import BrowserSession
    from discreet.web.shell.workspace import checked_folder, checked_outs

    workspace = checked_outs(outs) if outs is not None else checked_folder(folder or Path())
    session, sockets = BrowserSession(), loopback(port)
    port = sockets[0].getsockname()[1]
    app = web_app(workspace, session, port)
    address = f"http://{session.name}:{port}/start?token={session.token}"
    print(f"Open this address; it works once, in one browser:\n\n  {address}\n\nCtrl-C ends it.", flush=True)
    if open_browser:
        webbrowser.open(address)
    settings = uvicorn.Config(
        app,
        ws="none",
        http="h11",  # those that are tried against attacks, whatever else is installed
        loop="asyncio",
        log_level="critical",  # addresses hold questions, and no log needs them
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=100,
    )
    uvicorn.Server(settings).run(sockets=sockets)


def loopback(port: int) -> list[socket.socket]:
    """Sockets that no other machine can reach: of both protocols, since a browser may try either."""
    if not 0 <= port < 65_536:
        raise BadParameter(f"--port must lie between 0 (any) and 65535, not {port}")
    for _ in range(20):
        four = _bound(socket.AF_INET, "127.0.0.1", port)
        if not socket.has_ipv6:
            return [four]
        try:
            return [four, _bound(socket.AF_INET6, "::1", four.getsockname()[1])]
        except BadParameter:
            four.close()
            if port:
                raise
        except OSError:  # this machine has no such address
            return [four]
    raise BadParameter("no port is free on this machine; name one with --port")


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    # named, or asyncio leaves small answers waiting for 40 ms
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((host, port))
        made.listen()  # whoever opens the address at once waits, and is not refused
    except OSError as error:
        made.close()
        if error.errno in (98, 48, 10048):  # in use, on Linux, macOS and Windows
            raise BadParameter(f"--port: {port} is in use; name another one, or leave it out") from None
        if error.errno in (13, 10013):
            raise BadParameter(f"--port: {port} needs rights that you do not have; name one above 1024") from None
        raise
    return made
