"""Every page, wide and light, narrow and dark: axe finds nothing, nothing overflows, the console stays empty."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

TABLE = "/releases/out%3Atable-geometric"
ITEMS = "/releases/out%3Aitems-even-shares"
PAGES = [
    "/",
    TABLE,
    f"{TABLE}/explore?by=age",
    f"{TABLE}/explore?by=age,sex&view=heat",
    f"{TABLE}/explore?by=age,sex&view=line",
    f"{TABLE}/explore?by=age,sex,place&view=table",
    f"{TABLE}/ask?where=age>=2",
    f"{TABLE}/quantile?share=0.25,0.5&by=sex",
    f"{TABLE}/compare?a=age>=1&b=age>=2",
    f"{ITEMS}/top",
    "/releases/signed",
    "/ledgers/paid",
    "/specs/town",
    "/specs/town/toml",
    "/specs/town/plan/by-age?epsilon=0.5,1&error=9",
    "/specs/town/publish/by-sex",
]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page(opened: Any, width: int, scheme: str) -> None:
    page = opened(width, scheme)
    axe = Axe()
    faults = []
    for path in PAGES:
        answer = page.goto(path)
        assert answer.status == 200, path
        if page.evaluate(OVERFLOW) > 0:
            faults.append(f"{path}: overflows")
        found = axe.run(page)
        if found.violations_count:
            faults.append(f"{path}: {found.generate_report()}")
    assert faults == []


def test_pages_that_refuse_look_no_worse(opened: Any) -> None:
    page = opened(390, "dark", strict=False)  # a browser itself says that an answer was 400 or 404
    for path in (f"{TABLE}/explore?where=age", "/nothing", "/specs/town/plan/by-age?epsilon=x"):
        page.goto(path)
        assert page.get_by_role("alert").is_visible()
        assert page.evaluate(OVERFLOW) <= 0
        assert Axe().run(page).violations_count == 0, path
