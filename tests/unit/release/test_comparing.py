"""What is said of which count is larger is right as often as it says, where the two are close."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.open_data import from_counts
from discreet.release import comparing
from discreet.release.comparable import _in_order, _without_order
from discreet.release.comparing import Comparison
from discreet.tasks import Task
from tests.conformance.test_relations_coverage import released
from tests.statistics import at_least

SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 7), y=discreet.Nominal(["u", "v"]))
CODES = np.array(list(np.ndindex(SCHEMA.sizes)))
A, B = "x < 4 and y = 'u'", "x >= 4 and y = 'u'"
#: several times the noise of any of these methods, to either side
FURTHEST = 80


def said(task: Task, trials: int) -> list[tuple[Comparison, float]]:
    """Comparisons of counts whose true difference is as likely to be any number up to the furthest; with the truth."""
    dice, found = np.random.default_rng(), []
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), "0.5"))
    for number in range(trials):
        difference = int(dice.integers(-FURTHEST, FURTHEST + 1))
        counts = np.full(len(CODES), 200)
        counts[0] += max(difference, 0)
        counts[CODES[:, 0].tolist().index(4)] += max(-difference, 0)
        bounded = from_counts(SCHEMA, CODES, counts).origin.bounded(mechanism.request.schema, Unit(), b"")
        release = released(mechanism.measure(bounded, Noise()), number)
        found.append((release.compare(A, B, level=0.8), float(difference)))
    return found


def by_certainty(answers: list[tuple[Comparison, float]]) -> dict[int, tuple[float, float, int]]:
    """By twentieths of certainty: how often the larger one was named, how certain that was, and of how many."""
    found: dict[int, tuple[float, float, int]] = {}
    for comparison, true in answers:
        if comparison.larger is None:
            continue
        sure = max(comparison.probability, 1 - comparison.probability)
        right = 0.5 if true == 0 else float((true > 0) == (comparison.larger == "a"))
        hits, certain, count = found.get(int(20 * sure), (0.0, 0.0, 0))
        found[int(20 * sure)] = (hits + right, certain + sure, count + 1)
    return found


SPREADS = (0.3, 1.0, 3.0, 10.0)
CLOSE: list[tuple[str, Task]] = [
    ("w", discreet.Table(["w", "s"], method="geometric")),
    ("w", discreet.Marginals(["w", "s"], ways=2, method="agreed")),
    ("v", discreet.Ranges(["v", "s"], method="weighted")),
    ("v", discreet.Ranges(["v", "s"], method="adaptive")),
]


def said_of_close_ones(name: str, task: Task, groups: int, each: int) -> list[tuple[Comparison, float]]:
    """Comparisons of counts whose differences have spreads from less than the noise to far more, of three laws."""
    dice, found = np.random.default_rng(), []
    labels = [f"w{i}" for i in range(groups)]
    compared = discreet.Nominal(labels) if name == "w" else discreet.Ordinal(0, groups - 1)
    schema = discreet.Schema({name: compared, "s": discreet.Nominal(["f", "m"])})
    codes = np.array(list(np.ndindex(schema.sizes)))
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), "0.1"))
    noise = 2 / 0.1  # of a difference of two counts, about
    laws = (
        lambda size: dice.normal(0, size / math.sqrt(2), groups),
        lambda size: dice.choice([-size / 2, size / 2], groups),
        lambda size: dice.normal(0, size, groups) * (dice.random(groups) < 0.2),
    )
    for spread in SPREADS:
        for number, drawn in enumerate([law for law in laws for _ in range(each)]):
            counts = np.full(schema.sizes, 1500)
            counts[:, 0] += np.rint(drawn(spread * noise)).astype(np.int64)
            a, b = dice.choice(groups, 2, replace=False)
            true = float(counts[a, 0] - counts[b, 0])
            bounded = from_counts(schema, codes, np.maximum(counts, 0).ravel()).origin.bounded(schema, Unit(), b"")
            release = released(mechanism.measure(bounded, Noise()), number)
            where = [{name: compared.labels[code], "s": "f"} for code in (a, b)]
            found.append((release.compare(where[0], where[1], level=0.8), true))
    return found


LAWS: list[Task] = [
    discreet.Table(["x", "y"], method="geometric"),
    discreet.Ranges(["x", "y"], method="weighted"),
    discreet.Ranges(["x", "y"], method="privelet"),
    discreet.Marginals(["x", "y"], ways=2, method="equal"),
]


@pytest.mark.parametrize(("name", "task"), CLOSE, ids=str)
def test_where_counts_are_close_they_are_right_as_often_as_they_say(name: str, task: Task) -> None:
    """With few other counts and with many; over spreads that nobody told it."""
    answers = [one for groups in (3, 7, 24) for one in said_of_close_ones(name, task, groups, 6)]
    assert any(comparison.groups > 0 for comparison, _ in answers)
    for hits, certain, count in by_certainty([one for one in answers if one[1] != 0]).values():
        assert at_least(hits, count, certain / count)


def test_what_a_probability_goes_by() -> None:
    """Counts that are alike: of as many values in a row of one attribute, with all other conditions the same."""
    task = discreet.Table(["x", "y"], method="geometric")
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), "0.5"))
    bounded = from_counts(SCHEMA, CODES, np.full(len(CODES), 9)).origin.bounded(mechanism.request.schema, Unit(), b"")
    release = released(mechanism.measure(bounded, Noise()), 1)
    for a, b, groups in (
        ("x = 1", "x = 2", 5),  # 3 to 7; beside 0 there is only 1
        ("x = 0 and y = 'u'", "x = 7 and y = 'u'", 0),  # no other two are so far apart
        ("x = 1 and y = 'u'", "x = 7 and y = 'u'", 2),
        ("x = 1", "x = 4", 5),  # 0 and 3, 2 and 5, 3 and 6
        ("x = 1 and y = 'u'", "x = 7 and y = 'v'", 0),
        ("x < 2", "x in (2, 3)", 2),
        ("x < 2", "x = 2", 0),
        ("x < 4", "x between 2 and 5", 0),
        ("y = 'u'", "y = 'v'", 0),
        ("x = 1", "x in (2, 4)", 0),
        ("x = 1", None, 0),
    ):
        found = release.compare(a, b)
        assert found.groups == found.to_dict()["groups"] == groups, (a, b, found.groups)
        if found.larger is not None:
            said = "this difference alone" if groups == 0 else f"this difference and {groups} other counts like these"
            assert f"judging by {said};" in str(found)
    assert release.compare(release.count("x = 1") * 2, release.count("x = 2") * 2).groups == 0


def test_whole_counts_that_differ_do_so_by_one_at_least() -> None:
    """So with little noise they are surer than shares of them, which are the same numbers in smaller steps."""
    task = discreet.Table(["y"], method="geometric")
    schema = SCHEMA.select(["y"])
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), 1))
    bounded = from_counts(schema, np.array([[0], [1]]), np.array([9, 8])).origin.bounded(schema, Unit(), b"")
    release = next(
        found
        for found in (released(mechanism.measure(bounded, Noise()), number) for number in range(1000))
        if 0 < abs(float(found.difference("y = 'u'", "y = 'v'"))) < 4
    )
    a, b = release.count("y = 'u'"), release.count("y = 'v'")
    whole, finer = release.compare(a, b).probability, release.compare(a / 1000 + 0.0001, b / 1000).probability
    assert 0.5 < abs(finer - 0.5) + 0.5 < abs(whole - 0.5) + 0.5


@pytest.mark.parametrize("labels", [2, 3, 5, 300])
def test_of_values_without_an_order_all_others_count(labels: int) -> None:
    schema = discreet.Schema(w=discreet.Nominal([f"w{i}" for i in range(labels)], outside="other"))
    task = discreet.Table(["w"], method="geometric")
    mechanism = mechanism_for(task, Request.of(task, schema, Unit(), "0.5"))
    codes, counts = np.arange(schema.sizes[0])[:, None], np.full(schema.sizes[0], 50)
    bounded = from_counts(schema, codes, counts).origin.bounded(schema, Unit(), b"")
    release = released(mechanism.measure(bounded, Noise()), 1)
    assert release.compare("w = 'w1'", "w = 'w0'").groups == (labels - 2 if labels < 100 else 100)


def test_what_is_compared_is_not_among_the_others() -> None:
    """Not even in part, where two ranges are no whole number of their widths apart."""
    one, two = (4, 5), (7, 8)
    for ranges in (_in_order(30, one, two)[0], _without_order(30, one, two)[0]):
        others = set(ranges) - {one, two}
        assert len(others) > 5
        assert not {4, 5, 7, 8} & {value for first, last in others for value in range(first, last + 1)}


def test_of_several_possible_laws_the_least_sure_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    release = from_counts(SCHEMA, CODES, np.full(len(CODES), 9)).publish(discreet.Table(["x", "y"]), 1)
    parts = [SimpleNamespace(over_share=np.array(math.inf))]
    law = SimpleNamespace(
        over=np.array(3.0), over_variance=np.array(4.0), kurtosis_at=lambda _: np.array(3.0), parts=parts
    )
    sure = {3.0: 0.1, 1.0: 0.7, 0.0: 0.8}
    monkeypatch.setattr(comparing, "pencil_of", lambda *_: law)
    monkeypatch.setattr(comparing, "_among", lambda value, variance, kurtosis, *_: sure[kurtosis])
    assert release.compare(A, B).probability == 0.7


def test_a_clear_difference_is_said_to_be_one() -> None:
    """Also if all the others are alike."""
    task = discreet.Table(["x", "y"], method="geometric")
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), "0.5"))
    counts = np.full(len(CODES), 200)
    counts[0] = 400
    release = released(
        mechanism.measure(from_counts(SCHEMA, CODES, counts).origin.bounded(SCHEMA, Unit(), b""), Noise()), 1
    )
    assert release.compare("x = 0 and y = 'u'", "x = 1 and y = 'u'").probability > 0.99
    assert release.compare("x = 1 and y = 'u'", "x = 0 and y = 'u'").probability < 0.01


def test_a_notebook_shows_it_behind_a_bar() -> None:
    task = discreet.Table(["x", "y"], method="geometric")
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), "0.5"))
    bounded = from_counts(SCHEMA, CODES, np.full(len(CODES), 9)).origin.bounded(SCHEMA, Unit(), b"")
    found = released(mechanism.measure(bounded, Noise()), 1).compare("x = 1", "x = 2")
    shown = found._repr_html_()
    assert shown.startswith("<svg")
    assert shown.endswith(str(found))


def test_a_least_value_is_not_rounded_up() -> None:
    difference = discreet.Estimate(5.0, 1.0, 3.0, 7.0)
    for probability, shown in ((0.99872, "99.8"), (0.54999, "54.9"), (0.001, "99.9"), (0.75, "75")):
        said = str(Comparison(difference, probability, exactly=False))
        assert f"is larger with probability {shown} % or more," in said
    assert "probability 99.9 % or more," in str(Comparison(difference, 1.0))
    assert "probability 85 %, " in str(Comparison(difference, 0.84999))


def test_comparisons_are_right_at_least_as_often_as_they_say() -> None:
    answers = [one for task in LAWS for one in said(task, 60)]
    assert all(comparison.exactly for comparison, _ in answers)
    classes = by_certainty(answers)
    undecided = [comparison for comparison, _ in answers if comparison.larger is None]
    assert all(comparison.probability == 0.5 for comparison in undecided)
    for hits, certain, count in classes.values():
        assert at_least(hits, count, certain / count)


@pytest.mark.parametrize(
    "task",
    [discreet.Ranges(["x", "y"], method="adaptive"), discreet.Table(["x", "y"], method="filter", theta=20)],
    ids=str,
)
def test_where_no_law_is_known_they_are_right_at_least_as_often(task: Task) -> None:
    answers = said(task, 60)
    told = [comparison for comparison, _ in answers if comparison.larger is not None]
    assert told
    assert not any(comparison.exactly for comparison in told)
    unsure = [comparison for comparison, _ in answers if comparison.larger is None]
    assert all(math.isnan(comparison.probability) for comparison in unsure)
    assert all("cannot tell which is larger" in str(comparison) for comparison in unsure)
    for hits, certain, count in by_certainty(answers).values():
        assert at_least(hits, count, certain / count)
