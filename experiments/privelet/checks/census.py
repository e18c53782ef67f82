"""Tests of what privelet, section 8.1, says of its figures.

Each gives a verdict and the numbers behind it; a KeyError where the numbers were not recorded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from experiments.privelet.trials import census
from experiments.shared.curves import COMPARABLE, comparable, curve, spread
from experiments.shared.findings import Check, Results

EPSILONS = tuple(float(epsilon) for epsilon in census.EPSILONS)

Points = list[tuple[float, float]]


def percent(value: float) -> str:
    return f"{100 * value:.3g} %" if value < 1 else f"{100 * value:,.0f} %"


def points(results: Results, kind: str, times: int, epsilon: float, name: str) -> Points:
    """Mean coverage or selectivity of each fifth of the questions, and the error there."""
    return list(curve(results["census"], f"{kind}-{times}-{epsilon:g}", name).items())


def _ratios(results: Results, kind: str, times: int, name: str, to: str) -> Iterator[tuple[float, float]]:
    """Place and ratio of errors, for all fifths and epsilons."""
    for epsilon in EPSILONS:
        ours, theirs = (points(results, kind, times, epsilon, one) for one in (name, to))
        for (place, mine), (_, other) in zip(ours, theirs, strict=True):
            yield place, mine / other


def linear_growth(results: Results) -> tuple[bool, str]:
    powers = []
    for epsilon in EPSILONS:
        (first, low), *_, (last, high) = points(results, "coverage", 1, epsilon, "geometric")
        powers.append(math.log(high / low) / math.log(last / first))
    return min(powers) > 0.9, f"from the first fifth to the last, geometric grows as coverage ** {spread(powers)}"


def insensitive(results: Results) -> tuple[bool, str]:
    grows = {}
    for name in ("privelet+", "geometric"):
        errors = [[error for _, error in points(results, "coverage", 1, epsilon, name)] for epsilon in EPSILONS]
        grows[name] = [max(found) / min(found) for found in errors]
    text = f"largest error of a fifth / smallest: privelet+ {spread(grows['privelet+'], 1)}"
    return max(grows["privelet+"]) <= 3, f"{text}, geometric {spread(grows['geometric'], 0)}"


def two_orders(results: Results) -> tuple[bool, str]:
    ratios = []
    for epsilon in EPSILONS:
        ours, basic = (points(results, "coverage", 1, epsilon, name) for name in ("privelet+", "geometric"))
        ratios.append(max(error for _, error in basic) / max(error for _, error in ours))
    return min(ratios) >= 50, f"highest error of geometric / highest of privelet+: {spread(ratios, 0)}"


def shrinking(kind: str, border: float, times: int, *, below: bool) -> Check:
    """privelet* against privelet+ on one side of a border."""

    def check(results: Results) -> tuple[bool, str]:
        ratios = list(_ratios(results, kind, times, "privelet*", "privelet+"))
        side = [ratio for place, ratio in ratios if (place < border) == below]
        text = f"privelet* / privelet+ where {kind} is {'below' if below else 'above'} {border:g}: {spread(side)}"
        return (max(side) < COMPARABLE[0] if below else comparable(side)), text

    return check


def within_quarter(times: int) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        worst = {
            name: max(
                error for epsilon in EPSILONS for _, error in points(results, "selectivity", times, epsilon, name)
            )
            for name in ("privelet+", "privelet*")
        }
        text = ", ".join(f"{name} {percent(error)}" for name, error in worst.items())
        return max(worst.values()) <= 0.25, f"largest mean relative error of a fifth: {text}"

    return check


def basic_beyond(times: int) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        errors = [
            error for epsilon in EPSILONS for _, error in points(results, "selectivity", times, epsilon, "geometric")
        ]
        beyond = sum(error > 0.7 for error in errors)
        text = f"geometric is above 70 % in {beyond} of {len(errors)} fifths, at most {percent(max(errors))}"
        return beyond >= 3, text

    return check


def beats_basic(kind: str, border: float, times: int) -> Check:
    """`border` lies above where a selectivity of zero is drawn: no person is no selectivity."""

    def check(results: Results) -> tuple[bool, str]:
        ratios = list(_ratios(results, kind, times, "privelet+", "geometric"))
        places = [place for place, _ in ratios if place >= border]
        above = [ratio for place, ratio in ratios if place >= border]
        text = f"privelet+ / geometric in the fifths with a mean {kind} of at least {min(places):.1g}: {spread(above)}"
        return max(above) < 1, text

    return check


def star_best(times: int) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        ratios = []
        for kind in ("coverage", "selectivity"):
            for epsilon in EPSILONS:
                overall = results["census"]["figures"][f"{kind}-{times}-{epsilon:g}"]["overall"]
                ratios.append(overall["privelet*"] / overall["privelet+"])
        return max(ratios) < 1, f"privelet* / privelet+, over all questions: {spread(ratios)}"

    return check


def direct_attributes(results: Results) -> tuple[bool, str]:
    direct = results["census"]["facts"]["direct"]
    text = f"the rule leaves {', '.join(direct['paper'])} untransformed; least mean variance over an even workload "
    return direct["paper"] == ["age", "sex"], text + f"leaves {', '.join(direct['default']) or 'none'}"
