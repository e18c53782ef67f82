"""The analyst's pages, their JSON and their files. Each page is one question to one release."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from discreet.about import ABOUT
from discreet.errors import DiscreetError
from discreet.release import Release
from discreet.web.analyst.answer_tables import TYPES, as_file, shown_page
from discreet.web.analyst.conditions import chosen, example, joined, offers
from discreet.web.analyst.open_releases import Shelf
from discreet.web.analyst.questions import KINDS, SORTS, VIEWS, Answered, Question, own_queries
from discreet.web.analyst.report_pages import ReportPages
from discreet.web.shell.limits import ROWS_OF_A_PAGE, fields_of, text, whole
from discreet.web.shell.pages import API, NotHere, Pages, address, as_json, path_part

_LAST_PAGE = 1_000_000 // ROWS_OF_A_PAGE


class AnalystPages:
    def __init__(self, shelf: Shelf, pages: Pages, reports: ReportPages) -> None:
        self.shelf, self.pages, self.reports = shelf, pages, reports

    def routes(self) -> list[Route]:
        """Fixed words and names from lists only; nothing in an address is a path."""
        return [
            *self.reports.routes(),
            Route("/releases/{release}", self.release),
            Route(API + "/releases", self.list_json),
            Route(API + "/releases/{release}", self.release_json),
            Route("/releases/{release}/{kind}.{ending}", self.file),
            Route("/releases/{release}/{kind}", self.question),
            Route(API + "/releases/{release}/{kind}", self.question_json),
        ]

    def release(self, request: Request) -> Response:
        name = request.path_params["release"]
        with self.shelf.using(name) as release:
            facts = release.describe()
            manifest = release.manifest
            said: dict[str, Any] = {"offers": offers(release.schema), "leaves_out": release.leaves_out, "facts": facts}
            about = {ABOUT.get(key, key): words for key, words in _texts(manifest.get("about")).items()}
            said |= {"about": about, "guarantee": _texts(manifest.get("guarantee")).get("definition")}
            return self.pages.show(
                "release.html",
                name=name,
                manifest=manifest,
                kinds=_kinds(release),
                ledgers=self.reports.ledgers(name),
                **said,
            )

    def list_json(self, request: Request) -> Response:
        listed = [
            {"name": one.name, "fault": one.fault or None, **_outline(one.manifest)} for one in self.shelf.listed()
        ]
        return as_json({"releases": listed})

    def release_json(self, request: Request) -> Response:
        name = request.path_params["release"]
        with self.shelf.using(name) as release:
            known = {"name": name, "describe": release.describe(), "leaves_out": release.leaves_out}
            return as_json({**known, "questions": _kinds(release), "manifest": release.manifest})

    def question(self, request: Request) -> Response:
        """The form, and the answer below it; a mistake stands above the form, which stays as it was filled in."""
        name, kind = request.path_params["release"], _kind(request)
        fields = fields_of(request.url.query)
        with self.shelf.using(name) as release:
            here = f"/releases/{path_part(name)}/{kind}"
            more = chosen(fields, release.schema)
            if more:  # what was chosen becomes a part of the predicate, so that the address says all of it
                rest: dict[str, Any] = {
                    key: value for key, value in fields if key in ("by", "bins", "view", "level", "sort", "of")
                }
                rest |= {"by": [value for key, value in fields if key == "by" and value]}
                return RedirectResponse(address(here, {**rest, "where": joined(text(fields, "where"), more)}), 303)
            asked, found, error = None, Answered(), ""
            try:
                asked = KINDS[kind].read(fields, release)
                found = asked.answer(release)
                table = None if found.frame is None else shown_page(found.frame, whole(fields, "page", 1, _LAST_PAGE))
            except DiscreetError as refused:
                error, table = str(refused), None
            words = None if asked is None or error else asked.words(self.shelf.folder(name))
            given = asked.fields() if asked is not None else {key: value for key, value in fields if key in _FIELDS}
            facts: dict[str, Any] = {"name": name, "kind": kind, "kinds": _kinds(release), "here": here, "error": error}
            facts |= {"given": {**dict.fromkeys(_FIELDS, ""), **given}, "asked": asked, "words": words, "table": table}
            offered = offers(release.schema)
            facts |= {"offers": offered, "example": example(offered), "found": found, "views": VIEWS, "sorts": SORTS}
            facts |= {"files": list(TYPES), "own": own_queries(release)}
            return self.pages.show(f"{kind}.html", 400 if error else 200, **facts)

    def question_json(self, request: Request) -> Response:
        name, kind = request.path_params["release"], _kind(request)
        with self.shelf.using(name) as release:
            asked = KINDS[kind].read(fields_of(request.url.query), release)
            found, words = asked.answer(release), asked.words(self.shelf.folder(name))
        said: dict[str, Any] = {"release": name, "question": asked.fields(), "notes": found.notes}
        said |= {"answer": None if found.answer is None else found.answer.to_dict()}
        said |= {"rows": None if found.frame is None else found.frame.to_dicts()}
        return as_json({**said, "python": words.python, "command": words.command})

    def file(self, request: Request) -> Response:
        name, kind, ending = request.path_params["release"], _kind(request), request.path_params["ending"]
        if ending not in TYPES:
            raise NotHere("There is no such file; a table is there as .csv, .parquet and .xlsx.")
        with self.shelf.using(name) as release:
            asked: Question = KINDS[kind].read(fields_of(request.url.query), release)
            found = asked.answer(release)
        if found.frame is None:
            raise NotHere("This answer is one number; a table is there for groups, lists and several quantiles.")
        called = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{name}-{kind}").strip("-")
        held = {"content-disposition": f'attachment; filename="{called}.{ending}"'}
        return Response(as_file(found.frame, ending), media_type=TYPES[ending], headers=held)


_FIELDS = ("by", "where", "bins", "view", "level", "sort", "of", "sql", "attribute", "share", "a", "b", "k", "per")


def _kind(request: Request) -> str:
    kind = str(request.path_params["kind"])
    if kind not in KINDS:
        raise NotHere("There is no such page.")
    return kind


def _kinds(release: Release) -> list[str]:
    """What this release can be asked."""
    if own_queries(release):  # there are no groups of them
        return ["ask", "compare"]
    items = release.manifest["task"]["task"] == "items"
    ordered = any(hasattr(release.schema[name], "bins") for name in release.schema)
    return [kind for kind in KINDS if (kind != "top" or items) and (kind != "quantile" or ordered)]


def _texts(part: Any) -> dict[str, str]:
    """What is text in a part of a manifest that older releases lack."""
    return {key: said for key, said in part.items() if isinstance(said, str)} if isinstance(part, dict) else {}


def _outline(manifest: dict[str, Any] | None) -> dict[str, Any]:
    if manifest is None:
        return {}
    known = {key: manifest[key] for key in ("id", "dataset", "time", "method", "epsilon", "seal")}
    return {**known, "task": manifest["task"]["task"]}
