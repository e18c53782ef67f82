"""The sparse methods have the law of the laborious approach: every path on a tiny domain, in fractions.

The mechanism's own code runs once for every way that its draws can fall. Of the draws it is told only their laws,
which the tests of `survivors`, `coins` and `skips` establish.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.mechanisms.table.table_sparse import WORTH_A_STRETCH, Sparse
from discreet.noise import Rule
from discreet.noise.survivors import ExtraKeptProbability, KeptProbability
from discreet.privacy import Alpha
from discreet.private.counts import Counts
from tests.laplace_law import LaplaceLaw
from tests.law.laborious import BITS, InTurn, certified, closed_form, keeping, method, rule_of

Outcome = tuple[tuple[int, int, float], ...]
"""The cells of a summary: number, noisy count, weight (to twelve digits)."""


class Paths:
    """Runs a function once for every way that its choices can fall, with the exact probability of each way."""

    def __init__(self) -> None:
        self._script: list[int] = []
        self._options: list[int] = []
        self._probability = Fraction(1)

    def choose(self, options: Iterable[tuple[Any, Any]]) -> Any:
        possible = [option for option in options if option[1] > 0]
        place = len(self._options)
        self._options.append(len(possible))
        index = self._script[place] if place < len(self._script) else 0
        self._probability *= possible[index][1]
        return possible[index][0]

    def law(self, run: Callable[[], Any]) -> dict[Any, Fraction]:
        law: dict[Any, Fraction] = {}
        while True:
            self._options, self._probability = [], Fraction(1)
            outcome = run()
            law[outcome] = law.get(outcome, Fraction(0)) + self._probability
            taken = [*self._script, *[0] * (len(self._options) - len(self._script))]
            while taken and taken[-1] + 1 == self._options[len(taken) - 1]:
                taken.pop()
            if not taken:
                return law
            self._script = [*taken[:-1], taken[-1] + 1]


def noise_law(alpha: Alpha, window: int) -> list[tuple[int, Fraction]]:
    """Every value within the window, and the tails in one lump just beyond it."""
    law = LaplaceLaw(alpha)
    inner = [(x, law.exact_pmf(x)) for x in range(-window, window + 1)]
    return [(-window - 1, law.exact_tail(window + 1)), *inner, (window + 1, law.exact_tail(window + 1))]


class Branching(InTurn):
    """Noise whose every draw is a choice of `Paths`. A table comes in as many stretches as there are cores."""

    def __init__(
        self, paths: Paths, alpha: Alpha, window: int, chance: Callable[[Rule], Fraction], cores: int = 1
    ) -> None:
        self.paths, self.alpha, self.window, self.chance = paths, alpha, window, chance
        self._cores = cores
        self.noise = noise_law(alpha, window)

    @property
    def cores(self) -> int:
        return self._cores

    def add(self, counts: NDArray[Any], scale: Any) -> NDArray[np.int64]:
        assert Alpha.of(scale) == self.alpha
        return np.array([int(count) + self.paths.choose(self.noise) for count in counts], np.int64)

    def coins(self, weights: NDArray[np.int64], limit: Fraction) -> NDArray[np.bool_]:
        heads = [min(Fraction(abs(int(weight))) / limit, Fraction(1)) for weight in weights]
        return np.array([self.paths.choose([(True, p), (False, 1 - p)]) for p in heads], np.bool_)

    def survivors(self, rule: Rule, empty: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        p = self.chance(rule)
        ranks = [rank for rank in range(empty) if self.paths.choose([(True, p), (False, 1 - p)])]
        values = [self.paths.choose(self._size_law(rule)) for _ in ranks]
        if rule.two_sided:
            values = [self.paths.choose([(v, Fraction(1, 2)), (-v, Fraction(1, 2))]) for v in values]
        return np.array(ranks, np.int64), np.array(values, np.int64)

    def _size_law(self, rule: Rule) -> list[tuple[int, Fraction]]:
        a = rule.alpha.fraction
        weigh = {k: a**k * keeping(k, rule) for k in range(rule.theta, self.window + 1)}
        beyond = a ** (self.window + 1) / (1 - a)
        total = sum(weigh.values()) + beyond
        return [*((k, weight / total) for k, weight in weigh.items()), (self.window + 1, beyond / total)]

    def largest(self, sizes: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        orders = list(itertools.permutations(range(len(sizes))))
        order = self.paths.choose([(order, Fraction(1, len(orders))) for order in orders])
        return np.array(sorted(sorted(order, key=lambda i: -sizes[i])[:count]), np.int64)


def laborious_law(counts: list[int], rule: Rule, window: int, cut_to: int | None) -> dict[Outcome, Fraction]:
    """Noise on every cell, then the paper's summary."""
    paths, noise = Paths(), noise_law(rule.alpha, window)

    def run() -> Outcome:
        noisy = [count + paths.choose(noise) for count in counts]
        chances = [(cell, value, keeping(value, rule)) for cell, value in enumerate(noisy)]
        kept = [(cell, v, p) for cell, v, p in chances if p and paths.choose([(True, p), (False, 1 - p)])]
        if cut_to is not None and len(kept) > cut_to:
            orders = list(itertools.permutations(kept))
            order = paths.choose([(order, Fraction(1, len(orders))) for order in orders])
            kept = sorted(sorted(order, key=lambda cell: -abs(cell[1]))[:cut_to])
        return tuple((cell, v, _digits(float(v / p))) for cell, v, p in kept)

    return paths.law(run)


