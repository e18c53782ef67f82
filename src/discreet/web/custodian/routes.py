"""The custodian's pages and their JSON. Changes come as forms; the guard has checked where they are from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from discreet.errors import BadParameter, DiscreetError
from discreet.ledger import Ledger
from discreet.privacy import as_text
from discreet.release.reported import reported
from discreet.spec import ReleaseSpec, Spec, load_spec
from discreet.web.analyst.open_releases import Shelf
from discreet.web.custodian.cards import (
    MOST_CARDS,
    TASKS,
    add_release,
    change_card,
    change_many,
    matches,
    spec_page,
    take_away,
)
from discreet.web.custodian.jobs import Jobs, PublishingJob
from discreet.web.custodian.ledger_pages import account_of, outline_of
from discreet.web.custodian.outlines import outline
from discreet.web.custodian.plan_pages import (
    Budget,
    Plans,
    PlanWish,
    budget_of,
    drawn,
    odds,
    period_needed,
    plan_json,
    rows_needed,
)
from discreet.web.custodian.spec_files import check_mark, document_of, mark_of, save, text_of
from discreet.web.shell.guard import FORM
from discreet.web.shell.limits import Fields, fields_of, text, whole
from discreet.web.shell.pages import API, NotHere, Pages, as_json, path_part
from discreet.web.shell.workspace import Workspace, check_release_folder

_DEMO = "discreet-demo"


class CustodianPages:
    def __init__(self, workspace: Workspace, shelf: Shelf, pages: Pages, jobs: Jobs | None = None) -> None:
        assert workspace.folder is not None
        self.workspace, self.folder, self.shelf, self.pages = workspace, workspace.folder, shelf, pages
        self.jobs, self.plans = jobs or Jobs(), Plans()

    def routes(self) -> list[Route]:
        post = ["POST"]
        return [
            Route("/demo", self.demo, methods=post),
            Route("/describe", self.describe, methods=post),
            Route("/specs/{spec}", self.spec),
            Route("/specs/{spec}/card", self.card, methods=post),
            Route("/specs/{spec}/bulk", self.bulk, methods=post),
            Route("/specs/{spec}/releases", self.add, methods=post),
            Route("/specs/{spec}/less", self.less, methods=post),
            Route("/specs/{spec}/toml", self.toml),
            Route("/specs/{spec}/toml", self.save_toml, methods=post),
            Route("/specs/{spec}/plan/{release}", self.plan),
            Route("/specs/{spec}/publish/{release}", self.publish),
            Route("/specs/{spec}/publish/{release}", self.start, methods=post),
            Route("/jobs/{job}", self.job),
            Route("/jobs/{job}/cancel", self.cancel, methods=post),
            Route("/jobs/{job}/events", self.events),
            Route("/ledgers/{ledger}", self.ledger),
            Route(API + "/specs", self.specs_json),
            Route(API + "/specs/{spec}", self.spec_json),
            Route(API + "/specs/{spec}/plan/{release}", self.plan_json),
            Route(API + "/jobs/{job}", self.job_json),
            Route(API + "/specs/{spec}/publish/{release}", self.publish_json),
            Route(API + "/ledgers", self.ledgers_json),
            Route(API + "/ledgers/{ledger}", self.ledger_json),
        ]

    def warm(self) -> None:
        """Loads what checks specs and reports, before anybody waits for it."""
        for name, path in [*self.workspace.specs().items()][:1]:
            spec_page(name, path)
        for path in [*self.workspace.releases().values()][:1]:
            check_release_folder(path)
            reported(path)

    def home(self, request: Request) -> Response:
        described = {one for path in self.workspace.specs().values() for one in _sources(path)}
        data = [name for name, path in self.workspace.data_files().items() if path.resolve() not in described]
        specs = [_outline(name, path) for name, path in self.workspace.specs().items()]
        ledgers = [outline_of(name, path) for name, path in self.workspace.ledgers().items()]
        shown = {"releases": self.shelf.listed(), "specs": specs, "ledgers": ledgers, "data": data}
        free = not (self.folder / _DEMO).exists()
        return self.pages.show("work.html", jobs=self.jobs.all(), demo_is_free=free, **shown)

    def demo(self, request: Request) -> Response:
        job = self.jobs.start("the demo", "/", ["demo", self.folder / _DEMO], asks=False)
        return RedirectResponse(f"/jobs/{job.id}", 303)

    def describe(self, request: Request) -> Response:
        made = outline(self.workspace, text(_form(request), "file"))
        return RedirectResponse(f"/specs/{path_part(made)}", 303)

    def spec(self, request: Request, error: str = "") -> Response:
        name, path = self._spec(request)
        fields = fields_of(request.url.query)
        found = spec_page(name, path)
        wanted = text(fields, "q")
        cards = [card for card in found.attributes if matches(card.name, wanted)]
        cards.sort(key=lambda card: card.wrong == 0)
        pages = max(1, -(-len(cards) // MOST_CARDS))
        page = min(whole(fields, "page", 1, 1_000_000), pages)
        some = cards[(page - 1) * MOST_CARDS : page * MOST_CARDS]
        facts: dict[str, Any] = {"found": found, "cards": some, "total": len(cards), "q": wanted, "error": error}
        facts |= {"page": page, "number_of_pages": pages, "changed": text(fields, "changed"), "tasks": TASKS}
        return self.pages.show("spec.html", 400 if error else 200, name=name, **facts)

    def card(self, request: Request) -> Response:
        return self._changed(request, change_card)

    def bulk(self, request: Request) -> Response:
        return self._changed(request, change_many)

    def add(self, request: Request) -> Response:
        return self._changed(request, add_release)

    def less(self, request: Request) -> Response:
        return self._changed(request, take_away)

    def _changed(self, request: Request, change: Callable[[Path, Fields], object]) -> Response:
        name, path = self._spec(request)
        fields = _form(request)
        try:
            change(path, fields)
        except DiscreetError as error:
            return self.spec(request, str(error))
        return RedirectResponse(f"/specs/{path_part(name)}?changed=yes", 303)

    def toml(self, request: Request) -> Response:
        name, path = self._spec(request)
        found = spec_page(name, path)
        return self.pages.show("toml.html", name=name, found=found, text=found.text, mark=found.mark, error="")

    def save_toml(self, request: Request) -> Response:
        name, path = self._spec(request)
        fields = dict(_form(request))
        said, mark = fields.get("text", ""), fields.get("mark", "")
        try:
            save(path, said, mark)
        except DiscreetError as error:
            found = spec_page(name, path)
            return self.pages.show("toml.html", 400, name=name, found=found, text=said, mark=mark, error=str(error))
        return RedirectResponse(f"/specs/{path_part(name)}?changed=yes", 303)

    def plan(self, request: Request) -> Response:
        """The form at once, then a table for each epsilon, row by row as it is found, and pictures at the end."""
        name, path, spec, release = self._release(request)
        fields = fields_of(request.url.query)
        facts: dict[str, Any] = {"name": name, "release": release, "epsilon": as_text(release.epsilon)}
        facts |= {"odds": odds(spec, release), "budget": _budget(spec, release), "error": "", "asked": None}
        facts |= {"paid": _standing(spec, release)}
        facts |= {"given": {key: text(fields, key) for key in ("epsilon", "error", "share")}}
        try:
            asked = PlanWish.read(fields, release)
        except DiscreetError as refused:
            return self.pages.show("plan.html", 400, **{**facts, "error": str(refused), "parts": []})
        parts = self._parts(path, spec, release, asked)
        return StreamingResponse(
            self.pages.stream("plan.html", **{**facts, "asked": asked, "parts": parts}), media_type="text/html"
        )

    def _parts(self, path: Path, spec: Spec, release: ReleaseSpec, asked: PlanWish) -> Iterator[dict[str, Any]]:
        plans = []
        try:
            for table in self.plans.each(path, spec, release, asked):
                table.begin()  # what is wrong with the request is said here, before a table begins
                yield {"kind": "plan", "title": table.title, "table": table}
                plans.append(table.whole())
            if asked.error:
                needed = self.plans.needed(spec, release, asked)
                columns = [*(next((one.by_class for one in needed if one.by_class), {})), "all of these"]
                shown = {"columns": columns, "rows": rows_needed(needed), "notes": []}
                yield {"kind": "needed", "title": "", "table": shown}
            yield {"kind": "pictures", "pictures": drawn(release.name, plans)}
        except DiscreetError as error:
            yield {"kind": "error", "said": str(error)}

    def plan_json(self, request: Request) -> Response:
        _, path, spec, release = self._release(request)
        asked = PlanWish.read(fields_of(request.url.query), release)
        plans = [table.whole() for table in self.plans.each(path, spec, release, asked)]
        needed = self.plans.needed(spec, release, asked) if asked.error else []
        return as_json(plan_json(plans, needed, asked, release))

    def publish(self, request: Request, error: str = "") -> Response:
        mark = mark_of(text_of(self._spec(request)[1]))  # first, so that a spec that changes now is refused later
        name, _, spec, release = self._release(request)
        paid = _standing(spec, release)
        facts: dict[str, Any] = {"budget": _budget(spec, release), "odds": odds(spec, release), "paid": paid}
        facts |= {"needs_period": period_needed(spec, release), "error": error, "drafted": spec.drafted, "mark": mark}
        shown = {"name": name, "release": release, "epsilon": as_text(release.epsilon), "unit": spec.unit, **facts}
        return self.pages.show("publish.html", 400 if error else 200, **shown)

    def start(self, request: Request) -> Response:
        name, path, _, release = self._release(request)
        fields = _form(request)
        period = text(fields, "period")
        try:
            if text(fields, "confirm") != release.name:
                raise BadParameter(f"type the name of the release, {release.name}, to publish it; nothing was charged")
            mark = text(fields, "mark")
            check_mark(path, mark)  # and once more by the process, which reads the spec again
            folder = release.name + (f"@{period}" if period else "")
            known = ":".join([*path.parent.relative_to(self.folder).parts, folder])
            job = self.jobs.start(
                f"{name}: {folder}", f"/releases/{path_part(known)}", ["publish", path, release.name, period, mark]
            )
        except DiscreetError as refused:
            return self.publish(request, str(refused))
        return RedirectResponse(f"/jobs/{job.id}", 303)

    def job(self, request: Request) -> Response:
        job = self.jobs.find(request.path_params["job"])
        return self.pages.show("job.html", job=job, stages=list(job.stages))

    def cancel(self, request: Request) -> Response:
        job = self.jobs.find(request.path_params["job"])
        job.cancel()
        return RedirectResponse(f"/jobs/{job.id}", 303)

    async def events(self, request: Request) -> Response:
        job = self.jobs.find(request.path_params["job"])
        said = text(fields_of(request.url.query), "after")
        first = int(said) if said.isdecimal() and len(said) < 6 else 0
        return StreamingResponse(_events(job, first), media_type="text/event-stream")

    def job_json(self, request: Request) -> Response:
        job = self.jobs.find(request.path_params["job"])
        return as_json({"title": job.title, "state": job.state, "stages": job.stages, "said": job.said})

    def ledger(self, request: Request) -> Response:
        name, path = self._ledger(request)
        return self.pages.show("ledger.html", name=name, account=account_of(name, path))

    def ledger_json(self, request: Request) -> Response:
        found = account_of(*self._ledger(request))
        names = ("name", "fault", "dataset", "budget", "spent", "left", "closed", "entries")
        return as_json({name: getattr(found, name) for name in names})

    def ledgers_json(self, request: Request) -> Response:
        return as_json({"ledgers": [outline_of(name, path) for name, path in self.workspace.ledgers().items()]})

    def publish_json(self, request: Request) -> Response:
        """What would be charged, and how the account would stand."""
        name, _, spec, release = self._release(request)
        budget = _budget(spec, release)
        said = {"spec": name, "release": release.name, "epsilon": as_text(release.epsilon), "odds": odds(spec, release)}
        return as_json({**said, "budget": budget and asdict(budget), "before": _standing(spec, release)})

    def specs_json(self, request: Request) -> Response:
        return as_json({"specs": [_outline(name, path) for name, path in self.workspace.specs().items()]})

    def spec_json(self, request: Request) -> Response:
        name, path = self._spec(request)
        found = spec_page(name, path)
        said = {"name": name, "problems": [one.to_dict() for one in found.problems], "notes": found.notes}
        return as_json({**said, "toml": found.text})

    def _spec(self, request: Request) -> tuple[str, Path]:
        return _known(self.workspace.specs(), request.path_params["spec"], "spec")

    def _ledger(self, request: Request) -> tuple[str, Path]:
        return _known(self.workspace.ledgers(), request.path_params["ledger"], "ledger")

    def _release(self, request: Request) -> tuple[str, Path, Spec, ReleaseSpec]:
        """A spec without mistakes, and a release of it."""
        name, path = self._spec(request)
        text_of(path)  # refuses what is too large
        try:
            spec = load_spec(path)
        except DiscreetError as error:
            raise BadParameter(
                f"{name} has mistakes; mend them first:\n{str(error).replace(str(path), name)}"
            ) from None
        release = spec.releases.get(request.path_params["release"])
        if release is None:
            raise NotHere("The spec has no release of this name.")
        return name, path, spec, release


async def _events(job: PublishingJob, first: int) -> AsyncIterator[str]:
    """Stages as they happen; how it ended is on the page."""
    sent = first
    while True:
        while sent < len(job.stages):
            stage = job.stages[sent].replace("\n", " ")
            sent += 1
            yield f"event: stage\ndata: {stage}\n\n"
        if job.state != "running":
            yield f"event: over\ndata: {job.state}\n\n"
            return
        await asyncio.sleep(0.2)


def _budget(spec: Spec, release: ReleaseSpec) -> Budget | None:
    """The account before and after; what was paid for before costs nothing more."""
    return budget_of(spec, Fraction(0) if _standing(spec, release) else release.epsilon)


def _standing(spec: Spec, release: ReleaseSpec) -> str:
    """What the ledger knows of this release already, if it is about all rows."""
    if spec.ledger is None or not Path(spec.resolve(spec.ledger)).is_file() or period_needed(spec, release):
        return ""
    ledger = Ledger.read(spec.resolve(spec.ledger))
    if ledger.recorded(release.name):
        return "It was published before: publishing it again costs nothing and gives the same folder."
    if ledger.charged(release.name):
        return "It was charged before, and broke off: publishing it now finishes it, and costs nothing more."
    return ""


def _sources(path: Path) -> list[Path]:
    """The files that a spec is about."""
    named: Any = None
    with suppress(DiscreetError, AttributeError):
        named = document_of(text_of(path)).get("data", {}).get("source")
    some = named if isinstance(named, list) else [named]
    return [(path.parent / one).resolve() for one in some if isinstance(one, str) and "://" not in one]


def _outline(name: str, path: Path) -> dict[str, Any]:
    try:
        spec = load_spec(path)
        return {"name": name, "attributes": len(spec.schema), "releases": list(spec.releases), "mistakes": 0}
    except DiscreetError as error:
        return {"name": name, "attributes": 0, "releases": [], "mistakes": len(getattr(error, "problems", [1]))}


def _known(listed: dict[str, Path], name: str, what: str) -> tuple[str, Path]:
    if name not in listed:
        raise NotHere(f"There is no {what} of this name here; the list is on the first page.")
    return name, listed[name]


def _form(request: Request) -> Fields:
    """As the guard has read it."""
    fields: Fields = request.scope[FORM]
    return fields
