"""Plans as charts: error against epsilon and against the size of the question, in the terminal or in a file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from discreet.charts import Curve, Picture, curve_chart, stacked
from discreet.errors import BadParameter
from discreet.naming import usable_path
from discreet.plan import Plan
from discreet.privacy import as_text

_BAR = 40


def place_of(target: str) -> Path | None:
    """Where the chart goes: a file, by its ending, or the terminal for "-"."""
    if target == "-":
        return None
    path = usable_path(target, "a chart")
    if path.suffix not in (".svg", ".html"):
        raise BadParameter(f"--chart: {target!r} must end in .svg or .html, or be '-' for the terminal")
    return path


def draw(path: Path | None, plans: Sequence[tuple[str, Plan]]) -> None:
    values = [value for name, found in plans for value in _values(name, found)]
    if path is None:
        _bars(values)
        return
    made = list(_pictures(values))
    if not made:
        raise BadParameter("--chart: none of these errors can be drawn")
    if path.suffix == ".svg":
        path.write_text(stacked("planned errors", made).svg, encoding="utf-8")
    else:
        head = '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>planned errors</title>'
        path.write_text(f"{head}{''.join(picture.svg for picture in made)}</html>", encoding="utf-8")
    print(f"Written: {path}")


def pictures(plans: Sequence[tuple[str, Plan]]) -> list[Picture]:
    """All that can be drawn of them."""
    return list(_pictures([value for name, found in plans for value in _values(name, found)]))


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


def _pictures(values: Sequence[dict[str, Any]]) -> Iterator[Picture]:
    """For each release: errors against epsilon if there are several, and against the size of the question."""
    for release in dict.fromkeys(value["release"] for value in values):
        mine = [value for value in values if value["release"] == release and value["error"] > 0]
        if len({value["epsilon"] for value in mine}) > 1:
            yield from _panels(mine, release, "epsilon", "epsilon", "questions")
        if len({value["cells"] for value in mine}) > 1:
            yield from _panels(mine, release, "cells", "cells that a question adds up", "at")


def _panels(values: Sequence[dict[str, Any]], release: str, field: str, title: str, apart: str) -> Iterator[Picture]:
    for part in dict.fromkeys(value[apart] for value in values):
        curves = []
        for method in dict.fromkeys(value["method"] for value in values):
            mine = [value for value in values if (value["method"], value[apart]) == (method, part) and value[field] > 0]
            mine.sort(key=lambda value: float(value[field]))
            if mine:
                places, errors = [value[field] for value in mine], [value["error"] for value in mine]
                curves.append(Curve(method, places, errors, [(value["low"], value["high"]) for value in mine]))
        what = f"epsilon {part}" if apart == "at" else part
        what += f", {curves[0].name}" if len(curves) == 1 else ""
        if curves:
            yield curve_chart(f"{release}, {what}", curves, log=True, axes=(title, "standard error"), points=True)
