"""Which picture shows a table: bars, lines or a map; and lines, which a release has for cumulative counts only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.charts import Curve, Picture, curve_chart
from discreet.errors import BadParameter, CannotAnswer
from discreet.release.frame import Frame
from discreet.release.plots import MOST_BARS, MOST_CURVES, table_picture
from discreet.schema import Nominal, Schema

#: squares beyond it are slow to show, and nobody reads them
_MOST_SQUARES = 4_000


def usual_view(frame: Frame, by: Sequence[str], schema: Schema) -> str:
    """What shows most, if nobody says: a picture where one can be read."""
    if len(by) == 1 and len(frame) <= MOST_BARS:
        return "bars"
    return "heat" if len(by) == 2 and len(frame) <= _MOST_SQUARES else "table"


def check_view(view: str, by: Sequence[str], schema: Schema) -> None:
    """Refuses a picture that these groups cannot have."""
    if view == "bars" and len(by) != 1:
        raise BadParameter("view: bars are of one attribute; choose a heat map for two, or a table")
    if view == "heat" and len(by) != 2:
        raise BadParameter("view: a heat map is of two attributes; choose bars for one, or a table")
    if view == "line":
        if not 1 <= len(by) <= 2:
            raise BadParameter("view: lines are of one attribute, or one for each group of a second; choose a table")
        if by[0] not in schema or isinstance(schema[by[0]], Nominal):
            raise BadParameter(
                f"view: a line needs an order, and {by[0]} has none; choose bars, or group by numbers first"
            )


def picture_of(view: str, frame: Frame, by: Sequence[str], level: float) -> Picture:
    if view == "heat" and len(frame) > _MOST_SQUARES:
        raise CannotAnswer(f"view: {len(frame):,} squares are more than {_MOST_SQUARES:,}; use ranges, or a table")
    return _lines(frame, level) if view == "line" else table_picture(frame, level)


def _lines(frame: Frame, level: float) -> Picture:
    """The first attribute goes along; each group of the second has a line of its own."""
    names = list(frame.columns)[: list(frame.columns).index("count")]
    along = list(dict.fromkeys(frame[names[0]]))
    groups = [str(label) for label in dict.fromkeys(frame[names[1]])] if len(names) > 1 else [names[0]]
    if len(groups) > MOST_CURVES:
        raise CannotAnswer(
            f"view: {len(groups):,} lines are more than {MOST_CURVES}; group by a level, or use a heat map"
        )
    counts, lows, highs = (
        np.asarray(frame[name], np.float64).reshape(len(along), len(groups)).T for name in ("count", "low", "high")
    )
    curves = [
        Curve(name, range(len(along)), values, list(zip(low, high, strict=True)))
        for name, values, low, high in zip(groups, counts.tolist(), lows.tolist(), highs.tolist(), strict=True)
    ]
    by = f" and {names[1]}" if len(names) > 1 else ""
    return curve_chart(f"Count by {names[0]}{by}, with intervals at {100 * level:g} %", curves, labels=along)
