"""Tutorials and how-tos run as they stand and print what they show, up to the noise; notebooks are those pages."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import BadSpec
from discreet.mechanisms import AUTO
from discreet.schema import Attribute, Nominal, Ordinal
from docs_site.__main__ import DOCS, notebooks
from docs_site.blocks import blocks
from docs_site.notebooks import block_of
from docs_site.running import PageFault, masked, reader, run_block, run_page

TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
PAGES = [
    *sorted((DOCS / "how-to").glob("*.md")),
    *(DOCS / f"{name}.md" for name in ("guarantee", "json-api", "ledger", "release-format")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_runs(page: Path, tmp_path: Path) -> None:
    with reader(tmp_path):
        assert run_page(page.read_text(encoding="utf-8"), page.name) > 0


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_tutorial_is_a_notebook_that_runs(page: Path, tmp_path: Path) -> None:
    """The cells of the notebook are run, which are the blocks of the page: so both are."""
    path = page.with_suffix(".ipynb")
    text = path.read_text(encoding="utf-8")
    assert text == notebooks()[path], f"{path.name}: run python -m docs_site --notebooks"
    cells = [block_of(cell) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    asked = [(block.code.strip(), block.shown) for block in blocks(page.read_text(encoding="utf-8"))]
    assert [(cell.code.strip(), cell.shown) for cell in cells] == asked
    names: dict[str, Any] = {}
    with reader(tmp_path):
        for cell in cells:
            run_block(cell, path.name, names)


def test_a_page_that_is_wrong_fails(tmp_path: Path) -> None:
    with reader(tmp_path):
        assert run_page("```python\nprint(1 + 1)\n```\n\n```\n3\n```\n", "right up to digits") == 1
        for wrong in (
            "```python\nprint('a')\n```\n\n```\nb\n```\n",
            "```sh\ndiscreet ledger nothing.ledger\n```\n",
            "```sh\ntrue # ends with code 1\n```\n",
            "```yaml\na: b\n```\n",
        ):
            with pytest.raises(PageFault):
                run_page(wrong, "wrong")
    assert masked("│ -1,204.5 ± 3e-05 ━━━━ 0a1b2c3d4e") == masked("│ 7 ± 2 ━ 99887766aa")
    assert masked("scales 25, 59235/1901") == masked("scales 81.6284, 7")
    assert masked("│ 12 left") != masked("│ 12 right")
    assert masked("1 numbers: 0.04\n 16 numbers: 19/51\n") == masked("2 numbers: 1\n")


def test_the_site_begins_with_the_first_command_of_the_readme() -> None:
    """Somebody who only has the site must be able to install what it is about."""
    first, here = (next(blocks((DOCS / page).read_text(encoding="utf-8"))) for page in ("../README.md", "index.md"))
    assert here.code == first.code
    assert "pip install" in here.code
    for page in ("../README.md", "index.md"):  # who is on another system is told what is known of it
        words = (DOCS / page).read_text(encoding="utf-8")
        assert all(said in words for said in ("tried on Linux only", "macOS", "Windows")), page


def test_the_spec_page_says_where_outside_and_missing_values_go() -> None:
    text = (DOCS / "spec.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## [^\n]*\(null\)\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in section.splitlines() if "|" in line]
    said = {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[2:]}
    kinds: dict[str, Attribute] = {"ordinal": Ordinal(0, 9), "nominal": Nominal(["a"])}
    for kind, attribute in kinds.items():
        assert f"default of `{kind}`" in said["outside"][attribute.outside] + "`"
        assert said["null"][attribute.null] == "default"
        assert replace(attribute, outside="other", null="other").labels[-1] == "other"
    assert said["null"]["clamp"].startswith("no")
    with pytest.raises(BadSpec):
        Ordinal(0, 9, null="clamp")


def test_pages_know_what_auto_takes() -> None:
    """Those with a table of tasks that is written by hand."""
    for page in ("how-to/choose-a-method.md", "spec.md"):
        lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
        for task, choices in AUTO.items():
            for place, (method, most) in enumerate(choices):
                size = rf"(for at most|up to) {most:,} cells" if most < math.inf else ("else" if place else "")
                said = rf"`{method}` {size}" if most < math.inf else rf"{size} ?`{method}`"
                assert task == "pairs of items" or any(
                    f"`{task}`" in line and re.search(said, line) for line in lines
                ), f"{page}: {task}, {method}"
