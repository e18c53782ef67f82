"""Pictures of a release show its own answers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from discreet.errors import BadParameter, CannotAnswer, DiscreetError
from discreet.release import Release, plots
from tests.unit.release import release_cases

noisy = release_cases.noisy  # a fixture


def test_bars_are_the_table(noisy: Release) -> None:
    svg = noisy.plot("age", "place = 'north'", bins=3).svg
    for label, count, low, high in zip(*(noisy.table("age", "place = 'north'", bins=3)[name] for name in
                                         ("age", "count", "low", "high")), strict=True):  # fmt: skip
        assert f"{label}: {count:,} ({low:,} to {high:,})" in svg


def test_maps_are_the_table(noisy: Release) -> None:
    svg = noisy.plot(["place.side", "age"]).svg
    frame = noisy.table(["place.side", "age"])
    for side, age, count in zip(frame["place"], frame["age"], frame["count"], strict=True):
        assert re.search(rf"({side}, {age}|{age}, {side}): {count:,} ", svg)


def test_curves_are_the_cumulative_counts(noisy: Release) -> None:
    assert noisy.plot("age", cumulative=True).svg.count("<polyline") == 1
    assert noisy.plot(["age", "place.side"], cumulative=True, level=0.8).svg.count("<polyline") == 3
    assert "intervals at 80 %" in noisy.plot("age", level=0.8).svg


@pytest.mark.parametrize(
    ("by", "options", "kind", "words"),
    [
        ([], {}, BadParameter, "name one attribute"),
        (["age", "day", "place"], {}, BadParameter, "name one attribute"),
        ("note", {"cumulative": True}, CannotAnswer, "no order"),
        ("age", {}, CannotAnswer, "bins=50"),
        (["age", "day"], {}, CannotAnswer, "use bins"),
        (["age", "day"], {"cumulative": True}, CannotAnswer, "curves"),
    ],
)
def test_what_has_no_picture(
    noisy: Release, monkeypatch: pytest.MonkeyPatch, by: Any, options: Any, kind: type[DiscreetError], words: str
) -> None:
    for name in ("MOST_BARS", "MOST_SQUARES", "MOST_CURVES"):
        monkeypatch.setattr(plots, name, 2)
    with pytest.raises(kind, match=words):
        noisy.plot(by, **options)
