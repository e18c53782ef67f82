"""Lines with the room that their intervals leave: counts that add up, errors against epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from discreet.charts.picture import COLOURS, DASHES, Picture, cut, drawn, line, room_for, turned, words
from discreet.charts.scales import Scale, short, spread

_WIDTH, _TOP, _HEIGHT, _LEFT = 720, 34, 300, 66


@dataclass(frozen=True)
class Curve:
    """A name, and for each place along the axis the value and the ends of its interval."""

    name: str
    places: Sequence[float]
    values: Sequence[float]
    ends: Sequence[tuple[float, float]] = field(default=())


def curve_chart(
    title: str,
    curves: Sequence[Curve],
    *,
    labels: Sequence[Any] | None = None,
    log: bool = False,
    axes: tuple[str, str] = ("", "count"),
    marks: Sequence[tuple[float, str]] = (),
    points: bool = False,
) -> Picture:
    """Each curve in a colour and a dash of its own, named beside its end.

    `labels` are of places 0, 1, 2 and so on, where these are no numbers. `marks` are heights with a name. With `points`
    there are few places: each has a dot, and a stroke in place of a band.
    """
    names = 30 + room_for([curve.name for curve in curves], 190) if len(curves) > 1 else 16
    right = _WIDTH - names - (60 if marks else 0)
    xs = [x for curve in curves for x in curve.places]
    ys = [y for curve in curves for y in (*curve.values, *(end for pair in curve.ends for end in pair))]
    shown = [y for y in ys if math.isfinite(y) and (y > 0 or not log)] or [1.0]
    low = min(shown) if log else min(0.0, *shown)
    bottom = _TOP + _HEIGHT
    high = max(shown)
    aside = 16 if points else 4
    x = Scale(min(xs, default=0), max(xs, default=1), _LEFT + aside, right - aside, log=log and labels is None)
    y = Scale(low, high if high > low else low * 1.01 + (not log), bottom, _TOP + 20, log=log)
    parts = [words(12, 18, cut(title, _WIDTH - 24), size=13), *_axes(x, y, labels, right, axes)]
    for height, name in marks:
        parts.append(line(_LEFT, y(height), right, y(height), "end", 0.5))
        parts.append(words(right + 4, y(height) + 4, name, "start", "mute"))
    last: list[float] = []
    for number, curve in enumerate(curves):
        parts += _curve(curve, number, x, y, points)
    if len(curves) > 1:
        for number, curve in sorted(enumerate(curves), key=lambda one: -(one[1].values[-1] if one[1].values else 0)):
            at = max([y(curve.values[-1] if curve.values else low) + 4, *(one + 14 for one in last[-1:])])
            last.append(at)
            start = right + (60 if marks else 0) + 4
            dash = f'stroke-dasharray="{_dash(number)}"'
            parts.append(
                f'<path class="c{number % COLOURS}" d="M{start:.1f} {at - 4:.1f}h10" {dash} stroke-width="2"/>'
            )
            parts.append(words(start + 13, at, cut(curve.name, names - 20)))
    height = max(bottom + 46 + (room_for(labels, 90) * 0.5 if labels else 0), (last[-1] if last else 0) + 12)
    return drawn(_WIDTH, height, title, parts)


def _axes(x: Scale, y: Scale, labels: Sequence[Any] | None, right: float, axes: tuple[str, str]) -> list[str]:
    bottom, parts = y.start, []
    for tick in y.ticks:
        parts.append(line(_LEFT, y(tick), right, y(tick)))
        parts.append(words(_LEFT - 6, y(tick) + 4, short(tick), "end", "mute"))
    if labels is None:
        parts += [words(x(tick), bottom + 16, short(tick), "middle", "mute") for tick in x.ticks]
        parts.append(words((_LEFT + right) / 2, bottom + 34, axes[0], "middle", "mute"))
    else:
        for place in spread(len(labels), 14):
            parts.append(turned(x(place) + 4, bottom + 14, cut(labels[place], 90)))
    parts.append(words(12, _TOP + 4, axes[1], "start", "mute"))
    return parts


def _dash(number: int) -> str:
    return DASHES[(number // COLOURS + number % COLOURS) % len(DASHES)]


def _curve(curve: Curve, number: int, x: Scale, y: Scale, points: bool) -> list[str]:
    colour, parts = number % COLOURS, []
    ends = [(place, low, high) for place, (low, high) in zip(curve.places, curve.ends, strict=False)]
    if ends and not points:
        there = [f"{x(place):.1f},{y(high if math.isfinite(high) else y.high):.1f}" for place, _, high in ends]
        back = [f"{x(place):.1f},{y(low):.1f}" for place, low, _ in reversed(ends)]
        parts.append(f'<polygon class="f{colour}" points="{" ".join([*there, *back])}" opacity="0.22"/>')
    way = " ".join(f"{x(place):.1f},{y(value):.1f}" for place, value in zip(curve.places, curve.values, strict=True))
    dash = f'fill="none" stroke-width="2" stroke-dasharray="{_dash(number)}"'
    parts.append(f'<polyline class="c{colour}" points="{way}" {dash}/>')
    if points:
        for place, value in zip(curve.places, curve.values, strict=True):
            parts.append(f'<circle class="f{colour}" cx="{x(place):.1f}" cy="{y(value):.1f}" r="3"/>')
        aside = 2.5 * (number % 9 - 4)  # so that strokes of several curves stand beside each other
        for place, low, high in ends:
            parts.append(line(x(place) + aside, y(low), x(place) + aside, y(high), f"c{colour}", 1.3))
    return parts
