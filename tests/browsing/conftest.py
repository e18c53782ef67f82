"""One server and one browser for all of these tests, which xdist keeps in one process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.spec import load_spec
from tests.browser import Served, serving
from tests.unit.web.custodian.workplace import workplace

RELEASES = Path(__file__).parents[1] / "fixtures" / "releases"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = workplace(tmp_path_factory.mktemp("browsing") / "work")
    for name in ("table-geometric", "items-even-shares"):
        shutil.copytree(RELEASES / name, made / "out" / name)
    (made / "visits.csv").write_text("day,ward\n1,A\n", encoding="utf-8")
    spec = load_spec(made / "town.toml")
    data = discreet.open(made / "people.csv", spec.schema, ledger=made / "paid.ledger", budget=1, dataset="town")
    data.publish(spec.releases["by-age"].task, spec.releases["by-age"].epsilon, name="signed", to=made / "signed")
    return made


@pytest.fixture(scope="session")
def served(browser: Any, folder: Path) -> Iterator[Served]:
    """The browser comes first, so that nothing is started where there is none."""
    with serving(folder, log=folder.parent / "log") as found:
        yield found


@pytest.fixture(scope="session")
def known(browser: Any, served: Served) -> Any:
    """The cookie, got as people get it: by opening the address that was printed."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.start)
    page.wait_for_url(f"{served.origin}/")
    state = context.storage_state()
    context.close()
    return state


Open = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, served: Served, known: Any) -> Iterator[Open]:
    """A page of a known browser; afterwards nothing may have been said in its console, nor asked of another host."""
    contexts, said = [], []

    def make(width: int = 1280, scheme: str = "light", script: bool = True, strict: bool = True) -> Any:
        size = {"width": width, "height": 900}
        context = browser.new_context(
            storage_state=known, viewport=size, color_scheme=scheme, java_script_enabled=script, base_url=served.origin
        )
        contexts.append(context)
        page = context.new_page()
        if strict:
            page.on("console", lambda message: said.append(f"{page.url}: {message.text}"))
            page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
            page.on(
                "request",
                lambda request: None if request.url.startswith(served.origin) else said.append(f"left: {request.url}"),
            )
        page.set_default_timeout(120_000)  # for slow machines: nothing here is timed
        return page

    yield make
    for context in contexts:
        context.close()
    assert said == []
