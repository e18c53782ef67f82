"""`python -m docs_site`: the notebooks, then the whole site, into the folder `site`. Broken links end it."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs_site.notebooks import notebook
from docs_site.running import filled, reader
from docs_site.staging import stage

PROJECT = Path(__file__).parents[1]
DOCS = PROJECT / "docs"
PICTURE = DOCS / "images" / "answer.svg"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m docs_site", description=__doc__)
    parser.add_argument("--notebooks", action="store_true", help="only write the notebooks of the tutorials")
    parser.add_argument("--fill", metavar="PAGE", nargs="+", help="run these pages; write what their blocks print now")
    parser.add_argument("--picture", action="store_true", help="only draw the README's picture, from a new release")
    given = parser.parse_args()
    if given.picture:
        draw(PICTURE)
        return
    for page in given.fill or ():
        _fill(Path(page).resolve())
    for path, text in notebooks().items():
        path.write_text(text, encoding="utf-8")
    if not given.fill and not given.notebooks:
        sys.exit(build(PROJECT / "site"))


def build(site: Path) -> int:
    """The site, into this folder, which is made anew; 0 if every link leads somewhere."""
    shutil.rmtree(site, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = stage(PROJECT, Path(folder))
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(settings)]
        code = subprocess.call(command, cwd=folder)
        if code == 0:
            shutil.copytree(Path(folder) / "site", site)
        return code


def notebooks() -> dict[Path, str]:
    """Every notebook, as it should be."""
    pages = sorted((DOCS / "tutorials").glob("*.md"))
    return {page.with_suffix(".ipynb"): notebook(page.read_text(encoding="utf-8")) for page in pages}


def draw(path: Path) -> None:
    """People of the demo's town by age, from a release that is made for it."""
    from discreet import load
    from discreet.cli.demo import run

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(None):
        run(Path(folder) / "demo", quiet=True)
        load(Path(folder) / "demo" / "by-age").plot("age", bins=10).save(path)


def _fill(page: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, reader(Path(folder)):
        text = filled(page.read_text(encoding="utf-8"), page.name)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
