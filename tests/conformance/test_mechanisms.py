"""What every registered mechanism must do. A new one only adds its example requests here."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, DiscreetError
from discreet.mechanisms import Request, mechanism_for, registry
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit
from discreet.private.publish import Data, from_counts
from discreet.release import Release
from discreet.tasks import Task, task_from_dict
from tests.statistics import compare

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 6),
    sex=discreet.Nominal(["f", "m"]),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}),
)
CODES = np.array(list(product(*map(range, SCHEMA.sizes))))
COUNTS = (np.arange(len(CODES)) * 7) % 23
QUESTIONS = [
    None,
    {"age": (2, 5)},
    {"sex": "f", "place": "north"},
    "age >= 3 and (sex = 'm' or place = 'c')",
    {"age": 4, "sex": "m", "place": "b"},
]

ALL = ["age", "sex", "place"]


def table(method: str, by: Any = ALL, **parameters: Any) -> Task:
    return discreet.Table(by, method=method, **parameters)


def ranges(method: str, by: Any = ALL, **parameters: Any) -> Task:
    return discreet.Ranges(by, method=method, **parameters)


def marginals(method: str, ways: int, **parameters: Any) -> Task:
    return discreet.Marginals(ALL, ways=ways, method=method, **parameters)


def items(method: str, context: Any = (), item: str = "age", **parameters: Any) -> Task:
    return discreet.Items(item, context=context, method=method, **parameters)


#: (task, method) -> requests that a user might make
EXAMPLES: dict[tuple[str, str], list[Task]] = {
    ("table", "geometric"): [
        table("geometric"),
        table("geometric", ["place", "age"]),
        table("geometric", "sex"),
    ],
    ("table", "filter"): [table("filter", theta=1), table("filter", theta=8), table("filter", size=20, sided="one")],
    ("table", "threshold"): [
        table("threshold", tau=1),
        table("threshold", tau="7.5"),
        table("threshold", ["age"], tau=12, sided="one"),
    ],
    ("table", "priority"): [
        table("priority", size=100),
        table("priority", size=15),
        table("priority", size=9, sided="one"),
    ],
    ("table", "filter-threshold"): [
        table("filter-threshold", theta=1, tau=1),
        table("filter-threshold", theta=4, tau="9.5"),
    ],
    ("table", "filter-priority"): [
        table("filter-priority", size=100, theta=1),
        table("filter-priority", size=12, theta=4),
    ],
    ("table", "sketch"): [
        table("sketch", rows=5, buckets=1024, estimate="mean"),
        table("sketch", ["age"], rows=3, buckets=256),
    ],
    ("ranges", "geometric"): [ranges("geometric")],
    ("ranges", "privelet"): [ranges("privelet"), ranges("privelet", ["place", "age"], write="cells")],
    ("ranges", "privelet+"): [
        ranges("privelet+", direct=["sex"]),
        ranges("privelet+", ["age", "place"], workload=["age between 2 and 5"]),
    ],
    ("ranges", "privelet*"): [
        ranges("privelet*", direct=["sex"]),
        ranges("privelet*", ["age", "sex"], threshold="hard", write="cells"),
    ],
    ("ranges", "dyadic"): [ranges("dyadic"), ranges("dyadic", ["age", "place"], base=3, consistency=False)],
    ("ranges", "dyadic-filter"): [
        ranges("dyadic-filter", theta=1),
        ranges("dyadic-filter", theta=150),
        ranges("dyadic-filter", ["age", "place"], theta=60, size=12, base=3),
        ranges("dyadic-filter", ["place", "age"], theta=60, consistency=False, sided="one"),
    ],
    ("ranges", "dyadic-threshold"): [
        ranges("dyadic-threshold", tau=1),
        ranges("dyadic-threshold", ["age", "sex"], tau="99.5", base=7),
    ],
    ("ranges", "dyadic-priority"): [
        ranges("dyadic-priority", size=1000),
        ranges("dyadic-priority", ["age", "place"], size=20),
    ],
    ("ranges", "dyadic-filter-priority"): [
        ranges("dyadic-filter-priority", theta=1, size=1000),
        ranges("dyadic-filter-priority", ["age", "place"], theta=40, size=20),
        ranges("dyadic-filter-priority", ["age"], theta=30, size=5, consistency=False),
    ],
    ("ranges", "wavelet-filter"): [
        ranges("wavelet-filter", theta=1),
        ranges("wavelet-filter", ["age", "place"], theta=60, size=15),
    ],
    ("ranges", "wavelet-priority"): [
        ranges("wavelet-priority", size=1000),
        ranges("wavelet-priority", size=60),
    ],
    ("ranges", "wavelet-filter-priority"): [
        ranges("wavelet-filter-priority", theta=1, size=1000),
        ranges("wavelet-filter-priority", ["age", "place"], theta=30, size=15),
    ],
    ("marginals", "equal"): [marginals("equal", 3), marginals("equal", 2, consistency=True)],
    ("marginals", "two-phase"): [marginals("two-phase", 3, records=400), marginals("two-phase", 2, share="0.2")],
    ("marginals", "iresamp"): [marginals("iresamp", 3), marginals("iresamp", 2, sanity=5, start=500)],
    ("marginals", "ireduct"): [
        marginals("ireduct", 3),
        marginals("ireduct", 2, records=400, consistency=True),
        marginals("ireduct", 1, objective="maximum", step=0),
    ],
    ("items", "lpa"): [items("lpa", ["sex", "place"]), items("lpa")],
    ("items", "sra"): [items("sra", ["place"], shares={"items": "0.2", "edges": "0.8"}), items("sra", rescale=True)],
    ("items", "hpa"): [items("hpa", ["sex", "place"]), items("hpa", scores={"3": 1.5, "4": 2})],
    ("items", "gs-r"): [items("gs-r", ["sex"], group=1), items("gs-r", ["sex"], group=3)],
    ("items", "gs-s"): [items("gs-s", ["sex"], group=1), items("gs-s", group=2, sampling="none")],
    ("items", "gs"): [items("gs", ["place"]), items("gs", sampling="none"), items("gs", scale="paper")],
    ("items", "fpa"): [items("fpa", item="place", coefficients=2), items("fpa", ["sex"])],
}
SMOOTHED = [task for name in ("gs-r", "gs-s", "gs", "fpa") for task in EXAMPLES["items", name]]
DENSE = [task for name in ("privelet", "privelet+", "dyadic") for task in EXAMPLES["ranges", name]]
#: keep every cell that is not zero, so that without noise they answer exactly
COMPLETE = [tasks[0] for key, tasks in EXAMPLES.items() if key[1] not in ("sketch", "privelet*", "gs", "fpa")]
COMPLETE += EXAMPLES["table", "geometric"][1:] + DENSE[1::2]
#: unbiased for every question, with a standard error that does not depend on the draw
PLAIN = EXAMPLES["table", "geometric"] + DENSE + EXAMPLES["marginals", "equal"] + EXAMPLES["items", "lpa"]
CASES = [(key, task) for key, tasks in EXAMPLES.items() for task in tasks]
each_case = pytest.mark.parametrize(("key", "task"), CASES, ids=[f"{k[1]}-{i}" for i, (k, _) in enumerate(CASES)])
complete_case = pytest.mark.parametrize("task", COMPLETE, ids=[f"{t.method}-{len(t.by)}" for t in COMPLETE])
plain_case = pytest.mark.parametrize("task", PLAIN, ids=[f"{t.method}-{len(t.by)}" for t in PLAIN])


def data(unit: Unit | None = None, counts: Any = COUNTS) -> Data:
    return from_counts(SCHEMA, CODES, counts, unit=unit or Unit())


def truth(task: Task, where: Any) -> int:
    """Brute force over all cells, through a zero-noise release of the full table by the dense baseline."""
    names = task.attributes(SCHEMA)
    release = data().publish(discreet.Table(names, method="geometric"), 1, noise=ZeroNoise())
    frame = release.table(list(names), where)
    return int(np.sum(frame["count"]))


def redrawn(task: Task, epsilon: str, trials: int) -> Iterator[Release]:
    """Releases of one request: published once, then measured again and again without the path around it."""
    account = data()
    request = Request(SCHEMA.select(task.attributes(SCHEMA)), Unit(), Fraction(epsilon), task.asked())
    manifest, mechanism = account.publish(task, epsilon).manifest, mechanism_for(task, request)
    counts: Any
    if mechanism.reads_histories:
        counts = account.histories(request.schema, b"")
    elif mechanism.sets is None:
        counts = account.count(request.schema, Unit(), b"")
    else:
        counts = account.count_sets(request.schema, mechanism.sets, Unit(), b"")
    for _ in range(trials):
        yield Release(mechanism.measure(counts, Noise()), manifest)


def askable(task: Task) -> list[Any]:
    """The questions that name no attribute which the task leaves out, nor more at once than one of its tables has."""
    named = [set() if where is None else set(where) if isinstance(where, dict) else set(ALL) for where in QUESTIONS]
    most, held = task.parameters.get("ways", len(ALL)), set(task.attributes(SCHEMA))
    asked = [q for q, names in zip(QUESTIONS, named, strict=True) if names <= held and len(names) <= most]
    if task not in SMOOTHED or 1 in task.parameters.values() or "coefficients" in task.parameters:
        return asked
    # what smoothing does to single counts is outside the intervals; groups leave the total as it is
    return asked[: task.method != "fpa"]


def test_every_mechanism_has_examples() -> None:
    assert set(EXAMPLES) == set(registry())


@complete_case
def test_zero_noise_gives_exact_answers(task: Task) -> None:
    release = data().publish(task, 1, noise=ZeroNoise())
    by_hand = {None: int(COUNTS.sum())}
    # transforms divide, so their answers are whole numbers up to rounding
    assert release.count().value == pytest.approx(by_hand[None], abs=1e-9)
    for age in range(7):
        if "age" in task.by:
            assert release.count({"age": age}).value == pytest.approx(int(COUNTS[CODES[:, 0] == age].sum()), abs=1e-9)
    for where in askable(task):
        assert release.count(where).value == pytest.approx(truth(task, where), abs=1e-9)


@each_case
@pytest.mark.parametrize("unit", [Unit(), Unit("who", max_rows=7), Unit(neighbours="replace")])
def test_the_charge_is_the_loss(key: tuple[str, str], task: Task, unit: Unit) -> None:
    account = data(unit)
    schema = SCHEMA.select(task.attributes(SCHEMA))
    mechanism = mechanism_for(task, Request(schema, unit, Fraction(3, 10), task.asked()))
    assert mechanism.cost == Fraction(3, 10)
    if mechanism.needs_rows and not unit.is_row:  # ready counts do not tell whose they are
        with pytest.raises(BadParameter, match="rows"):
            account.publish(task, "0.3")
        assert account.ledger.spent == 0
    else:
        account.publish(task, "0.3")
        assert account.ledger.spent == Fraction(3, 10)


@each_case
def test_intervals_cover_at_the_stated_rate(key: tuple[str, str], task: Task) -> None:
    """Covered at least as often as stated (binomial error at 1e-9), counting in the bias that an answer states."""
    trials, levels, wheres = 300, (0.5, 0.95), askable(task)
    truths = [truth(task, where) for where in wheres]
    covered = np.zeros((len(levels), len(wheres)), np.int64)
    for release in redrawn(task, "0.2", trials):
        for j, i in product(range(len(levels)), range(len(wheres))):
            answer = release.count(wheres[i], level=levels[j])
            covered[j, i] += answer.low - answer.bias <= truths[i] <= answer.high + answer.bias
    for level, found in zip(levels, covered, strict=True):
        for hits in found:
            short = hits < level * trials and not compare(np.array([hits]), trials, np.array([level]), 1e-9).holds
            assert not short, (level, found, trials)
        if task in PLAIN:
            assert found.mean() < trials * (level + (1 - level) * 0.7)


@plain_case
def test_a_coverage_test_that_could_fail(task: Task) -> None:
    """The same test rejects intervals of half the width."""
    trials, total, hits = 400, truth(task, None), 0
    for release in redrawn(task, "0.2", trials):
        answer = release.count()
        half = (answer.high - answer.low) / 4
        hits += answer.value - half <= total <= answer.value + half
    assert not compare(np.array([hits]), trials, np.array([0.95]), 1e-9).holds


@plain_case
def test_stderr_is_that_of_the_noise(task: Task) -> None:
    answers = [release.count() for release in redrawn(task, "0.2", 1200)]
    errors = np.array([answer.value - int(COUNTS.sum()) for answer in answers])
    assert np.std(errors) == pytest.approx(answers[0].stderr, rel=0.25)
    assert abs(np.mean(errors)) < 6 * answers[0].stderr / 1200**0.5


@each_case
def test_a_release_survives_saving(key: tuple[str, str], task: Task, tmp_path: Path) -> None:
    release = data().publish(task, "0.5")
    again = discreet.load(release.save(tmp_path / "r"))
    for where in askable(task):
        assert again.count(where) == release.count(where)
    assert again.to_arrow().equals(release.to_arrow())
    assert again.manifest == release.manifest


@each_case
def test_output_does_not_depend_on_the_order_of_the_input(key: tuple[str, str], task: Task) -> None:
    shuffled = np.random.default_rng(3).permutation(len(CODES))
    first = from_counts(SCHEMA, CODES, COUNTS).publish(task, 1, noise=Noise(SeededSource(5)))
    second = from_counts(SCHEMA, CODES[shuffled], COUNTS[shuffled]).publish(task, 1, noise=Noise(SeededSource(5)))
    assert first.to_arrow().equals(second.to_arrow())


@each_case
def test_test_noise_is_stamped(key: tuple[str, str], task: Task) -> None:
    for noise in (Noise(SeededSource(5)), ZeroNoise()):
        release = data().publish(task, 1, noise=noise)
        assert not release.publishable
        assert "NOT PRIVATE" in repr(release)
        assert "NOT PRIVATE" in release._repr_html_()
    assert data().publish(task, 1).publishable


@each_case
def test_unknown_parameters_are_refused_before_the_charge(key: tuple[str, str], task: Task) -> None:
    account = data()
    wrong = task_from_dict({**task.to_dict(), "no_such_thing": 1})
    with pytest.raises(BadParameter, match="no_such_thing"):
        account.publish(wrong, 1)
    assert account.ledger.spent == 0


@each_case
@pytest.mark.parametrize("epsilon", [0, -1, "nan", float("inf"), "abc", 1e9, None])
def test_a_bad_epsilon_is_refused_before_the_charge(key: tuple[str, str], task: Task, epsilon: Any) -> None:
    account = data()
    with pytest.raises(DiscreetError, match="epsilon"):
        account.publish(task, epsilon)
    assert account.ledger.spent == 0
