"""Counts whose relative error is above a threshold are flagged, in every form of an answer; anyone may use another."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.noise import ZeroNoise
from discreet.release import Release

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 3))
COUNTS = [0, 10, 100, 10_000]
BANDS = {"caution": 0.1, "unreliable": 0.3}


def published(**options: object) -> Release:
    data = discreet.from_counts(SCHEMA, [[0], [1], [2], [3]], COUNTS)
    # stderr is 14.1 in every cell
    return data.publish(discreet.Table("age", method="geometric"), "0.1", noise=ZeroNoise(), **options)  # type: ignore[arg-type]


def test_tables_have_a_column_of_flags_and_a_legend() -> None:
    found = published(reliable=BANDS).table("age")
    assert list(found["flag"]) == ["unreliable", "unreliable", "caution", ""]
    assert found.notes == ["caution: relative error above 10 %, unreliable: relative error above 30 %"]
    assert found.to_dicts()[3]["flag"] == ""
    assert found.to_csv().splitlines()[2].endswith(",unreliable")
    assert list(published(reliable=BANDS).prefix("age")["flag"]) == ["unreliable", "unreliable", "caution", ""]


def test_without_thresholds_nothing_is_flagged() -> None:
    release = published()
    assert "flag" not in release.table("age").columns
    assert release.count({"age": 1}).flag is None
    assert "flag" not in release.count({"age": 1}).to_dict()


def test_single_answers_and_lists_of_questions_have_flags() -> None:
    release = published(reliable=0.3)
    assert (release.count({"age": 1}).flag, release.count({"age": 3}).flag) == ("unreliable", "")
    assert "unreliable: relative error above 30 %" in str(release.count({"age": 1}))
    assert "unreliable" not in str(release.count({"age": 3}))
    assert release.count({"age": 1}).to_dict()["flag"] == "unreliable"


def test_flags_are_the_same_at_every_level_and_with_other_numbers() -> None:
    release = published(reliable=BANDS)
    for options in ({"level": 0.5}, {"level": 0.999}, {"whole": True}, {"measured": True}):
        assert list(release.table("age", **options)["flag"]) == ["unreliable", "unreliable", "caution", ""]


def test_anyone_may_use_another_threshold_without_a_new_release() -> None:
    release = published(reliable=0.3)
    assert release.count({"age": 2}).flag == ""
    assert release.count({"age": 2}, reliable=0.1).flag == "unreliable"
    assert list(release.table("age", reliable={"odd": 0.1})["flag"]) == ["odd", "odd", "odd", ""]
    with pytest.raises(BadParameter, match="reliable"):
        release.table("age", reliable=-1)


def test_the_threshold_is_no_part_of_the_request() -> None:
    one, other = published(), published(reliable=0.3)
    assert one.manifest["request"] == other.manifest["request"]


def test_wide_intervals_are_flagged_whatever_stderr_says() -> None:
    schema = discreet.Schema(x=discreet.Ordinal(0, 9999))
    data = discreet.from_counts(schema, [[5], [6]], [5000, 3000])
    release = data.publish(discreet.Table("x", method="filter", theta=60), "0.1", reliable=0.3)
    found = release.count({"x": (100, 9000)})
    assert not np.isfinite(found.high)
    assert found.flag == "unreliable"


def test_a_single_answer_says_which_flag_it_has() -> None:
    release = published(reliable=BANDS)
    assert "caution: relative error above 10 %" in str(release.count({"age": 2}))
    assert "unreliable" not in str(release.count({"age": 2}))
