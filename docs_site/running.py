"""Runs the blocks of a page as a reader would: one after another, in one folder and one Python process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from docs_site.blocks import Block, blocks

#: "discreet publish ... # ends with code 3", where a page shows what is refused
_CODE = re.compile(r"# .*\bcode (\d)\b")
_MASKS = (
    (r"\x1b\[[0-9;]*m", ""),
    (r", line \d+, position \d+", ""),  # older parsers of SQL do not keep it
    (r"which proves nothing: more runs might \(--runs\)", ""),  # an attacker's luck
    (r"\b[0-9a-f]{8,}(\.\.\.)?", "#"),
    (r"-?[0-9]+(,[0-9]+)*(\.[0-9]+)?(e[+-]?[0-9]+)?", "#"),
    (r"#(/#)+", "#"),  # a fraction may come out whole, or as a decimal
    (r"(# numbers: #\s+)+", "# numbers: # "),  # how many looks a plan has may follow from a noisy total
    (r"[━─]+", "─"),
    (r"[█░]+", "█"),
)

#: what is done with the blocks of a language
Ways = Mapping[str, Callable[[str], object]]
#: examples of one format, which must be right in it
_READ: Ways = {"toml": tomllib.loads, "json": json.loads}


class PageFault(AssertionError):
    """A page says something that is not so."""


@contextlib.contextmanager
def reader(folder: Path) -> Iterator[None]:
    """As somebody called anna, who works in this folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with mock.patch.dict(os.environ, LOGNAME="anna"):
            yield
    finally:
        os.chdir(before)


def masked(text: str) -> list[str]:
    """Its words; numbers, hashes, widths of columns and bars, and where lines are folded aside."""
    for pattern, mark in _MASKS:
        text = re.sub(pattern, mark, text)
    return text.split()


def run_page(page: str, place: str, names: dict[str, Any] | None = None, ways: Ways = _READ) -> int:
    """Runs all blocks in the current folder, and compares what they print; how many there were."""
    names = {} if names is None else names
    number = 0
    for number, block in enumerate(blocks(page), 1):  # noqa: B007
        run_block(block, place, names, ways)
    return number


def run_block(block: Block, place: str, names: dict[str, Any], ways: Ways = _READ) -> None:
    """Runs or saves it; refuses a block whose output is not the one that the page shows."""
    printed = output_of(block, place, names, ways)
    if block.shown is not None and masked(printed) != masked(block.shown):
        raise PageFault(f"{place}: this block\n\n{block.code}\nprints\n\n{printed}\nand not\n\n{block.shown}")


def filled(page: str, place: str) -> str:
    """The page with what its blocks print now, where it shows what they print."""
    names: dict[str, Any] = {}
    parts, end = [], 0
    for block in blocks(page):
        printed = output_of(block, place, names)
        if block.shown is not None:
            lines = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
            parts += [page[end : block.shown_at[0]], lines]
            end = block.shown_at[1]
    return "".join([*parts, page[end:]])


def output_of(block: Block, place: str, names: dict[str, Any], ways: Ways = _READ) -> str:
    """What running it prints; what `ways` names is done in this way."""
    if block.file is not None:
        path = Path(block.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.code, encoding="utf-8")
        return ""
    if block.language in ways:
        ways[block.language](block.code)
        return ""
    if block.language == "python":
        return _captured(lambda: exec(compile(block.code, place, "exec"), names))
    if block.language == "sh":
        return _captured(lambda: _commands(block.code))
    raise PageFault(f"{place}: a block is neither run, nor saved, nor read:\n{block.code}")


def lines_of(code: str) -> Iterator[str]:
    """The commands of a shell block, those that end in a backslash put together."""
    for line in code.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def _commands(code: str) -> None:
    for line in lines_of(code):
        _command(line)


def _captured(work: Callable[[], object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            work()
        except PageFault as fault:
            raise PageFault(f"{fault}\n{out.getvalue()}") from None
    return out.getvalue()


def _command(line: str) -> None:
    """`discreet` in this process, which has everything loaded; anything else by the shell."""
    wanted = _CODE.search(line)
    expected = int(wanted[1]) if wanted else 0
    words = shlex.split(line, comments=True)
    if words[0] == "discreet":
        from discreet.__main__ import main

        ended = 0
        with mock.patch.object(sys, "argv", words):
            try:
                main()
            except SystemExit as left:
                ended = int(left.code or 0)
    else:
        done = subprocess.run(line, shell=True, capture_output=True, text=True)
        print(done.stdout + done.stderr, end="")
        ended = done.returncode
    if ended != expected:
        raise PageFault(f"`{line}` ended with code {ended}, not {expected}")
