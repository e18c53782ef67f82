"""Charts as SVG text: lines with error bars, bars, and bars in groups. The same numbers give the same file."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 36, 50
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLE = "<style>text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}.axis{stroke:#222}.title{font-size:14px}</style>"

#: part of the room of a group of bars that stays empty
GAP = 0.2


@dataclass(frozen=True)
class ChartAxis:
    """Numbers from `low` to `high`, plain or by their logarithm, onto pixels."""

    low: float
    high: float
    first: float
    last: float
    log: bool

    @classmethod
    def around(cls, values: Sequence[float], first: float, last: float, log: bool) -> ChartAxis:
        """An axis that holds all values; a logarithmic one ends at powers of ten, a plain one starts at zero."""
        if log:
            low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
            return cls(10.0**low, 10.0 ** max(high, low + 1), first, last, True)
        step = _step(max(values))
        return cls(0.0, step * math.ceil(max(values) / step), first, last, False)

    def at(self, value: float) -> float:
        low, high, here = self.low, self.high, max(value, self.low)
        if self.log:
            low, high, here = math.log10(low), math.log10(high), math.log10(here)
        return self.first + (self.last - self.first) * (here - low) / (high - low)

    def ticks(self) -> list[float]:
        if self.log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        step = _step(self.high)
        return [step * place for place in range(round(self.high / step) + 1)]


def _step(high: float) -> float:
    """A round number that goes into `high` about five times."""
    size = 10.0 ** math.floor(math.log10(high / 5))
    return next(size * factor for factor in (1, 2, 5, 10) if size * factor >= high / 5)


def label(value: float) -> str:
    """A number, short: 0.01, 250, 20k, 1e+08."""
    if value == 0 or 0.001 <= abs(value) < 1000:
        return f"{value:g}"
    if 1000 <= abs(value) < 1e6:
        return f"{value / 1000:g}k"
    return f"{value:.0e}"


def line_chart(figure: Mapping[str, Any]) -> str:
    """`figure`: title, x, y, log_x, log_y and lines, each with name, x, y and se; `most`, if no y can be above it."""
    lines, most = figure["lines"], figure.get("most", math.inf)
    across = [value for line in lines for value in line["x"]]
    bars = [
        [(value - 2 * error, min(value + 2 * error, most)) for value, error in zip(line["y"], line["se"], strict=True)]
        for line in lines
    ]
    up = [value for line in lines for value in line["y"]] + [top for bar in bars for _, top in bar]
    x = ChartAxis.around(across, LEFT, WIDTH - RIGHT, figure["log_x"])
    y = ChartAxis.around(up, HEIGHT - BOTTOM, TOP, figure["log_y"])
    middle = _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, figure["x"], "middle")
    parts = [_title(figure["title"]), middle, _upward(figure["y"]), *_grid(x, y)]
    for place, line in enumerate(lines):
        colour = COLOURS[place % len(COLOURS)]
        points = [(x.at(a), y.at(b)) for a, b in zip(line["x"], line["y"], strict=True)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (a, b), (low, high) in zip(points, bars[place], strict=True):
            parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>')
            ends = y.at(low), y.at(high)
            if abs(ends[0] - ends[1]) > 5:
                parts.append(_stroke(a, ends[0], a, ends[1], f'stroke="{colour}"'))
        parts += _legend(place, line["name"], colour)
    return _whole(parts)


def ratio_chart(title: str, unit: str, bars: Sequence[tuple[str, float]]) -> str:
    """Horizontal bars on a logarithmic scale, to the left of 1 or to the right of it, each with its number."""
    room = max(LEFT + 60, 20 + 7 * max(len(name) for name, _ in bars))
    x = ChartAxis.around([1.0, *(value for _, value in bars)], room, WIDTH - 120, log=True)
    height = TOP + 22 * len(bars) + BOTTOM
    parts = [_title(title)]
    for tick in x.ticks():
        parts.append(_stroke(x.at(tick), TOP, x.at(tick), height - BOTTOM, 'class="grid"'))
        parts.append(_text(x.at(tick), height - BOTTOM + 18, label(tick), "middle"))
    for place, (name, value) in enumerate(bars):
        top, left, right = TOP + 22 * place + 3, x.at(min(value, 1)), x.at(max(value, 1))
        colour = COLOURS[0 if value < 1 else 1]
        parts.append(f'<rect x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="16" fill="{colour}"/>')
        parts.append(_text(x.first - 6, top + 13, name, "end"))
        parts.append(_text(right + 6, top + 13, f"{value:,.3g}", "start"))
    parts.append(_stroke(x.at(1), TOP, x.at(1), height - BOTTOM, 'class="axis"'))
    parts.append(_text((x.first + x.last) / 2, height - 10, unit, "middle"))
    return _whole(parts, height)


def bar_chart(title: str, unit: str, bars: Sequence[tuple[str, float]]) -> str:
    """Horizontal bars on a logarithmic scale, each with its number."""
    room = max(LEFT + 60, 20 + 7 * max(len(name) for name, _ in bars))
    x = ChartAxis.around([value for _, value in bars], room, WIDTH - 120, log=True)
    height = TOP + 30 * len(bars) + BOTTOM
    parts = [_title(title)]
    for tick in x.ticks():
        parts.append(_stroke(x.at(tick), TOP, x.at(tick), height - BOTTOM, 'class="grid"'))
        parts.append(_text(x.at(tick), height - BOTTOM + 18, label(tick), "middle"))
    for place, (name, value) in enumerate(bars):
        top, end = TOP + 30 * place + 4, x.at(value)
        colour = COLOURS[place % len(COLOURS)]
        parts.append(f'<rect x="{x.first}" y="{top}" width="{end - x.first:.1f}" height="22" fill="{colour}"/>')
        parts.append(_text(x.first - 6, top + 16, name, "end"))
        parts.append(_text(end + 6, top + 16, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", "start"))
    parts.append(_text((x.first + x.last) / 2, height - 10, unit, "middle"))
    return _whole(parts, height)


def grouped_bars(
    title: str, unit: str, groups: Sequence[str], bars: Mapping[str, Sequence[float]], *, log: bool = False
) -> str:
    """`bars`: by name, the height in each group."""
    heights = [value for values in bars.values() for value in values]
    y = ChartAxis.around(heights, HEIGHT - BOTTOM, TOP, log)
    parts = [_title(title), _upward(unit), *_lines_across(y)]
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
        parts.append(_text(WIDTH - RIGHT + 40, key + 10, name, "start"))
    for group, name in enumerate(groups):
        parts.append(_text(LEFT + wide * (group + 0.5), HEIGHT - BOTTOM + 18, name, "middle", small=True))
    return _whole(parts)


def _title(words: str) -> str:
    return f'<text class="title" x="{LEFT}" y="20">{html.escape(words)}</text>'


def _upward(words: str) -> str:
    """What the axis at the left is about."""
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f'x="16" y="{middle}" transform="rotate(-90 16 {middle})" text-anchor="middle"'
    return f"<text {turned}>{html.escape(words)}</text>"


def _lines_across(y: ChartAxis) -> list[str]:
    parts = []
    for tick in y.ticks():
        at = f"{y.at(tick):.1f}"
        parts.append(f'<line x1="{LEFT}" y1="{at}" x2="{WIDTH - RIGHT}" y2="{at}" class="grid"/>')
        parts.append(_text(LEFT - 6, y.at(tick) + 4, label(round(tick, 9)), "end"))
    return parts


def _grid(x: ChartAxis, y: ChartAxis) -> list[str]:
    parts = []
    for tick in x.ticks():
        parts.append(_stroke(x.at(tick), y.first, x.at(tick), y.last, 'class="grid"'))
        parts.append(_text(x.at(tick), y.first + 18, label(tick), "middle"))
    for tick in y.ticks():
        parts.append(_stroke(x.first, y.at(tick), x.last, y.at(tick), 'class="grid"'))
        parts.append(_text(x.first - 6, y.at(tick) + 4, label(tick), "end"))
    parts.append(_stroke(x.first, y.first, x.last, y.first, 'class="axis"'))
    parts.append(_stroke(x.first, y.first, x.first, y.last, 'class="axis"'))
    return parts


def _legend(place: int, name: str, colour: str) -> list[str]:
    left, top = WIDTH - RIGHT + 14, TOP + 10 + 20 * place
    return [
        _stroke(left, top, left + 20, top, f'stroke="{colour}" stroke-width="2"'),
        _text(left + 26, top + 4, name, "start"),
    ]


def _stroke(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>'


def _text(x: float, y: float, words: str, anchor: str, *, small: bool = False) -> str:
    size = ' style="font-size:10px"' if small else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{size}>{html.escape(words)}</text>'


def _whole(parts: Sequence[str], height: int = HEIGHT) -> str:
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}">'
    return "\n".join([opening, STYLE, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>", ""])
