"""The journeys of an analyst and a custodian, by mouse and by keyboard alone, with script and without."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from discreet.ledger import Ledger
from tests.unit.web.custodian.workplace import CANARY, SPEC

TABLE = "/releases/out%3Atable-geometric"


def type_into(page: Any, label: str, text: str) -> None:
    """By keyboard: on with Tab until the field has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.locator("*:focus")
        if focused.count() and focused.get_attribute("id"):
            named = page.locator(f'label[for="{focused.get_attribute("id")}"]')
            if named.count() and label in named.first.text_content():
                page.keyboard.type(text)
                return
    pytest.fail(f"no Tab leads to {label}")


def test_an_analyst_by_mouse(opened: Any) -> None:
    page = opened(1280, "light")
    page.goto("/")
    page.get_by_role("link", name="Explore out:table-geometric").click()
    page.get_by_label("and by (2)").select_option("sex")
    page.get_by_text("Choose conditions").click()
    page.get_by_role("group", name="age").get_by_label("from").fill("2")
    page.get_by_role("button", name="Show counts").click()
    page.wait_for_url("**where=*")
    fields = parse_qs(urlsplit(page.url).query)
    assert fields["where"] == ["age >= 2"]
    assert fields["by"] == ["age", "sex"]
    assert page.get_by_role("figure").get_by_role("img").is_visible()
    assert page.get_by_role("columnheader", name="low").is_visible()
    shared = opened(390, "dark")  # the address says all of it
    shared.goto(page.url)
    assert shared.locator("table.answers").inner_text().split() == page.locator("table.answers").inner_text().split()
    with page.expect_download() as found:
        page.get_by_role("link", name="CSV").click()
    rows = Path(found.value.path()).read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("age,sex,count")
    page.get_by_role("link", name="Quantile").click()
    page.get_by_label("Share at or below it").fill("0.5")
    page.get_by_role("button", name="Find it").click()
    assert page.locator(".value").inner_text()


@pytest.mark.parametrize("script", [True, False])
def test_an_analyst_by_keyboard(opened: Any, script: bool) -> None:
    page = opened(390, "dark", script=script)
    page.goto(f"{TABLE}/ask")
    page.keyboard.press("Tab")
    assert "Skip" in page.locator("*:focus").inner_text()
    page.keyboard.press("Enter")
    type_into(page, "How many", "age >= 2")
    page.keyboard.press("Enter")
    page.wait_for_url("**where=age*")
    assert page.locator(".value").inner_text()
    assert page.get_by_role("button", name="Copy the Python code").count() == int(script)


def test_a_custodian_with_script(opened: Any, folder: Path) -> None:
    """A mistake is mended, a plan read, a release published and looked at; nothing on the way shows a row."""
    seen: list[str] = []
    (folder / "town.toml").write_text(SPEC.replace("high = 9", "high = -9"), encoding="utf-8")
    page = opened(1280, "dark")
    page.goto("/specs/town")
    field = page.get_by_label("high", exact=True)
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("9")
    page.get_by_role("button", name="Save age").click()
    page.get_by_text("No mistakes.").wait_for()
    seen.append(page.content())
    page.get_by_role("link", name="Plan by-age").click()
    page.get_by_label("Epsilons to try").fill("0.5")
    page.get_by_role("button", name="Plan").click()
    page.get_by_role("heading", name="epsilon 0.5: standard errors").wait_for()
    seen.append(page.content())
    page.get_by_role("link", name="Publish it").click()
    page.get_by_label("To confirm").fill("by-age")
    page.get_by_role("button", name="Charge and publish").click()
    page.wait_for_url("**/jobs/*")
    page.reload()  # it goes on
    page.get_by_text("Published.").wait_for()
    seen.append(page.content())
    page.get_by_role("link", name="Look at the release").click()
    page.get_by_role("heading", name="What is protected").wait_for()
    page.goto("/ledgers/town")
    assert page.get_by_text("the chain is whole").is_visible()
    assert sum(entry.kind == "charge" for entry in Ledger.read(folder / "town.ledger").entries()) == 1
    assert not [text for text in seen if CANARY in text]
    assert CANARY not in (folder.parent / "log").read_text(encoding="utf-8")


def test_a_custodian_by_keyboard_without_script(opened: Any, folder: Path) -> None:
    """The release is stopped before the charge."""
    page = opened(390, "light", script=False)
    page.goto("/specs/town/publish/by-sex")
    type_into(page, "To confirm", "by-sex")
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/*")
    page.get_by_role("button", name="Stop before the charge").press("Enter")
    page.get_by_text("nothing was spent").wait_for()  # the page reloads itself
    assert not (folder / "by-sex").exists()


def test_a_file_is_described(opened: Any, folder: Path) -> None:
    page = opened(390, "light")
    page.goto("/")
    page.get_by_role("button", name="Describe it visits.csv").click()
    page.wait_for_url("**/specs/visits")
    assert page.get_by_role("heading", name="mistakes").first.is_visible()
    assert (folder / "visits.toml").exists()


def test_one_key_of_those_that_are_shown(opened: Any, folder: Path) -> None:
    """A spec of 60 attributes: what a search hides is not changed."""
    names = [f"{'measure' if number % 3 == 0 else 'question'}_{number}" for number in range(60)]
    tables = "".join(f'\n[attributes.{name}]\nkind = "ordinal"\nlow = 0\nhigh = 4\n' for name in names)
    (folder / "wide.toml").write_text('[data]\nsource = "people.csv"\n' + tables, encoding="utf-8")
    page = opened(1280, "light")
    page.goto("/specs/wide")
    page.get_by_label("Search names").fill("Measure")
    assert page.get_by_text("20 shown", exact=True).is_visible()
    page.get_by_text("Change one key of the 20 shown below").click()
    page.get_by_label("Key", exact=True).first.fill("null")
    page.get_by_label("Value, as TOML has it; empty takes it away").fill('"other"')
    page.get_by_role("button", name="Change 20 attributes").click()
    page.get_by_text("Saved.").wait_for()
    made = tomllib.loads((folder / "wide.toml").read_text(encoding="utf-8"))["attributes"]
    assert {name for name, held in made.items() if "null" in held} == {name for name in names if "measure" in name}
