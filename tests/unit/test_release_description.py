"""What a release says of itself: what it is, what its rules leave out, and nothing unescaped."""

from __future__ import annotations

from fractions import Fraction

import discreet
from discreet.noise import Noise
from discreet.publish import from_counts
from discreet.release import Release
from tests.unit import release_cases
from tests.unit.release_cases import TASK, data

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
    assert "one person, of at most 3 rows (replace), epsilon 1/3" in release.describe()["protects"]
    everything = discreet.Schema(sex=discreet.Nominal(["f", "m"], outside="other", null="other"))
    complete = from_counts(everything, [[0]], [1]).publish(discreet.Table("sex", method="geometric"), 1, noise=Noise())
    assert complete.leaves_out == []
    assert complete.count().note == ""
    assert complete.describe()["leaves out"] == "nothing"
