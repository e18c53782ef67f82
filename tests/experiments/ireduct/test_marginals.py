"""The experiments on marginals: their data, their error, and that a classifier gets what a release would tell it."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.release import Release
from experiments.ireduct.checks.statements import findings
from experiments.ireduct.data import sources as data
from experiments.ireduct.data.marginals import KnownMarginals, pairs_with_target
from experiments.ireduct.data.people import TARGET, People
from experiments.ireduct.page import STEM
from experiments.ireduct.trials.classifier import TablesAsRelease, accuracy, exactly
from experiments.ireduct.trials.errors import METHODS, noisy, overall
from experiments.ireduct.trials.figures import epsilons
from experiments.ireduct.trials.stated import sampled_cells
from tests.experiments.recorded import recorded


@pytest.fixture(scope="module")
def people() -> People:
    return data.synthetic(30_000)


def test_made_up_people_have_the_papers_sizes(people: People) -> None:
    assert people.schema.sizes == (101, 2, 4, 26, 29, 5, 5, 512, 4)
    assert people.rows == 30_000
    assert all(column.max() < people.schema[name].size for name, column in people.columns.items())


def test_they_are_repeatable_skewed_and_correlated(people: People) -> None:
    again = data.synthetic(30_000)
    assert all(np.array_equal(column, again.columns[name]) for name, column in people.columns.items())
    (occupation,) = people.tables([["occupation"]])
    assert occupation.max() > 100 * np.median(occupation)
    (both,) = people.tables([["state", "birth place"]])
    table = both.reshape(26, 29)
    independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / people.rows
    assert np.abs(table - independent).sum() > 0.5 * people.rows


def test_folds_are_equal_and_add_up(people: People) -> None:
    sets = pairs_with_target(people)
    assert np.bincount(people.fold).tolist() == [3000] * 10
    for whole, parts in zip(people.tables(sets), people.tables_by_fold(sets), strict=True):
        assert np.array_equal(parts.sum(axis=0), whole)


def test_the_nine_marginals_of_a_classifier(people: People) -> None:
    sets = pairs_with_target(people)
    assert len(sets) == 9
    assert all(TARGET in names for names in sets)
    assert [len(names) for names in sets] == [1] + [2] * 8


def test_absent_data_are_left_out(tmp_path: Path) -> None:
    assert data.acs(tmp_path) is None
    assert data.adult(tmp_path) is None


def test_definition_6_by_hand(people: People) -> None:
    case = KnownMarginals.of(people, [["gender"], [TARGET]], "0.07")
    gender, education = case.tables
    made = [gender + np.array([30, -60]), education + np.array([0, 0, 0, 0, 100])]
    by_hand = (30 / gender[0] + 60 / gender[1]) / 2 / 2 + 100 / education[4] / 5 / 2
    assert overall(case, made) == pytest.approx(by_hand)
    raised = Fraction(10**6)
    assert overall(case, made, raised) == pytest.approx(90e-6 / 2 / 2 + 100e-6 / 5 / 2)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_stays_within_its_budget(people: People, method: str) -> None:
    case = KnownMarginals.of(people, list(combinations(people.schema, 1)), "0.07")
    made = noisy(case, method, Fraction(1))
    assert sum(1 / scale for part in made.parts for scale in part.scales) <= Fraction(1, 2)
    assert [part.values.size for part in made.parts] == [table.size for table in case.tables]


def test_epsilon_grows_as_records_shrink() -> None:
    assert epsilons("1-way", 10**7)[-1] == Fraction("0.01")
    assert epsilons("2-way", 10**6)[-1] == 1


def test_sampled_cells_are_asked_for_one_by_one(people: People) -> None:
    case = KnownMarginals.of(people, pairs_with_target(people), "0.03")
    questions, true = sampled_cells(case)
    answers = exactly(case).answer(questions, 0.95)
    assert questions.count == case.cells
    assert np.allclose(answers.value, true)


def test_a_classifier_is_told_what_a_release_would_tell(people: People) -> None:
    case = KnownMarginals.of(people, pairs_with_target(people), "0.03")
    made = noisy(case, "two-phase", Fraction(1))
    release = Release(made, {"data_attributes": list(people.schema), "leaves_out": []})
    for by in (TARGET, [TARGET, "age"], [TARGET, "occupation"]):
        assert np.allclose(TablesAsRelease(made).table(by)["count"], release.table(by, measured=True)["count"])


def test_accuracy_without_noise_beats_the_commonest_class(people: People) -> None:
    case = KnownMarginals.of(people, pairs_with_target(people), "0.03")
    found = accuracy(exactly(case), people, np.arange(2000))
    assert found > np.bincount(people.columns[TARGET]).max() / people.rows + 0.02


def test_verdicts_follow_the_numbers() -> None:
    """With the curves of ireduct and equal exchanged, ireduct is no longer next to oracle."""
    numbers = recorded(STEM)
    turned = copy.deepcopy(numbers)
    lines = {line["name"]: line for line in turned["synthetic"]["figures"]["6"]["lines"]}
    lines["ireduct"]["y"], lines["equal"]["y"] = lines["equal"]["y"], lines["ireduct"]["y"]

    def verdict(results: dict[str, Any]) -> bool:
        wanted = ("6, synthetic", "iReduct is almost equal to Oracle")
        return next(found.holds for found in findings(results) if (found.figure, found.says) == wanted)

    assert verdict(numbers)
    assert not verdict(turned)