def shortcut_law(
    made: Sparse, counts: list[int], window: int, chance: Callable[[Rule], Fraction], cores: int = 1
) -> dict[Outcome, Fraction]:
    paths = Paths()
    noise = Branching(paths, made.alpha, window, chance, cores)
    made.likely = 3 * WORTH_A_STRETCH  # or a table so small comes in one stretch
    cells = [(i,) for i, count in enumerate(counts) if count]
    given = Counts.from_arrays((len(counts),), cells, [count for count in counts if count])

    def run() -> Outcome:
        summary: Any = made.measure(given, noise)
        weights = [_digits(weight) for weight in summary.weights.tolist()]
        return tuple(zip(summary.codes[:, 0].tolist(), summary.values.tolist(), weights, strict=True))

    return paths.law(run)


def _digits(weight: float) -> float:
    return float(f"{weight:.12g}")


def certified_chance(rule: Rule) -> Fraction:
    return certified(KeptProbability(rule))


def distance(
    made: Sparse,
    counts: list[int],
    chance: Callable[[Rule], Fraction] = certified_chance,
    cut_to: int | None = None,
    cores: int = 1,
) -> Fraction:
    """The largest difference in the probability of any summary, between the shortcut and the laborious approach."""
    rule = rule_of(made)
    window = max(rule.theta, math.ceil(rule.limit or 0)) + max(counts)
    laborious = laborious_law(counts, rule, window, cut_to)
    shortcut = shortcut_law(made, counts, window, chance, cores)
    assert sum(laborious.values()) == 1
    assert laborious.keys() == shortcut.keys()
    return max(abs(laborious[key] - shortcut[key]) for key in laborious)


EXACT = [
    ("filter", [0, 2, 0], Fraction(7, 10), {"theta": 1}),
    ("filter", [0, 1], Fraction(2), {"theta": 3}),
    ("filter", [0, 0, 0], Fraction(1), {"theta": 1}),
    ("filter", [3, 1], Fraction(1), {"theta": 2}),
    ("filter", [0, 1, 0], Fraction(1), {"theta": 1, "size": 1}),
    ("filter", [0, 1], Fraction(1), {"theta": 2, "size": 5}),
    ("threshold", [0, 1], Fraction(2), {"tau": "7.5"}),
    ("threshold", [1, 0, 0], Fraction(7, 10), {"tau": "3/2"}),
    ("threshold", [0, 1], Fraction(1), {"tau": 2}),
    ("threshold", [0, 2], Fraction(13, 10), {"tau": "0.3"}),
    ("filter-threshold", [1, 0], Fraction(2), {"theta": 3, "tau": "7.5"}),
    ("filter-threshold", [0, 1, 0], Fraction(7, 10), {"theta": 2, "tau": "5/2"}),
    ("filter-threshold", [0, 1], Fraction(1), {"theta": 3, "tau": 2}),
    ("filter-threshold", [0, 3], Fraction(1), {"theta": 2, "tau": 4}),
]


@pytest.mark.parametrize("cores", [1, 2, 3])
@pytest.mark.parametrize("sided", ["two", "one"])
@pytest.mark.parametrize(("name", "counts", "scale", "parameters"), EXACT)
def test_every_summary_has_the_probability_of_the_laborious_approach(
    name: str, counts: list[int], scale: Fraction, parameters: dict[str, Any], sided: str, cores: int
) -> None:
    made = method(name, len(counts), scale, sided=sided, **parameters)
    assert distance(made, counts, cut_to=parameters.get("size"), cores=cores) < Fraction(1, 1 << (BITS - 8))


