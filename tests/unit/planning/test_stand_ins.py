"""Invented data have the sizes that were guessed, and are the same every time."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.mechanisms.guesses import Guess
from discreet.planning.odds import in_words, posterior
from discreet.planning.stand_ins import MOST_DRAWN, InventedUsers, stand_ins
from discreet.privacy import Unit, exact

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 9), sex=discreet.Nominal(["f", "m"]), wide=discreet.Ordinal(0, 10**12))


@pytest.mark.parametrize("rows", [1, 7, 5000, 10 * MOST_DRAWN + 3])
def test_as_many_records_as_were_guessed(rows: int) -> None:
    made = stand_ins(SCHEMA, Unit(), Guess.read({"rows": rows}), histories=False)
    assert [one.name for one in made] == ["even", "zipf", "clustered"]
    for one in made:
        assert one.truth.counts.sum() == rows
        assert (one.truth.codes < np.array(SCHEMA.sizes)).all()
    again = stand_ins(SCHEMA, Unit(), Guess.read({"rows": rows}), histories=False)
    assert all(one.truth == other.truth for one, other in zip(made, again, strict=True))


def test_a_guessed_shape_is_the_only_one() -> None:
    made = stand_ins(SCHEMA, Unit(), Guess.read({"rows": 500, "shape": "zipf"}), histories=False)
    assert {one.name for one in made} == {"zipf"}
    assert len({one.truth.counts.tobytes() + one.truth.codes.tobytes() for one in made}) == len(made)


def test_users_have_as_many_records_as_were_guessed() -> None:
    schema, unit = discreet.Schema(film=discreet.Ordinal(0, 99)), Unit("who", max_rows=50)
    guess = Guess.read({"users": 300, "records": 6})
    assert guess.rows == 1800
    for one in stand_ins(schema, unit, guess, histories=True):
        kept = one.data.histories(1).kept(10**6, distinct=False, scores=None, salt=b"0" * 16)
        assert kept.users == 300
        assert kept.table(10**6).sum() == one.truth.counts.sum()
        assert one.truth.counts.sum() / 300 == pytest.approx(6, rel=0.25)


def test_which_records_of_a_user_are_kept() -> None:
    users = InventedUsers((4,), np.array([0, 4, 5]), np.array([2, 2, 1, 3, 0]))
    salt = b"0" * 16
    assert users.kept(2, distinct=False, scores=None, salt=salt).table(9).tolist() == [1, 0, 2, 0]
    assert users.kept(2, distinct=True, scores=None, salt=salt).table(9).tolist() == [1, 1, 1, 0]
    scores = np.array([0.0, 5.0, 1.0, 9.0])
    assert users.kept(2, distinct=True, scores=scores, salt=salt).table(9).tolist() == [1, 1, 0, 1]


def test_epsilon_in_words() -> None:
    assert posterior(exact(1, "epsilon")) == pytest.approx(0.1 * np.e / (0.9 + 0.1 * np.e))
    said = in_words(exact(1, "epsilon"), Unit())
    assert said.startswith("In words: a suspicion of 10 % that a row is in the data becomes at most 23.2 %")
    assert "a patient is what it is, and not another" in in_words(exact(1, "e"), Unit("patient", 3, None, "replace"))
    assert "99.98 %" in in_words(exact("10.8", "epsilon"), Unit())
    assert "nearly 100 %" in in_words(exact("900", "epsilon"), Unit())
