"""Who gets in, and what every answer carries. Each line of docs/web.md on security has its test here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from discreet.web.shell.guard import HEADERS, Guard
from discreet.web.shell.limits import LARGEST_FORM, LONGEST_ADDRESS, LONGEST_TEXT
from discreet.web.shell.pages import Pages
from discreet.web.shell.session import COOKIE, FORM_KEY
from tests.web_client import Client, analyst, done

RELEASES = Path(__file__).parents[3] / "fixtures" / "releases"
PAGES = [
    "/",
    "/releases/table-geometric",
    "/releases/table-geometric/explore",
    "/api/releases",
    "/nothing",
    "/static/no",
]


@pytest.fixture(scope="module")
def client() -> Client:
    return analyst(RELEASES / "table-geometric")


@pytest.mark.parametrize("path", [*PAGES, "/start", "/static/discreet.css", "/releases/..%2f..%2fetc/explore"])
def test_every_answer_carries_the_headers(client: Client, path: str) -> None:
    for headers in ({}, {"cookie": ""}, {"host": "localhost:8765"}):
        answer = client.get(path, headers)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "server" not in answer.headers


def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline(client: Client) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "data:" not in policy
    for path in PAGES[:3]:
        text = client.get(path).text
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick=" not in text
        assert text.count("<script") == text.count('<script src="/static/') == 1


def test_only_a_known_browser_gets_in(client: Client) -> None:
    for path in [*PAGES[:4], "/releases/table-geometric/explore.csv"]:
        assert client.get(path, {"cookie": ""}).status_code == 403
        assert client.get(path, {"cookie": f"{COOKIE}=wrong"}).status_code == 403
        assert client.get(path, {"cookie": f"{COOKIE}="}).status_code == 403
        assert client.get(path).status_code == 200


def test_the_token_works_once() -> None:
    client = analyst(RELEASES / "table-geometric")
    nobody = {"cookie": ""}
    assert client.get("/start?token=wrong", nobody).status_code == 403
    first = client.get(f"/start?token={client.session.token}", nobody)
    assert first.status_code == 200
    said = first.headers["set-cookie"].lower()
    assert said.startswith(f"{COOKIE}={client.session.cookie}".lower())
    assert "httponly" in said
    assert "samesite=strict" in said
    assert "domain" not in said
    again = client.get(f"/start?token={client.session.token}", nobody)
    assert again.status_code == 403
    assert "set-cookie" not in again.headers
    assert client.session.token not in again.text  # it would only lead here again


def test_names_tokens_and_cookies_differ_from_start_to_start() -> None:
    sessions = [analyst(RELEASES / "table-geometric").session for _ in range(3)]
    for secret in ("name", "token", "cookie", "form_key"):
        assert len({getattr(one, secret) for one in sessions}) == 3
    assert all(one.name.endswith(".localhost") for one in sessions)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:8765", "evil.example", "NAME", "NAME:80", "NAME:8765.evil"]
)
def test_only_its_own_name_is_answered(client: Client, host: str) -> None:
    answer = client.get("/", {"host": host.replace("NAME", client.session.name)})
    assert answer.status_code == 421
    assert "table-geometric" not in answer.text


def test_two_hosts_are_none(client: Client) -> None:
    assert raw(client, headers=[("host", client.host), ("host", client.host)])[0] == 421
    assert raw(client, headers=[])[0] == 421


def test_changes_need_origin_key_and_form(client: Client) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("/").status_code == 405  # it came through, and this page takes no form
    assert client.post("/", headers={"origin": ""}).status_code == 403
    assert client.post("/", headers={"origin": "null"}).status_code == 403
    assert client.post("/", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post("/", headers={"origin": f"http://{client.session.name}:1"}).status_code == 403
    assert client.post("/", headers={"origin": f"https://{client.host}"}).status_code == 403
    assert client.post("/", headers={"origin": f"{client.origin}.evil.example"}).status_code == 403
    sent = f"{FORM_KEY}={client.session.form_key}".encode()
    twice = [("host", client.host), ("origin", client.origin), ("origin", "http://evil.example")]
    assert raw(client, [*twice, ("content-type", form["content-type"])], [sent])[0] == 403
    assert client.post("/", {FORM_KEY: ""}).status_code == 403
    assert client.post("/", {FORM_KEY: "wrong"}).status_code == 403
    assert client.post("/", headers={"cookie": ""}).status_code == 403
    origin = {"origin": client.origin}
    key = f"{FORM_KEY}={client.session.form_key}"
    assert client.request("POST", "/", origin, content=key).status_code == 415
    assert client.request("POST", "/", {**origin, **form}, content=b"\xff" + key.encode()).status_code == 400
    assert client.request("POST", "/", {**origin, **form}, content=key + "&x" * 6_000).status_code == 400
    assert client.request("POST", "/", {**origin, **form}, content=key + "&x=" + "x" * LARGEST_FORM).status_code == 413


def test_a_refusal_leads_to_no_other_site(client: Client) -> None:
    """The page that offers to try again is shown to whoever followed a link of another site."""
    offered = client.get("/releases/table-geometric/ask?where=age>=2", {"cookie": ""}).text
    assert 'href="/releases/table-geometric/ask?where=' in offered
    refused: list[tuple[int, str]] = []

    def refuse(request: Request, status: int, said: str) -> Response:
        refused.append((status, bytes(pages.refuse(request, status, said).body).decode()))
        return Response(said, status)

    pages = Pages(client.session, private=False)
    guard = Guard(client.app, client.session, client.host, refuse)
    for path in ("//evil.example/x", "/" + chr(92) + "evil.example", "http://evil.example/"):
        raw(client, [("host", client.host), ("cookie", "no")], app=guard, path=path)
    assert [status for status, _ in refused] == [403] * 3
    assert not [text for _, text in refused if re.search(r'href="(//|/.evil|http)', text)]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    assert client.request(method, "/").status_code == 405


@pytest.mark.parametrize("path", [*PAGES, "/jobs/1", "/start"])
def test_there_is_no_websocket(client: Client, path: str) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", client.host.encode()), (b"cookie", f"{COOKIE}={client.session.cookie}".encode())]
    scope = {"type": "websocket", "path": path, "headers": headers, "query_string": b""}
    done(client.app(scope, receive, send))  # type: ignore[arg-type]
    assert [message["type"] for message in sent] == ["websocket.close"]
    upgraded = client.get(path, {"upgrade": "websocket", "connection": "upgrade"})
    assert upgraded.status_code == 400


def test_limits_on_what_is_sent(client: Client) -> None:
    page = "/releases/table-geometric/explore?where="
    assert client.get(page + "x" * LONGEST_ADDRESS).status_code == 414
    answer = client.get(page + "x" * (LONGEST_TEXT + 1))
    assert answer.status_code == 400
    assert "letters are more than" in answer.text
    assert client.get(page + "(" * 3_000).status_code == 400


def test_no_page_chooses_its_headers(client: Client) -> None:
    """Two policies there are, ours; whatever else a page would say is written over."""

    async def lax(scope: Any, receive: Any, send: Any) -> None:
        await Response("", headers={"content-security-policy": "default-src *", "cache-control": "public"})(
            scope, receive, send
        )

    guard = Guard(lax, client.session, client.host, lambda request, status, said: Response(said, status))
    heads = raw(client, [("host", client.host)], app=guard)[2]
    assert {name: heads[name] for name in HEADERS} == HEADERS


def test_a_form_in_many_parts_has_the_same_limit(client: Client) -> None:
    form = [("host", client.host), ("origin", client.origin), ("content-type", "application/x-www-form-urlencoded")]
    parts = [b"x" * 1_000] * (LARGEST_FORM // 1_000 + 1)
    assert raw(client, form, parts)[0] == 413


def raw(
    client: Client, headers: list[tuple[str, str]], form: list[bytes] | None = None, app: Any = None, path: str = "/"
) -> tuple[int, bytes, dict[str, str]]:
    """A request with exactly these headers, and a form if there is one, in these parts."""
    sent: list[Any] = []
    parts = list(form or [b""])

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    known = [(name.encode(), value.encode()) for name, value in headers]
    if "cookie" not in dict(headers):
        known.append((b"cookie", f"{COOKIE}={client.session.cookie}".encode()))
    method = "GET" if form is None else "POST"
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    scope["headers"] = known
    asked: Any = app or client.app
    done(asked(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], {key.decode(): one.decode() for key, one in sent[0]["headers"]}
