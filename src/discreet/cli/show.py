"""How results are printed: tables for people, JSON for programs, progress on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from discreet.privacy import as_text


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def text_or_none(number: Fraction | None) -> str | None:
    return None if number is None else as_text(number)


def print_answer(answer: Any, as_json: bool) -> None:
    """One answer: an estimate or a quantile."""
    if as_json:
        print_json(answer.to_dict())
    else:
        print(answer)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()) -> None:
    """A table with a title; the columns named in `right` are numbers."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Text everywhere: labels may look like markup
    table = Table(title=Text(title), title_justify="left", title_style="bold", header_style="bold")
    for column in columns:
        table.add_column(Text(column), justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    # only a terminal has an end of line to fold at
    Console(width=None if sys.stdout.isatty() else 10_000).print(table)


def print_private(text: str) -> None:
    """What makes people careful: in red, where there are colours."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 10_000
    Console(width=width).print(text, style="bold red", markup=False, highlight=False)


@contextmanager
def stages(quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function that shows the current stage: a spinner on a terminal, nothing when quiet or elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield status.update
