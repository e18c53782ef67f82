"""The page about the web app runs: its servers are started, asked, and ended by Ctrl-C."""

from __future__ import annotations

import http.client
import re
import shlex
import shutil
import signal
from collections.abc import Sequence
from importlib.metadata import metadata
from pathlib import Path
from urllib.parse import urlsplit

from discreet.cli.demo import run as demo
from docs_site.__main__ import DOCS
from docs_site.running import lines_of, reader, run_page
from tests.browser import serving


def test_the_page_of_the_web_app_runs(tmp_path: Path) -> None:
    """What it says to install is what is installed here; each server is started, asked, and ended by Ctrl-C."""
    done = []

    def shell(code: str) -> None:
        for line in lines_of(code):
            words = shlex.split(line, comments=True)
            if words[:2] == ["pip", "install"]:
                extra = re.fullmatch(r"discreet\[(\w+)\]", words[2])
                assert extra is not None
                assert extra[1] in metadata("discreet").get_all("Provides-Extra", [])
            else:
                assert words[:2] == ["discreet", "serve"]
                answers_until_interrupted(words[2:], tmp_path / "log")
            done.append(line)

    with reader(tmp_path):
        demo(Path("discreet-demo"), quiet=True)
        for name in ("by-age", "pairs"):
            shutil.copytree("discreet-demo/by-age", f"out/{name}")
        assert run_page((DOCS / "web.md").read_text(encoding="utf-8"), "web", ways={"sh": shell}) == 1
    assert len(done) == 3


def answers_until_interrupted(arguments: Sequence[str], log: Path) -> None:
    with serving(*arguments, log=log) as served:
        token = urlsplit(served.start)
        asked = http.client.HTTPConnection("127.0.0.1", served.port or 0, timeout=30)
        asked.request("GET", f"{token.path}?{token.query}", headers={"Host": token.netloc})
        first = asked.getresponse()
        first.read()
        cookie = (first.getheader("Set-Cookie") or "").split(";")[0]
        asked.request("GET", "/", headers={"Host": token.netloc, "Cookie": cookie})
        page = asked.getresponse()
        assert page.status == 200
        assert b"by-age" in page.read()
        asked.close()
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(20) == 130  # as shells say of Ctrl-C
