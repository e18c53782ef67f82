"""The task `Marginals` as people meet it: which tables, every method and parameter, what is refused, how it answers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.cli.describing import run_check
from discreet.errors import BadParameter, DiscreetError
from discreet.mechanisms.marginals.ireduct import limit_step
from discreet.noise import ZeroNoise
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import Unit
from discreet.private.publish import Data
from discreet.release import Release
from discreet.spec import ReleaseSpec, Spec, check_spec, load_spec
from discreet.summaries.marginal_tables import Part
from tests.unit.spec.spec_text import dump_spec

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 4),
    sex=discreet.Nominal(["f", "m"]),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}),
)
CODES = np.array(list(itertools.product(*map(range, SCHEMA.sizes))))
COUNTS = (np.arange(len(CODES)) * 13) % 31 + (np.arange(len(CODES)) % 7 == 0) * 400
DENSE = COUNTS.reshape(SCHEMA.sizes)
METHODS = ("equal", "two-phase", "iresamp", "ireduct")
each_method = pytest.mark.parametrize("method", METHODS)


def data(unit: Unit | None = None) -> Data:
    return discreet.from_counts(SCHEMA, CODES, COUNTS, unit=unit or Unit())


def marginals(by: Any = (), **parameters: Any) -> Release:
    return data().publish(discreet.Marginals(by, **parameters), "0.5")


def names(release: Release) -> list[list[str]]:
    return [table["attributes"] for table in release.manifest["summary"]["tables"]]


def chosen(release: Release) -> Mapping[str, tuple[Any, str]]:
    return {entry["name"]: (entry["value"], entry["origin"]) for entry in release.manifest["parameters"]}


# --- which tables ---------------------------------------------------------------------------------------------------


def test_ways() -> None:
    assert names(marginals(ways=1)) == [["age"], ["sex"], ["place"]]
    assert names(marginals(ways=2)) == [["age", "sex"], ["age", "place"], ["sex", "place"]]
    assert names(marginals(ways=3)) == [["age", "sex", "place"]]
    assert names(marginals(["place", "age"], ways=2)) == [["place", "age"]]


def test_sets_in_any_order_of_names() -> None:
    assert names(marginals([["sex", "age"], "place"])) == [["sex", "age"], ["place"]]
    assert names(marginals(sets=[["sex", "age"], ["place"]])) == [["age", "sex"], ["place"]]
    release = marginals([["place", "sex"], ["sex"]], method="equal")
    assert release.count({"place": "a", "sex": "f"}).stderr > 0


@each_method
@pytest.mark.parametrize("asked", [{"ways": 1}, {"ways": 2}, {"by": [["age", "place"], ["sex"]]}])
def test_without_noise_every_answer_is_exact(method: str, asked: dict[str, Any]) -> None:
    for more in ({}, {"consistency": True}):
        release = data().publish(discreet.Marginals(method=method, **{**asked, **more}), 1, noise=ZeroNoise())
        assert release.count().value == pytest.approx(COUNTS.sum())
        assert release.count({"sex": "m"}).value == pytest.approx(DENSE[:, 1].sum())
        assert release.count("age between 1 and 3").value == pytest.approx(DENSE[1:4].sum())
        if asked != {"ways": 1}:
            assert release.count({"age": (2, 4), "place": "north"}).value == pytest.approx(DENSE[2:, :, :2].sum())


# --- parameters -----------------------------------------------------------------------------------------------------

GIVEN: list[tuple[str, dict[str, Any]]] = [
    ("equal", {}),
    ("equal", {"consistency": True}),
    ("two-phase", {"share": "0.2", "sanity": 5}),
    ("two-phase", {"records": 2000, "objective": "maximum", "weights": [1, 2, "1/3"]}),
    ("iresamp", {"sanity": 5, "start": 200}),
    ("iresamp", {"records": 2000, "objective": "maximum"}),
    ("ireduct", {"sanity": 5, "start": 200, "step": "0.25"}),
    ("ireduct", {"records": 2000, "step": 0, "weights": (3, 1, 1)}),
    ("ireduct", {"step": 3, "objective": "maximum", "consistency": True}),
]


@pytest.mark.parametrize(("method", "parameters"), GIVEN)
def test_what_was_given_is_in_the_release_and_so_is_what_was_not(method: str, parameters: dict[str, Any]) -> None:
    release = marginals(ways=2, method=method, **parameters)
    said = chosen(release)
    for name in parameters:
        assert said[name][1].startswith("given"), name
    for name in {"equal": (), "two-phase": ("sanity", "share")}.get(method, ("sanity", "start")):
        if name not in parameters:
            assert said[name][1].startswith("default"), name
    if method == "ireduct":
        assert "step" in said
    bought = "records" in said and said["records"][1].startswith("default: measured with 0.01")
    needed = {"equal": set(), "two-phase": {"sanity"}}.get(method, {"sanity", "start"})
    assert bought == bool(needed - set(parameters) and "records" not in parameters)
    assert release.manifest["epsilon"] == "0.5"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "name the marginals"),
    ({"by": ["age", "sex"]}, "name the marginals"),
    ({"by": [["age"]], "ways": 1}, "name the marginals"),
    ({"ways": 0}, "ways must be"),
    ({"ways": 4}, "ways must be"),
    ({"ways": 1.0}, "ways must be"),
    ({"ways": True}, "ways must be"),
    ({"by": [["age", "agee"]]}, "agee"),
    ({"by": [["age", "age"]]}, "twice"),
    ({"by": [["age", "sex"], ["sex", "age"]]}, "twice"),
    ({"sets": []}, "lists of attributes"),
    ({"sets": 5}, "lists of attributes"),
    ({"sets": [[]]}, "list of attributes"),
    ({"sets": ["age"]}, "list of attributes"),
    ({"ways": 1, "queries": ["age = 1"]}, "either queries or marginals"),
    ({"queries": []}, "list of predicates"),
    ({"queries": "age = 1"}, "list of predicates"),
    ({"queries": ["age = 1", "agee = 1"]}, "question 2"),
    ({"queries": ["age = 1", "age = 1 and age = 2"]}, "question 2: no cell can satisfy it"),
    ({"ways": 1, "consistency": "yes"}, "consistency must"),
    ({"ways": 1, "santy": 5}, "santy"),
    ({"ways": 1, "sanity": 0}, "sanity"),
    ({"ways": 1, "sanity": "1e-300"}, "sanity"),
    ({"ways": 1, "sanity": "1e350"}, "sanity"),
    ({"ways": 1, "records": -5}, "records"),
    ({"ways": 1, "records": "1e300"}, "records"),
    ({"ways": 1, "objective": "median"}, "objective"),
    ({"ways": 1, "weights": [1, 2]}, "weights"),
    ({"ways": 1, "weights": [1, 2, 0]}, "weight"),
    ({"ways": 1, "weights": "123"}, "weights"),
    ({"ways": 1, "weights": [1, 2, "1e-30"]}, "weight"),
    ({"ways": 1, "share": 0, "method": "two-phase"}, "share"),
    ({"ways": 1, "share": 1, "method": "two-phase"}, "share"),
    ({"ways": 1, "share": "1e-18", "method": "two-phase"}, "2\\*\\*52"),
    ({"ways": 1, "start": 1, "method": "iresamp"}, "start at"),
    ({"ways": 1, "start": 1}, "start at"),
    ({"ways": 1, "start": 2**53}, "2\\*\\*52"),
    ({"ways": 1, "step": -1}, "step"),
    ({"ways": 1, "step": True}, "step"),
    ({"ways": 1, "start": 100, "step": 100}, "smaller than start"),
    ({"ways": 1, "records": 1000, "step": 100}, "smaller than start"),
    ({"ways": 1, "start": 100, "step": "1e-20"}, "2\\*\\*40"),
    ({"ways": 1, "records": 1000, "step": "1e-15"}, "2\\*\\*40"),
    ({"ways": 1, "step": "1e-15"}, "2\\*\\*40"),
    ({"ways": 1, "start": "100.123456789012345678", "step": "1.23456789101112"}, "multiples of one number"),
    ({"ways": 1, "method": "equal", "sanity": 5}, "no parameter 'sanity'"),
    ({"ways": 1, "method": "two-phase", "start": 5}, "no parameter 'start'"),
    ({"ways": 1, "method": "oracle"}, "no method 'oracle'"),
    ({"ways": 1, "method": "proportional"}, "no method 'proportional'"),
]


@pytest.mark.parametrize(("asked", "said"), WRONG, ids=[f"{said[:12]}-{i}" for i, (_, said) in enumerate(WRONG)])
def test_mistakes_are_refused_before_anything_is_charged(asked: dict[str, Any], said: str) -> None:
    account = data()
    with pytest.raises(DiscreetError, match=said):
        account.publish(discreet.Marginals(**{"by": (), "method": "ireduct", **asked}), "0.5")
    assert account.ledger.spent == 0


@each_method
def test_an_epsilon_for_which_there_is_no_noise_is_refused(method: str) -> None:
    account = data()
    with pytest.raises(BadParameter, match=r"2\*\*52"):
        account.publish(discreet.Marginals(ways=1, method=method), "1e-17")
    assert account.ledger.spent == 0
    account.publish(discreet.Marginals(ways=1, method=method), "1e-9")
    account.publish(discreet.Marginals(ways=1, method=method), "1e4")


@pytest.mark.parametrize(("start", "power"), [("1/2", 30), (1000, 30), (2**16 - 1, 30), (2**20, 25), (2**52, 17)])
def test_a_step_of_zero_is_as_small_as_64_bits_tell_apart(start: Any, power: int) -> None:
    assert limit_step(Fraction(start)) == Fraction(start) / 2**power


def test_more_tables_than_there_may_be() -> None:
    many = discreet.Schema({f"a{i}": discreet.Ordinal(0, 1) for i in range(400)})
    account = discreet.from_counts(many, np.zeros((1, 400), np.int64), [1])
    with pytest.raises(BadParameter, match="over 10,000 tables"):
        account.publish(discreet.Marginals(ways=2), 1)
    wide = discreet.Schema({f"a{i}": discreet.Ordinal(0, 10**5) for i in range(2)})
    with pytest.raises(BadParameter, match="cells together"):
        discreet.from_counts(wide, [[0, 0]], [1]).publish(discreet.Marginals(ways=2), 1)


# --- specs ----------------------------------------------------------------------------------------------------------

TASKS = [
    discreet.Marginals(ways=2),
    discreet.Marginals(["age", "place"], ways=1, method="two-phase", share=0.25),
    discreet.Marginals([["age", "sex"], ["place"]], method="ireduct", weights=[1, 2.5], step=0),
    discreet.Marginals(queries=["age < 3", "sex = 'f' and place = 'north'"], method="iresamp"),
]


def test_tasks_survive_a_spec_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    releases = {f"r{i}": ReleaseSpec(f"r{i}", task, Fraction(1, 3)) for i, task in enumerate(TASKS)}
    path = tmp_path / "spec.toml"
    (tmp_path / "rows.csv").write_text(",".join(SCHEMA) + "\n", encoding="utf-8")
    spec = Spec(schema=SCHEMA, unit=Unit(), releases=releases, source="rows.csv")
    path.write_text(dump_spec(spec), encoding="utf-8")
    assert check_spec(path) == []
    assert [release.task for release in load_spec(path).releases.values()] == TASKS
    run_check(path, as_json=False)
    assert "no mistakes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('by = [["age", "sx"]]', "'sx' is not declared"),
        ("ways = 7", "ways must be"),
        ('by = [["age", "sex"], ["sex", "age"]]', "twice"),
        ('ways = 1\nmethod = "iredct"', "ireduct"),
        ('ways = 1\nmethod = "ireduct"\nstart = 1', "start at"),
        ("by = [[3]]", "lists of attribute names"),
        ('by = [["age"], []]', "lists of attribute names"),
    ],
)
def test_check_names_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    path = tmp_path / "spec.toml"
    text = dump_spec(Spec(schema=SCHEMA, unit=Unit()))
    path.write_text(f'{text}\n[releases.m]\ntask = "marginals"\nepsilon = 0.5\n{line}\n', encoding="utf-8")
    with pytest.raises(SystemExit):
        run_check(path, as_json=False)
    shown = capsys.readouterr()
    assert said in shown.out + shown.err


# --- answers --------------------------------------------------------------------------------------------------------


@each_method
def test_answers_of_several_tables_are_weighed_by_inverse_variance(method: str) -> None:
    release = marginals([["age"], ["age", "sex"], ["age", "place"], ["sex", "place"]], method=method)
    parts = release.summary.parts  # type: ignore[attr-defined]
    values = [part.values.reshape(shape) for part, shape in zip(parts, [(5,), (5, 2), (5, 3), (2, 3)], strict=True)]
    # age 1 to 3: three cells of the first table, six of the second, nine of the third
    sums = np.array([values[0][1:4].sum(), values[1][1:4].sum(), values[2][1:4].sum()])
    variances = np.array([cells * part.variance for cells, part in zip((3, 6, 9), parts[:3], strict=True)])
    weights = 1 / variances / (1 / variances).sum()
    answer = release.count("age between 1 and 3")
    assert answer.value == pytest.approx(weights @ sums)
    assert answer.stderr**2 == pytest.approx(1 / (1 / variances).sum())
    assert answer.stderr**2 < variances.min()
    for i, j in itertools.permutations(range(3), 2):  # no other weights have less variance
        moved = weights + 0.05 * (np.arange(3) == i) - 0.05 * (np.arange(3) == j)
        assert moved**2 @ variances > answer.stderr**2
    both = release.count({"sex": "m", "place": "north"})
    assert both.value == pytest.approx(values[3][1, :2].sum())
    assert both.stderr**2 == pytest.approx(2 * parts[3].variance)
    whole = np.array([v.sum() for v in values])
    variances = np.array([v.size * part.variance for v, part in zip(values, parts, strict=True)])
    assert release.count().value == pytest.approx((whole / variances).sum() / (1 / variances).sum())


def test_a_union_counts_each_cell_once() -> None:
    release = marginals([["age", "sex"]], method="equal")
    part = release.summary.parts[0]  # type: ignore[attr-defined]
    table = part.values.reshape(5, 2)
    answer = release.count("age >= 3 or sex = 'f'")
    assert answer.value == pytest.approx(table[3:].sum() + table[:3, 0].sum())
    assert answer.stderr**2 == pytest.approx(7 * part.variance)


def test_draws_of_one_table_are_averaged_by_inverse_variance() -> None:
    scales = (Fraction(100), Fraction(50), Fraction(7, 3))
    draws = [np.array([1, 2]), np.array([-4, 9]), np.array([3, 3])]
    part = Part.combined(draws, scales)
    inverse = np.array([1 / DiscreteLaplace.of(scale).variance for scale in scales])
    assert part.values == pytest.approx(inverse @ np.array(draws) / inverse.sum())
    assert part.variance == pytest.approx(1 / inverse.sum())


def test_all_values_of_an_attribute_are_no_question() -> None:
    release = marginals([["age", "sex"], ["place"]])
    assert release.count({"sex": ["f", "m"], "place": "a"}).ends == "interval"
    assert release.count({"sex": "f", "place": "a"}).ends == "bounds"


def test_more_attributes_than_a_word_has_bits() -> None:
    schema = discreet.Schema({f"a{i}": discreet.Ordinal(0, 1) for i in range(70)})
    codes = np.random.default_rng(1).integers(0, 2, (200, 70))
    account = discreet.from_counts(schema, codes, np.ones(200, np.int64))
    release = account.publish(discreet.Marginals(ways=1, method="equal"), 1, noise=ZeroNoise())
    for place in (0, 31, 62, 63, 64, 69):
        assert release.count({f"a{place}": 1}).value == codes[:, place].sum()
    assert release.count({"a3": 1, "a67": 1}).ends == "bounds"


@each_method
@pytest.mark.parametrize("consistency", [False, True])
def test_saved_and_loaded(method: str, consistency: bool, tmp_path: Path) -> None:
    release = marginals(ways=2, method=method, consistency=consistency)
    again = discreet.load(release.save(tmp_path / "r"))
    for where in (None, {"age": 2}, {"age": (1, 3), "sex": "f"}, "age = 0 or place = 'c'"):
        assert again.count(where) == release.count(where)
    assert again.manifest == release.manifest
    stored = pq.read_table(next((tmp_path / "r").glob("*.parquet")))
    raw = np.concatenate([part.values for part in release.summary.parts])  # type: ignore[attr-defined]
    assert np.array_equal(stored["count"].to_numpy(), raw)  # raw values are kept, also where answers are consistent
    assert ("consistent_count" in stored.column_names) == consistency
    assert stored["marginal"].to_pylist()[:10] == ["age x sex"] * 10
    assert stored["place"].to_pylist()[:10] == [None] * 10


def test_whole_numbers_on_request() -> None:
    release = data().publish(discreet.Marginals(ways=1, method="two-phase"), "0.01")
    plain, whole = release.table("age"), release.table("age", whole=True)
    assert np.asarray(whole["count"]).min() >= 0
    assert np.asarray(whole["count"]).sum() == release.count(whole=True).value
    assert np.asarray(whole["low"]).tolist() == np.asarray(plain["low"]).tolist()
