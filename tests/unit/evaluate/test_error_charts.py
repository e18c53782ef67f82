"""Charts of errors: bars of text, and SVG that any browser reads."""

from __future__ import annotations

from xml.etree import ElementTree

from discreet.evaluate.error_charts import BAR, svg_charts, text_chart
from discreet.evaluate.error_measures import Json


def row(workload: str, method: str, epsilon: str, error: float) -> Json:
    return {"workload": workload, "method": method, "epsilon": epsilon, "absolute": error, "absolute se": error / 10}


TABLE = [
    row("a < b", "geometric", "0.1", 30.0),
    row("a < b", "geometric", "1", 3.0),
    row("a < b", "sketch", "0.1", 900.0),
    row("a < b", "sketch", "1", 0.0),
    row("cells", "geometric", "1/3", 2.0),
    row("cells", "filter", "1/3", 1.0),
    row("cells", "sketch", "1/3", 100.0),
]


def test_bars_are_as_long_as_errors_and_long_ones_are_cut() -> None:
    lines = list(text_chart(TABLE))
    start = lines.index("cells, epsilon 1/3: mean absolute error")
    assert lines[start + 1 : start + 4] == [
        f"  filter     {'█' * (BAR // 10)} 1",
        f"  geometric  {'█' * (BAR // 5)} 2",
        f"  sketch     {'█' * BAR}… 100",
    ]
    assert "  sketch     ▏ 0" in lines


def test_pictures_are_sound_and_show_every_method() -> None:
    charts = dict(svg_charts(TABLE))
    assert list(charts) == ["a < b", "cells"]
    for workload, drawn in charts.items():
        texts = {node.text for node in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")}
        assert {one["method"] for one in TABLE if one["workload"] == workload} <= texts
    assert charts["a < b"].count("<polyline") == 2
    assert "<polyline" not in charts["cells"]


def test_no_error_anywhere_can_be_drawn() -> None:
    flat = [row("w", "m", epsilon, 0.0) for epsilon in ("1", "2")]
    assert len(list(svg_charts(flat))) == len(list(svg_charts(flat[:1]))) == 1
    assert list(text_chart(flat[:1]))[1] == "  m  ▏ 0"
