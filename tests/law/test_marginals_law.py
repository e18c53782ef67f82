"""What marginals cost and what they look at: the charge in fractions, and choices made from noisy values alone."""

from __future__ import annotations

import inspect
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import DiscreetError
from discreet.mechanisms.marginals import ireduct
from discreet.mechanisms.marginals.marginal_method import MarginalMethod
from discreet.mechanisms.marginals.marginal_steps import steps_down
from discreet.mechanisms.marginals.two_phase import rescaled
from discreet.noise import Descent, Noise, Paths, Redraws
from discreet.privacy import LARGEST_SCALE, Unit, cost
from discreet.summaries.marginal_tables import Part
from tests.law.descents import after
from tests.law.marginal_cases import made

Ints = NDArray[np.int64]

METHODS = ("equal", "two-phase", "iresamp", "ireduct")
each_method = pytest.mark.parametrize("method", METHODS)
dice = random.SystemRandom()


class Watched(Noise):
    """Real noise that notes every draw: its scale, and for a descent the redraws."""

    def __init__(self) -> None:
        super().__init__()
        self.fresh: list[tuple[Fraction, int]] = []
        self.descents: list[tuple[Ints, Ints, Descent, Redraws]] = []

    def add(self, counts: NDArray[Any], scale: Any) -> Ints:
        self.fresh.append((Fraction(scale), counts.size))
        return super().add(counts, scale)

    def add_blocks(self, blocks: Any, scales: Any) -> list[Ints]:
        self.fresh += [(Fraction(scale), block.size) for block, scale in zip(blocks, scales, strict=True)]
        return super().add_blocks(blocks, scales)

    def descend(self, noisy: Ints, exact: Ints, descent: Descent) -> Redraws:
        redraws = super().descend(noisy, exact, descent)
        self.descents.append((noisy, exact, descent, redraws))
        return redraws


def random_request(method: str) -> tuple[Any, list[Ints]]:
    """A method with random tables, epsilon, unit and parameters, as they come: crooked and round."""
    cells = [dice.randrange(1, 6) for _ in range(dice.randrange(1, 6))]
    tables = [np.array([round(10 ** dice.uniform(0, 5)) for _ in range(n)]) for n in cells]
    epsilon = Fraction(dice.randrange(1, 2000), dice.choice([1000, 997]))
    unit = dice.choice([Unit(), Unit(neighbours="replace"), Unit("who", max_rows=3)])
    parameters: dict[str, Any] = {}
    if method != "equal":
        possible = {
            "sanity": dice.randrange(1, 100),
            "records": dice.randrange(100, 10**6),
            "objective": dice.choice(["average", "maximum"]),
            "weights": [dice.randrange(1, 9) for _ in cells],
        }
        parameters = {name: value for name, value in possible.items() if dice.random() < 0.5}
    if method == "two-phase" and dice.random() < 0.5:
        parameters["share"] = Fraction(dice.randrange(1, 99), 100)
    if method in ("iresamp", "ireduct") and dice.random() < 0.5:
        parameters["start"] = math.ceil(2 * len(cells) * unit.sensitivity / epsilon) + dice.randrange(1000)
    if method == "ireduct" and dice.random() < 0.6:
        parameters["step"] = dice.choice([0, Fraction(1, 7), "0.5"])
    return made(method, cells, epsilon, unit, **parameters), tables


def spent(method: Any, parts: list[Part]) -> Fraction:
    """What the scales that a release states cost: every draw of every table, and the total's."""
    inverse = [1 / scale for part in parts for scale in part.scales]
    draws = [*inverse, *method.size_spent] if method.method != "equal" else inverse
    return cost(method.request.unit, sum(draws, Fraction(0)))


@pytest.mark.law("iresamp", "two-phase")
@each_method
@pytest.mark.parametrize("_", range(25))
def test_the_charge_is_the_generalised_sensitivity_of_the_final_scales(method: str, _: int) -> None:
    mechanism, tables = random_request(method)
    noise = Watched()
    parts = mechanism.noisy_tables(tables, noise)
    epsilon = mechanism.request.epsilon
    assert mechanism.cost == epsilon
    assert spent(mechanism, parts) <= epsilon
    stated = sorted((scale, part.values.size) for part in parts for scale in part.scales)
    if method != "equal" and mechanism.buys_size:
        assert noise.fresh.pop(0) == (mechanism.size_scale, 1)  # the total, before anything else
    if method != "ireduct":
        assert sorted(noise.fresh) == stated  # nothing was drawn that the release does not state
        # equal and two-phase spend it all, but for rounding; iresamp to where no scale can be halved
        least = {"equal": 1, "two-phase": 1 - Fraction(1, 10**8)}.get(method, Fraction(1, 4))
        assert spent(mechanism, parts) >= epsilon * least
    else:
        check_descent(mechanism, noise, parts)


