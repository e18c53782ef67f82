"""ireduct from redraw to redraw against its printed loop: the same choices on the same paths, and the same law.

Choices by true counts, and by the scores of the start, are rejected.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.mechanisms.marginals import ireduct, marginal_steps
from discreet.mechanisms.marginals.marginal_steps import steps_down
from discreet.noise import Descent, Noise, Paths
from tests.law.marginal_cases import Greedy, made, same_law
from tests.noise_down import noise_down

Ints = NDArray[np.int64]

#: scores this close are a tie; which table then goes first is open, and floats decide it
TIE = Fraction(1, 10**12)
dice = random.SystemRandom()
both = pytest.mark.parametrize("objective", ["average", "maximum"])


# --- the same choices on the same paths -----------------------------------------------------------------------------


def random_paths(cells: list[int], steps: int) -> Paths:
    """Noisy values of any size, and redraws in any step; some cells several times, some never."""
    total = sum(cells)
    start = np.array([round(10 ** dice.uniform(0, 4)) - 50 for _ in range(total)])
    redraws = sorted((dice.randrange(1, steps + 1), dice.randrange(total)) for _ in range(dice.randrange(4 * total)))
    step, answer = (np.array([entry[i] for entry in redraws], np.int64) for i in (0, 1))
    value = np.array([round(10 ** dice.uniform(0, 4)) - 50 for _ in redraws], np.int64)
    return Paths.of(cells, start, answer, step, value)


def split(values: Ints, cells: list[int]) -> list[list[int]]:
    return [part.tolist() for part in np.split(values, np.cumsum(cells)[:-1])]


def replayed(paths: Paths, loop: Greedy) -> list[int]:
    """The loop, looking up the noisy values of the moment in the paths."""
    values = split(paths.start, paths.cells)
    while loop.working:
        table = loop.pick(values)
        if loop.try_step(table):
            values[table] = split(paths.values_after(np.array(loop.taken)), paths.cells)[table]
    return loop.taken


def reachable(paths: Paths, loop: Greedy) -> list[list[int]]:
    """All ends of the loop, whichever it takes of tables whose scores floats cannot tell apart."""
    states, ends = {(tuple(loop.taken), frozenset(loop.working))}, []
    while states:
        after = set()
        for taken, working in states:
            values = split(paths.values_after(np.array(taken)), paths.cells)
            loop.taken, loop.working = list(taken), set(working)
            for table in loop.best(values, TIE) if working else ():
                loop.taken, loop.working = list(taken), set(working)
                loop.try_step(table)
                after.add((tuple(loop.taken), frozenset(loop.working)))
            if not working:
                ends.append(list(taken))
        states = after
    return ends


def random_case(most_steps: int) -> tuple[Paths, Descent, Fraction, Fraction, list[Fraction]]:
    cells = [dice.randrange(1, 5) for _ in range(dice.randrange(1, 6))]
    steps = dice.randrange(1, most_steps)
    scale = Fraction(dice.randrange(100, 10**5), dice.randrange(1, 100))
    descent = Descent(scale, scale / (steps + Fraction(dice.randrange(1, 10), 7)), steps)
    whole = sum((1 / descent.at(dice.randrange(steps + 1)) for _ in cells), Fraction(0))
    budget = max(whole * Fraction(dice.randrange(100, 130), 100), len(cells) / scale)
    weights = [Fraction(dice.randrange(1, 40), 10) for _ in cells]
    return random_paths(cells, steps), descent, budget, Fraction(dice.randrange(1, 300), 7), weights


@both
@pytest.mark.parametrize("singly", [True, False])
def test_the_choices_are_those_of_the_loop(objective: str, singly: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In fractions, but for ties; with the last steps one by one, and with a new level found after every third."""
    if not singly:
        monkeypatch.setattr(marginal_steps, "SINGLE_STEPS", 3)
    for _ in range(60):
        paths, descent, budget, sanity, weights = random_case(40)
        expected = reachable(paths, Greedy(len(paths.cells), descent, budget, sanity, weights, objective))
        found = steps_down(paths, np.array(weights, float), float(sanity), objective, descent, budget)
        assert found.tolist() in expected, (paths, descent, budget, sanity, weights)


