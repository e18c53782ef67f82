"""Bars in groups as SVG text: one group for each data set or day, one bar for each method."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from experiments.shared.charts import BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, STYLE, TOP, WIDTH, Axis, label

GAP = 0.2
Bars = Mapping[str, Sequence[float]]


def grouped_bars(title: str, unit: str, groups: Sequence[str], bars: Bars, *, log: bool = False) -> str:
    """`bars`: by name, the height in each group."""
    heights = [value for values in bars.values() for value in values]
    y = Axis.around(heights, HEIGHT - BOTTOM, TOP, log)
    parts = [*_frame(title, unit), *_ticks(y)]
    wide = (WIDTH - RIGHT - LEFT) / len(groups)
    thick = wide * (1 - GAP) / len(bars)
    for place, (name, values) in enumerate(bars.items()):
        colour = COLOURS[place % len(COLOURS)]
        for group, value in enumerate(values):
            left, top = LEFT + wide * (group + GAP / 2) + thick * place, y.at(value)
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{thick:.1f}" height="{y.first - top:.1f}" fill="{colour}"/>'
            )
        key = TOP + 20 * place
        parts.append(f'<rect x="{WIDTH - RIGHT + 14}" y="{key}" width="20" height="12" fill="{colour}"/>')
        parts.append(_words(WIDTH - RIGHT + 40, key + 10, name, "start"))
    for group, name in enumerate(groups):
        parts.append(_words(LEFT + wide * (group + 0.5), HEIGHT - BOTTOM + 18, name, "middle", small=True))
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">'
    return "\n".join([opening, STYLE, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>", ""])


def _frame(title: str, unit: str) -> list[str]:
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f'x="16" y="{middle}" transform="rotate(-90 16 {middle})" text-anchor="middle"'
    return [
        f'<text class="title" x="{LEFT}" y="20">{html.escape(title)}</text>',
        f"<text {turned}>{html.escape(unit)}</text>",
    ]


def _ticks(y: Axis) -> list[str]:
    parts = []
    for tick in y.ticks():
        at = f"{y.at(tick):.1f}"
        parts.append(f'<line x1="{LEFT}" y1="{at}" x2="{WIDTH - RIGHT}" y2="{at}" class="grid"/>')
        parts.append(_words(LEFT - 6, y.at(tick) + 4, label(round(tick, 9)), "end"))
    return parts


def _words(x: float, y: float, words: str, anchor: str, *, small: bool = False) -> str:
    size = ' style="font-size:10px"' if small else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{size}>{html.escape(words)}</text>'
