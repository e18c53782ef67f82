"""The task `Items` as people meet it: every method and parameter, what is refused, what it costs, how it is stored."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter, DiscreetError
from discreet.kernels.grouping import group_sums
from discreet.mechanisms.items import gs
from discreet.mechanisms.items.gs import _laplace_quantiles, best_size
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit
from discreet.private.publish import Data
from discreet.release import Release
from tests.law.item_cases import METHODS, Rows, made
from tests.law.marginal_cases import same_law

dice = np.random.default_rng(77)
SCHEMA = discreet.Schema(item=discreet.Nominal(list("abcdef")), day=discreet.Ordinal(0, 3))
WHO = np.repeat(np.arange(200), dice.integers(1, 5, 200))
FRAME = pd.DataFrame(
    {"who": WHO, "item": dice.choice(list("abcdef"), WHO.size, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05]), "day": WHO % 4}
)
ITEMS = FRAME.item.value_counts()
each_method = pytest.mark.parametrize("method", METHODS)
PAIRING = ("hpa", "lpa", "sra")


@pytest.fixture(autouse=True)
def same_dice() -> None:
    """Inputs are made up alike in every run, whichever tests ran before; noise is not."""
    dice.bit_generator.state = np.random.PCG64(77).state


def data(most: int = 4, neighbours: str = "add-remove", frame: pd.DataFrame = FRAME) -> Data:
    return discreet.open(frame, SCHEMA, unit=Unit("who", max_rows=most, neighbours=neighbours))


def items(method: str, epsilon: Any = 2, noise: Noise | None = None, context: Any = (), **parameters: Any) -> Release:
    task = discreet.Items("item", context=context, method=method, **parameters)
    return data().publish(task, epsilon, noise=noise)


def scales(release: Release) -> list[Fraction]:
    found = [table.get("scales", [table.get("scale")])[0] for table in release.manifest["summary"]["tables"]]
    return [Fraction(scale) for scale in found]


# --- counts -----------------------------------------------------------------------------------------------------------


@each_method
@pytest.mark.parametrize("context", [(), "day"])
def test_without_noise_counts_are_exact(method: str, context: Any) -> None:
    """Where all records count; smoothing methods with groups of one and all frequencies."""
    whole: dict[str, Any] = {"gs-r": {"group": 1}, "gs-s": {"group": 1}, "fpa": {"coefficients": 4}}.get(method, {})
    release = items(method, noise=ZeroNoise(), context=context, **whole)
    if method == "gs":  # it picks the size itself; a group of all has the mean
        assert release.count().value == pytest.approx(len(FRAME))
        return
    for label in "abcdef":
        assert release.count({"item": label}).value == pytest.approx(ITEMS[label], abs=0.01)
    if context and method != "fpa":
        exact = ((FRAME.item == "a") & (FRAME.day == 2)).sum()
        assert release.count({"item": "a", "day": 2}).value == pytest.approx(exact)


@pytest.mark.parametrize("method", PAIRING)
@pytest.mark.parametrize("count", ["records", "users"])
def test_pairs_without_noise(method: str, count: str) -> None:
    release = items(method, noise=ZeroNoise(), context="item", count=count)
    mine = [Counter(rows) for _, rows in FRAME.groupby("who").item]
    both = sum(min(times["a"], 1) * (times["b"] if count == "records" else min(times["b"], 1)) for times in mine)
    assert release.schema.names == ("item", "also_item")
    assert release.count({"item": "a", "also_item": "b"}).value == both
    if count == "users":
        assert release.count({"item": "b", "also_item": "a"}).value == both
        assert release.count({"item": "a"}).value == FRAME[FRAME.item == "a"].who.nunique()
    assert release.count({"item": "a", "also_item": "a"}).value == 0


@pytest.mark.parametrize("method", PAIRING)
def test_a_pair_that_is_one_count_is_drawn_once(method: str) -> None:
    """Two draws of one count, in either order of the items, would cost twice as much."""
    summary: Any = items(method, context="item", count="users").summary
    square = summary.parts[1].values.reshape(6, 6)
    assert np.array_equal(square, square.T)
    assert not square.diagonal().any()
    assert square.any()


@pytest.mark.parametrize("said", [True, 1])
def test_pairs_may_be_asked_for_by_their_parameter(said: Any) -> None:
    """As a spec may that was written when whatever Python takes for true would do: it has its release already."""
    assert items("lpa", noise=ZeroNoise(), pairs=said).schema.names == ("item", "also_item")
    assert items("lpa", noise=ZeroNoise(), pairs=not said).schema.names == ("item",)


def test_users_count_once() -> None:
    release = items("lpa", noise=ZeroNoise(), count="users")
    assert release.count({"item": "a"}).value == FRAME[FRAME.item == "a"].who.nunique()


@each_method
def test_rows_as_units(method: str) -> None:
    """Every method works where a row is the unit, from rows and from counts."""
    rows = discreet.open(FRAME, SCHEMA)
    codes = np.array(list(itertools.product(range(6), range(4))))
    counts = np.array([((FRAME.item == "abcdef"[i]) & (FRAME.day == d)).sum() for i, d in codes])
    ready = discreet.from_counts(SCHEMA, codes, counts)
    for source in (rows, ready):
        for context in ((), ("day",)):
            release = source.publish(discreet.Items("item", context=context, method=method), 5, noise=ZeroNoise())
            assert release.count().value == pytest.approx(len(FRAME), rel=0.35)


# --- groups -----------------------------------------------------------------------------------------------------------


def smoothing_error(values: NDArray[np.int64], noise: float, size: int) -> float:
    """The absolute error in all if neighbours are grouped by `size`: groups from the last one down."""
    quantiles, groups = _laplace_quantiles(), values.size // size
    total = 0.0
    for turn, group in enumerate(range(groups - 1, -1, -1)):
        mine = values[group * size : (group + 1) * size if group < groups - 1 else values.size]
        noisy = (mine.sum() + noise * quantiles[(size + turn) % quantiles.size]) / mine.size
        total += np.abs(mine - noisy).sum()
    return float(total)


def random_values() -> NDArray[np.int64]:
    count = int(dice.integers(1, 45))
    kind = int(dice.integers(5))
    if kind == 0:
        return np.sort(dice.integers(-3, 4, count))
    if kind == 1:
        return np.full(count, dice.integers(-9, 9))
    if kind == 2:
        return np.sort(dice.integers(-(10**9), 10**9, count))  # more than there are buckets
    if kind == 3:
        return np.sort(np.rint(10 ** dice.uniform(0, 9, count)).astype(np.int64))
    return np.sort(dice.integers(0, 200, count))


def test_the_best_size_of_groups() -> None:
    """The least error over all sizes from 1 to all items."""
    for _ in range(250):
        values, noise = random_values(), float(10 ** dice.uniform(-2, 3))
        size = best_size(values, noise)
        # above half of all items every size makes one group of all
        sizes = [*range(1, values.size // 2 + 1), values.size]
        every = [smoothing_error(values, noise, one) for one in sizes]
        assert smoothing_error(values, noise, size) <= min(every) * (1 + 1e-9) + 1e-6 * np.abs(values).max() + 1e-9


def test_the_best_size_among_many_items() -> None:
    values = np.sort(np.rint(10 ** dice.uniform(0, 3, 700)).astype(np.int64))
    for noise in (0.1, 30.0, 3000.0):
        size = best_size(values, noise)
        every = [smoothing_error(values, noise, one) for one in [*range(1, 351), 700]]
        assert smoothing_error(values, noise, size) <= min(every) * (1 + 1e-9)


def test_more_noise_makes_larger_groups() -> None:
    values = np.sort(np.rint(10 ** dice.uniform(0, 3, 300)).astype(np.int64))
    found = [best_size(values, noise) for noise in (0.01, 100.0, 10.0**6)]
    assert found[0] == 1 < found[1] < found[2]


def test_a_sample_of_nobody_stands_for_the_bound() -> None:
    """At a rate of e**-999 no number of users makes a sample."""
    method = made("gs", (10,), 2, Unit("who", max_rows=1000), sampling="rows", bound=1000)
    facts = method.measure(Rows((10,), [[0, 1], [2]]), Noise()).parts[0].facts()
    assert facts["sample stands for"] == 1000


@pytest.mark.parametrize("scale", ["mean", "paper"])
def test_sizes_are_found_under_the_widest_noise(scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of all values still fit 64 bits."""
    tried: list[Any] = []

    def noted(values: Any, noise: float) -> int:
        tried.append(values)
        return 1

    monkeypatch.setattr(gs, "best_size", noted)
    more = {"mean": 1} if scale == "mean" else {}
    made("gs", (20_000,), Fraction(1, 2**49), None, scale=scale, **more).measure(
        Rows((20_000,), [[0]]), Noise(SeededSource(5))
    )
    assert 2.0**58 < float(np.abs(tried[0]).sum(dtype=np.float64)) < 2.0**62


def test_group_sums() -> None:
    for count, size in itertools.product([1, 5, 12], [1, 2, 3, 5]):
        if size <= count:
            order, table = dice.permutation(count), dice.integers(0, 50, count)
            groups, sums = np.empty(count, np.int32), np.zeros(count // size, np.int64)
            group_sums(order, table, size, groups, sums)
            assert np.array_equal(np.bincount(groups, table, count // size), sums)
            assert np.array_equal(groups[order], np.minimum(np.arange(count) // size, count // size - 1))


@pytest.mark.parametrize("method", ["gs", "gs-r", "gs-s"])
def test_the_order_of_items_does_not_matter(method: str) -> None:
    """Which items share a group with the most popular one, before and after the items are given other places."""
    users, places = [[0, 1], [0, 2], [0], [1, 4]], np.array([3, 4, 0, 1, 2])
    found = []
    for new in (np.arange(5), places):
        counted, noise = Counter[Any](), Noise()
        mechanism = made(method, (5,), 4, Unit("who", max_rows=2), **({} if method == "gs" else {"group": 2}))
        for _ in range(350):
            groups = mechanism.measure(Rows((5,), [new[mine].tolist() for mine in users]), noise).parts[0].groups[new]
            counted[tuple((groups == groups[0]).tolist())] += 1
        found.append(counted)
    assert same_law(found[0], found[1])


# --- what is refused --------------------------------------------------------------------------------------------------

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("lpa", {"bound": 0}, "from 1 to 4"),
    ("lpa", {"bound": 5}, "from 1 to 4, the unit's own bound"),
    ("lpa", {"bound": 2.5}, "whole number"),
    ("lpa", {"bound": "most"}, "must be a whole number"),
    ("lpa", {"bound": "quantile"}, "is no more, .* use even-shares"),
    ("lpa", {"bound": 2, "guess": {"users": 1, "records": 1, "popularity": 1}}, "not both"),
    ("lpa", {"guess": {"customers": 10}}, "nothing to guess"),
    ("lpa", {"guess": {"users": 10, "records": 3, "popularity": 2}}, "at most 1"),
    ("lpa", {"shares": {"items": 1, "edge": 1}}, "no step 'edge'"),
    ("lpa", {"shares": {"items": 0.6, "edges": 0.5}, "context": "day"}, "more than 1"),
    ("lpa", {"shares": {"items": 0.6}, "context": "day"}, "edges is missing"),
    ("lpa", {"shares": 0.5}, "a part of epsilon to each of items"),
    ("lpa", {"shares": {"items": 0}}, "above zero"),
    ("lpa", {"count": "people"}, "'records' or 'users'"),
    ("lpa", {"rescale": 1}, "true or false"),
    ("lpa", {"rescale": True, "context": "item"}, "pairs"),
    ("lpa", {"group": 2}, "no parameter 'group'"),
    ("lpa", {"bound": 1, "context": "item"}, "at least 2 records"),
    ("hpa", {"probe": 5}, "from 1 to 4"),
    ("hpa", {"probe": 1, "scores": {"a": 1}}, "leave out probe or scores"),
    ("hpa", {"scores": {"z": 1}}, "z"),
    ("hpa", {"scores": {"a": "much"}}, "not a number"),
    ("gs-r", {"context": "item"}, "use lpa, sra or hpa"),
    ("gs-s", {"context": "item"}, "use lpa, sra or hpa"),
    ("gs", {"context": "item"}, "use lpa, sra or hpa"),
    ("fpa", {"context": "item"}, "use lpa, sra or hpa"),
    ("gs-r", {"group": 7}, "from 1 to 6"),
    ("gs-s", {"group": 0}, "at least 1"),
    ("gs-s", {"sampling": "cells"}, "'columns', 'rows' or 'none'"),
    ("gs", {"group": 2}, "no parameter 'group'"),
    ("gs", {"mean": 2, "scale": "paper"}, 'mean needs scale = "mean" and sampling = "columns"'),
    ("gs", {"mean": 2, "sampling": "rows"}, 'mean needs scale = "mean" and sampling = "columns"'),
    ("gs", {"mean": "1e390"}, "mean must lie between 1 and the bound"),
    ("gs", {"mean": "1e-390"}, "mean must lie between 1 and the bound"),
    ("fpa", {"coefficients": 5}, "from 1 to 4"),
]


@pytest.mark.parametrize(("method", "parameters", "said"), REFUSED)
def test_what_is_refused_says_what_to_do(method: str, parameters: dict[str, Any], said: str) -> None:
    """Before anything is charged."""
    source = data()
    with pytest.raises(DiscreetError, match=said):
        source.publish(discreet.Items("item", method=method, **parameters), 1)
    assert source.ledger.spent == 0


@pytest.mark.parametrize("by", [[], ["item", "day"], ["item", "item"]])
def test_one_item_at_a_time(by: Any) -> None:
    with pytest.raises(BadParameter):
        discreet.Items(by)
    with pytest.raises(BadParameter, match="must be the only context"):
        discreet.Items("item", context=["item", "day"])


def test_users_or_records_and_rows_per_cell() -> None:
    for per_cell, parameters, said in (
        (2, {}, "max_rows_per_cell cannot be 2; set it to 1"),
        (1, {"count": "records"}, "users are counted"),
    ):
        source = discreet.open(FRAME, SCHEMA, unit=Unit("who", max_rows=4, max_rows_per_cell=per_cell))
        with pytest.raises(BadParameter, match=said):
            source.publish(discreet.Items("item", method="lpa", **parameters), 1)
    source = discreet.open(FRAME, SCHEMA, unit=Unit("who", max_rows=4, max_rows_per_cell=1))
    release = source.publish(discreet.Items("item", method="lpa"), 1, noise=ZeroNoise())
    assert release.count({"item": "a"}).value == FRAME[FRAME.item == "a"].who.nunique()


@pytest.mark.parametrize("method", METHODS)
def test_ready_counts_do_not_tell_whose_they_are(method: str) -> None:
    """Refused before anything is charged, unless all that is counted may count."""
    ready = discreet.from_counts(SCHEMA, np.zeros((1, 2), np.int64), [5], unit=Unit("who", max_rows=12))
    if method in ("lpa", "sra", "fpa", "gs-r"):
        assert ready.publish(discreet.Items("item", method=method, bound=12), 1).count().stderr > 0
        spent = Fraction(1)
    else:
        with pytest.raises(BadParameter, match="open the rows instead"):
            ready.publish(discreet.Items("item", method=method, bound=12), 1)
        spent = Fraction(0)
    with pytest.raises(BadParameter, match="bound = 12"):
        ready.publish(discreet.Items("item", method=method), 1)
    assert ready.ledger.spent == spent


# --- what it costs ----------------------------------------------------------------------------------------------------


def random_parameters(method: str) -> dict[str, Any]:
    possible: dict[str, Any] = {
        "count": dice.choice(["records", "users"]),
        "bound": [1, 3][int(dice.integers(2))],
        **({"rescale": True} if method in PAIRING else {}),
        **({"probe": 2} if method == "hpa" else {}),
        **({"group": 2} if method in ("gs-r", "gs-s") else {}),
        **({"sampling": str(dice.choice(["columns", "rows", "none"]))} if method in ("gs", "gs-s") else {}),
        **({"coefficients": 2} if method == "fpa" else {}),
    }
    return {name: value for name, value in possible.items() if dice.random() < 0.5}


@each_method
def test_no_more_is_spent_than_asked(method: str) -> None:
    """The scales that were used, added up again in fractions; hardly anything is left over."""
    rows = {1: Rows((6,), [[0, 1], [2], [5, 5, 5, 4]]), 2: Rows((6, 2), [[0, 11], [7], [5, 5, 5, 4]])}
    for turn in range(25):
        epsilon = Fraction(int(dice.integers(1, 5000)), 997)
        unit = Unit("who", max_rows=4, neighbours=["add-remove", "replace"][turn % 2])
        sizes = (6, 2) if turn % 3 else (6,)
        mechanism = made(method, sizes, epsilon, unit, **random_parameters(method))
        mechanism.measure(rows[len(sizes)], Noise(SeededSource(turn)))
        assert mechanism.cost == epsilon
        assert epsilon * (1 - Fraction(1, 10**9)) <= mechanism._paid <= epsilon


@each_method
def test_the_ledger_and_the_scales(method: str) -> None:
    """The account is charged what was asked; replacing a user instead of adding one doubles every scale."""
    task = discreet.Items("item", context="day", method=method, **({"coefficients": 2} if method == "fpa" else {}))
    found = []
    for neighbours in ("add-remove", "replace"):
        source = data(3, neighbours)
        found.append(scales(source.publish(task, "0.7")))
        assert source.ledger.spent == Fraction(7, 10)
    assert len(found[0]) == 2
    ratios = [float(two / one) for one, two in zip(*found, strict=True)]
    # a length grows by the root of two only
    assert all(1.4 < ratio <= 2 if method == "fpa" else ratio == 2 for ratio in ratios)


# --- stored -----------------------------------------------------------------------------------------------------------

STORED: list[tuple[str, dict[str, Any]]] = [
    *((method, {"context": context}) for method in METHODS for context in ((), "day")),
    ("lpa", {"context": "item", "count": "records"}),
    ("sra", {"context": "item", "count": "users"}),
    ("hpa", {"context": "item", "count": "users", "scores": {"a": 2}}),
    ("sra", {"rescale": True, "bound": 2, "context": "day"}),
]


@pytest.mark.parametrize(("method", "parameters"), STORED)
def test_saved_and_loaded_it_answers_the_same(method: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    release = items(method, **parameters)
    again = discreet.load(release.save(tmp_path / "release"))
    assert again.to_arrow().equals(release.to_arrow())
    assert again.summary.facts() == release.summary.facts()
    questions: list[Any] = [None, {"item": "a"}, "item in ('b', 'e')"]
    if parameters.get("context") == "day":
        questions += [{"day": (1, 2)}, "item = 'a' and day = 3", "item in ('a', 'c') and day in (0, 3)"]
    if parameters.get("context") == "item":
        questions += [{"also_item": "b"}, {"item": "a", "also_item": "c"}]
    for question in questions:
        assert again.count(question) == release.count(question)


def test_scores_of_items_that_are_numbers() -> None:
    asked = discreet.Items("item", method="hpa", scores={3: 2, "1": 1.5})
    assert asked == discreet.Items("item", method="hpa", scores={"3": 2, "1": 1.5})
