"""How `Ranges` chooses its parameters from public facts, and what it refuses before anything is charged."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.errors import BadParameter, DiscreetError
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.predicates import read_predicates
from discreet.mechanisms.ranges.privelet_plus import PriveletPlus
from discreet.mechanisms.ranges.range_dense import MOST_COEFFICIENTS, Transformed
from discreet.mechanisms.ranges.range_workload import SPREAD, spread_workload
from discreet.privacy import Unit
from discreet.private.publish import Data
from discreet.queries import Questions
from discreet.transforms import Direct
from discreet.transforms.noise_moments import NoiseMoments
from tests.unit.transforms.shapes import attributes, wavelet_weight

PLACES = discreet.Nominal(hierarchy={"north": ["a", "b", "c"], "south": {"east": ["d", "e"], "west": ["f", "g"]}})
SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 999), sex=discreet.Nominal(["f", "m"]), place=PLACES)


def plus(schema: discreet.Schema, epsilon: Fraction = Fraction(1, 10), **parameters: Any) -> PriveletPlus:
    made = mechanism_for(
        discreet.Ranges(list(schema), method="privelet+", **parameters), Request(schema, Unit(), epsilon, parameters)
    )
    assert isinstance(made, PriveletPlus)
    return made


def direct_of(mechanism: Transformed) -> set[str]:
    named = zip(mechanism.request.schema, mechanism.axes, strict=True)
    return {name for name, axis in named if isinstance(axis, Direct)}


def mean_variance(mechanism: Transformed, workload: Questions) -> float:
    return float(NoiseMoments(mechanism.axes, mechanism.scale).of(workload)[0].mean())


def subsets(schema: discreet.Schema) -> list[list[str]]:
    return [list(some) for r in range(len(schema) + 1) for some in itertools.combinations(schema, r)]


# --- which attributes are left untransformed


@settings(max_examples=12)
@given(found=st.lists(attributes, min_size=1, max_size=3))
def test_the_default_has_the_least_mean_variance_of_all_choices(found: list[Any]) -> None:
    schema = discreet.Schema({f"a{i}": attribute for i, attribute in enumerate(found)})
    workload = spread_workload(schema)
    errors = [mean_variance(plus(schema, direct=direct), workload) for direct in subsets(schema)]
    assert mean_variance(plus(schema), workload) <= min(errors) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("workload", "direct"),
    [
        (["age between 100 and 899", "age >= 250", None], {"sex"}),
        (["age = 3", "age = 77 and sex = 'f' and place = 'a'", "age between 50 and 51 and sex = 'm'"], {"age", "sex"}),
    ],
)
def test_a_workload_of_the_user_decides(workload: list[Any], direct: set[str]) -> None:
    """Wide ranges of age want it transformed, single years do not; the choice is the best of all eight."""
    chosen = plus(SCHEMA, workload=workload)
    assert direct <= direct_of(chosen)
    assert ("age" in direct) == ("age" in direct_of(chosen))
    questions = read_predicates("workload", workload, SCHEMA)
    errors = [mean_variance(plus(SCHEMA, direct=some), questions) for some in subsets(SCHEMA)]
    assert mean_variance(chosen, questions) == pytest.approx(min(errors), rel=1e-6)
    assert max(errors) > 1.5 * min(errors)


def test_many_attributes_are_settled_one_by_one() -> None:
    """From seven on not every subset is tried, but no single change would be better."""
    schema = discreet.Schema({f"a{i}": discreet.Ordinal(1, size) for i, size in enumerate([2, 2, 3, 3, 4, 5, 300])})
    workload = spread_workload(schema)
    chosen = direct_of(plus(schema))
    best = mean_variance(plus(schema), workload)
    for name in schema:
        assert mean_variance(plus(schema, direct=sorted(chosen ^ {name})), workload) >= best * (1 - 1e-9)
    assert chosen == {f"a{i}" for i in range(6)}


@settings(max_examples=60)
@given(attribute=attributes)
def test_the_rule_of_the_paper(attribute: Any) -> None:
    """|A| <= P(A)**2 H(A), with P and H of section 6.3 at the padded size."""
    schema = discreet.Schema(a=attribute)
    levels = wavelet_weight(attribute)
    bound = 4 if isinstance(attribute, discreet.Nominal) else Fraction(levels + 1, 2)
    assert ("a" in direct_of(plus(schema, direct="paper"))) == (attribute.size <= levels**2 * bound)


def test_the_rule_of_the_paper_on_its_own_table() -> None:
    """Brazil of table 3: age 101, gender 2, occupation 512 in three levels, income 1001."""
    occupation = {f"{i}": [f"{i}.{j}" for j in range(32)] for i in range(16)}
    schema = discreet.Schema(
        age=discreet.Ordinal(0, 100),
        gender=discreet.Nominal(["f", "m"]),
        occupation=discreet.Nominal(hierarchy=occupation),
        income=discreet.Ordinal(0, 1000),
    )
    assert direct_of(plus(schema, direct="paper")) == {"age", "gender"}


def test_choices_are_told_with_their_origin() -> None:
    def said(**parameters: Any) -> dict[str, Any]:
        return next(entry for entry in plus(SCHEMA, **parameters).chosen if entry["name"] == "direct")

    assert said(direct=["place", "age"]) == {"name": "direct", "value": ["age", "place"], "origin": "given"}
    assert said(direct=[])["value"] == []
    assert said(direct="sex")["value"] == ["sex"]
    assert "default" in said()["origin"]
    assert "even workload" in said()["origin"]
    assert "your workload" in said(workload=["age = 3"])["origin"]
    assert "rule" in said(direct="paper")["origin"]


# --- the workload that nobody gave


def test_the_even_workload_is_even() -> None:
    """One to all predicates equally often, every attribute as often as any other, and ranges all alike."""
    asked = spread_workload(SCHEMA)
    assert asked.count == SPREAD
    assert np.all(asked.first >= 0)
    assert np.all(asked.first <= asked.last)
    assert np.all(asked.last < np.array(SCHEMA.sizes))
    whole = (asked.first == 0) & (asked.last == np.array(SCHEMA.sizes) - 1)
    # a range that happens to be everything looks like no predicate, which is rare for age only
    assert np.mean(~whole[:, 0]) == pytest.approx(2 / 3, abs=0.02)
    lengths = (asked.last - asked.first + 1)[~whole[:, 0], 0]
    assert np.mean(lengths == 1) == pytest.approx(2 / 1001, abs=0.002)
    assert np.mean(lengths) == pytest.approx(1002 / 3, rel=0.03)
    assert np.array_equal(asked.first, spread_workload(SCHEMA).first), "nothing random"


@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_every_range_of_an_ordinal_attribute_is_asked_equally_often(size: int) -> None:
    asked = spread_workload(discreet.Schema(x=discreet.Ordinal(1, size)))
    found = Counter(zip(asked.first[:, 0].tolist(), asked.last[:, 0].tolist(), strict=True))
    ranges = size * (size + 1) // 2
    assert len(found) == ranges
    assert max(found.values()) - min(found.values()) <= 0.15 * SPREAD / ranges + 3


def test_every_node_of_a_hierarchy_is_asked_equally_often() -> None:
    asked = spread_workload(discreet.Schema(place=PLACES))
    found = Counter(zip(asked.first[:, 0].tolist(), asked.last[:, 0].tolist(), strict=True))
    nodes = {PLACES.node(name) for name in ("north", "south", "east", "west", *"abcdefg")}
    assert set(found) == nodes
    assert max(found.values()) - min(found.values()) <= 0.15 * SPREAD / len(nodes) + 3


# --- what is refused


def data(schema: discreet.Schema = SCHEMA) -> Data:
    return discreet.from_counts(schema, [[0] * len(schema)], [5])


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("privelet", {"write": "numbers"}, "write"),
    ("privelet", {"write": None}, "write"),
    ("privelet", {"direct": ["sex"]}, "direct"),
    ("privelet", {"base": 2}, "base"),
    ("privelet+", {"direct": ["plaec"]}, "not among the release's attributes.*place"),
    ("privelet+", {"direct": 3}, "direct"),
    ("privelet+", {"direct": [3]}, "direct"),
    ("privelet+", {"direct": {"sex"}}, "list"),
    ("privelet+", {"direct": "papr"}, "papr"),
    ("privelet+", {"direct": ["sex"], "workload": ["age = 3"]}, "one of the two"),
    ("privelet+", {"workload": []}, "list of predicates"),
    ("privelet+", {"workload": "age = 3"}, "list of predicates"),
    ("privelet+", {"workload": {"age": 3}}, "list of predicates"),
    ("privelet+", {"workload": 5}, "list of predicates"),
    ("privelet+", {"workload": ["age = 3", "age ="]}, "question 2"),
    ("privelet+", {"workload": ["height = 3"]}, "question 1.*height"),
    ("privelet+", {"workload": [{"age": {3, 4}}]}, "workload: a value of type set"),
    ("privelet+", {"threshold": "soft"}, "threshold"),
    ("privelet*", {"threshold": "medium"}, "threshold"),
    ("privelet*", {"threshold": ["soft"]}, "threshold"),
    ("dyadic", {"base": 1}, "base"),
    ("dyadic", {"base": 2.0}, "base"),
    ("dyadic", {"base": True}, "base"),
    ("dyadic", {"base": "2"}, "base"),
    ("dyadic", {"base": 2**21}, r"from 2 to 2\*\*20, not 2097152"),
    ("dyadic", {"consistency": "no"}, "consistency"),
    ("dyadic", {"consistency": 0}, "consistency"),
    ("dyadic", {"consistency": False, "write": "cells"}, "cells need consistency"),
    ("geometric", {"write": "cells"}, "write"),
    ("wavelet", {}, "no method 'wavelet'"),
]


@pytest.mark.parametrize(("method", "parameters", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_parameters_are_refused_before_the_charge(method: str, parameters: dict[str, Any], message: str) -> None:
    account = data()
    with pytest.raises(DiscreetError, match=message):
        account.publish(discreet.Ranges(list(SCHEMA), method=method, **parameters), 1)
    assert account.ledger.spent == 0


def test_dates_and_pairs_in_a_workload_mean_what_they_say() -> None:
    """A release states its workload, and JSON has no dates: they are written as text."""
    schema = discreet.Schema(day=discreet.Ordinal(date(2024, 1, 1), date(2024, 2, 9)))
    account = data(schema)
    asked: Any = (date(2024, 1, 3), date(2024, 1, 5))
    task = discreet.Ranges("day", method="privelet+", workload=[{"day": asked}])
    assert task.parameters["workload"] == [{"day": ("2024-01-03", "2024-01-05")}]
    assert account.publish(task, 1).publishable


@pytest.mark.parametrize("method", ["privelet", "privelet+", "privelet*", "dyadic"])
@pytest.mark.parametrize("size", [MOST_COEFFICIENTS + 1, 10**15])
def test_tables_too_large_to_hold_are_refused_at_once(method: str, size: int) -> None:
    """With advice, without a charge, and without building what would be too large."""
    account = data(discreet.Schema(x=discreet.Ordinal(1, size)))
    started = time.perf_counter()
    with pytest.raises(BadParameter, match=r"too many to hold.*adaptive.*wider bins"):
        account.publish(discreet.Ranges("x", method=method), 1)
    assert time.perf_counter() - started < 20
    assert account.ledger.spent == 0


def test_a_tree_may_be_too_large_where_a_wavelet_is_not() -> None:
    schema = discreet.Schema(x=discreet.Ordinal(1, 3 * 2**26))
    request = Request(schema, Unit(), Fraction(1))
    assert mechanism_for(discreet.Ranges("x", method="privelet"), request).cost == 1
    with pytest.raises(BadParameter, match="too many to hold"):
        mechanism_for(discreet.Ranges("x", method="dyadic"), request)


def test_too_many_cells_for_geometric_are_refused() -> None:
    account = data(discreet.Schema(x=discreet.Ordinal(1, 10**9)))
    with pytest.raises(BadParameter, match="Use adaptive"):
        account.publish(discreet.Ranges("x", method="geometric"), 1)
    assert account.ledger.spent == 0


def test_coefficients_beyond_64_bits_are_refused() -> None:
    """Fan-outs multiply: three flat lists of 200 labels make coefficients of up to 398**3 times a count."""
    labels = discreet.Nominal([str(i) for i in range(200)])
    schema = discreet.Schema(a=labels, b=labels, c=labels)
    account = data(schema)
    with pytest.raises(BadParameter, match="so many children"):
        account.publish(discreet.Ranges(list(schema), method="privelet"), 1)
    assert account.ledger.spent == 0
    made = mechanism_for(
        discreet.Ranges(list(schema), method="privelet+", direct=["a"]),
        Request(schema, Unit(), Fraction(1), {"direct": ["a"]}),
    )
    assert made.cost == 1


@pytest.mark.parametrize("method", ["privelet", "privelet+", "dyadic"])
def test_an_epsilon_too_small_for_any_table_is_refused(method: str) -> None:
    account = data()
    with pytest.raises(BadParameter, match="raise epsilon"):
        account.publish(discreet.Ranges(list(SCHEMA), method=method), "1e-16")
    assert account.ledger.spent == 0
