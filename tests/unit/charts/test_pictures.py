"""Pictures: sound XML, every text escaped, nothing told by colour alone, and on the scale that they show."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from discreet.charts import Curve, Picture, bar_chart, curve_chart, heat_map, stacked
from discreet.charts.scales import Scale, short, spread
from discreet.errors import BadParameter

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "<script>alert('&\")</script>\x00\x07"


def texts(picture: Picture) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(picture.svg).iter(f"{SVG}text")]


def boxes(picture: Picture, kind: str = "f0") -> list[dict[str, float]]:
    found = ElementTree.fromstring(picture.svg).iter(f"{SVG}rect")
    size = ("x", "y", "width", "height")
    return [{k: float(one.attrib[k]) for k in size} for one in found if one.attrib.get("class") == kind]


def test_bars_are_as_long_as_their_counts() -> None:
    picture = bar_chart("t", ["a", "b", NASTY], [10, 20, 0], [(8, 12), (15, math.inf), (0, 1)])
    first, second, third = boxes(picture)
    assert second["width"] == pytest.approx(2 * first["width"])
    assert third["width"] == 0
    assert {"a", "b", "10", "20", "0"} <= set(texts(picture))
    assert "<script" not in picture.svg
    assert "b: 20 (15 to no upper end)" in picture.svg


def test_many_bars_stand() -> None:
    picture = bar_chart("t", list(range(100)), list(range(100)), [(i - 1, i + 1) for i in range(100)])
    found = boxes(picture)
    assert len(found) == 100
    assert found[80]["height"] == pytest.approx(2 * found[40]["height"], abs=0.2)
    assert len({box["x"] for box in found}) == 100


def test_a_bar_that_is_cut_off_says_so() -> None:
    picture = bar_chart("t", ["a", "b"], [1, 100], [(1, 1), (90, 110)], cut_off=10)
    assert "100 …" in texts(picture)
    assert boxes(picture)[1]["width"] == pytest.approx(10 * boxes(picture)[0]["width"], rel=0.01)


@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (60, 40), (1, 1)])
def test_maps_show_a_number_or_a_size_besides_the_colour(rows: int, columns: int) -> None:
    values = [[float(i * columns + j) for j in range(columns)] for i in range(rows)]
    ends = [[max(0.0, value - 2) for value in row] for row in values]
    picture = heat_map("t", range(rows), [NASTY] * columns, values, ends, values, ("down", "across"))
    found = boxes(picture)
    assert len(found) == rows * columns
    if columns > 20:  # no room for numbers: squares differ in size
        assert len({round(box["width"], 1) for box in found}) > 10
    else:
        assert {short(value) for row in values for value in row} <= set(texts(picture))
    assert picture.svg.count("stroke-dasharray") == sum(end <= 0 for row in ends for end in row)
    assert "<script" not in picture.svg


def test_curves_have_names_and_dashes() -> None:
    curves = [Curve(name, [0, 1, 2], [1, 5, 9], [(0, 2), (4, math.inf), (8, 10)]) for name in ("a", "b", NASTY)]
    picture = curve_chart("t", curves, labels=["x", "y", "z"], marks=[(5, "half")])
    assert {"a", "b", "half", "x", "y", "z"} <= set(texts(picture))
    dashes = re.findall(r'<polyline class="c(\d)"[^>]*stroke-dasharray="([^"]*)"', picture.svg)
    assert len(set(dashes)) == 3
    assert len({dash for _, dash in dashes}) == 3
    assert picture.svg.count("<polygon") == 3


def test_logarithmic_curves_and_pictures_in_one() -> None:
    curve = Curve("a", [0.1, 1, 10], [100, 10, 0.0], [(90, 110), (9, 11), (0, 0)])
    picture = curve_chart("t", [curve], log=True, axes=("epsilon", "error"), points=True)
    assert {"epsilon", "error", "0.1", "10", "100"} <= set(texts(picture))
    both = stacked("two", [picture, picture])
    assert texts(both) == texts(picture) * 2


@pytest.mark.parametrize("empty", [bar_chart("t", [], [], []), heat_map("t", [], [], [], [], [], ("a", "b"))])
def test_nothing_can_be_drawn_too(empty: Picture) -> None:
    assert texts(empty)[0] == "t"
    assert ElementTree.fromstring(curve_chart("t", []).svg) is not None


def test_pictures_bring_paper_and_ink_for_light_and_dark() -> None:
    svg = bar_chart("t", ["a"], [1], [(1, 1)]).svg
    assert 'class="paper"' in svg
    assert "prefers-color-scheme:dark" in svg
    assert not re.search(r'(fill|stroke)="#', svg)  # every colour is a named one


def test_saving(tmp_path: Path) -> None:
    picture = bar_chart("t", ["a"], [1], [(1, 1)])
    assert picture.save(tmp_path / "a.svg").read_text() == picture.svg == picture._repr_svg_()
    assert picture.svg in picture.save(tmp_path / "a.html").read_text()
    assert "save" in repr(picture)
    with pytest.raises(BadParameter, match=r"\.svg or \.html"):
        picture.save(tmp_path / "a.png")


def test_scales() -> None:
    assert Scale(0, 100, 0, 50)(50) == 25
    assert Scale(1, 100, 0, 2, log=True)(10) == pytest.approx(1)
    assert Scale(0, 7, 0, 1).ticks == [0, 2, 4, 6]
    assert Scale(0.3, 0.9, 0, 1).ticks == [0.4, 0.6, 0.8]
    assert Scale(3, 3, 0, 1).ticks == [3]
    assert Scale(1, 1e9, 0, 1, log=True).ticks == [10.0**power for power in range(10)]
    assert list(spread(10, 4)) == [0, 3, 6, 9]
    assert [short(number) for number in (0, 1200, 0.05, 3.2e9)] == ["0", "1,200", "0.05", "3.2e+09"]
