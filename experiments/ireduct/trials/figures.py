"""Figures 5 to 9 of ireduct: the overall error of all 1-way and all 2-way marginals. Plain JSON comes out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from experiments.ireduct.data.marginals import KnownMarginals
from experiments.ireduct.trials.errors import METHODS, noisy, overall, values_of
from experiments.shared.records import Json, Runs, figure, line

#: noise matters in relation to the records: what is 0.01 for the paper's ten million is 0.1 for one million
PAPER_RECORDS = 10**7
ONE_WAY = ("0.0005", "0.002", "0.004", "0.006", "0.008", "0.01")
TWO_WAY = ("0.005", "0.02", "0.04", "0.07", "0.1")
SHARES = ("0.005", "0.01", "0.02", "0.025", "0.03", "0.05", "0.07", "0.1", "0.15", "0.2", "0.3", "0.5")
FIVE_BOUNDS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
THREE_BOUNDS = (Fraction(1, 4), Fraction(1), Fraction(4))
#: of many cells a few runs say as much as many of few
MANY_CELLS = ((200_000, 3), (50_000, 5))

Point = tuple[Fraction, Fraction]


def epsilons(kind: str, records: int) -> list[Fraction]:
    """Up to what the paper's text names, from a fifth of it, and one at a twentieth; larger for fewer records."""
    paper = TWO_WAY if kind == "2-way" else ONE_WAY
    return [Fraction(f"{float(text) * PAPER_RECORDS / records:.2g}") for text in paper]


def runs_of(case: KnownMarginals, method: str, runs: int) -> int:
    if method != "ireduct":
        return runs
    return min([runs, *(few for cells, few in MANY_CELLS if case.cells > cells)])


def sweet_spot(all_cases: dict[str, KnownMarginals], runs: int) -> Json:
    """5: two-phase by the share of its first phase, at the largest epsilon."""
    lines = []
    for kind, case in all_cases.items():
        epsilon = epsilons(kind, case.records)[-1]
        found = []
        for share in SHARES:
            made = (noisy(case, "two-phase", epsilon, share=share) for _ in range(runs))
            found.append(Runs([overall(case, values_of(one)) for one in made]))
        lines.append(line(kind, [float(share) for share in SHARES], found))
    return figure("5 Two-phase by the share of its first phase", "share", "overall error", lines, log_x=True)


def by_epsilon_and_bound(kind: str, case: KnownMarginals, keys: tuple[str, str], runs: int) -> Json:
    """6 and 7, or 8 and 9: one curve for each method."""
    given = epsilons(kind, case.records)
    bounds = THREE_BOUNDS if kind == "2-way" else FIVE_BOUNDS
    across: list[Point] = [(epsilon, Fraction(1)) for epsilon in given]
    along: list[Point] = [(given[-1], bound) for bound in bounds]
    found = {
        method: {point: _errors(case, method, point, runs_of(case, method, runs)) for point in {*across, *along}}
        for method in METHODS
    }
    title = f"{keys[0]} All {kind} marginals by epsilon"
    other = f"{keys[1]} All {kind} marginals by sanity bound, epsilon {float(given[-1]):g}"
    x = "sanity bound in 10,000ths of the records"
    return {
        keys[0]: figure(title, "epsilon", "overall error", _lines(found, across, 0), log_x=False),
        keys[1]: figure(other, x, "overall error", _lines(found, along, 1), log_x=True),
    }


def _errors(case: KnownMarginals, method: str, point: Point, runs: int) -> Runs:
    epsilon, times = point
    bound = times * case.sanity
    return Runs([overall(case, values_of(noisy(case, method, epsilon, bound)), bound) for _ in range(runs)])


def _lines(found: dict[str, dict[Point, Runs]], points: Sequence[Point], place: int) -> list[Json]:
    return [
        line(method, [float(point[place]) for point in points], [runs[point] for point in points])
        for method, runs in found.items()
    ]