def check_descent(mechanism: Any, noise: Watched, parts: list[Part]) -> None:
    """All tables start at one scale, and end at the values that their cells have at the scales that are stated."""
    assert noise.fresh == [(noise.fresh[0][0], sum(mechanism.cells))]
    scales = [part.scales[0] for part in parts]
    if not noise.descents:
        assert set(scales) == {noise.fresh[0][0]}
        return
    ((noisy, exact, descent, redraws),) = noise.descents
    ends = np.cumsum(mechanism.cells)
    for scale, part, end in zip(scales, parts, ends.tolist(), strict=True):
        taken = (descent.scale - scale) / descent.step
        assert taken.denominator == 1
        values = exact + after(noisy - exact, redraws, int(taken))
        assert np.array_equal(part.values, values[end - part.values.size : end])
    left = mechanism.left - sum((1 / scale for scale in scales), Fraction(0))
    for scale in scales:  # no table could be stepped down once more
        assert scale <= descent.step or 1 / (scale - descent.step) - 1 / scale > left


# --- choices look at noisy values only ------------------------------------------------------------------------------


class Fixed(Noise):
    """Noise that makes the noisy values the same whatever the counts are: drawn once, then repeated."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.dice = np.random.default_rng(seed)

    def values(self, count: int) -> Ints:
        return np.rint(10 ** self.dice.uniform(0, 3, count)).astype(np.int64)

    def add(self, counts: NDArray[Any], scale: Any) -> Ints:
        return self.values(counts.size)

    def add_blocks(self, blocks: Any, scales: Any) -> list[Ints]:
        return [self.values(block.size) for block in blocks]

    def descend(self, noisy: Ints, exact: Ints, descent: Descent) -> Redraws:
        count = 5 * noisy.size
        answer, step = (
            self.dice.integers(0, noisy.size, count),
            np.sort(self.dice.integers(1, descent.steps + 1, count)),
        )
        return Redraws(answer, step, self.values(count) - exact[answer])


COUNTS = [np.array([3, 900]), np.array([50, 60, 1]), np.array([7])]
#: one record more, one record elsewhere, and a table that has nothing in common with the first
OTHERS = [
    [np.array([3, 901]), np.array([50, 61, 1]), np.array([8])],
    [np.array([4, 899]), np.array([51, 59, 1]), np.array([7])],
    [np.array([4000, 1]), np.array([1, 1, 70]), np.array([90_000])],
]


def outcome(mechanism: MarginalMethod, tables: list[Ints], seed: int) -> list[tuple[Any, ...]]:
    parts = mechanism.noisy_tables(tables, Fixed(seed))
    return [(part.scales, part.weights, part.values.tolist()) for part in parts]


def depends_on_counts(mechanism: MarginalMethod) -> bool:
    found = False
    for seed in range(20):
        first = outcome(mechanism, COUNTS, seed)
        found |= any(outcome(mechanism, other, seed) != first for other in OTHERS)
    return found


@each_method
@pytest.mark.parametrize("objective", ["average", "maximum"])
def test_equal_noisy_values_lead_to_equal_choices(method: str, objective: str) -> None:
    parameters = {} if method == "equal" else {"objective": objective, "weights": [1, 2, 5]}
    assert not depends_on_counts(made(method, [2, 3, 1], Fraction(1, 3), None, **parameters))


def test_choices_differ_between_noisy_values() -> None:
    """So that the test above says something: scales do depend on what is seen."""
    for method in METHODS[1:]:
        mechanism = made(method, [2, 3, 1], Fraction(1, 3))
        scales = {tuple(part[0] for part in outcome(mechanism, COUNTS, seed)) for seed in range(20)}
        assert len(scales) > 1


def test_true_counts_in_the_choice_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: PickQueries is shown the exact counts."""
    mechanism = made("ireduct", [2, 3, 1], Fraction(1, 3))
    inner = mechanism.noisy_tables

    def faulty(tables: list[Ints], noise: Noise) -> list[Part]:
        none = np.empty(0, np.int64)
        true = Paths.of(mechanism.cells, np.concatenate(tables), none, none, none)
        with monkeypatch.context() as patched:
            patched.setattr(ireduct, "steps_down", lambda _, *rest: steps_down(true, *rest))
            return list(inner(tables, noise))

    monkeypatch.setattr(mechanism, "noisy_tables", faulty)
    assert depends_on_counts(mechanism)


