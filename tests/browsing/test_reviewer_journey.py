"""The journey of a reviewer: from a release to the page that is signed, on paper too, and to its red verdict."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from discreet.cli.typer_app import typer_app as app
from tests.browser import WIDTHS


def written(folder: Path, to: Path) -> tuple[bytes, int]:
    """What the command writes about the same release and ledger, and how it ends."""
    arguments = ["report", str(folder / "signed"), "--ledger", str(folder / "paid.ledger"), "-o", str(to), "--quiet"]
    try:
        ended = app(arguments, standalone_mode=False) or 0
    except SystemExit as error:
        ended = int(str(error.code))
    return to.read_bytes(), ended


def follow(page: Any, link: str, keyboard: bool) -> None:
    """A link by its name: by mouse, or on with Tab until it has the focus."""
    if not keyboard:
        page.get_by_role("link", name=link, exact=True).click()
        return
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.locator("a:focus")
        if focused.count() and focused.inner_text() == link:
            page.keyboard.press("Enter")
            return
    pytest.fail(f"no Tab leads to {link}")


@pytest.mark.parametrize("keyboard", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_reviewer(opened: Any, folder: Path, tmp_path: Path, keyboard: bool, width: int) -> None:
    """By mouse and by keyboard, at both widths, light with script and dark without."""
    script = keyboard == (width == WIDTHS[0])
    page = opened(width, "light" if script else "dark", script=script)
    page.goto("/")
    follow(page, "signed", keyboard)
    page.get_by_role("heading", name="What is protected").wait_for()
    with page.expect_response("**/report?ledger=paid") as answer:
        follow(page, "with the ledger paid", keyboard)
    page.get_by_text("All checks passed").wait_for()
    assert (answer.value.body(), 0) == written(folder, tmp_path / "report.html")
    page.get_by_role("link", name="What was checked").press("Enter")
    page.wait_for_url("**#checks")
    if width == WIDTHS[1]:
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
        assert 4 <= len(re.findall(rb"/Type /Page\b", printed)) <= 12
    table = folder / "signed" / "table.parquet"
    whole = table.read_bytes()
    table.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    try:
        answer = page.reload()
        page.get_by_text("Do not sign").wait_for()
        assert page.get_by_text("signature").count() == 0
        assert (answer.body(), 1) == written(folder, tmp_path / "report.html")
    finally:
        table.write_bytes(whole)
    page.goto("/releases/signed/report?ledger=paid")
    assert page.get_by_text("All checks passed").is_visible()
