"""What every registered mechanism must do, tried on the examples of its card."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter, DiscreetError
from discreet.mechanisms import registry
from discreet.mechanisms.table.geometric import Geometric
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit
from discreet.private.bounded import Bounded
from discreet.private.open_data import from_counts
from discreet.private.publish import Data
from discreet.release import Release
from discreet.summaries.dense_cells import DenseCells
from discreet.tasks import Task, task_from_dict
from tests.conformance.examples import CASES, EXAMPLES, SCHEMA, each_case, made
from tests.statistics import at_least, mean_agrees

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
#: what data may be like; the first is what most tests look at
CELLS = np.arange(len(CODES))
KINDS = {
    "even": COUNTS,
    "nobody": np.zeros_like(COUNTS),
    "one giant": np.where(CELLS == 5, 100_000, 0),
    "few": (CELLS % 9 == 0).astype(np.int64),
    "skewed": (1000 / (1 + (CELLS * 11) % len(CELLS)) ** 1.2).astype(np.int64),
}
#: unbiased for every question, with a standard error that does not depend on the draw
PLAIN = [task for task in CASES if made(task).rehearsal == "exact" and not made(task).method_leaves_out()]
plain_case = pytest.mark.parametrize("task", PLAIN, ids=[f"{t.method}-{len(t.by)}" for t in PLAIN])


def data(unit: Unit | None = None, counts: Any = COUNTS) -> Data:
    return from_counts(SCHEMA, CODES, counts, unit=unit or Unit())


def truth(task: Task, where: Any, counts: Any = COUNTS) -> int:
    """Brute force over all cells, through a zero-noise release of the full table by the dense baseline."""
    release = exact_table(tuple(task.attributes(SCHEMA)), np.asarray(counts, np.int64).tobytes())
    frame = release.table(list(task.attributes(SCHEMA)), where)
    return int(np.sum(frame["count"]))


@cache
def exact_table(names: tuple[str, ...], counts: bytes) -> Release:
    task = discreet.Table(list(names), method="geometric")
    return data(counts=np.frombuffer(counts, np.int64)).publish(task, 1, noise=ZeroNoise())


def redrawn(task: Task, epsilon: str, trials: int, counts: Any = COUNTS) -> Iterator[Release]:
    """Releases of one request: published once, then measured again and again without the path around it."""
    account = data(counts=counts)
    manifest, mechanism = account.publish(task, epsilon).manifest, made(task, epsilon=epsilon)
    bounded = account.origin.bounded(mechanism.request.schema, Unit(), b"")
    for _ in range(trials):
        yield Release(mechanism.measure(bounded, Noise()), manifest)


def askable(task: Task) -> list[Any]:
    """The questions that name no attribute which the task leaves out, nor more at once than one of its tables has."""
    named = [set() if where is None else set(where) if isinstance(where, dict) else set(ALL) for where in QUESTIONS]
    most, held = task.parameters.get("ways", len(ALL)), set(task.attributes(SCHEMA))
    return [q for q, names in zip(QUESTIONS, named, strict=True) if names <= held and len(names) <= most]


@cache
def off_without_noise(task: Task) -> dict[str, list[str]]:
    """Which answers are off even without noise, in which data."""
    found: dict[str, list[str]] = {}
    for kind, counts in KINDS.items():
        release = data(counts=counts).publish(task, 1, noise=ZeroNoise())
        for where in askable(task):
            answer = release.count(where)
            # transforms divide, and fpa rounds: whole numbers come out up to rounding
            if abs(answer.value - truth(task, where, counts)) > 1e-4:
                found.setdefault(repr(where), []).append(kind)
    return found


def test_every_mechanism_has_examples() -> None:
    assert set(EXAMPLES) == set(registry())


@each_case
@pytest.mark.usefixtures("seeded")
def test_without_noise_answers_are_exact_or_said_to_be_off(task: Task) -> None:
    mechanism, off = made(task), off_without_noise(task)
    if task in PLAIN:
        assert not off
    for where in askable(task):
        for kind in off.get(repr(where), []):
            release = data(counts=KINDS[kind]).publish(task, 1, noise=ZeroNoise())
            answer, true = release.count(where, level=0.999999), truth(task, where, KINDS[kind])
            # chance that a summary draws besides its noise (the buckets of a sketch) is part of its interval
            assert answer.low - 1e-4 <= true <= answer.high + 1e-4, (where, kind, answer, true)
    if off:
        assert mechanism.method_leaves_out() or mechanism.rehearsal != "exact", "what is left out is said"


@each_case
@pytest.mark.parametrize("unit", [Unit(), Unit("who", max_rows=7), Unit(neighbours="replace")])
def test_the_charge_is_the_loss(task: Task, unit: Unit) -> None:
    account = data(unit)
    mechanism = made(task, unit)
    assert mechanism.cost == Fraction(3, 10)
    if mechanism.needs_rows and not unit.is_row:  # ready counts do not tell whose they are
        with pytest.raises(BadParameter, match="rows"):
            account.publish(task, "0.3")
        assert account.ledger.spent == 0
    else:
        account.publish(task, "0.3")
        assert account.ledger.spent == Fraction(3, 10)


LEVELS = (0.5, 0.95)


def hits(task: Task, epsilon: str, counts: Any, trials: int) -> NDArray[np.int64]:
    """How often the intervals hold the truth: levels x questions."""
    wheres = askable(task)
    truths = [truth(task, where, counts) for where in wheres]
    found = np.zeros((len(LEVELS), len(wheres)), np.int64)
    for release in redrawn(task, epsilon, trials, counts):
        for j, i in product(range(len(LEVELS)), range(len(wheres))):
            answer = release.count(wheres[i], level=LEVELS[j])
            found[j, i] += answer.low <= truths[i] <= answer.high
    return found


def short(found: NDArray[np.int64], trials: int) -> list[tuple[int, int]]:
    """Levels and questions whose intervals hold the truth less often than they say."""
    pairs = product(range(found.shape[0]), range(found.shape[1]))
    return [(j, i) for j, i in pairs if not at_least(found[j, i], trials, LEVELS[j])]


class Rounded(Geometric):
    """Counts rounded to whole tens, with intervals as if they were not."""

    method = "rounded"

    def measure(self, data: Bounded, noise: Noise) -> DenseCells:
        noisy = super().measure(data, noise)
        return DenseCells(self.request.schema, np.rint(noisy.values / 10).astype(np.int64) * 10, self.alpha)


def test_intervals_around_rounded_answers_are_found_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry(), ("table", Rounded.method), Rounded)
    task = task_from_dict({"task": "table", "by": ["age", "sex", "place"], "method": Rounded.method})
    assert short(hits(task, "5", COUNTS, 200), 200)
    assert off_without_noise(task)
    assert not short(hits(discreet.Table(["age", "sex", "place"], method="geometric"), "5", COUNTS, 200), 200)


@plain_case
def test_intervals_are_no_wider_than_they_need_be(task: Task) -> None:
    """The chance of 1/2 is not 3/5, the mean over questions in each trial being at most 1; and those for 19 in 20 are
    not wider than those of Laplace noise."""
    trials, wheres = 300, askable(task)
    truths = [truth(task, where) for where in wheres]
    missed, widest = 0.0, set()
    for release in redrawn(task, "0.2", trials):
        halves = [release.count(where, level=0.5) for where in wheres]
        missed += float(np.mean([not one.low <= true <= one.high for one, true in zip(halves, truths, strict=True)]))
        for answer in [*halves, *(release.count(where) for where in wheres)]:
            widest.add(((answer.high - answer.low) / 2, answer.stderr))
    assert at_least(missed, trials, 0.4)
    assert all(width <= 1.1 * math.log(20) / math.sqrt(2) * stderr + 1 for width, stderr in widest)


def has_the_spread(errors: NDArray[np.float64], stderr: float) -> bool:
    """Whether errors may have this standard deviation.

    Of sums of Laplace draws with any weights, at least 0.90 lie within 1.7 deviations (0.910 of a single draw, 0.911 of
    so many that their sum is normal) and at most 0.76 within one. Draws are whole, of scale 5 or more, which adds or
    takes up to 0.03.
    """
    far, near = (int(np.sum(np.abs(errors) <= deviations * stderr)) for deviations in (1.7, 1.0))
    return at_least(far, errors.size, 0.88) and at_least(errors.size - near, errors.size, 0.2)


@plain_case
def test_stderr_is_that_of_the_noise(task: Task) -> None:
    """And not half or twice as much; nor is the mean off by half a deviation, nor would intervals half as wide do."""
    answers = [release.count() for release in redrawn(task, "0.2", 1800)]
    errors, stderr = np.array([answer.value - int(COUNTS.sum()) for answer in answers]), answers[0].stderr
    widths = np.array([(answer.high - answer.low) / 2 for answer in answers])
    assert at_least(int(np.sum(np.abs(errors) <= widths)), errors.size, 0.95)
    assert not at_least(int(np.sum(np.abs(errors) <= widths / 2)), errors.size, 0.95)
    assert has_the_spread(errors, stderr)
    assert not has_the_spread(errors / 2, stderr)
    assert not has_the_spread(errors * 2, stderr)
    assert mean_agrees(errors)
    assert not mean_agrees(errors + stderr / 2)


@each_case
def test_a_release_survives_saving(task: Task, tmp_path: Path) -> None:
    release = data().publish(task, "0.5")
    again = discreet.load(release.save(tmp_path / "r"))
    for where in askable(task):
        assert again.count(where) == release.count(where)
    assert again.to_arrow().equals(release.to_arrow())
    assert again.manifest == release.manifest


@each_case
def test_output_does_not_depend_on_the_order_of_the_input(task: Task) -> None:
    shuffled = np.random.default_rng(3).permutation(len(CODES))
    first = from_counts(SCHEMA, CODES, COUNTS).publish(task, 1, noise=Noise(SeededSource(5)))
    second = from_counts(SCHEMA, CODES[shuffled], COUNTS[shuffled]).publish(task, 1, noise=Noise(SeededSource(5)))
    assert first.to_arrow().equals(second.to_arrow())


@each_case
def test_test_noise_is_stamped(task: Task) -> None:
    for noise in (Noise(SeededSource(5)), ZeroNoise()):
        release = data().publish(task, 1, noise=noise)
        assert not release.publishable
        assert "NOT PRIVATE" in repr(release)
        assert "NOT PRIVATE" in release._repr_html_()
    assert data().publish(task, 1).publishable


@each_case
def test_unknown_parameters_are_refused_before_the_charge(task: Task) -> None:
    account = data()
    wrong = task_from_dict({**task.to_dict(), "no_such_thing": 1})
    with pytest.raises(BadParameter, match="no_such_thing"):
        account.publish(wrong, 1)
    assert account.ledger.spent == 0


@each_case
@pytest.mark.parametrize("epsilon", [0, -1, "nan", float("inf"), "abc", 1e9, None])
def test_a_bad_epsilon_is_refused_before_the_charge(task: Task, epsilon: Any) -> None:
    account = data()
    with pytest.raises(DiscreetError, match="epsilon"):
        account.publish(task, epsilon)
    assert account.ledger.spent == 0
