"""Plans as charts: error against epsilon and against the size of the question, in the terminal or in a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter
from discreet.naming import usable_path
from discreet.plan import Plan
from discreet.privacy import as_text

_BAR = 40
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def draw(target: str, plans: Sequence[tuple[str, Plan]]) -> None:
    """On the terminal for "-"; else a file, by its ending."""
    values = [value for name, found in plans for value in _values(name, found)]
    if target == "-":
        _bars(values)
        return
    path = usable_path(target, "a chart")
    if path.suffix not in (".svg", ".html"):
        raise BadParameter(f"--chart: {target!r} must end in .svg or .html, or be '-' for the terminal")
    try:
        import vl_convert as vegalite
    except ImportError:
        raise BadParameter("--chart: pip install 'discreet[charts]' to draw files, or use --chart -") from None
    chart = _chart(values)
    svg = path.suffix == ".svg"
    drawn = vegalite.vegalite_to_svg(chart) if svg else vegalite.vegalite_to_html(chart, bundle=True)
    path.write_text(drawn, encoding="utf-8")
    print(f"Written: {Path(target)}")


def _values(name: str, found: Plan) -> list[dict[str, Any]]:
    """One for each method and class that has an error; lists of the top have none."""
    return [
        {
            "release": name,
            "epsilon": float(found.epsilon),
            "at": as_text(found.epsilon),
            "method": one.method,
            "auto": bool(one.auto),
            "questions": label,
            "cells": found.classes[label],
            "low": error.low,
            "high": error.high,
            "error": math.sqrt(max(error.low, 1e-9) * max(error.high, 1e-9)),
        }
        for one in found.methods
        for label, error in one.errors.items()
        if not label.startswith("top ") and math.isfinite(error.high)
    ]


def _bars(values: Sequence[dict[str, Any]]) -> None:
    """What `auto` takes, or the only method: a bar for each class and epsilon, on one logarithmic scale."""
    shown = [value for value in values if value["auto"]] or list(values)
    ends = [value["high"] for value in shown if value["high"] > 0]
    if not ends:
        return
    top, bottom = math.log(max(ends)), math.log(max(min(value["low"] or 1e-3 for value in shown), 1e-3)) - 0.5
    width = max(len(value["questions"]) for value in shown)
    print("error, by size of the question (from # to ends of ranges; logarithmic)")
    for value in sorted(shown, key=lambda value: (value["release"], value["method"], value["cells"], value["epsilon"])):
        low, high = (
            round(_BAR * (math.log(max(end, 1e-3)) - bottom) / max(top - bottom, 1e-9))
            for end in (value["low"], value["high"])
        )
        bar = "#" * max(low, 1) + "-" * max(high - max(low, 1), 0)
        print(f"{value['questions']:<{width}}  epsilon {value['at']:<6} {bar} {value['high']:,.3g}")


def _chart(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A panel for each release: errors against epsilon if there are several, and against the size of the question."""
    colour = {"field": "method", "type": "nominal", "scale": {"scheme": "tableau20"}}
    y = {"field": "error", "type": "quantitative", "scale": {"type": "log"}, "title": "standard error"}
    panels = []
    if len({value["epsilon"] for value in values}) > 1:
        panels.append(_panel("epsilon", "epsilon", "questions", y, colour))
    panels.append(_panel("cells", "cells that a question adds up", "at", y, colour))
    return {"$schema": _SCHEMA, "title": "planned errors", "data": {"values": list(values)}, "vconcat": panels}


def _panel(field: str, title: str, apart: str, y: dict[str, Any], colour: dict[str, Any]) -> dict[str, Any]:
    x = {"field": field, "type": "quantitative", "scale": {"type": "log"}, "title": title}
    spread = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}
    layers = [
        {"mark": {"type": "line", "point": True}, "encoding": {"x": x, "y": y, "color": colour}},
        {"mark": {"type": "rule", "opacity": 0.4}, "encoding": spread},
    ]
    facets = {"row": {"field": "release", "type": "nominal"}, "column": {"field": apart, "type": "nominal"}}
    return {"facet": facets, "spec": {"width": 240, "height": 180, "layer": layers}}
