"""Answers as pictures: bars for one attribute, a map for two, curves for counts that add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.charts import Curve, Picture, bar_chart, curve_chart, heat_map
from discreet.errors import BadParameter, CannotAnswer
from discreet.release.frame import Frame

MOST_BARS = 500
MOST_SQUARES = 10_000
MOST_CURVES = 14
_QUARTERS = ((0.25, "25 %"), (0.5, "half"), (0.75, "75 %"))


def one_or_two(by: Any) -> Sequence[Any]:
    """What to draw by, or a refusal before anything is counted."""
    named = [by] if isinstance(by, str | tuple) else list(by)
    if not 1 <= len(named) <= 2:
        raise BadParameter("plot: name one attribute for bars, or two for a map; for more, use `where`")
    return named


def table_picture(frame: Frame, level: float) -> Picture:
    """Bars for the groups of one attribute, a map for those of two."""
    names = list(frame.columns)[: list(frame.columns).index("count")]
    counts, lows, highs = (np.asarray(frame[name], np.float64) for name in ("count", "low", "high"))
    title = f"Count by {' and '.join(names)}, with intervals at {100 * level:g} %"
    if len(names) == 1:
        if len(frame) > MOST_BARS:
            raise CannotAnswer(
                f"plot: {len(frame):,} bars are more than {MOST_BARS}; put values that have an order into ranges "
                "(bins=50), group labels by a level, or take those of the highest counts: table(..., largest=20)"
            )
        ends = list(zip(lows.tolist(), highs.tolist(), strict=True))
        return bar_chart(title, list(frame[names[0]]), counts.tolist(), ends)
    if len(frame) > MOST_SQUARES:
        raise CannotAnswer(f"plot: {len(frame):,} squares are more than {MOST_SQUARES:,}; use bins, or group by levels")
    down, across = (list(dict.fromkeys(frame[name])) for name in names)
    shape = (len(down), len(across))
    tables: list[Any] = [column.reshape(shape) for column in (counts, lows, highs)]
    if len(down) * 2 < len(across):  # the longer one goes down, where labels have room
        down, across, names, tables = across, down, names[::-1], [table.T for table in tables]
    values, lows, highs = tables
    return heat_map(title, down, across, values, lows, highs, (names[0], names[1]))


def curve_picture(frame: Frame, level: float) -> Picture:
    """How many have each value or a lower one; a curve for each group."""
    names = list(frame.columns)[: list(frame.columns).index("count")]
    *groups, name = names
    labels = list(dict.fromkeys(frame[name]))
    counts, lows, highs = (
        np.asarray(frame[column], np.float64).reshape(-1, len(labels)) for column in ("count", "low", "high")
    )
    if len(counts) > MOST_CURVES:
        raise CannotAnswer(f"plot: {len(counts):,} curves are more than {MOST_CURVES}; use bins, or group by a level")
    named = [str(label) for label in dict.fromkeys(frame[groups[0]])] if groups else [name]
    curves = [
        Curve(said, range(len(labels)), values, list(zip(low, high, strict=True)))
        for said, values, low, high in zip(named, counts.tolist(), lows.tolist(), highs.tolist(), strict=True)
    ]
    marks = [(share * counts[0, -1], said) for share, said in _QUARTERS] if len(counts) == 1 else []
    title = f"Count up to each {name}{' by ' + groups[0] if groups else ''}, with intervals at {100 * level:g} %"
    return curve_chart(title, curves, labels=labels, marks=marks)
