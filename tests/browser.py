"""A real browser, the chromium that is installed, and the web app in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PLACES = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")


class NoBrowser(Exception):
    """There is none on this machine."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser of playwright's; it never reaches for the network by itself."""
    found = next((place for place in PLACES if Path(place).exists()), None) or shutil.which("chromium")
    if found is None:
        raise NoBrowser("no chromium is installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        options = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
        browser = driver.chromium.launch(executable_path=found, args=options)
        try:
            yield browser
        finally:
            browser.close()


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
