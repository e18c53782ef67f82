"""The site is built by its one command: no link is broken, nothing comes from elsewhere, no page is out of reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs_site.__main__ import DOCS, build
from docs_site.navigation import navigation
from docs_site.staging import GUESTS

#: elements that a browser fetches by itself, and links of `rel` that it does not
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
MERELY_TOLD = {"canonical", "next", "prev", "alternate", "help"}


class Page(HTMLParser):
    """What a page links to, what it makes a browser fetch, the anchors it has, and the links of its navigation."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.in_navigation: list[str] = []
        self._depth = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        self.anchors |= {held[name] for name in ("id", "name") if name in held}
        self._depth += tag == "nav"
        if tag == "a" and "href" in held:
            self.links.append(held["href"])
            if self._depth:
                self.in_navigation.append(held["href"])
        if tag == "link" and not MERELY_TOLD & set(held.get("rel", "").split()):
            self.fetched.append(held.get("href", ""))
        if FETCHED.get(tag) in held:
            self.fetched.append(held[FETCHED[tag]])
        self.fetched += re.findall(r"url\((.*?)\)", held.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "nav"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    assert build(folder) == 0
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}


def test_every_link_and_anchor_leads_somewhere(pages: dict[Path, Page]) -> None:
    followed, broken = 0, []
    for page, held in pages.items():
        for link in held.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            followed += 1
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchors = pages[target].anchors if target in pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                broken.append(f"{page.name}: {link}")
    assert broken == []
    assert followed > 1_000


def test_nothing_is_fetched_from_another_host(site: Path, pages: dict[Path, Page]) -> None:
    """Pages and style sheets; scripts are our generator's own, and ask nobody for what these pages have."""
    assert sum(len(held.fetched) for held in pages.values()) > len(pages)
    for page, held in pages.items():
        assert [one for one in held.fetched if _is_elsewhere(one)] == [], page.name
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        found = re.findall(r"url\(([^)]*)\)|@import\s+[\"']([^\"']+)", text)
        assert [one for pair in found for one in pair if _is_elsewhere(one.strip("\"'"))] == [], sheet.name


def _is_elsewhere(address: str) -> bool:
    return bool(urlsplit(address).netloc) or address.startswith("http")


def test_every_page_is_in_the_navigation(site: Path, pages: dict[Path, Page]) -> None:
    start = site / "index.html"
    reached = {(start.parent / urlsplit(link).path).resolve() for link in pages[start].in_navigation}
    missing = [page for page in _pages_of_docs() if (site / page).with_suffix(".html").resolve() not in reached]
    assert missing == []


def _pages_of_docs() -> Iterator[str]:
    yield from (path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.name != "index.md")
    yield from GUESTS


def test_the_navigation_says_where_each_page_belongs() -> None:
    sections = navigation(DOCS)
    assert "More" not in sections, f"name these in docs_site/navigation.py: {sections['More']}"
    entries = [page for pages in sections.values() for page in pages.values()]
    assert sorted([*entries, "index.md"]) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
