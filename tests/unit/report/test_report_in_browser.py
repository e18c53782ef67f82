"""The report in a real browser: from disk, without a network, at both widths, light and dark, and on A4."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from discreet.report import rendered
from tests.browser import SCHEMES, WIDTHS, Browser, visited
from tests.unit.report import report_cases
from tests.unit.report.report_cases import audit_of

made = report_cases.made  # a fixture


@pytest.fixture(scope="module")
def page(made: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, ledger = made
    manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    target = tmp_path_factory.mktemp("page") / "report.html"
    target.write_text(rendered(folder, ledger=ledger, audit=audit_of(manifest)), encoding="utf-8")
    return target


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_opens_from_disk_for_everybody(browser: Browser, page: Path, width: int, scheme: str) -> None:
    with visited(browser, page.as_uri(), width=width, scheme=scheme, offline=True) as visit:
        assert visit.said == []
        assert visit.requests == [page.as_uri()]
        assert visit.too_wide() == 0
        assert visit.faults() == []
        dark = visit.page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(253, 253, 252)"
        assert dark == (scheme == "dark")


def test_it_prints_on_a4(browser: Browser, page: Path) -> None:
    with visited(browser, page.as_uri(), scheme="dark") as visit:
        printed = visit.page.pdf(prefer_css_page_size=True, print_background=True)
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    sizes = {tuple(map(float, found)) for found in re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)}
    assert sizes
    assert all(abs(wide - 595.3) < 1 and abs(tall - 841.9) < 1 for wide, tall in sizes)
    assert 4 <= len(re.findall(rb"/Type /Page\b", printed)) <= 9