@pytest.mark.parametrize("sided", ["two", "one"])
@pytest.mark.parametrize(
    ("name", "parameters"), [("threshold", {"tau": "7.5"}), ("filter-threshold", {"theta": 3, "tau": "7.5"})]
)
def test_the_closed_form_with_real_tau_is_told_apart(name: str, parameters: dict[str, Any], sided: str) -> None:
    """It is off by about 1e-3 at tau = 7.5, and right at a whole tau."""
    made = method(name, 2, Fraction(2), sided=sided, **parameters)
    assert distance(made, [0, 1], lambda rule: Fraction(closed_form(rule))) > 1e-5
    whole = replace(rule_of(made), limit=Fraction(7))
    assert closed_form(whole) == pytest.approx(float(KeptProbability(whole)), rel=1e-12)


@pytest.mark.parametrize("sided", ["two", "one"])
@pytest.mark.parametrize("factor", [Fraction(0), Fraction(95, 100), Fraction(105, 100)])
def test_empty_cells_kept_too_seldom_or_too_often_are_told_apart(factor: Fraction, sided: str) -> None:
    made = method("filter", 2, Fraction(1), sided=sided, theta=2)
    rule = rule_of(made)
    if factor:
        assert distance(made, [0, 1], lambda rule: factor * certified_chance(rule)) > 1e-3
    else:
        laborious, dropped = laborious_law([0, 1], rule, 3, None), shortcut_law(made, [0, 1], 3, lambda _: Fraction(0))
        assert dropped.keys() < laborious.keys()


def inside(top: Fraction, floor: Fraction, ceiling: Fraction | None) -> Fraction:
    """Pr[floor <= top / U < ceiling] for a uniform U."""
    reaches = min(top / floor, Fraction(1))
    return max(Fraction(0), reaches - (0 if ceiling is None else min(top / ceiling, Fraction(1))))


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(
    ("scale", "theta", "powers"),
    [
        (Fraction(1), 1, [2, 1, None]),
        (Fraction(2), 1, [4, 3, 2, 1, None]),
        (Fraction(7, 10), 3, [5, 4, 3, 2, None]),
        (Fraction(3, 2), 4, [3, None]),
    ],
)
def test_the_guesses_add_up_to_the_law_of_a_priority(
    scale: Fraction, theta: int, powers: list[int | None], two_sided: bool
) -> None:
    """Pr[size = k, priority >= x] of an empty cell, summed over the rounds, is Pr[k] min(k / x, 1) as for any cell.

    In each round a cell that was not drawn before is drawn with the chance that the code takes; its size and its U are
    proposed by the law of a round without a ceiling, until the priority is below the ceiling.
    """
    rule = Rule(Alpha.of(scale), theta, None, two_sided)
    noise = {k: (1 + two_sided) * LaplaceLaw(rule.alpha).exact_pmf(k) for k in range(theta, 40)}
    limits = [None if power is None else Fraction(2**power) for power in powers]
    rounds = []
    for limit, ceiling in zip(limits, [None, *limits[:-1]], strict=True):
        limited = replace(rule, limit=limit)
        if ceiling is None:
            chance = accepted = certified(KeptProbability(limited))
        else:
            chance = certified(
                ExtraKeptProbability(KeptProbability(limited), KeptProbability(replace(rule, limit=ceiling)))
            )
            tops = {k: max(Fraction(k), limit or Fraction(0)) for k in range(theta, int(ceiling))}
            accepted = sum(
                (noise[k] * keeping(k, limited) * inside(top, top, ceiling) for k, top in tops.items()), Fraction(0)
            )
        rounds.append((limited, ceiling, chance, accepted))
    for k, x in itertools.product(range(theta, 12), (Fraction(1, 2), Fraction(3), Fraction(37, 8), Fraction(50))):
        found, left = Fraction(0), Fraction(1)
        for limited, ceiling, chance, accepted in rounds:
            top = max(Fraction(k), limited.limit or Fraction(0))
            found += left * chance * noise[k] * keeping(k, limited) * inside(top, x, ceiling) / accepted
            left *= 1 - chance
        assert abs(found - noise[k] * min(Fraction(k) / x, Fraction(1))) < Fraction(1, 1 << (BITS - 40))
