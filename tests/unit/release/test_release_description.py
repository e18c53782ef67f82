"""What a release says of itself: what it is, what its rules leave out, and nothing unescaped."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import discreet
from discreet.noise import Noise
from discreet.private.open_data import from_counts
from discreet.release import Release
from tests.unit.release import release_cases
from tests.unit.release.release_cases import TASK, data

exact_release, noisy = release_cases.exact_release, release_cases.noisy  # fixtures


def test_a_release_shows_what_it_is_and_escapes_what_it_shows(noisy: Release, exact_release: Release) -> None:
    html = noisy._repr_html_()
    for words in ("age (11)", "geometric", "epsilon 0.7", "one row (add-remove)", "discrete Laplace"):
        assert words in html
    assert "NOT PRIVATE" not in html + repr(noisy)
    assert "NOT PRIVATE" in exact_release._repr_html_()
    assert "NOT PRIVATE" in repr(exact_release)
    assert (noisy.publishable, exact_release.publishable) == (True, False)
    evil = discreet.Schema({"<script>alert(1)</script>": discreet.Nominal(["x"])})
    shown = from_counts(evil, [[0]], [1]).publish(discreet.Table(list(evil), method="geometric"), 1)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_what_the_rules_leave_out_is_said_without_looking() -> None:
    unit = discreet.Unit("person", max_rows=3, max_rows_per_cell=2, neighbours="replace")
    release = data(unit=unit).publish(TASK, Fraction(1, 3))
    assert release.leaves_out == [
        "rows with a value outside the declared domain of place, note are not counted",
        "rows with no value of age, day, place are not counted",
        "values beyond the declared ends of day count in the first or last bin",
        "at most 3 rows of one person are counted, and 2 in one cell, chosen at random",
        "rows without a person are not counted",
    ]
    assert release.count().note == "rows that the declared rules drop are not counted"
    assert data().publish(TASK, 1).count().note == "rows that the declared rules drop are not counted"
    assert "one person, of at most 3 rows (replace), epsilon 1/3" in release.describe()["protects"]
    everything = discreet.Schema(sex=discreet.Nominal(["f", "m"], outside="other", null="other"))
    complete = from_counts(everything, [[0]], [1]).publish(discreet.Table("sex", method="geometric"), 1, noise=Noise())
    assert complete.leaves_out == []
    assert complete.count().note == ""
    assert complete.describe()["leaves out"] == "nothing"


ONE_USER = "at most 2 records of one user are counted"
DROPPED = "rows that the declared rules drop are not counted"


@pytest.mark.parametrize(
    ("method", "parameters", "said"),
    [
        ("gs-r", {"group": 2}, [ONE_USER, "items of a group share one count"]),
        ("sra", {}, [ONE_USER]),
        ("sra", {"rescale": True}, [f"{ONE_USER}, and counts are multiplied to make up for the others"]),
        ("hpa", {}, [ONE_USER, "records of popular items are kept first"]),
        ("fpa", {"coefficients": 1}, [ONE_USER, "all but the first coefficients are cut off"]),
    ],
)
def test_a_release_says_what_a_method_for_items_leaves_out(
    method: str, parameters: dict[str, Any], said: list[str]
) -> None:
    frame = pd.DataFrame({"who": [1, 1, 1, 2], "item": ["a", "b", "c", "a"]})
    schema = discreet.Schema(item=discreet.Nominal(["a", "b", "c", "d"]))
    source = discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=4))
    release = source.publish(discreet.Items("item", method=method, bound=2, **parameters), 1)
    for words in said:
        assert any(sentence.startswith(words) for sentence in release.leaves_out)
    found = release.count({"item": "a"})
    assert found.note.endswith(DROPPED)
    assert str(found).endswith(found.note)
    if method == "hpa":  # nothing can be promised, and it is said why
        assert math.isinf(found.high)
        assert found.note.startswith(f"{ONE_USER}; records of popular items are kept first; publishing with `rescale")
        assert "no upper end can be promised" in str(found)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (discreet.Ranges("age", method="privelet*"), "coefficients that do not stand out from the noise count as zero"),
        (discreet.Table("age", method="filter", theta=9), "cells whose noisy count is below 9 are not in the release"),
    ],
    ids=str,
)
def test_a_release_says_what_a_method_for_tables_leaves_out(task: Any, said: str) -> None:
    schema = discreet.Schema(age=discreet.Ordinal(0, 9, outside="other", null="other"))
    release = from_counts(schema, [[0]], [1]).publish(task, 1)
    assert release.leaves_out[0].startswith(said)
    assert release.count({"age": 3}).note == ""
