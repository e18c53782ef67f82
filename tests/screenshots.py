"""Pictures of the web app for docs/web.md, on the demo: `python -m tests.screenshots` writes them to docs/images."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.browser import running, serving

IMAGES = Path(__file__).parents[1] / "docs" / "images"
#: file, path, width and height, and whether it is dark
PICTURES = [
    ("explore.png", "/releases/by-age/explore?by=age&bins=10", (1000, 1040), "light"),
    ("explore-narrow.png", "/releases/by-age/ask?where=age+>=+65+and+sex+=+'Female'", (390, 800), "dark"),
    ("spec.png", "/specs/town", (1000, 900), "light"),
    ("ledger.png", "/ledgers/town", (1000, 800), "dark"),
]


def main(folder: Path) -> None:
    demo = folder / "discreet-demo"
    subprocess.run([sys.executable, "-m", "discreet", "demo", "--quiet", "--folder", str(demo)], check=True)
    IMAGES.mkdir(exist_ok=True)
    with running() as browser, serving(demo, log=folder / "log") as served:
        page = browser.new_context(base_url=served.origin).new_page()
        page.goto(served.start)
        page.wait_for_url(f"{served.origin}/")
        for name, path, (width, height), scheme in PICTURES:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.goto(path)
            page.screenshot(path=IMAGES / name)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
