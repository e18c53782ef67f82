"""A real browser for tests: the chromium that is installed, driven by playwright, which downloads none of its own.

And the web app in a process of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

__all__ = ["Browser", "NoBrowser", "Served", "Visit", "running", "serving", "visited"]

WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")
_NAMES = ("chromium", "chromium-browser", "google-chrome")


class NoBrowser(Exception):
    """There is none to start."""


@contextmanager
def running() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        raise NoBrowser("there is no chromium; install it: apt-get install chromium")
    with sync_playwright() as driver:
        # without a sandbox, since root has none
        options = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
        browser = driver.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that is open, and what it said and asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def faults(self) -> list[str]:
        """What axe-core finds wrong for people who cannot see, or not well."""
        found: Any = Axe().run(self.page).response["violations"]
        return [f"{one['id']}: {[node['target'] for node in one['nodes']][:3]}" for one in found]

    def too_wide(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


@contextmanager
def visited(
    browser: Browser, address: str, *, width: int = 1280, scheme: Any = "light", **options: Any
) -> Iterator[Visit]:
    """The page at an address, in a window of its own, without cookies of others."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
    visit = Visit(context.new_page())
    visit.page.on("console", lambda message: visit.said.append(message.text))
    visit.page.on("pageerror", lambda error: visit.said.append(str(error)))
    visit.page.on("request", lambda request: visit.requests.append(request.url))
    visit.page.goto(address)
    yield visit
    context.close()


class Served:
    """A server that runs: the address to start with, its process, and all that it said."""

    def __init__(self, address: str, process: subprocess.Popen[str]) -> None:
        self.start, self.process = address, process
        parts = urlsplit(address)
        self.origin, self.port, self.host = f"{parts.scheme}://{parts.netloc}", parts.port, parts.netloc


@contextmanager
def serving(*arguments: str | Path, log: Path) -> Iterator[Served]:
    """`discreet serve` with these arguments; what it says on either stream goes to `log`."""
    command = [sys.executable, "-m", "discreet", "serve", *map(str, arguments)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with log.open("w", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=environment)
        try:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                lines.append(line)
                if "/start?token=" in line:
                    break
            assert "/start?token=" in "".join(lines), log.read_text(encoding="utf-8")
            yield Served(lines[-1].strip(), process)
        finally:
            process.terminate()
            process.communicate(timeout=20)