def test_true_counts_in_the_second_phase_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = made("two-phase", [2, 3, 1], Fraction(1, 3))
    inner = mechanism.noisy_tables
    given: list[list[Ints]] = []

    def needs_of_truth(noisy: Any, sanity: float, table: int) -> float:
        return float((1 / np.maximum(given[-1][table], sanity)).mean())

    def faulty(tables: list[Ints], noise: Noise) -> list[Part]:
        given.append(tables)
        return list(inner(tables, noise))

    monkeypatch.setattr(mechanism, "need_of_table", needs_of_truth)
    monkeypatch.setattr(mechanism, "noisy_tables", faulty)
    assert depends_on_counts(mechanism)


def test_the_choice_is_made_by_a_function_that_is_given_no_counts() -> None:
    assert list(inspect.signature(steps_down).parameters) == [
        "paths",
        "weights",
        "sanity",
        "objective",
        "descent",
        "budget",
    ]
    assert list(Paths.__dataclass_fields__) == ["cells", "start", "answer", "step", "value"]


# --- what halving costs ---------------------------------------------------------------------------------------------


def test_halving_costs_all_draws() -> None:
    """After k halvings 2 / scale - 1 / start, which is the sum over the draws; a cost, not a scale."""
    start = Fraction(1000, 7)
    for k in range(12):
        draws = [start / 2**j for j in range(k + 1)]
        assert sum(1 / scale for scale in draws) == 2 / draws[-1] - 1 / start


@pytest.mark.parametrize("fault", ["as a scale", "the last draw only"])
def test_halving_charged_wrongly_overspends(fault: str) -> None:
    """Halve the table of the largest scale while the charge allows: what was drawn then costs more than the budget."""
    budget, start, tables = Fraction(300), Fraction(64), 3

    def charge(scale: Fraction) -> Fraction:
        right = 2 / scale - 1 / start
        return {"right": right, "as a scale": 1 / right, "the last draw only": 1 / scale}[rule]

    for rule in ("right", fault):
        scales = [start] * tables
        for _ in range(100):
            table = max(range(tables), key=lambda i: scales[i])
            trial = [scale / 2 if i == table else scale for i, scale in enumerate(scales)]
            if sum(charge(scale) for scale in trial) <= budget:
                scales = trial
        true = sum(2 / scale - 1 / start for scale in scales)
        assert (true <= budget) == (rule == "right")


def test_what_is_drawn_and_not_charged_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = made("iresamp", [2, 3], Fraction(1, 2), start=50, sanity=5)
    monkeypatch.setattr(mechanism, "left", mechanism.left * 2)
    with pytest.raises(DiscreetError, match="cost more than epsilon"):
        mechanism.noisy_tables([np.array([5, 5]), np.array([1, 2, 3])], Noise())


# --- the scales of the second phase ---------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", ["average", "maximum"])
def test_rescaling_is_the_best_split_of_the_budget(objective: str) -> None:
    """By the corrected formula; any other split of the same budget does worse, the printed one too."""
    for _ in range(30):
        needs = [10 ** dice.uniform(-6, 0) for _ in range(dice.randrange(2, 7))]
        budget = Fraction(dice.randrange(1, 1000), 997)
        scales = rescaled(needs, budget, objective)
        spent = sum((1 / scale for scale in scales), Fraction(0))
        assert budget * (1 - Fraction(1, 10**8)) <= spent <= budget
        power = 1 if objective == "maximum" else 0.5
        ratios = [float(scale) * need**power for scale, need in zip(scales, needs, strict=True)]
        assert max(ratios) == pytest.approx(min(ratios), rel=1e-8)

        def error(split: list[float], needs: list[float] = needs) -> float:
            parts = [need * scale for need, scale in zip(needs, split, strict=True)]
            return max(parts) if objective == "maximum" else sum(parts)

        best = error([float(scale) for scale in scales])
        shares = [1 / float(scale) for scale in scales]
        for i in range(1, len(needs)):
            moved = min(shares[0], shares[i]) / 3
            other = [share + moved * ((j == i) - (j == 0)) for j, share in enumerate(shares)]
            assert error([1 / share for share in other]) > best
        printed = [math.sqrt(need) for need in needs]  # without the "1/"
        factor = sum(1 / scale for scale in printed) / float(budget)
        assert error([scale * factor for scale in printed]) > best


def test_scales_beyond_the_largest_are_cut_and_still_paid() -> None:
    needs, budget = [1e17, 1e-26, 1.0], Fraction(1, 10**6)
    scales = rescaled(needs, budget, "maximum")
    assert max(scales) == LARGEST_SCALE
    assert budget * (1 - Fraction(1, 10**6)) < sum((1 / scale for scale in scales), Fraction(0)) <= budget
