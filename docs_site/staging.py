"""A copy of docs/ as the site generator wants it: with its settings, and pages from outside of docs/ at home in it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from docs_site.navigation import navigation, title_of

#: pages of the project that pages of the site link to, by where they are in the site
GUESTS = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
_SETTINGS = """[project]
site_name = "Discreet"
site_description = "Publish counts, not people: how to use Discreet, what it promises, and how that was checked."
copyright = "Apache-2.0"
docs_dir = "docs"
site_dir = "site"
use_directory_urls = false
nav = {nav}
extra = {{ generator = false }}

[project.theme]
language = "en"
font = false
features = ["content.code.copy", "navigation.footer", "navigation.top", "toc.follow"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"

[project.markdown_extensions.tables]
[project.markdown_extensions.toc]
permalink = true
[project.markdown_extensions.attr_list]
[project.markdown_extensions.md_in_html]
[project.markdown_extensions.pymdownx.superfences]
[project.markdown_extensions.pymdownx.highlight]
"""


def stage(project: Path, folder: Path) -> Path:
    """Writes the copy into an empty folder; the settings file in it."""
    docs = folder / "docs"
    shutil.copytree(project / "docs", docs)
    for name, guest in GUESTS.items():
        text = (project / guest).read_text(encoding="utf-8")
        (docs / name).write_text(_as_guest(text), encoding="utf-8")
    for listed, title in {"mechanisms": "Mechanisms", "decisions": "Decisions"}.items():
        (docs / listed / "index.md").write_text(_listing(docs / listed, title), encoding="utf-8")
    for page in docs.rglob("*.md"):
        page.write_text(_at_home(page, docs), encoding="utf-8")
    nav = [{"Start": "index.md"}]
    nav += [{section: _entries(pages)} for section, pages in navigation(docs).items()]  # type: ignore[dict-item]
    settings = folder / "zensical.toml"
    settings.write_text(_SETTINGS.format(nav=_toml(nav)), encoding="utf-8")
    return settings


def _as_guest(text: str) -> str:
    """Links of a page at the root of the project, as they are from inside of docs/."""
    for name, guest in GUESTS.items():
        text = text.replace(f"]({guest}", f"]({name}")
    return text.replace("](docs/", "](")


def _at_home(page: Path, docs: Path) -> str:
    """Links to guests, and to folders, which a site can only have as pages."""
    text = page.read_text(encoding="utf-8")
    for name, guest in GUESTS.items():
        text = text.replace(f"](../{guest}", f"]({name}")

    def link(found: re.Match[str]) -> str:
        folder = (page.parent / found[1]).resolve()
        return f"]({found[1].rstrip('/')}/index.md)" if (folder / "index.md").is_file() else found[0]

    return re.sub(r"\]\(([\w./-]+)\)", link, text)


def _listing(folder: Path, title: str) -> str:
    lines = [f"- [{title_of(page)}]({page.name})" for page in sorted(folder.glob("*.md"))]
    return "\n".join([f"# {title}", "", *lines, ""])


def _entries(pages: dict[str, str]) -> list[dict[str, str]]:
    return [{title: page} for title, page in pages.items()]


def _toml(value: object) -> str:
    """Lists, tables of one line, and texts."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
