"""Pages from templates, everything escaped; errors as pages too."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from discreet.charts import Picture
from discreet.charts.picture import STYLE
from discreet.errors import DiscreetError
from discreet.web.shell.session import FORM_KEY, BrowserSession

HERE = Path(__file__).parents[1]
API = "/api"
START = "/start"


class Pages:
    """Makes pages; `private` says whether the custodian's pages are there."""

    def __init__(self, session: BrowserSession, private: bool) -> None:
        self.private = private
        self._made = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._made.globals |= {
            "private": private,
            "form_key": session.form_key,
            "form_key_name": FORM_KEY,
            "address": address,
        }
        self._made.filters |= {"number": shown, "drawn": drawn, "path": path_part, "epsilon": epsilon}

    def prepare(self) -> None:
        """Reads every template now, so that no page waits for it."""
        for name in self._made.list_templates():
            self._made.get_template(name)

    def show(self, template: str, status: int = 200, /, **facts: Any) -> Response:
        return HTMLResponse(self._made.get_template(template).render(facts), status)

    def stream(self, template: str, /, **facts: Any) -> Iterator[str]:
        """A page that is sent as it is made."""
        return self._made.get_template(template).generate(facts)

    def refuse(self, request: Request, status: int, said: str) -> Response:
        """Why not, as a page or as JSON."""
        path = request.scope.get("path", "")
        if path.startswith(f"{API}/"):
            return JSONResponse({"error": said}, status)
        again = path if status == 403 and request.method == "GET" and path != START else ""
        query = request.scope.get("query_string", b"").decode("latin-1")
        link = quote(again, safe="/:@") + (f"?{query}" if again and query else "")
        return self.show("refused.html", status, said=said, status=status, again=link if _is_ours(again) else "")


def _is_ours(path: str) -> bool:
    """Two slashes would be the name of another host."""
    return path.startswith("/") and not path.startswith("//")


def failed(pages: Pages) -> Callable[[Request, Exception], Response]:
    """What a page says where ours refuse something that no form shows by itself."""

    def handler(request: Request, error: Exception) -> Response:
        assert isinstance(error, DiscreetError)
        return pages.refuse(request, getattr(error, "status", 400), str(error))

    return handler


class NotHere(DiscreetError):
    """No such page."""

    status = 404


def address(path: str, fields: Mapping[str, Any]) -> str:
    """A path with fields, blank ones left out."""
    kept = [(name, value) for name, value in fields.items() if value not in ("", None, False, [])]
    return path + (f"?{urlencode(kept, doseq=True)}" if kept else "")


def as_json(value: Any) -> Response:
    return Response(json.dumps(value, ensure_ascii=False, default=str), media_type="application/json")


def path_part(text: str) -> str:
    return quote(text, safe="")


def drawn(picture: Picture) -> Markup:
    """A picture as a part of the page, whose own sheet has its colours: none is inline."""
    return Markup(picture.svg.replace(f"<style>{STYLE}</style>", ""))


def epsilon(amount: str) -> str:
    """An amount of a budget with its unit; words such as "no cap" stay as they are."""
    return f"epsilon {amount}" if amount[:1].isdigit() else amount


def shown(value: Any) -> str:
    """A number as people read it."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    if not math.isfinite(value):
        return "none"
    if isinstance(value, int) or value % 1 == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:,.3g}"
