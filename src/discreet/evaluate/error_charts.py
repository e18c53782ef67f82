"""Errors of methods as charts: bars of text for a terminal, and SVG for a page that needs nothing else."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from discreet.evaluate.error_measures import Json

#: a bar of the longest kind, in letters; errors of more than so many times the least one are cut off there
BAR, CUT = 40, 10
_WIDTH, _HEIGHT, _LEFT, _LINE = 640, 300, 190, 18
#: told apart by people who see few colours; after eight methods, lines are dashed
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#888888")
_DASHES = ("", "6 3", "2 3")


def panels(table: Sequence[Json]) -> dict[str, list[Json]]:
    """The rows of each workload."""
    found: dict[str, list[Json]] = {}
    for row in table:
        found.setdefault(row["workload"], []).append(row)
    return found


def text_chart(table: Sequence[Json]) -> Iterator[str]:
    """For each workload and epsilon a bar for each method, the best first; as long as its mean absolute error."""
    for workload, rows in panels(table).items():
        for epsilon in sorted({row["epsilon"] for row in rows}, key=Fraction):
            mine = sorted((row for row in rows if row["epsilon"] == epsilon), key=lambda row: float(row["absolute"]))
            yield f"{workload}, epsilon {epsilon}: mean absolute error"
            longest = _longest(mine)
            width = max(len(row["method"]) for row in mine)
            for row in mine:
                error = row["absolute"]
                bar = "█" * round(BAR * min(error / longest, 1.0)) + ("…" if error > longest else "")
                yield f"  {row['method']:<{width}}  {bar or '▏'} {error:,.4g}"
            yield ""


def svg_charts(table: Sequence[Json]) -> Iterator[tuple[str, str]]:
    """For each workload its name and a chart: bars for one epsilon, else lines of error against epsilon."""
    for workload, rows in panels(table).items():
        yield workload, _lines(rows) if len({row["epsilon"] for row in rows}) > 1 else _bars(rows)


def _longest(rows: Sequence[Json]) -> float:
    errors = [row["absolute"] for row in rows]
    positive = [error for error in errors if error > 0]
    return min(max(errors), CUT * min(positive)) if positive else 1.0


def _bars(rows: Sequence[Json]) -> str:
    ordered = sorted(rows, key=lambda row: float(row["absolute"]))
    longest, room, parts = _longest(ordered), _WIDTH - _LEFT - 110, []
    for number, row in enumerate(ordered):
        y, error = number * _LINE, row["absolute"]
        length = room * min(error / longest, 1.0)
        cut = " …" if error > longest else ""
        parts.append(_text(_LEFT - 8, y + 13, row["method"], "end"))
        parts.append(
            f'<rect x="{_LEFT}" y="{y + 2}" width="{max(length, 1):.1f}" height="{_LINE - 4}" fill="#0072b2"/>'
        )
        parts.append(_text(_LEFT + length + 6, y + 13, f"{error:,.4g}{cut}"))
    return _svg(len(ordered) * _LINE, parts)


def _lines(rows: Sequence[Json]) -> str:
    """Both axes by powers of ten; a vertical stroke spans two standard errors up and down."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    spans = [_ends(row) for row in rows]
    least = min((low for low, _ in spans if low > 0), default=1.0)
    bottom, top = math.log10(least), math.log10(max([least * 1.01, *(high for _, high in spans)]))
    budgets = sorted({float(Fraction(row["epsilon"])) for row in rows})
    first, last = math.log10(budgets[0]), math.log10(budgets[-1])
    parts = []

    def x(epsilon: float) -> float:
        return 60 + (math.log10(epsilon) - first) / (last - first) * (_WIDTH - 240)

    def y(error: float) -> float:
        return 10 + (top - math.log10(max(error, least))) / (top - bottom) * (_HEIGHT - 50)

    powers = range(math.floor(bottom), math.floor(top) + 1)
    for tick in (digit * 10.0**power for power in powers for digit in (1, 2, 5)):
        if bottom <= math.log10(tick) <= top:
            at = y(tick)
            parts.append(f'<line x1="60" x2="{_WIDTH - 180}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
            parts.append(_text(54, at + 4, f"{tick:,g}", "end"))
    parts += [_text(x(epsilon), _HEIGHT - 20, f"{epsilon:g}", "middle") for epsilon in budgets]
    parts.append(_text((_WIDTH - 120) / 2, _HEIGHT - 4, "epsilon", "middle"))
    for number, method in enumerate(methods):
        colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number // len(_COLOURS) % len(_DASHES)]
        mine = sorted((row for row in rows if row["method"] == method), key=lambda row: Fraction(row["epsilon"]))
        places = [(x(float(Fraction(row["epsilon"]))), row) for row in mine]
        points = " ".join(f"{at:.1f},{y(row['absolute']):.1f}" for at, row in places)
        drawn = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        parts.append(f'<polyline points="{points}" {drawn}/>')
        for at, row in places:
            low, high = _ends(row)
            parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y(low):.1f}" y2="{y(high):.1f}" stroke="{colour}"/>')
        at = 14 + number * _LINE
        parts.append(f'<line x1="{_WIDTH - 170}" x2="{_WIDTH - 145}" y1="{at}" y2="{at}" {drawn}/>')
        parts.append(_text(_WIDTH - 140, at + 4, method))
    return _svg(max(_HEIGHT, 14 + len(methods) * _LINE), parts)


def _ends(row: Json) -> tuple[float, float]:
    return max(row["absolute"] - 2 * row["absolute se"], 0.0), row["absolute"] + 2 * row["absolute se"]


def _text(x: float, y: float, said: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(said)}</text>'


def _svg(height: float, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )
