"""Lists of count queries: families that no record is in twice, their joint sensitivity by brute force, releases."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.mechanisms import Request, registry
from discreet.mechanisms.marginals.marginal_queries import MOST_QUERIES, Families
from discreet.noise import ZeroNoise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.queries import Boxes, bind
from discreet.queries.binding import Where
from discreet.schema import Nominal, Ordinal, Schema

SCHEMA = Schema(a=Ordinal(0, 4), b=Nominal(["x", "y"]), c=Nominal(hierarchy={"p": ["q", "r"], "s": ["t"]}))
CELLS = np.array(list(itertools.product(*map(range, SCHEMA.sizes))))
METHODS = ("equal", "two-phase", "iresamp", "ireduct")
QUERIES: list[Where] = ["a < 2", "a >= 2", {"b": "x"}, "b = 'y' and a > 1", "c = 'p'", "c = 't' or (a = 0 and b = 'x')"]
dice = random.SystemRandom()

comparisons = st.one_of(
    st.builds("a {} {}".format, st.sampled_from(["=", "<", ">=", "!="]), st.integers(1, 4)),
    st.builds("b = '{}'".format, st.sampled_from("xy")),
    st.builds("c = '{}'".format, st.sampled_from("pqrst")),
)
predicates = st.recursive(
    comparisons,
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner),
    max_leaves=4,
)


def inside(boxes: Boxes) -> NDArray[np.bool_]:
    """Which cells a query holds for."""
    held = np.zeros(len(CELLS), np.bool_)
    for first, last in zip(boxes.first, boxes.last, strict=True):
        held |= np.all((first <= CELLS) & (last >= CELLS), axis=1)
    return held


@settings(max_examples=150)
@given(
    queries=st.lists(predicates, min_size=1, max_size=9), weights=st.lists(st.integers(1, 50), min_size=9, max_size=9)
)
def test_the_joint_sensitivity_is_that_of_brute_force(queries: list[str], weights: list[int]) -> None:
    """The most that one record weighs, with noise of another scale in every family."""
    queries = [query for query in queries if len(bind(query, SCHEMA).boxes(SCHEMA.sizes).first)]
    assume(queries)
    families = Families.of(queries, SCHEMA)
    assert sorted(number for numbers in families.members for number in numbers) == list(range(len(queries)))
    held = np.array([inside(box) for box in families.boxes])
    inverse = [Fraction(1, weight) for weight in weights]
    weigh = [Fraction(0)] * len(CELLS)
    for numbers, share in zip(families.members, inverse, strict=False):
        assert held[numbers].sum(axis=0).max() <= 1  # no record is in two queries of a family
        for cell in np.flatnonzero(held[numbers].any(axis=0)):
            weigh[cell] += share
    bound = sum(inverse[: len(families.members)], Fraction(0))
    assert max(weigh) <= bound
    assert (max(weigh) == bound) == families.exact
    assert len(families.members) >= held.sum(axis=0).max()


def test_known_families() -> None:
    disjoint = Families.of(["a = 0", "a = 1", "a > 2"], SCHEMA)
    assert (disjoint.members, disjoint.exact) == ([[0, 1, 2]], True)
    chained = Families.of(["a <= 1", "a between 1 and 2", "a between 2 and 3", "a >= 3"], SCHEMA)
    assert (len(chained.members), chained.exact) == (2, True)
    # pairs overlap, but no cell lies in all three: three families, and a bound
    triangle = Families.of(["b = 'x' and a < 3", "b = 'x' and a > 1 or a = 4", "a = 4 and b = 'y' or a = 0"], SCHEMA)
    assert (len(triangle.members), triangle.exact) == (3, False)
    assert len(Families.of(["a = 1", "a = 1"], SCHEMA).members) == 2


def test_the_release_says_whether_the_sensitivity_is_exact() -> None:
    for queries, said in (
        (QUERIES, "may count"),
        (["b = 'x' and a < 3", "a > 1 and b = 'x' or a = 4", "a = 4 and b = 'y' or a = 0"], "at most"),
    ):
        request = Request(SCHEMA, Unit(), Fraction(1), {"queries": queries})
        noted = {entry["name"]: entry for entry in registry()["marginals", "equal"](request).chosen}
        assert said in noted["families"]["origin"]


def test_exact_answers_are_those_of_a_loop() -> None:
    counts = np.array([dice.randrange(0, 50) for _ in CELLS])
    families = Families.of(QUERIES, SCHEMA)
    found = families.counts(Counts.from_arrays(SCHEMA.sizes, CELLS, counts))
    for numbers, answers in zip(families.members, found, strict=True):
        for number, answer in zip(numbers, answers, strict=True):
            assert answer == counts[inside(families.boxes[number])].sum()


def account(unit: Unit | None = None) -> Any:
    counts = (np.arange(len(CELLS)) * 7) % 23
    return discreet.from_counts(SCHEMA, CELLS, counts, unit=unit), counts


@pytest.mark.parametrize("method", METHODS)
def test_published_queries(method: str, tmp_path: Path) -> None:
    data, counts = account()
    task = discreet.Marginals(queries=QUERIES, method=method)
    exact = data.publish(task, 1, noise=ZeroNoise())
    truths = [int(counts[inside(box)].sum()) for box in Families.of(QUERIES, SCHEMA).boxes]
    assert [exact.count(where).value for where in QUERIES] == pytest.approx(truths)
    release = data.publish(task, "0.5")
    again = discreet.load(release.save(tmp_path / "r"))
    for where in QUERIES:
        assert again.count(where) == release.count(where)
        assert release.count(where).stderr > 0
    assert again.to_arrow().equals(release.to_arrow())
    assert release.to_arrow()["where"].to_pylist()[1:3] == ["a >= 2", "{'b': 'x'}"]
    assert release.to_arrow()["count"].to_pylist() == [release.count(where).measured for where in QUERIES]


def test_only_what_was_asked_is_answered_however_it_is_written() -> None:
    release = account()[0].publish(discreet.Marginals(queries=QUERIES, method="equal"), 1)
    assert release.count("a <= 1") == release.count("a < 2")
    assert release.count("not b = 'y'") == release.count({"b": "x"})
    assert release.count("(b = 'x' and a = 0) or c = 't'") == release.count(QUERIES[5])
    with pytest.raises(CannotAnswer, match=r"question 1 is not among .*a < 2; a >= 2"):
        release.count("a < 3")
    with pytest.raises(CannotAnswer, match="not among"):
        release.count()


@pytest.mark.parametrize("unit", [Unit(), Unit("who", max_rows=4), Unit(neighbours="replace")])
def test_the_charge_is_that_of_the_families(unit: Unit) -> None:
    data, _ = account(unit)
    release = data.publish(discreet.Marginals(queries=QUERIES, method="equal"), "0.3")
    assert data.ledger.spent == Fraction(3, 10)
    scales = [Fraction(family["scales"][0]) for family in release.manifest["summary"]["families"]]
    assert unit.sensitivity * sum(1 / scale for scale in scales) == Fraction(3, 10)


def test_a_domain_far_too_large_to_write_out() -> None:
    sizes = (101, 2, 4, 26, 29, 5, 5, 512, 4, 10**6)
    schema = Schema({f"a{i}": Ordinal(0, size - 1) for i, size in enumerate(sizes)})
    frame = pd.DataFrame({f"a{i}": np.random.default_rng(i).integers(0, size, 500) for i, size in enumerate(sizes)})
    queries: list[Where] = ["a0 < 10", "a1 = 0 and a3 > 4", {"a9": (0, 499_999)}]
    release = discreet.open(frame, schema).publish(
        discreet.Marginals(queries=queries, method="equal"), 1, noise=ZeroNoise()
    )
    assert release.count("a0 < 10").value == (frame.a0 < 10).sum()
    assert release.count(queries[1]).value == ((frame.a1 == 0) & (frame.a3 > 4)).sum()
    assert release.count(queries[2]).value == (frame.a9 < 500_000).sum()


def test_not_more_than_there_may_be() -> None:
    with pytest.raises(BadParameter, match="at most 5,000"):
        Families.of(["a = 1"] * (MOST_QUERIES + 1), SCHEMA)
    many = Families.of([f"a = {i % 5}" for i in range(300)], SCHEMA)
    assert [len(numbers) for numbers in many.members] == [5] * 60


def test_rows_count_whatever_they_lack_that_no_query_asks_for() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": ["x", "y", None, "x"], "c": [None, None, None, "t"]})
    data = discreet.open(frame, SCHEMA)
    assert data.publish(discreet.Marginals(queries=["a < 3"]), 1, noise=ZeroNoise()).count("a < 3").value == 2
    both = data.publish(discreet.Marginals(queries=["not (a > 3 or b = 'y')", {"a": 4}]), 1, noise=ZeroNoise())
    assert [both.count(where).value for where in ("not (a > 3 or b = 'y')", "a = 4")] == [1, 1]


@pytest.mark.parametrize(("queries", "words"), [(["a < 3", "ab = 2"], "ab"), (["a <"], "a <")])
def test_a_query_that_cannot_be_read_is_shown(queries: list[str], words: str) -> None:
    frame = pd.DataFrame({"a": [1], "b": ["x"], "c": ["q"]})
    with pytest.raises(BadParameter, match=words):
        discreet.open(frame, SCHEMA).publish(discreet.Marginals(queries=queries), 1)


@pytest.mark.parametrize("large", [2**53, 2**60])
def test_one_record_moves_an_answer_by_one_however_large_it_is(large: int) -> None:
    """A sum in floats would move by 2 above 2**53, and by 256 above 2**60."""
    answers = []
    for more in (127, 128, 129):
        table = discreet.from_counts(SCHEMA, [[0] * len(SCHEMA)], [large + more])
        release = table.publish(discreet.Marginals(queries=[{}], method="equal"), 1, noise=ZeroNoise())
        answers.append(release.summary.parts[0].values[0].item())  # type: ignore[attr-defined]
    assert answers == [large + more for more in (127, 128, 129)]
