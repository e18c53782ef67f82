"""A picture: SVG that shows itself in a notebook and can be saved; and the few marks that pictures are made of.

Paper, ink and colours are named, not fixed: a picture brings its own paper, and both change where dark is preferred. No
colour stands alone: bars have lengths and numbers, lines have dashes and names.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import BadParameter
from discreet.naming import usable_path

#: told apart by people who see few colours; after them, dashes go on
COLOURS = 7
DASHES = ("", "6 3", "2 3", "8 3 2 3")
_LETTER = 6.6
_LIGHT = ("#0072b2", "#d55e00", "#007a5a", "#b0568a", "#9a6a00", "#3a86b8", "#555555")
_DARK = ("#56b4e9", "#ff8c42", "#2fc79a", "#e39ac4", "#e6b32e", "#9ad0f5", "#bbbbbb")


def _sheet(paper: str, ink: str, faint: str, mark: str, colours: Iterable[str]) -> str:
    named = "".join(f".c{i}{{stroke:{colour}}}.f{i}{{fill:{colour}}}" for i, colour in enumerate(colours))
    return (
        f".paper{{fill:{paper}}}.ink{{fill:{ink}}}.mute{{fill:{ink};opacity:.72}}.rule{{stroke:{faint}}}"
        f".end{{stroke:{mark}}}.halo{{stroke:{paper}}}{named}"
    )


#: how marks look on light paper and on dark
LIGHT_SHEET = _sheet("#ffffff", "#1c1c1e", "#dddddd", "#1c1c1e", _LIGHT)
DARK_SHEET = _sheet("#1c1c1e", "#ececf0", "#48484c", "#ececf0", _DARK)
#: one sheet for all pictures; a page that shows many may have it once
STYLE = f"{LIGHT_SHEET}@media (prefers-color-scheme:dark){{{DARK_SHEET}}}"


@dataclass(frozen=True)
class Picture:
    """A picture as SVG. A notebook shows it; `save("ages.svg")` writes it, `save("ages.html")` as a page."""

    svg: str

    def save(self, path: str | Path) -> Path:
        target = usable_path(path, "a picture")
        if target.suffix.lower() not in (".svg", ".html"):
            raise BadParameter(f"{target}: a picture is saved as .svg or .html")
        page = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{target.stem}</title>{self.svg}</html>'
        target.write_text(self.svg if target.suffix.lower() == ".svg" else page, encoding="utf-8")
        return target

    @property
    def unstyled(self) -> str:
        """Without its own sheet, for a page that has `LIGHT_SHEET` and `DARK_SHEET` among its styles."""
        return self.svg.replace(f"<style>{STYLE}</style>", "")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg):,} characters; save it: .save('picture.svg')>"


def drawn(width: float, height: float, title: str, parts: Iterable[str]) -> Picture:
    """Marks on paper; the title is what a screen reader says."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="12">'
    paper = f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>'
    said = f"<title>{escaped(title)}</title><style>{STYLE}</style>"
    return Picture(f"{head}{said}{paper}{''.join(parts)}</svg>")


def stacked(title: str, pictures: Sequence[Picture]) -> Picture:
    """One below the other, as one picture."""
    parts, top, width = [], 0.0, 0.0
    for picture in pictures:
        sizes = re.match(r'<svg [^>]*width="(\d+)" height="(\d+)"', picture.svg)
        assert sizes is not None
        parts.append(picture.svg.replace("<svg ", f'<svg y="{top:.0f}" ', 1))
        top, width = top + int(sizes[2]) + 8, max(width, int(sizes[1]))
    return drawn(width, top, title, parts)


def escaped(text: object) -> str:
    """As XML may hold it: letters that it cannot are left out."""
    return html.escape("".join(one if one.isprintable() else " " for one in str(text)))


def words(x: float, y: float, text: object, anchor: str = "start", kind: str = "ink", size: float = 12) -> str:
    bigger = "" if size == 12 else f' font-size="{size:g}"'
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{bigger}>{escaped(text)}</text>'


def turned(x: float, y: float, text: object) -> str:
    """Written upwards to the right, its end at this place."""
    place = f'transform="translate({x:.1f} {y:.1f}) rotate(-40)"'
    return f'<text class="ink" {place} text-anchor="end">{escaped(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "rule", width: float = 1) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line class="{kind}" {ends} stroke-width="{width:g}"/>'


def box(x: float, y: float, width: float, height: float, kind: str, more: str = "", said: str = "") -> str:
    """A filled one; `said` shows when it is pointed at."""
    size = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    return f'<rect class="{kind}" {size} {more}><title>{escaped(said)}</title></rect>'


def error_bar(x1: float, y1: float, x2: float, y2: float, cap: float = 3, open_end: bool = False) -> str:
    """From end to end, with caps; without the last one where an end is open. Paper around it keeps it apart."""
    across = (0, cap) if y1 == y2 else (cap, 0)
    strokes = [(x1, y1, x2, y2), (x1 - across[0], y1 - across[1], x1 + across[0], y1 + across[1])]
    if not open_end:
        strokes.append((x2 - across[0], y2 - across[1], x2 + across[0], y2 + across[1]))
    halo = "".join(line(*stroke, "halo", 3) for stroke in strokes)
    return halo + "".join(line(*stroke, "end", 1.3) for stroke in strokes)


def room_for(texts: Iterable[object], most: float) -> float:
    """About how wide the widest of them is."""
    return min(most, max((len(str(text)) for text in texts), default=0) * _LETTER)


def cut(text: object, room: float) -> str:
    """The text, or as much of it as there is room for."""
    whole, letters = str(text), max(int(room / _LETTER), 2)
    return whole if len(whole) <= letters else whole[: letters - 1] + "…"
