"""`known`, `known_csv` and `reliable` of a release in a spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.spec import check_spec, load_spec

HEAD = """
[attributes.county]
kind = "nominal"
values = ["Kent", "Essex"]

[attributes.age]
kind = "ordinal"
low = 0
high = 9

[releases.one]
task = "table"
by = ["county", "age"]
epsilon = 1
"""


def written(here: Path, lines: str) -> Path:
    path = here / "spec.toml"
    path.write_text(HEAD + lines, encoding="utf-8")
    return path


def test_totals_in_the_spec_and_in_a_file_beside_it_are_the_task_s(tmp_path: Path) -> None:
    inline = """known = [{ where = "county = 'Kent'", count = 12 }, { count = 30 }]"""
    (tmp_path / "totals.csv").write_text("county,age,count\nKent,,12\n,,30\n", encoding="utf-8")
    one = load_spec(written(tmp_path, inline)).releases["one"].task
    assert one.known == [{"where": "county = 'Kent'", "count": 12}, {"count": 30}]
    other = load_spec(written(tmp_path, 'known_csv = "totals.csv"')).releases["one"].task
    assert other.known == [{"at": {"county": "Kent"}, "count": 12}, {"count": 30}]
    assert one.parameters == other.parameters == {}


@pytest.mark.parametrize(
    ("line", "reliable"),
    [
        ("reliable = 0.3", {"unreliable": 0.3}),
        ("reliable = { unreliable = 0.5, caution = 0.25 }", {"caution": 0.25, "unreliable": 0.5}),
        ("", None),
    ],
)
def test_thresholds_are_the_release_s_and_no_part_of_the_task(
    tmp_path: Path, line: str, reliable: dict[str, float] | None
) -> None:
    release = load_spec(written(tmp_path, line)).releases["one"]
    assert release.reliable == reliable
    assert "reliable" not in release.task.to_dict()


@pytest.mark.parametrize(
    ("lines", "place", "said"),
    [
        ("known = 3", "releases.one.known", "must be a list"),
        ("known = [{ count = -3 }]", "releases.one.known", "whole number of at least 0"),
        ('known_csv = "none.csv"', "releases.one.known", "no such file"),
        ("known_csv = 3", "releases.one.known_csv", "must be the path"),
        ('known = [{ count = 1 }]\nknown_csv = "a.csv"', "releases.one.known", "given twice"),
        ("reliable = 0", "releases.one.reliable", "number above 0"),
        ("reliabel = 0.3", "releases.one.reliabel", "Did you mean 'reliable'?"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, lines: str, place: str, said: str) -> None:
    (problem,) = check_spec(written(tmp_path, lines))
    assert problem.place == place
    assert said in problem
