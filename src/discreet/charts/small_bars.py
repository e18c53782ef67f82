"""Answers as a row of HTML: numbers, and a small bar whose pale end is the interval."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping

_ROOM, _TALL = 120, 12
#: the page's own text colour, so that light and dark pages are both readable
_INK = "currentColor"


def small_bar(value: float, low: float, high: float, most: float) -> str:
    """An inline picture of one answer on a scale up to `most`; nothing if the scale is empty."""
    if not most > 0 or not math.isfinite(value):
        return ""

    def place(number: float) -> float:
        return _ROOM * min(max(number, 0.0), most) / most if math.isfinite(number) else float(_ROOM)

    at, start, end = place(value), place(low), place(high)
    size = f'width="{_ROOM + 4}" height="{_TALL}" viewBox="0 0 {_ROOM + 4} {_TALL}"'
    return (
        f'<svg {size} aria-hidden="true"><rect y="3" width="{at:.1f}" height="6" fill="{_INK}" opacity=".35"/>'
        f'<path d="M{start:.1f} 6H{end:.1f}M{start:.1f} 2V10{"" if math.isinf(high) else f"M{end:.1f} 2V10"}" '
        f'stroke="{_INK}" fill="none"/></svg>'
    )


def html_facts(facts: Mapping[str, str]) -> str:
    """A heading and what is to be said of it, line by line."""
    rows = (f"<tr><th>{html.escape(name)}</th><td>{html.escape(said)}</td></tr>" for name, said in facts.items())
    return f"<table>{''.join(rows)}</table>"


def html_table(head: list[str], rows: list[list[str]], numbers: set[int], notes: list[str]) -> str:
    """Cells are escaped here, except those that are pictures, which come after the columns of the head."""

    def row(cells: list[str], tag: str) -> str:
        said = (
            f'<{tag} style="text-align:{"right" if place in numbers else "left"}">{html.escape(cell)}</{tag}>'
            if place < len(head)
            else f"<{tag}>{cell}</{tag}>"
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(said)}</tr>"

    below = "".join(f"<p>{html.escape(line)}</p>" for line in notes)
    return f"<table>{row(head, 'th')}{''.join(row(cells, 'td') for cells in rows)}</table>{below}"
