"""Counts by two attributes: deeper where there are more, with the number in it, or a square as large as the count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from discreet.charts.picture import Picture, box, cut, drawn, line, room_for, turned, words
from discreet.charts.scales import short, spread

_WIDTH, _TOP, _ROOMY = 720, 30, 40
_TALL = (12, 24)


def heat_map(
    title: str, down: Sequence[Any], across: Sequence[Any], values: Any, lows: Any, highs: Any, names: tuple[str, str]
) -> Picture:
    """`values[i][j]` for row i and column j; a dashed frame where the interval reaches down to nothing."""
    most = max((float(value) for row in values for value in row), default=0.0) or 1.0
    left = 16 + room_for(down, 200)
    wide = (_WIDTH - left - 16) / max(len(across), 1)
    tall = max(min(_TALL[1], 640 / max(len(down), 1)), min(_TALL[0], 640 / max(len(down), 1)))
    bottom, roomy = _TOP + tall * len(down), wide >= _ROOMY and tall >= _TALL[0]
    parts = [words(12, 18, cut(title, _WIDTH - 24), size=13)]
    for i, j in ((i, j) for i in range(len(down)) for j in range(len(across))):
        counts = (float(values[i][j]), float(lows[i][j]), float(highs[i][j]))
        corner = (left + j * wide, _TOP + i * tall)
        parts += _cell(corner, (wide, tall), counts, most, roomy, f"{down[i]}, {across[j]}")
    for place in spread(len(down), int(640 / 12)):
        parts.append(words(left - 6, _TOP + (place + 0.5) * tall + 4, cut(down[place], left - 10), "end"))
    flat = room_for(across, 400) + 8 < wide
    for place in spread(len(across), int((_WIDTH - left) / 30)):
        if flat:
            parts.append(words(left + (place + 0.5) * wide, bottom + 16, across[place], "middle"))
        else:
            parts.append(turned(left + (place + 0.6) * wide, bottom + 14, cut(across[place], 110)))
    end = bottom + (36 if flat else 26 + room_for(across, 110) * 0.65)
    parts.append(words(12, end + 2, f"{names[0]} down, {names[1]} across; {_legend(roomy)}", "start", "mute"))
    return drawn(_WIDTH, end + 12, title, parts)


def _legend(roomy: bool) -> str:
    what = "deeper is more" if roomy else "larger and deeper is more"
    return f"{what}; dashed: the interval reaches down to nothing"


def _cell(
    corner: tuple[float, float],
    size: tuple[float, float],
    counts: tuple[float, float, float],
    most: float,
    roomy: bool,
    name: str,
) -> list[str]:
    (x, y), (wide, tall), (value, low, high) = corner, size, counts
    share = max(min(value / most, 1.0), 0.0)
    upper = short(round(high)) if math.isfinite(high) else "no upper end"
    said = f"{name}: {short(round(value))} ({short(round(low))} to {upper})"
    side = 1.0 if roomy else math.sqrt(share)
    depth = f'opacity="{0.08 + 0.62 * share:.2f}"'
    inner = ((1 - side) * (wide - 1) / 2, (1 - side) * (tall - 1) / 2, side * (wide - 1), side * (tall - 1))
    parts = [box(x + inner[0], y + inner[1], inner[2], inner[3], "f0", depth, said)]
    if low <= 0:
        frame = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{max(wide - 3, 0):.1f}" height="{max(tall - 3, 0):.1f}"'
        parts.append(f'<rect class="end" {frame} fill="none" stroke-dasharray="2 2" stroke-width="0.7" opacity="0.6"/>')
    if roomy:
        parts.append(words(x + wide / 2, y + tall / 2 + 4, short(round(value)), "middle", size=11))
    elif not share:
        parts.append(line(x + wide / 2, y + tall / 2, x + wide / 2 + 0.5, y + tall / 2, "end"))
    return parts
