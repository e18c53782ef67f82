"""Selecting the largest counts by one-shot noise: all outcomes there are, in order, and what neighbours give away."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from discreet.noise import Noise, ZeroNoise
from discreet.privacy import Alpha, Unit, selection_cost, selection_scale
from tests.statistics import compare

#: noise beyond it has a chance below 1e-12 at the scales here
FAR = 90
EPSILON = Fraction(1)


@cache
def law(counts: tuple[int, ...], most: int, scale: Fraction) -> dict[tuple[int, ...], float]:
    """The chance of each ordered list: the last of it has a score, those before it more, all others less.

    With equal scores the earlier item is in front.
    """
    alpha = float(Alpha.of(scale).fraction)
    above = [[0.0] * (FAR + 8) for _ in counts]  # chance of a score of at least s, for s = 0, 1, ...
    for item, count in enumerate(counts):
        for score in range(FAR + 8):
            above[item][score] = alpha ** max(score - count, 0)
    found: dict[tuple[int, ...], float] = {}
    for order in itertools.permutations(range(len(counts)), most):
        # chances that the list so far is in order and its last item has exactly this score
        run = [above[order[0]][s] - above[order[0]][s + 1] for s in range(FAR)]
        for before, item in itertools.pairwise(order):
            ahead = [sum(run[s + (before > item) :]) for s in range(FAR)]
            run = [(above[item][s] - above[item][s + 1]) * ahead[s] for s in range(FAR)]
        others = set(range(len(counts))) - set(order)
        behind = [math.prod(1 - above[i][s + (i > order[-1])] for i in others) for s in range(FAR)]
        found[order] = sum(chance * rest for chance, rest in zip(run, behind, strict=True))
    return found


def furthest(one: dict[tuple[int, ...], float], other: dict[tuple[int, ...], float]) -> float:
    return max(abs(math.log(one[key] / other[key])) for key in one)


def neighbours(items: int, most: int, change: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for counts in itertools.product(range(most + 1), repeat=items):
        for moved in itertools.product(change, repeat=items):
            other = tuple(count + by for count, by in zip(counts, moved, strict=True))
            if min(other) >= 0:
                yield counts, other


def largest_loss(most: int, scale: Fraction, change: tuple[int, ...]) -> float:
    return max(furthest(law(one, most, scale), law(other, most, scale)) for one, other in neighbours(3, 3, change))


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_outcome_is_too_likely_for_a_neighbour(most: int) -> None:
    added, replaced = Unit("who", max_rows=1), Unit("who", max_rows=1, neighbours="replace")
    scale = selection_scale(EPSILON, added, most)
    assert selection_cost(added, scale, most) == EPSILON
    loss = largest_loss(most, scale, (0, 1))
    assert loss <= EPSILON * (1 + 1e-9)
    assert loss > 0.9 * EPSILON or most == 3  # what orders all three items loses less
    assert selection_scale(EPSILON, replaced, most) == 2 * scale
    assert largest_loss(most, 2 * scale, (-1, 0, 1)) <= EPSILON * (1 + 1e-9)
    # as if replacing were adding
    assert largest_loss(most, scale, (-1, 0, 1)) > EPSILON or most == 3


def test_noise_for_one_of_several_gives_users_away() -> None:
    assert largest_loss(2, selection_scale(EPSILON, Unit("who", max_rows=1), 1), (0, 1)) > 1.5 * EPSILON


@pytest.mark.parametrize(("counts", "most"), [((2, 0, 1), 2), ((1, 1, 1), 1), ((0, 3, 3, 1), 2)])
def test_draws_have_the_law(counts: tuple[int, ...], most: int) -> None:
    scale, noise, draws = Fraction(2), Noise(), 4000
    expected = law(counts, most, scale)
    assert sum(expected.values()) == pytest.approx(1, abs=1e-9)
    times = dict.fromkeys(expected, 0)
    for _ in range(draws):
        times[tuple(noise.select(np.array(counts), most, scale).tolist())] += 1
    chances = np.array(list(expected.values()))
    assert compare(np.array(list(times.values())), draws, chances).holds
    wrong = np.array(list(law(counts, most, scale / 3).values()))
    assert not compare(np.array(list(times.values())), draws, wrong).holds


def test_without_noise_the_largest_are_selected_in_order() -> None:
    assert ZeroNoise().select(np.array([3, 9, 3, 7, 9]), 3, 1).tolist() == [1, 4, 3]
