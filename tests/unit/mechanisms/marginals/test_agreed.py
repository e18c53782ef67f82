"""`agreed`: plans from public facts, what is refused, which pairs are chosen, and tables that add up."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.marginals.agreed import Agreed
from discreet.mechanisms.marginals.marginal_budget import by_cells, hardness, singles_share, strengths_share
from discreet.mechanisms.marginals.marginal_selection import worth_measuring
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit
from discreet.private.publish import Data
from discreet.release import Release

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 9),
    sex=discreet.Nominal(["f", "m"]),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c", "d", "e"]}),
    work=discreet.Nominal(["none", "some", "much"]),
)
PAIRS = [list(pair) for pair in itertools.combinations(SCHEMA, 2)]


def people(count: int = 3000) -> Any:
    """Work follows from age, and place has to do with sex."""
    dice = np.random.default_rng(3)
    age, sex = dice.integers(0, 10, count), dice.integers(0, 2, count)
    work = np.where(dice.random(count) < 0.9, age // 4, dice.integers(0, 3, count))
    place = np.where(sex == 0, dice.integers(0, 3, count), dice.integers(1, 5, count))
    return np.stack([age, sex, place, work], axis=1)


def data(count: int = 3000, unit: Unit | None = None) -> Data:
    rows = people(count)
    return discreet.from_counts(SCHEMA, rows, np.ones(len(rows), np.int64), unit=unit or Unit())


def made(epsilon: str = "1", **parameters: Any) -> Agreed:
    task = discreet.Marginals(method="agreed", **{"ways": 2, **parameters})
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), epsilon))
    assert isinstance(mechanism, Agreed)
    return mechanism


def seeded(task: discreet.Marginals, epsilon: str, seed: int = 5) -> Release:
    return data().publish(task, epsilon, noise=Noise(SeededSource(seed)))


def test_shares_are_fractions_that_add_up() -> None:
    for cells in ([1], [4, 4], [2, 30, 500, 10**8]):
        for power in (Fraction(0), Fraction(1, 6), Fraction(1)):
            shares = by_cells(cells, power)
            assert sum(shares) == 1
            assert min(shares) > 0
            wanted = np.array(cells) ** float(power) / np.sum(np.array(cells) ** float(power))
            assert [float(share) for share in shares] == pytest.approx(wanted.tolist(), abs=2e-6)
    for hard in (0.0, 0.1, 3.0, 1e9):
        singles = singles_share(hard)
        assert Fraction(1, 10) <= singles <= Fraction(3, 4)
        assert strengths_share(singles) + singles < Fraction(9, 10)


def test_hardness_is_the_total_variation_of_equal_noise() -> None:
    assert hardness([4, 16], Fraction(1, 2), 100.0) == pytest.approx(2 * 10 / (2 * 0.5 * 100))
    assert hardness([4, 16], Fraction(1, 2), 0.0) == pytest.approx(20.0)


def test_public_facts_decide() -> None:
    assert made(guess={"rows": 100})._plan(made()._hardness(100)) == "pairs"
    assert made(guess={"rows": 10**6}).chosen[-1] == {
        "name": "plan",
        "value": "all",
        "origin": "hardness 6.55e-05, against 0.1 where pairs are chosen",
    }
    assert made(ways=1)._plan(1e9) == "all"
    assert made(measure="pairs")._plan(0.0) == "pairs"
    assert made(measure="all")._plan(1e9) == "all"


def test_a_total_is_bought_only_where_the_plan_needs_it() -> None:
    assert [made(**given).total > 0 for given in ({}, {"measure": "pairs"})] == [True, True]
    for given in ({"ways": 1}, {"measure": "all"}, {"guess": {"rows": 9}}):
        assert made(**given).total == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"guess": 5}, "guess must be"),
        ({"guess": {"people": 5}}, "nothing to guess"),
        ({"guess": {"rows": -5}}, "guess: rows"),
        ({"measure": "some"}, "measure must be"),
        ({"power": -1}, "power"),
        ({"power": 2}, "power"),
        ({"consistency": True}, "no parameter 'consistency'"),
    ],
)
def test_mistakes_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        made(**given)


@pytest.mark.parametrize("given", [{}, {"measure": "all"}, {"measure": "pairs"}, {"guess": {"rows": 10**9}}], ids=str)
def test_noise_that_is_too_wide_is_refused_before_anything_is_charged(given: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match=r"2\*\*52"):
        made("1e-15", **given)
    account = data()
    with pytest.raises(BadParameter, match=r"2\*\*52"):
        account.publish(discreet.Marginals(ways=2, **given), "1e-15")
    assert account.ledger.spent == 0
    account.publish(discreet.Marginals(ways=2, **given), "1e-9")


def test_an_attribute_named_like_a_column_is_refused() -> None:
    schema = discreet.Schema(noisy=discreet.Ordinal(0, 1), other=discreet.Ordinal(0, 1))
    with pytest.raises(BadParameter, match="'noisy' is the name of a column"):
        discreet.from_counts(schema, [[0, 0]], [1]).publish(discreet.Marginals(ways=2), 1)


def test_the_pairs_that_depend_most_are_chosen() -> None:
    release = data().publish(discreet.Marginals(ways=2, measure="pairs"), "1", noise=ZeroNoise())
    facts = release.manifest["summary"]
    strengths = {
        tuple(pair): value for pair, value in zip(*(facts["strengths"][k] for k in ("pairs", "noisy")), strict=True)
    }
    assert max(strengths, key=lambda pair: strengths[pair]) == ("age", "work")
    measured = {tuple(table["attributes"]) for table in facts["tables"] if "scale" in table}
    assert {("age", "work"), ("sex", "place")} <= measured
    assert {(name,) for name in SCHEMA} <= measured


def test_few_pairs_are_worth_it_if_noise_is_wide() -> None:
    strengths, cells = np.array([900, 500, 20, 10]), np.array([10, 10, 10, 10])
    assert worth_measuring(strengths, cells, 0.0, 1e6, 1000.0) == [0, 1, 2, 3]
    assert worth_measuring(strengths, cells, 0.0, 0.3, 1000.0) == [0, 1]
    assert worth_measuring(strengths, cells, 0.0, 1e-6, 1000.0) == [0]
    assert worth_measuring(strengths, np.array([10**6, 10, 10, 10]), 0.0, 0.3, 1000.0) == [1]


# --- tables that add up


def agree(release: Release, sets: list[list[str]], whole: bool) -> None:
    total = release.count(whole=whole).value
    ones = {name: release.table(name, whole=whole)["count"] for name in SCHEMA}
    for name in SCHEMA:
        assert ones[name].min() >= 0
        assert ones[name].sum() == pytest.approx(total, rel=1e-12, abs=1e-9)
    for names in sets:
        counts = release.table(names, whole=whole)["count"].reshape([SCHEMA[name].size for name in names])
        assert counts.min() >= 0
        for axis, name in enumerate(names):
            sums = counts.sum(axis=tuple(other for other in range(len(names)) if other != axis))
            if whole:
                assert sums.tolist() == ones[name].tolist()
            else:
                assert sums == pytest.approx(ones[name], rel=1e-11, abs=1e-8)


@pytest.mark.parametrize("epsilon", ["0.001", "0.05", "1", "50"])
@pytest.mark.parametrize("given", [{}, {"measure": "all"}, {"measure": "pairs"}], ids=str)
def test_all_pairs_agree_and_none_is_below_zero(given: dict[str, Any], epsilon: str) -> None:
    release = data().publish(discreet.Marginals(ways=2, **given), epsilon)
    agree(release, PAIRS, whole=False)
    agree(release, PAIRS, whole=True)
    roll_up = release.table([("place", 0), "sex"], whole=True)["count"].reshape(2, 2)
    assert roll_up.sum(axis=0).tolist() == release.table("sex", whole=True)["count"].tolist()
    some = release.table("age", {"sex": "f"}, whole=True)["count"].sum()
    assert some == release.count({"sex": "f"}, whole=True).value
    assert release.prefix("age", whole=True)["count"][-1] == release.count(whole=True).value


@pytest.mark.parametrize("measure", ["all", "pairs"])
def test_what_is_said_of_three_attributes_holds(measure: str) -> None:
    """They agree with all one-way tables and with the pair without their last attribute; none is below zero."""
    release = data().publish(discreet.Marginals(["age", "sex", "place"], ways=3, measure=measure), "0.2")
    table = release.table(["age", "sex", "place"])["count"].reshape(10, 2, 5)
    assert table.min() >= 0
    assert table.sum() == pytest.approx(release.count().value)
    assert table.sum(axis=2).reshape(-1) == pytest.approx(release.table(["age", "sex"])["count"], abs=1e-6)
    for axis, name in enumerate(("age", "sex", "place")):
        gone = tuple(other for other in range(3) if other != axis)
        assert table.sum(axis=gone) == pytest.approx(release.table(name)["count"], abs=1e-6)
    whole = release.table(["age", "sex", "place"], whole=True)["count"]
    assert whole.min() >= 0
    assert whole.sum() == release.count(whole=True).value


def test_without_noise_the_measurement_is_exact_and_the_number_near() -> None:
    release = data().publish(discreet.Marginals(ways=2, measure="all"), "10", noise=ZeroNoise())
    rows = people()
    for one, other in PAIRS[:3]:
        places = [list(SCHEMA).index(name) for name in (one, other)]
        shape = [SCHEMA[name].size for name in (one, other)]
        true = np.bincount(rows[:, places[0]] * shape[1] + rows[:, places[1]], minlength=int(np.prod(shape)))
        frame = release.table([one, other], measured=True)
        assert frame["count"] == pytest.approx(true, abs=1e-6)
        assert np.all((frame["low"] <= true) & (true <= frame["high"]))
        assert np.abs(release.table([one, other])["count"] - true).sum() < 0.05 * len(rows)


def test_nobody_at_all() -> None:
    empty = discreet.from_counts(SCHEMA, np.zeros((0, 4), np.int64), np.zeros(0, np.int64))
    for measure in ("all", "pairs"):
        release = empty.publish(discreet.Marginals(ways=2, measure=measure), "1", noise=ZeroNoise())
        assert release.count().value == 0
        assert release.table(["age", "work"])["count"].tolist() == [0] * 30
        assert release.table(["age", "work"], whole=True)["count"].tolist() == [0] * 30
        assert np.all(release.table(["age", "work"])["high"] > 0)


def test_pairs_that_were_not_measured_have_bounds_from_their_margins() -> None:
    release = seeded(discreet.Marginals(ways=2, measure="pairs"), "0.02")
    measured = {tuple(table["attributes"]) for table in release.manifest["summary"]["tables"] if "scale" in table}
    left = [pair for pair in PAIRS if tuple(pair) not in measured]
    assert left
    for one, other in left:
        frame = release.table([one, other], level=0.9)
        assert set(frame["ends"]) == {"bounds"}
        # three sums, each at a level at which all hold together but for half of the rest
        tables = [release.table(name, level=1 - 0.1 / 6) for name in (one, other)]
        least = np.minimum.outer(*(table["high"] for table in tables)).reshape(-1)
        assert frame["high"] == pytest.approx(np.maximum(least, frame["count"]), rel=1e-6)
        both = np.add.outer(*(table["low"] for table in tables)).reshape(-1)
        some = np.maximum(both - release.count(level=1 - 0.1 / 6).high, 0)
        assert frame["low"] == pytest.approx(np.minimum(some, frame["count"]), abs=1e-6)
        assert np.all(frame["stderr"] > 0)
        with pytest.raises(CannotAnswer, match="leave out `measured`"):
            release.table([one, other], measured=True)


def test_what_no_table_holds_has_an_estimate_between_bounds() -> None:
    release = data().publish(discreet.Marginals([["age", "sex"], ["place"]]), "1")
    found = release.count({"sex": "f", "place": "a"})
    assert found.ends == "bounds"
    assert 0 <= found.low <= found.value <= found.high <= release.count({"place": "a"}, level=0.999).high
    assert release.count({"place": "a"}).ends == "interval"


def test_queries_have_equal_noise() -> None:
    release = data().publish(discreet.Marginals(queries=["age < 3", "sex = 'f'"]), "1")
    assert release.manifest["method"] == "agreed"
    assert release.manifest["summary"]["shape"] == "query-answers"
    assert release.count("age < 3").stderr == release.count("sex = 'f'").stderr


def test_the_file_opens_without_us(tmp_path: Path) -> None:
    import duckdb

    release = data().publish(discreet.Marginals(ways=2, measure="pairs"), "0.05", to=tmp_path / "r")
    file = next((tmp_path / "r").glob("*.parquet"))
    asked = f"select sex, sum(count) from '{file}' where marginal = 'sex x place' group by sex order by sex"
    found = duckdb.execute(asked).fetchall()
    assert [label for label, _ in found] == ["f", "m"]
    assert [count for _, count in found] == pytest.approx(release.table("sex")["count"].tolist())
    outside = duckdb.execute(f"select count(*) from '{file}' where low > count or count > high or low < 0").fetchall()
    assert outside == [(0,)]
    assert discreet.load(tmp_path / "r").table(["age", "work"])["count"].tolist() == (
        release.table(["age", "work"])["count"].tolist()
    )


@pytest.mark.parametrize("measure", ["all", "pairs"])
def test_whole_numbers_of_three_attributes_are_those_of_the_table(measure: str) -> None:
    release = seeded(discreet.Marginals(ways=3, measure=measure), "0.1")
    by = ["age", "sex", "place"]
    whole, table = release.table(by, whole=True)["count"], release.table(by)["count"]
    assert np.abs(whole - table).max() <= 1.5
    assert whole.sum() == release.count(whole=True).value


def test_an_attribute_of_one_value_costs_nothing_and_says_nothing() -> None:
    schema = discreet.Schema(a=discreet.Ordinal(0, 2), one=discreet.Nominal(["x"]), b=discreet.Ordinal(0, 1))
    rows = np.stack([np.arange(600) % 3, np.zeros(600, np.int64), np.arange(600) % 2], axis=1)
    account = discreet.from_counts(schema, rows, np.ones(600, np.int64))
    release = account.publish(discreet.Marginals(ways=2, measure="pairs"), "1")
    strengths = release.manifest["summary"]["strengths"]
    assert strengths["pairs"] == [["a", "b"]]
    file = release.to_pandas()
    file = file[file["marginal"] == "a x one"]
    asked = release.table(["a", "one"])
    assert np.all(np.floor(asked["low"]) == file["low"])
    assert np.all(np.ceil(asked["high"]) == file["high"])


def test_what_is_no_name_is_refused() -> None:
    for by in (1, [1, 2], [["age", "sex"], 3]):
        with pytest.raises(BadParameter, match="needs lists of attribute names"):
            discreet.Marginals(by)  # type: ignore[arg-type]
    with pytest.raises(BadParameter, match="needs the names"):
        discreet.Table(5)  # type: ignore[arg-type]
    with pytest.raises(BadParameter, match="group by the name of an attribute"):
        data().publish(discreet.Marginals(ways=1), "1").table(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"measure": "all"}, {"power": 1}, {"guess": {"rows": 5}}])
def test_what_is_about_tables_is_refused_for_queries(given: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match="with `queries` leave it out"):
        data().publish(discreet.Marginals(queries=["age < 3"], **given), "1")


def test_a_guess_of_more_than_can_be_counted() -> None:
    assert made(guess={"rows": "1e350"}).rows == 2.0**62


def test_one_heavy_cell_says_how_far_its_number_was_moved() -> None:
    """The one-way tables contradict each other, and the number of the cell must fit both."""
    schema = discreet.Schema(a=discreet.Ordinal(0, 19), b=discreet.Ordinal(0, 19))
    diagonal = np.stack([np.arange(20)] * 2, axis=1)
    account = discreet.from_counts(schema, diagonal, np.full(20, 1000))
    release = account.publish(discreet.Marginals([["a", "b"], ["a"], ["b"]], measure="all"), "1")
    for code in range(20):
        found = release.count({"a": code, "b": code}, level=1 - 1e-12)
        assert found.measured is not None
        assert found.low <= 1000 <= found.high
        plain = release.count({"a": code, "b": code}, measured=True)
        assert found.stderr >= 0.99 * np.sqrt(max((found.value - plain.value) ** 2 - plain.stderr**2, 0))


def test_users_with_several_rows_cost_what_they_may_have() -> None:
    unit = Unit("who", max_rows=4)
    release = data(unit=unit).publish(discreet.Marginals(ways=2, measure="all"), "1")
    alone = data().publish(discreet.Marginals(ways=2, measure="all"), "1")
    scales = [Fraction(one.manifest["summary"]["tables"][0]["scale"]) for one in (release, alone)]
    assert scales[0] == 4 * scales[1]
