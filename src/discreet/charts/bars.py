"""Bars with error bars: lying, with a name each, if they are few; standing if they are many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from discreet.charts.picture import Picture, box, cut, drawn, error_bar, line, room_for, turned, words
from discreet.charts.scales import Scale, short, spread

#: more of them stand
MOST_LYING = 40
_WIDTH, _LINE, _TOP = 720, 22, 30
_HEIGHT, _LEFT = 300, 66

Ends = Sequence[tuple[float, float]]


def bar_chart(
    title: str,
    labels: Sequence[Any],
    values: Sequence[float],
    ends: Ends,
    *,
    axis: str = "count",
    cut_off: float = math.inf,
) -> Picture:
    """A bar for each label; `ends` are of its interval. What is above `cut_off` is cut off there."""
    most = min(max([*values, *(high for _, high in ends if math.isfinite(high)), 0.0]), cut_off) or 1.0
    make = _lying if len(labels) <= MOST_LYING else _standing
    return make(title, labels, values, ends, most, axis)


def _lying(title: str, labels: Sequence[Any], values: Sequence[float], ends: Ends, most: float, axis: str) -> Picture:
    left, bottom = 16 + room_for(labels, 260), _TOP + len(labels) * _LINE
    scale = Scale(0, most, left, _WIDTH - 90)
    parts = [words(12, 18, cut(title, _WIDTH - 24), size=13)]
    for tick in scale.ticks:
        parts.append(line(scale(tick), _TOP - 4, scale(tick), bottom))
        parts.append(words(scale(tick), bottom + 16, short(tick), "middle", "mute"))
    for place, (label, value, (low, high)) in enumerate(zip(labels, values, ends, strict=True)):
        y = _TOP + place * _LINE
        parts.append(words(left - 8, y + 15, cut(label, left - 10), "end"))
        parts.append(box(left, y + 4, scale(value) - left, _LINE - 8, "f0", said=_said(label, value, low, high)))
        if low < high:
            parts.append(error_bar(scale(low), y + _LINE / 2, scale(high), y + _LINE / 2, open_end=high > most))
        end = max(scale(value), scale(min(high, most)))
        parts.append(words(end + 8, y + 15, short(_rounded(value)) + (" …" if value > most else "")))
    parts.append(words(_WIDTH - 12, bottom + 16, axis, "end", "mute"))
    return drawn(_WIDTH, bottom + 26, title, parts)


def _standing(
    title: str, labels: Sequence[Any], values: Sequence[float], ends: Ends, most: float, axis: str
) -> Picture:
    bottom = _TOP + _HEIGHT
    scale = Scale(0, most, bottom, _TOP + 20)
    across = (_WIDTH - _LEFT - 16) / len(labels)
    parts = [words(12, 18, cut(title, _WIDTH - 24), size=13)]
    for tick in scale.ticks:
        parts.append(line(_LEFT, scale(tick), _WIDTH - 16, scale(tick)))
        parts.append(words(_LEFT - 6, scale(tick) + 4, short(tick), "end", "mute"))
    for place, (label, value, (low, high)) in enumerate(zip(labels, values, ends, strict=True)):
        x = _LEFT + place * across
        said = _said(label, value, low, high)
        parts.append(box(x, scale(value), max(across * 0.8, 0.5), bottom - scale(value), "f0", said=said))
        if low < high and across >= 3:
            middle = x + across * 0.4
            parts.append(
                error_bar(middle, scale(low), middle, scale(high), cap=min(3, across / 4), open_end=high > most)
            )
    for_some = spread(len(labels), 16)
    parts += [turned(_LEFT + (place + 0.5) * across, bottom + 14, cut(labels[place], 90)) for place in for_some]
    parts.append(words(12, _TOP + 6, axis, "start", "mute"))
    return drawn(_WIDTH, bottom + 24 + room_for(labels, 90) * 0.65, title, parts)


def _said(label: Any, value: float, low: float, high: float) -> str:
    upper = short(_rounded(high)) if math.isfinite(high) else "no upper end"
    return f"{label}: {short(_rounded(value))} ({short(_rounded(low))} to {upper})"


def _rounded(number: float) -> float:
    return float(f"{number:.4g}") if abs(number) < 1000 else float(round(number))
