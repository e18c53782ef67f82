"""What a notebook shows: escaped, with small bars, for answers, tables, plans, ledgers, data and pictures."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest

import discreet
from discreet.charts.small_bars import small_bar
from discreet.private.publish import Data
from discreet.release import Release
from discreet.release.frame import Frame

NASTY = '<script>&"'


@pytest.fixture(scope="module")
def data() -> Data:
    schema = discreet.Schema(age=discreet.Ordinal(0, 9), sex=discreet.Nominal(["f", NASTY]))
    codes = np.array(list(np.ndindex(10, 2)))
    return discreet.from_counts(schema, codes, np.arange(20) * 50, budget=5, dataset="peo<ple>")


@pytest.fixture(scope="module")
def release(data: Data) -> Release:
    return data.publish(discreet.Table(["age", "sex"], method="geometric"), 1, name=NASTY)


def test_bars_end_where_the_answer_does() -> None:
    drawn = ElementTree.fromstring(small_bar(50, 40, 60, 100))
    rect, path = drawn
    assert (rect.attrib["width"], path.attrib["d"]) == ("60.0", "M48.0 6H72.0M48.0 2V10M72.0 2V10")
    assert small_bar(1, 0, 2, 0) == small_bar(math.nan, 0, 1, 1) == ""
    assert small_bar(5, 1, math.inf, 10).count("V10") == 1  # an open end


def test_everything_that_a_notebook_shows_is_escaped(data: Data, release: Release) -> None:
    plan = data.plan(discreet.Table("age", method="geometric"), 1)
    for thing in (release, release.count(), release.table("sex"), plan, data.ledger, data):
        shown = thing._repr_html_()
        assert "<script" not in shown, type(thing)
        assert "<" in shown
    assert release.plot(["age", "sex"])._repr_svg_().startswith("<svg ")
    assert str(release.count()) in release.count()._repr_html_()


def test_tables_have_a_bar_for_each_answer(release: Release) -> None:
    assert release.table("age")._repr_html_().count("<svg") == 10
    assert Frame({"a": [1, 2]})._repr_html_().count("<svg") == 0
    assert "none" in Frame({"count": [1.0], "low": [0.0], "high": [math.inf]})._repr_html_()


def test_data_says_what_it_is_and_offers_what_people_may_use(data: Data, release: Release) -> None:
    assert repr(data) == "<Private data by age (10), sex (2); protects one row; " + repr(data.ledger) + ">"
    assert dir(data) == ["check", "during", "ledger", "plan", "publish", "publish_all", "schema", "unit"]
    assert all(hasattr(data, name) for name in dir(data))
    assert "1 spent of a budget of 5, 4 left" in repr(data.ledger)
    shown = data.ledger._repr_html_()
    assert "<svg" in shown
    assert "&lt;script&gt;" in shown