def test_at_a_tie_either_table_may_go_first() -> None:
    """Weights of 2.3 and 3, scales in the opposite ratio after 6 and 5 steps: equal as fractions, but not as floats."""
    none = np.empty(0, np.int64)
    paths = Paths.of([1, 1], np.zeros(2, np.int64), none, none, none)
    descent, weights = Descent(Fraction(65), Fraction(7), 8), [Fraction(23, 10), Fraction(3)]
    budget = 1 / descent.at(5) + 1 / descent.at(7)
    ends = reachable(paths, Greedy(2, descent, budget, Fraction(172, 7), weights, "maximum"))
    assert sorted(ends) == [[5, 7], [6, 6]]
    found = steps_down(paths, np.array(weights, float), 172 / 7, "maximum", descent, budget)
    assert found.tolist() in ends


@both
def test_a_new_level_is_found_where_all_steps_were_taken(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one table that still works is at its last step, and one more would reach a scale of exactly 0."""
    monkeypatch.setattr(marginal_steps, "SINGLE_STEPS", 1)
    none = np.empty(0, np.int64)
    paths = Paths.of([1, 1], np.zeros(2, np.int64), none, none, none)
    descent = Descent(Fraction(9), Fraction(1), 8)
    found = steps_down(paths, np.ones(2), 1.0, objective, descent, 2 / descent.at(8))
    assert found.tolist() == [8, 8]


@both
def test_weights_and_objective_matter(objective: str) -> None:
    """The comparison above would notice if they were left out."""
    missed = 0
    for _ in range(40):
        paths, descent, budget, sanity, weights = random_case(40)
        ones, other = np.ones(len(weights)), "maximum" if objective == "average" else "average"
        expected = replayed(paths, Greedy(len(paths.cells), descent, budget, sanity, weights, objective))
        without = steps_down(paths, ones, float(sanity), objective, descent, budget).tolist()
        swapped = steps_down(paths, np.array(weights, float), float(sanity), other, descent, budget).tolist()
        missed += without != expected or swapped != expected
    assert missed >= 5


@both
def test_long_ways_end_where_nothing_more_can_be_paid(objective: str) -> None:
    """Up to 2**30 steps: within the budget in fractions, and no table can go on by more than roundings allow."""
    for steps in (10**5, 2**26, 2**30):
        cells = [dice.randrange(1, 30) for _ in range(7)]
        paths = random_paths(cells, steps)
        scale, left = Fraction(10**6) + Fraction(1, 16), Fraction(1, dice.randrange(3, 50))
        lowest = 1 / (left - (len(cells) - 1) / scale)
        descent = Descent(scale, scale / steps, int((scale - lowest) / (scale / steps)))
        taken = steps_down(paths, np.ones(len(cells)), 1.0, objective, descent, left).tolist()
        inverse = [1 / descent.at(k) for k in taken]
        assert sum(inverse) <= left
        for table, k in enumerate(taken):
            if k < descent.steps:
                assert sum(inverse) - inverse[table] + 1 / descent.at(k + 1) > left * (1 - Fraction(3, 10**12))


def test_a_step_before_the_check_would_overspend() -> None:
    """The planted fault: the scale is updated first and never put back. Then the budget is passed."""

    class Hasty(Greedy):
        def try_step(self, table: int) -> bool:
            self.taken[table] += 1
            spent = sum((1 / self.descent.at(k) for k in self.taken), Fraction(0))
            if spent <= self.budget and self.taken[table] < self.descent.steps:
                return True
            self.working.remove(table)
            return False

    over = 0
    for _ in range(20):
        paths, descent, budget, sanity, weights = random_case(40)
        taken = replayed(paths, Hasty(len(paths.cells), descent, budget, sanity, weights, "average"))
        over += sum((1 / descent.at(k) for k in taken), Fraction(0)) > budget
    assert over > 10


# --- the same law ---------------------------------------------------------------------------------------------------

TABLES = [np.array([40, 3]), np.array([9, 20, 13]), np.array([25])]
CELLS = [table.size for table in TABLES]
DESCENT = Descent(Fraction(24), Fraction(3), 6)
EPSILON = Fraction(1, 4)
RUNS, LOOPS, FEWER = 700, 700, 250


def kind(taken: list[int], values: list[Ints]) -> tuple[Any, ...]:
    """What is compared: how far each table went, and whether its first cell came out too high."""
    return (*taken, *(int(value[0]) > int(exact[0]) for value, exact in zip(values, TABLES, strict=True)))


def by_steps(loops: int, looked_at: Callable[[list[Ints]], list[Ints]] = lambda values: values) -> dict[Any, int]:
    """The printed loop with a fresh noise-down for every step; `looked_at` is what the choice is made from."""
    noise, found = Noise(), Counter[Any]()
    starts = [noise.add(np.tile(table, (loops, 1)), DESCENT.scale) for table in TABLES]
    for run in range(loops):
        values = [start[run] for start in starts]
        loop = Greedy(len(TABLES), DESCENT, EPSILON, Fraction(5), [Fraction(1)] * 3, "average")
        while loop.working:
            table = loop.pick([value.tolist() for value in looked_at(values)])
            if loop.try_step(table):
                k = loop.taken[table]
                values[table] = noise_down(noise, values[table], TABLES[table], DESCENT.at(k - 1), DESCENT.at(k))
        found[kind(loop.taken, values)] += 1
    return found


def by_redraws() -> dict[Any, int]:
    method = made("ireduct", CELLS, EPSILON, start=DESCENT.scale, step=DESCENT.step, sanity=5)
    found = Counter[Any]()
    for _ in range(RUNS):
        parts = method.noisy_tables(TABLES, Noise())
        taken = [int((DESCENT.scale - part.scales[0]) / DESCENT.step) for part in parts]
        found[kind(taken, [part.values for part in parts])] += 1
    return found


def steps_only(sample: dict[Any, int]) -> dict[Any, int]:
    found = Counter[Any]()
    for outcome, hits in sample.items():
        found[outcome[: len(TABLES)]] += hits
    return found


@pytest.fixture(scope="module")
def simulated() -> dict[Any, int]:
    return by_redraws()


@pytest.mark.law("ireduct")
def test_steps_and_values_have_the_law_of_step_by_step(simulated: dict[Any, int]) -> None:
    assert len(simulated) > 10  # tables end at different scales
    assert same_law(simulated, by_steps(LOOPS))
    assert same_law(steps_only(simulated), steps_only(by_steps(FEWER)))


def test_true_counts_in_the_choice_have_another_law(simulated: dict[Any, int]) -> None:
    assert not same_law(steps_only(simulated), steps_only(by_steps(FEWER, lambda values: TABLES)))


def test_the_scores_of_the_start_have_another_law(simulated: dict[Any, int]) -> None:
    """A choice that does not look at the values of the moment, only at how many cells a table has."""
    blind = by_steps(FEWER, lambda values: [np.full(n, 5) for n in CELLS])
    assert not same_law(steps_only(simulated), steps_only(blind))


def test_an_overspent_path_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the replay to take one step too many, the check of the final scales would refuse."""
    method = made("ireduct", CELLS, EPSILON, start=DESCENT.scale, step=DESCENT.step, sanity=5)
    monkeypatch.setattr(ireduct, "steps_down", lambda *arguments: steps_down(*arguments) + 1)
    with pytest.raises(Exception, match="cost more than epsilon"):
        method.noisy_tables(TABLES, Noise())
