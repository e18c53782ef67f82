"""The pages of the site in their order. Pages of a folder that are not named come by themselves, so none is missing."""

from __future__ import annotations

import re
from pathlib import Path

#: title -> pages, or folders of pages; a page that is nowhere here is at the end of "More"
SECTIONS: dict[str, tuple[str, ...]] = {
    "Tutorials": ("tutorials/custodian.md", "tutorials/analyst.md", "tutorials/reviewer.md"),
    "How to": ("how-to/",),
    "Reference": (
        "spec.md",
        "cli.md",
        "python.md",
        "asking.md",
        "methods.md",
        "sources.md",
        "periods.md",
        "rows.md",
        "plan.md",
        "report.md",
        "web.md",
        "json-api.md",
        "release-format.md",
        "ledger.md",
    ),
    "Explanation": ("guarantee.md", "answers.md", "noise.md", "limitations.md", "audit.md", "design.md", "errata.md"),
    "Mechanisms": ("mechanisms/",),
    "Evidence": ("coverage.md", "benchmarks.md", "mutants.md", "results/"),
    "Decisions": ("decisions/",),
}


def navigation(docs: Path) -> dict[str, dict[str, str]]:
    """For each section its pages: title -> path below `docs`."""
    every = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
    sections: dict[str, list[str]] = {}
    for title, places in SECTIONS.items():
        sections[title] = [page for place in places for page in every if page == place or _is_in(page, place)]
    named = {page for pages in sections.values() for page in pages}
    sections["More"] = [page for page in every if page not in named and page != "index.md"]
    return {
        title: {title_of(docs / page): page for page in pages if page != "index.md"}
        for title, pages in sections.items()
        if pages
    }


def _is_in(page: str, folder: str) -> bool:
    return folder.endswith("/") and page.startswith(folder) and page != f"{folder}index.md"


def title_of(page: Path) -> str:
    """What the page calls itself, in plain letters."""
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    said = found[1] if found else page.stem
    said = re.sub(r"^(?:How to|Tutorial:) (.)", lambda first: first[1].upper(), said)
    return said.replace("`", "")
