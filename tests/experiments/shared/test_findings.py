"""Statements of papers are tested on the data sets they are about, and give a reason only where they do not hold."""

from __future__ import annotations

from typing import Any

import pytest

from experiments.shared.curves import comparable, curve, line_of, ratios_of, spread
from experiments.shared.findings import Results, Statement, by_data_set


def small(part: Results) -> tuple[bool, str]:
    return part["size"] < 3, f"size {part['size']}"


PARTS: dict[str, Any] = {
    "one": {"size": 1, "methods": {}},
    "two": {"size": 2, "methods": {"edges": {}}},
    "five": {"size": 5, "methods": {}, "lists": {}},
}


@pytest.mark.parametrize(
    ("given", "about"),
    [
        ({}, ["one", "two", "five"]),
        ({"on": ("five", "absent")}, ["five"]),
        ({"but": ("one",)}, ["two", "five"]),
        ({"needs": "edges"}, ["two"]),
        ({"needs": "lists"}, ["five"]),
    ],
)
def test_what_a_statement_is_about(given: dict[str, Any], about: list[str]) -> None:
    found = list(by_data_set([Statement("3", "it is small", small, "too much", **given)], PARTS))
    assert [finding.figure for finding in found] == [f"3, {name}" for name in about]
    assert [finding.reason for finding in found] == ["too much" if name == "five" else "" for name in about]
    assert [finding.holds for finding in found] == [name != "five" for name in about]


def test_curves_are_found_by_their_names() -> None:
    lines = [{"name": name, "x": [1, 2], "y": [times, 3 * times]} for name, times in (("a", 1.0), ("b", 4.0))]
    part = {"figures": {"7": {"lines": lines}}}
    assert line_of(part, "7", "b")["y"] == [4.0, 12.0]
    assert curve(part, "7", "a") == {1: 1.0, 2: 3.0}
    assert ratios_of(part, "7", "b", "a") == {1: 4.0, 2: 4.0}
    with pytest.raises(KeyError):
        curve(part, "7", "c")


def test_words_for_ratios() -> None:
    assert comparable([0.8, 1.25])
    assert not comparable([0.79, 1.0])
    assert not comparable([1.0, 1.26])
    assert spread([2.0, 1.0, 1.5]) == "1.00 to 2.00"
    assert spread([1.001, 1.002]) == "1.00"
    assert spread([10, 20], 0) == "10 to 20"
