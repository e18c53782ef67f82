"""A tutorial as a Jupyter notebook: its words, its blocks as cells, and the output that the page shows."""

from __future__ import annotations

import json
import re
from typing import Any

from docs_site.blocks import Block, after_blocks, blocks


def notebook(page: str) -> str:
    """The notebook of a page, as JSON in the form 4.5 that all of today's readers know."""
    cells: list[dict[str, Any]] = []
    for block in blocks(page):
        cells += [*_words(block.text), _cell(block)]
    cells += _words(after_blocks(page))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    known = {"kernelspec": kernel, "language_info": {"name": "python"}}
    book = {"cells": cells, "metadata": known, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _words(text: str) -> list[dict[str, Any]]:
    # beside the pages, notebooks have the links that pages have
    said = text.strip()
    return [{"cell_type": "markdown", "metadata": {}, "source": _lines(said)}] if said else []


def _cell(block: Block) -> dict[str, Any]:
    shown = [{"output_type": "stream", "name": "stdout", "text": _lines(block.shown)}] if block.shown else []
    made: dict[str, Any] = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": shown}
    return {**made, "source": _lines(_source(block).rstrip("\n"))}


def _source(block: Block) -> str:
    if block.file is not None:
        return f"%%writefile {block.file}\n{block.code}"
    if block.language == "sh":
        return re.sub(r"(?m)^(?=[^\s#])", "!", block.code)
    return block.code


def block_of(cell: dict[str, Any]) -> Block:
    """What a code cell asks for, as a block that can be run: the way back from `_cell`."""
    source = "".join(cell["source"])
    shown = "".join("".join(output["text"]) for output in cell["outputs"]) or None
    if source.startswith("%%writefile "):
        name, _, text = source.removeprefix("%%writefile ").partition("\n")
        return Block("", "text", text + "\n", name)
    if source.startswith(("!", "#!")):
        return Block("", "sh", re.sub(r"(?m)^!", "", source), shown=shown)
    return Block("", "python", source, shown=shown)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
