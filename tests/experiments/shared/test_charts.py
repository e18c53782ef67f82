"""Charts: every point and every error bar lies inside the frame, every bar is there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from experiments.shared.charts import BOTTOM, COLOURS, HEIGHT, TOP, grouped_bars, line_chart, ratio_chart


def bars(figure: dict[str, Any]) -> list[tuple[float, float]]:
    """The lower and the upper end of every error bar, in pixels from the top; the legend's strokes lie flat."""
    colours = "|".join(COLOURS)
    found = re.findall(
        rf'<line x1="[^"]*" y1="([^"]*)" x2="[^"]*" y2="([^"]*)" stroke="(?:{colours})"', line_chart(figure)
    )
    return [(float(low), float(high)) for low, high in found if low != high]


def figure(log: bool, **more: Any) -> dict[str, Any]:
    line = {"name": "one", "x": [1, 10, 100], "y": [0.2, 1.0, 0.9], "se": [0.3, 0.4, 0.05]}
    return {"title": "t", "x": "x", "y": "y", "log_x": True, "log_y": log, "lines": [line], **more}


@pytest.mark.parametrize("log", [False, True])
def test_error_bars_stay_inside(log: bool) -> None:
    drawn = bars(figure(log))
    assert len(drawn) == 3
    assert all(TOP <= high < low <= HEIGHT - BOTTOM for low, high in drawn)


def test_error_bars_end_where_no_value_can_be() -> None:
    assert min(high for _, high in bars(figure(False, most=1.0))) == TOP
    assert [tick for tick in ("1", "1.5", "2") if f">{tick}<" in line_chart(figure(False, most=1.0))] == ["1"]


def test_bars() -> None:
    text = grouped_bars("Title & more", "%", ["a", "b"], {"sra": [1.0, 2.0], "hpa": [0.0, 4.0]})
    assert text.count("<rect") == 1 + 4 + 2
    assert "Title &amp; more" in text


def test_ratios_lie_left_or_right_of_one_and_their_colour_says_so() -> None:
    """A half and a twofold are bars of one length, one to the left and one to the right of the line at 1."""
    text = ratio_chart("t", "ratio", [("better", 0.5), ("worse", 2.0), ("same", 1.0)])
    found = re.findall(r'<rect x="([^"]*)" y="[^"]*" width="([^"]*)" height="16" fill="([^"]*)"', text)
    (left, length, blue), (one, other, orange), (_, none, _) = [(float(x), float(w), fill) for x, w, fill in found]
    assert left + length == pytest.approx(one, abs=0.1)
    assert length == pytest.approx(other, abs=0.1)
    assert none == 0
    assert (blue, orange) == COLOURS[:2]
    assert f'<line x1="{one:.1f}" y1="{TOP:.1f}" x2="{one:.1f}"' in text
