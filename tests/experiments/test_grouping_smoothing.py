"""The experiments on grouping and smoothing: their data, their runs, and that every verdict can turn."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from discreet.noise import ZeroNoise
from discreet.private.engines.reservoirs import Reservoirs, ShardedRows
from discreet.private.kept import KeptRecords
from experiments.grouping_smoothing.checks import verdicts as check
from experiments.grouping_smoothing.checks.statements import STATEMENTS, findings
from experiments.grouping_smoothing.data.sets import SETS
from experiments.grouping_smoothing.data.user_items import UserItems
from experiments.grouping_smoothing.page import STEM
from experiments.grouping_smoothing.page.whole import render
from experiments.grouping_smoothing.trials.figures import FOUND, GIVEN, METHODS, PAPER, TUNED, all_figures
from experiments.grouping_smoothing.trials.figures import smoothing_error as error_of
from experiments.grouping_smoothing.trials.runs import EPSILONS, noise_for, run
from experiments.shared.findings import Check
from experiments.shared.item_histories import ItemHistories
from experiments.shared.made_up_histories import synthetic
from tests.experiments.recorded import recorded as numbers_of


@pytest.fixture(scope="module")
def case() -> UserItems:
    return UserItems.of(synthetic("trajectory", 1, factor=20))


@pytest.fixture(scope="module")
def recorded(case: UserItems) -> dict[str, Any]:
    found = all_figures(case, 2)
    rest = {key: found.pop(key) for key in ("tuning", "rho")}
    facts = {
        "users": case.users, "items": case.counts.size, "ones": 1, "bound": case.bound, "mean count": 1.0,
        "mean of a user": "9.7", "largest count": 1, "synthetic": True, "factor": 20, "items too": False,
        "skew": 0.5,
    }  # fmt: skip
    return {"figures": found, **rest, "facts": facts, "runs": 2, "seconds": 1}


def test_real_users_count_once_for_an_item() -> None:
    found = ItemHistories("shop", np.array([0, 0, 0, 1]), np.array([2, 2, 1, 2]), 4, {}, {}, False)
    case = UserItems.of(found)
    assert case.counts.tolist() == [0, 1, 2, 0]
    assert (case.users, case.bound) == (2, 2)


def test_what_is_kept_is_what_the_engine_keeps(case: UserItems) -> None:
    """All records alike; and of the first ones of each user as many in all."""
    users = np.repeat(np.arange(case.users), np.diff(case.starts))
    words = case.items.astype(np.int64)
    reservoirs = Reservoirs(case.bound, (case.counts.size,), b"s" * 16, distinct=True)
    reservoirs.offer(ShardedRows.of([(users, users, words)], reservoirs.place))
    engine = KeptRecords((case.counts.size,), *reservoirs.settled())
    ours = case.kept(case.bound, distinct=True, scores=None, salt=bytes(16))
    assert np.array_equal(engine.table(case.bound), ours.table(case.bound))
    assert engine.table(1).sum() == ours.table(1).sum() == case.users
    assert np.all(ours.table(1) <= case.counts)
    chosen = np.arange(case.users) % 3 == 0
    mine = np.bincount(words[chosen[users]], minlength=case.counts.size)
    assert np.array_equal(ours.table(case.bound, chosen), mine)


def test_the_sample_of_one_item_is_uniform(case: UserItems) -> None:
    numbers = np.diff(case.starts)
    chance = np.repeat(1 / numbers, numbers)
    salts = [number.to_bytes(16, "little") for number in range(200)]
    kept = [case.kept(case.bound, distinct=True, scores=None, salt=salt).table(1) for salt in salts]
    off = np.sum(kept, axis=0) - 200 * np.bincount(case.items, chance, case.counts.size)
    variance = 200 * np.bincount(case.items, chance * (1 - chance), case.counts.size)
    assert float(np.mean(off[variance > 0] ** 2 / variance[variance > 0])) == pytest.approx(1, abs=0.05)


def test_runs_are_repeatable(case: UserItems) -> None:
    one, same, other = (run(case, "gs", EPSILONS[2], noise_for("x", number)) for number in (1, 1, 2))
    assert one == same
    assert one.absolute != other.absolute


def test_errors_without_noise_are_those_of_smoothing(case: UserItems) -> None:
    truth = np.sort(case.counts)
    assert error_of(truth, 1, EPSILONS[0], ZeroNoise()) == 0
    everything = error_of(truth, truth.size, EPSILONS[0], ZeroNoise())
    assert everything == pytest.approx(np.abs(truth - truth.mean()).sum())
    # the last group takes what is left
    assert error_of(np.array([1, 1, 2, 2, 5]), 2, EPSILONS[0], ZeroNoise()) == pytest.approx(1 + 1 + 2)


CLOSE = [
    (check.columns_best, "7", "columns"),
    (check.rows_gain_little, "7", "rows"),
    (check.saving(0.5), "7", "columns"),
    (check.beats(FOUND, "lpa", "gs-r"), "9", FOUND),
    (check.gains(FOUND, "lpa", 1000), "9", FOUND),
    (check.gains_at_largest(PAPER, "gs-s", 4), "10", PAPER),
    (check.alike("gs-s", FOUND), "10", "gs-s"),
    (check.worse("gs-r", "lpa"), "9", "gs-r"),
    (check.best_rho_matters, "9", "fpa"),
]


def with_curve(part: dict[str, Any], figure: str, name: str, times: float) -> dict[str, Any]:
    """All curves are one, but this one is `times` that."""
    changed = copy.deepcopy(part)
    for number in ("9", "10", figure):
        for line in changed["figures"][number]["lines"]:
            line["y"] = [times if line["name"] == name else 1.0] * len(line["y"])
            line["se"] = [0.01 * value for value in line["y"]]
    return changed


@pytest.mark.parametrize(("test", "figure", "name"), CLOSE)
def test_checks_can_turn_both_ways(test: Check, figure: str, name: str, recorded: dict[str, Any]) -> None:
    verdicts = {test(with_curve(recorded, figure, name, times))[0] for times in (1e-5, 1.0, 1e5)}
    assert verdicts == {True, False}


@pytest.mark.parametrize(("times", "holds"), [(0.9, True), (0.98, False), (1.0, False)])
def test_what_chance_may_do_is_no_lead(times: float, holds: bool, recorded: dict[str, Any]) -> None:
    assert check.beats(FOUND, "lpa")(with_curve(recorded, "9", FOUND, times))[0] == holds
    assert check.columns_best(with_curve(recorded, "7", "columns", times))[0] == holds


@pytest.mark.parametrize(
    ("test", "method"),
    [
        *((check.tuned(method, within), method) for method in TUNED for within in (0.034, 0.1)),
        (check.mean_beats_paper, GIVEN),
        (check.finding_is_cheap, FOUND),
    ],
)
def test_checks_of_tuning_can_turn(test: Check, method: str, recorded: dict[str, Any]) -> None:
    verdicts = set()
    for times in (0.5, 5.0):
        changed = copy.deepcopy(recorded)
        for row in changed["tuning"]:
            row["error"][0] = times if row["method"] == method else 1.0
            row["best error"][0] = 1.0
        verdicts.add(test(changed)[0])
    assert verdicts == {True, False}


@pytest.mark.parametrize("test", [check.gain_falls(FOUND, "lpa"), check.gain_grows(FOUND, "lpa")])
def test_trends_can_turn(test: Check, recorded: dict[str, Any]) -> None:
    verdicts = set()
    for order in (1, -1):
        changed = with_curve(recorded, "9", FOUND, 1.0)
        line = next(line for line in changed["figures"]["9"]["lines"] if line["name"] == FOUND)
        line["y"] = [1.0, 2.0, 3.0][::order]
        verdicts.add(test(changed)[0])
    assert verdicts == {True, False}


def test_every_statement_is_tested_on_its_data(recorded: dict[str, Any]) -> None:
    names = ("checkin", "checkin-full", "document", "netflix", "trajectory", "documents", "retail")
    results = dict.fromkeys(names, recorded)
    wanted = sum(len(statement.on) or len(names) - len(statement.but) for statement in STATEMENTS)
    assert len(list(findings(results))) == wanted
    assert all(name in names for statement in STATEMENTS for name in statement.on)


def test_the_page_shows_what_was_recorded(recorded: dict[str, Any]) -> None:
    made = render({"trajectory": recorded})
    assert len(made) == 1 + len(recorded["figures"])
    for key in ("9", "10"):
        assert [line["name"] for line in recorded["figures"][key]["lines"]] == list(METHODS)
    changed = copy.deepcopy(recorded)
    changed["figures"]["7"]["lines"][0]["y"][0] *= 3
    other = render({"trajectory": changed})
    assert {name for name in made if made[name] != other[name]} == {
        "grouping-smoothing.md",
        "grouping-smoothing-trajectory-7.svg",
    }


def test_verdicts_follow_the_numbers() -> None:
    grouping = numbers_of(STEM)
    turned = copy.deepcopy(grouping)
    for part in turned.values():
        for key in ("9", "10"):
            lines = {line["name"]: line for line in part["figures"][key]["lines"]}
            for what in ("y", "se"):
                lines["gs"][what], lines["lpa"][what] = lines["lpa"][what], lines["gs"][what]
    before, after = (
        [found.holds for found in findings(results) if found.says == "gs beats LPA in all scenarios"]
        for results in (grouping, turned)
    )
    assert all(before)
    assert not any(after)


def test_every_statement_is_tested_on_what_was_recorded() -> None:
    grouping = numbers_of(STEM)
    assert list(grouping) == list(SETS)
    wanted = sum(len(statement.on) or len(grouping) - len(statement.but) for statement in STATEMENTS)
    assert len(list(findings(grouping))) == wanted


def test_one_group_is_seen(recorded: dict[str, Any]) -> None:
    alone = {**recorded, "facts": {**recorded["facts"], "items": 100, "bound": 60}}
    assert check.one_group(alone)[0]
    assert not check.one_group({**alone, "facts": {**alone["facts"], "bound": 50}})[0]
