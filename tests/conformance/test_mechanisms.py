"""What every registered mechanism must do, tried on the examples of its card."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.cli.reference import stem
from discreet.errors import BadParameter, DiscreetError
from discreet.mechanisms import Mechanism, Request, mechanism_for, registry
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.privacy import Unit
from discreet.private.publish import Data, from_counts
from discreet.release import Release
from discreet.tasks import Task, task_from_dict
from tests.statistics import at_least, mean_agrees

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
CARDS = Path(__file__).parents[2] / "docs" / "mechanisms"


def examples() -> dict[tuple[str, str], list[Task]]:
    """(task, method) -> requests that a user might make: the examples of the method's card."""
    found: dict[tuple[str, str], list[Task]] = {}
    for _, method in registry():
        card = (CARDS / f"{stem(method)}.md").read_text(encoding="utf-8")
        block = re.search(r"## Examples\n\n```python\n(.*?)```", card, re.DOTALL)
        assert block is not None, f"the card of {method} has no examples"
        for line in block[1].splitlines():
            task: Task = eval(line, {"discreet": discreet})
            found.setdefault((task.name, task.method), []).append(task)
    return found


EXAMPLES = {key: list(dict.fromkeys(tasks)) for key, tasks in examples().items()}


def made(task: Task, unit: Unit | None = None, epsilon: str = "0.3") -> Mechanism:
    return mechanism_for(task, Request.of(task, SCHEMA, unit or Unit(), epsilon))


#: answers that are off even without noise: cells share a bucket or a group, or small coefficients are cut
APPROXIMATE = ("sketch", "privelet*", "gs", "fpa")
SMOOTHED = [task for name in ("gs-r", "gs-s", "gs", "fpa") for task in EXAMPLES["items", name]]
#: unbiased for every question, with a standard error that does not depend on the draw
PLAIN = [
    task
    for tasks in EXAMPLES.values()
    for task in tasks
    if made(task).rehearsal == "exact" and not made(task).method_leaves_out()
]
#: keep every cell that is not zero, so that without noise they answer exactly: the first example of each method
COMPLETE = [tasks[0] for (_, method), tasks in EXAMPLES.items() if method not in APPROXIMATE]
COMPLETE += [task for task in PLAIN if task not in COMPLETE]
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
    manifest, mechanism = account.publish(task, epsilon).manifest, made(task, epsilon=epsilon)
    counts = account.origin.bounded(mechanism.request.schema, Unit(), b"")
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
    mechanism = made(task, unit)
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
    """Covered at least as often as stated (but for binomial error), counting in the bias that an answer states.

    Intervals of methods with plain noise are no wider than they need be: the chance of 1/2 is not 3/5, the mean over
    questions in each trial being at most 1; and those for 19 in 20 are not wider than those of Laplace noise.
    """
    trials, levels, wheres = 300, (0.5, 0.95), askable(task)
    truths = [truth(task, where) for where in wheres]
    covered, widest = np.zeros((len(levels), len(wheres)), np.int64), set()
    for release in redrawn(task, "0.2", trials):
        for j, i in product(range(len(levels)), range(len(wheres))):
            answer = release.count(wheres[i], level=levels[j])
            covered[j, i] += answer.low - answer.bias <= truths[i] <= answer.high + answer.bias
            widest.add(((answer.high - answer.low) / 2, answer.stderr))
    for level, found in zip(levels, covered, strict=True):
        for hits in found:
            assert at_least(hits, trials, level), (level, found, trials)
    if task in PLAIN:
        assert at_least(trials - covered[0].mean(), trials, 0.4)
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
