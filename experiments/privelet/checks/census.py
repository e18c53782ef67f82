"""Tests of what privelet, section 8.1, says of its figures, and of what both papers say that the vectors can tell.

Each gives a verdict and the numbers behind it; a KeyError where the numbers were not recorded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Results = Mapping[str, Any]
Check = Callable[[Results], tuple[bool, str]]
Points = list[tuple[float, float]]

EPSILONS = (0.5, 0.75, 1.0, 1.25)
COMPARABLE = (0.8, 1.25)


def spread(values: list[float], digits: int = 2) -> str:
    """From the least to the most, as a reader wants it."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def percent(value: float) -> str:
    return f"{100 * value:.3g} %" if value < 1 else f"{100 * value:,.0f} %"


def points(results: Results, kind: str, times: int, epsilon: float, name: str) -> Points:
    """Mean coverage or selectivity of each fifth of the questions, and the error there."""
    lines = results["census"]["figures"][f"{kind}-{times}-{epsilon:g}"]["lines"]
    found = {line["name"]: line for line in lines}[name]
    return list(zip(found["x"], found["y"], strict=True))


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
        return (max(side) < COMPARABLE[0] if below else _comparable(side)), text

    return check


def _comparable(ratios: list[float]) -> bool:
    return min(ratios) >= COMPARABLE[0] and max(ratios) <= COMPARABLE[1]


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


def _vector_ratios(results: Results, dimensions: str, name: str, to: str) -> list[float]:
    rows = results["vectors"][dimensions]["rows"]
    return [row["errors"][name][0] / row["errors"][to][0] for row in rows]


def alike_trees(results: Results) -> tuple[bool, str]:
    ratios = _vector_ratios(results, "1d", "dyadic 2", "privelet")
    return _comparable(ratios), f"dyadic of base 2 by least squares / privelet: {spread(ratios)}"


def logarithmic(dimensions: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        ratios = _vector_ratios(results, dimensions, "privelet", "geometric")
        sizes = " x ".join(f"{size:,}" for size in results["vectors"][dimensions]["sizes"])
        return max(ratios) < 1, f"privelet / geometric on {sizes} cells: {spread(ratios)}"

    return check


def rule_helps(results: Results) -> tuple[bool, str]:
    ratios = _vector_ratios(results, "2d", "privelet+ paper", "privelet")
    return max(ratios) < 1, f"both attributes untransformed / both transformed: {spread(ratios)}"


def star_on_vectors(dimensions: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        plus = "privelet+" if "privelet+" in results["vectors"][dimensions]["intervals"] else "privelet"
        ratios = _vector_ratios(results, dimensions, "privelet*", plus)
        hard = _vector_ratios(results, dimensions, "privelet* hard", plus)
        better = sum(ratio < 1 for ratio in ratios)
        text = f"better in {better} of {len(ratios)} cases, privelet* / {plus} {spread(ratios)}; hard {spread(hard)}"
        return better == len(ratios), text

    return check
