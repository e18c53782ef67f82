"""`period` in a spec file: on one date attribute, and "all" in releases that are about all rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.spec import check_spec, load_spec

SPEC = """
[data]
source = "rows.csv"
[privacy]
PRIVACY
[attributes.day]
kind = "ordinal"
low = 2026-01-01
high = 2026-12-31
PERIOD
[attributes.sex]
kind = "nominal"
values = ["f", "m"]
MORE
[releases.a]
task = "table"
by = ["sex"]
epsilon = 0.6
[releases.b]
task = "table"
by = ["sex"]
epsilon = 0.6
ALL
"""


def written(
    here: Path, *, privacy: str = "", period: str = 'period = "month"', more: str = "", whole: str = ""
) -> Path:
    file = here / "spec.toml"
    text = SPEC.replace("PRIVACY", privacy).replace("PERIOD", period).replace("MORE", more).replace("ALL", whole)
    file.write_text(text)
    return file


def test_a_date_attribute_tells_periods_and_stays_as_it_is(tmp_path: Path) -> None:
    spec = load_spec(written(tmp_path, whole='period = "all"'))
    plain = load_spec(written(tmp_path, period=""))
    assert spec.periods is not None
    assert (spec.periods.attribute, spec.periods.every) == ("day", "month")
    assert spec.schema == plain.schema
    assert plain.periods is None
    assert {name: one.all_rows for name, one in spec.releases.items()} == {"a": False, "b": True}
    assert all(one.all_rows for one in plain.releases.values())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"period": 'period = "months"'}, "[attributes.day] period: a period must be one of"),
        ({"period": "period = 3"}, "[attributes.day] period: a period must be one of"),
        ({"period": 'period = "month"\nmap = { x = "2026-01-01" }'}, "[attributes.day] period: day has a map"),
        ({"period": "", "more": 'period = "month"'}, "[attributes.sex] period: is for dates"),
        ({"more": 'period = "month"'}, "[attributes.sex] period: day has one already"),
        ({"whole": 'period = "2026-10"'}, '[releases.b] period: must be "all"'),
        ({"period": "", "whole": 'period = "all"'}, "[releases.b] period: no attribute has a period"),
    ],
)
def test_mistakes_have_their_place(tmp_path: Path, change: dict[str, str], problem: str) -> None:
    (found,) = check_spec(written(tmp_path, **change))
    assert problem in found


@pytest.mark.parametrize(
    ("privacy", "whole", "said"),
    [
        ("budget = 1.2", "", None),
        ("budget = 1.1", "", "all releases of one month together cost 1.2, more than the budget of 1.1"),
        (
            'budget = 2\nneighbours = "replace"',
            "",
            "of one month together cost 2.4, more than the budget of 2, since a row that is replaced may move",
        ),
        ('budget = 2\nneighbours = "replace"', 'period = "all"', None),
        ('budget = 1.7\nneighbours = "replace"', 'period = "all"', "of one month together cost 1.8"),
        ('unit = "who"\nmax_rows = 2\nneighbours = "replace"\nbudget = 1.2', "", None),
    ],
)
def test_releases_of_one_period_must_fit_the_budget(tmp_path: Path, privacy: str, whole: str, said: str | None) -> None:
    found = check_spec(written(tmp_path, privacy=f'ledger = "l"\n{privacy}', whole=whole))
    assert [said in problem for problem in found] == ([True] if said else []) if said else found == []
