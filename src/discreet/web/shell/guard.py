"""What every request has to pass, and what every answer carries. See docs/web.md for the reasons."""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.errors import BadParameter
from discreet.web.shell.limits import LARGEST_FORM, LONGEST_ADDRESS, fields_of, text
from discreet.web.shell.pages import START
from discreet.web.shell.session import COOKIE, FORM_KEY, BrowserSession, same

#: where a form that has passed is kept, so that pages need not read it again
FORM = "discreet.form"
STATIC = "/static/"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
#: of a page that brings its own sheet and pictures, and can do nothing: no script, no form, no request. It keeps its
#: origin, or a browser that reloads it would leave out a strict cookie
DOCUMENT = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'; "
    "sandbox allow-same-origin"
)
POLICIES = (POLICY, DOCUMENT)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # no other site gets a referrer; "no-referrer" would also hide the origin of our own forms, which is checked
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-robots-tag": "noindex",
}

Refuse = Callable[[Request, int, str], Response]


class Guard:
    """Around the whole app. `host` is the one name and port that it answers to."""

    def __init__(self, app: ASGIApp, session: BrowserSession, host: str, refuse: Refuse) -> None:
        self.app, self.session, self.host, self.refuse = app, session, host, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # there are none, on any path
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if value != POLICY or headers.get(name) not in POLICIES:
                        headers[name] = value
                if "server" in headers:
                    del headers["server"]
            await send(message)

        refused = self._refusal(scope)
        if refused is None and scope["method"] == "POST":
            body = await _body(receive)
            refused = self._form_refusal(scope, body)
            receive = _again(body or b"")
        if refused is not None:
            response = self.refuse(Request(scope), *refused)
            await response(scope, receive, with_headers)
            return
        await self.app(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason, if this request may not go on."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self.host]:
            return 421, "This server answers to its own name only, the one in the address that it printed at its start."
        if "upgrade" in headers:
            return 400, "This server has no other protocol than HTTP."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "This server knows GET and POST only."
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > LONGEST_ADDRESS:
            return 414, f"An address has at most {LONGEST_ADDRESS:,} bytes; ask in parts."
        path = scope["path"]
        if path != START and not path.startswith(STATIC) and not self._is_known(headers):
            return 403, "Open the address that `discreet serve` printed; it works once, in one browser."
        if scope["method"] == "POST" and (headers.getlist("origin") != [f"http://{self.host}"]):
            return 403, "This form was not sent from a page of this server."
        return None

    def _is_known(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return found is not None and same(found.value, self.session.cookie)

    def _form_refusal(self, scope: Scope, body: bytes | None) -> tuple[int, str] | None:
        if body is None:
            return 413, f"A form has at most {LARGEST_FORM:,} bytes; change the file itself instead."
        kind = Headers(scope=scope).get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            return 415, "Forms are sent as application/x-www-form-urlencoded."
        try:
            fields = fields_of(body.decode("utf-8"))
            key = text(fields, FORM_KEY)
        except (BadParameter, UnicodeDecodeError):
            return 400, "This form cannot be read; send it from its page."
        if not same(key, self.session.form_key):
            return 403, "This form is of an earlier start; reload its page."
        scope[FORM] = fields
        return None


async def _body(receive: Receive) -> bytes | None:
    """All of it, or None if it is too much."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_FORM:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes) -> Receive:
    sent = False

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
