"""What other sites and programs on the same machine may try."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.browser import Served

HEARD: list[dict[str, str]] = []


class Evil(BaseHTTPRequestHandler):
    """A server on another port of this machine, which answers with whatever it was given."""

    page = b""

    def do_GET(self) -> None:
        HEARD.append(dict(self.headers.items()))
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def other_port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def raw(served: Served, head: str) -> str:
    """The answer to a request as it is written."""
    with socket.create_connection(("127.0.0.1", served.port or 0), timeout=20) as line:
        line.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n")
        found = b""
        while b"</html>" not in found and (part := line.recv(65_536)):
            found += part
    return found.decode("utf-8", "replace")


def test_other_names_tokens_and_protocols(served: Served, known: Any) -> None:
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in known["cookies"])
    assert " 200 " in raw(served, f"GET / HTTP/1.1\nHost: {served.host}\nCookie: {cookie}\nConnection: close")[:20]
    for host in (f"127.0.0.1:{served.port}", f"localhost:{served.port}", "evil.example"):
        assert " 421 " in raw(served, f"GET / HTTP/1.1\nHost: {host}\nCookie: {cookie}\nConnection: close")[:20]
    start = served.start.removeprefix(served.origin)
    replayed = raw(served, f"GET {start} HTTP/1.1\nHost: {served.host}\nConnection: close")
    assert " 403 " in replayed[:20]
    assert "set-cookie" not in replayed.lower()
    for path in ("/", "/releases/out%3Atable-geometric", "/jobs/1/events", "/static/discreet.js", "/start"):
        upgrade = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13"
        upgrade += "\nSec-WebSocket-Key: MTIzNDU2Nzg5MGFiY2RlZg=="
        answer = raw(served, f"GET {path} HTTP/1.1\nHost: {served.host}\nCookie: {cookie}\n{upgrade}")
        assert " 400 " in answer[:20], path
    for path in ("/releases/../../etc/passwd", "/static/../assembly.py", "/static/%2e%2e/assembly.py", "//etc/passwd"):
        answer = raw(served, f"GET {path} HTTP/1.1\nHost: {served.host}\nCookie: {cookie}\nConnection: close")
        assert " 404 " in answer[:20], path
    posted = f"POST /demo HTTP/1.1\nHost: {served.host}\nCookie: {cookie}\nContent-Length: 0\nConnection: close"
    assert " 403 " in raw(served, posted)[:20]


def test_another_site_can_neither_read_nor_change(opened: Any, served: Served, other_port: int, folder: Any) -> None:
    """With the browser that is known here: a form, a request, a frame and an image from another port."""
    page = opened(strict=False)
    Evil.page = (
        f'<form id=f method=post action="{served.origin}/describe"><input name=file value=people.csv></form>'
        f'<iframe src="{served.origin}/"></iframe><img src="{served.origin}/">'
    ).encode()
    page.goto(f"http://localhost:{other_port}/")
    tried = page.evaluate(
        """async (to) => {
            const said = [];
            const credentials = 'include';
            for (const options of [{}, {mode: 'no-cors', credentials}, {method: 'POST', credentials}]) {
                try { const r = await fetch(to + '/api/specs', options); said.push(r.type + await r.text()); }
                catch (error) { said.push('refused'); }
            }
            return said;
        }""",
        served.origin,
    )
    assert not [one for one in tried if "town" in one]
    frame = next(one for one in page.frames if one != page.main_frame)
    assert "town" not in frame.content()
    page.evaluate("document.getElementById('f').submit()")
    page.wait_for_url(f"{served.origin}/describe")
    assert (
        "not" in page.get_by_role("alert").inner_text() or "Open the address" in page.get_by_role("alert").inner_text()
    )
    assert not (folder / "people.toml").exists()
    page.goto(f"http://127.0.0.1:{other_port}/")
    page.goto(f"http://localhost:{other_port}/")
    assert not [one for one in HEARD if "discreet-session" in one.get("Cookie", "")]


def test_a_link_from_another_site_leads_on_by_one_more_step(opened: Any, served: Served, other_port: int) -> None:
    """A strict cookie is not sent with it, and the page that says so leads on."""
    page = opened(strict=False)
    Evil.page = f'<a href="{served.origin}/releases/out%3Atable-geometric/ask?where=age>=2">look</a>'.encode()
    page.goto(f"http://localhost:{other_port}/")
    page.get_by_text("look").click()
    page.get_by_role("link", name="open it again from here").click()
    page.locator(".value").wait_for()
