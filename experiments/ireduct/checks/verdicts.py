"""Tests of what ireduct, section 6, says of its figures, on one table: each gives a verdict and its numbers."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

from experiments.ireduct.trials.errors import METHODS
from experiments.shared.curves import comparable, line_of, spread
from experiments.shared.findings import Check, Results

ALMOST = 1.1


def values_in(part: Results, figure: str, name: str) -> list[float]:
    """One curve, without the smallest epsilon: it lies far below what the paper speaks of."""
    values: list[float] = line_of(part, figure, name)["y"]
    return values[1:] if part["figures"][figure]["x"] == "epsilon" else values


def ratios(part: Results, figure: str, name: str, to: str) -> list[float]:
    pairs = zip(values_in(part, figure, name), values_in(part, figure, to), strict=True)
    return [mine / other for mine, other in pairs]


def worse(figure: str, name: str, than: str) -> Check:
    """Everywhere."""

    def check(part: Results) -> tuple[bool, str]:
        found = ratios(part, figure, name, than)
        return min(found) > 1, f"{name} / {than}: {spread(found)}"

    return check


def almost(figure: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = ratios(part, figure, "ireduct", "oracle")
        return max(found) <= ALMOST, f"ireduct / oracle: {spread(found)}"

    return check


def beats_the_rest(figure: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        equal, iresamp = (ratios(part, figure, "two-phase", name) for name in ("equal", "iresamp"))
        return max(*equal, *iresamp) < 1, f"two-phase / equal: {spread(equal)}; two-phase / iresamp: {spread(iresamp)}"

    return check


def alike(figure: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = ratios(part, figure, "iresamp", "equal")
        best = ratios(part, figure, "iresamp", "oracle")
        text = f"iresamp / equal: {spread(found)}; iresamp / oracle: {spread(best)}"
        return comparable(found), text

    return check


def falling(figure: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        curves = {name: values_in(part, figure, name) for name in METHODS}
        falls = all(later < earlier for values in curves.values() for earlier, later in pairwise(values))
        text = ", ".join(f"{name} {values[0]:.3g} to {values[-1]:.3g}" for name, values in curves.items())
        return falls, f"from the least bound to the largest: {text}"

    return check


def smaller_gaps(part: Results) -> tuple[bool, str]:
    found = {
        name: [ratios(part, figure, "equal", name)[-1] for figure in ("6", "8")] for name in ("ireduct", "two-phase")
    }
    text = "; ".join(f"equal / {name}: {one:.2f} for 1-way, {two:.2f} for 2-way" for name, (one, two) in found.items())
    return all(two < one for one, two in found.values()), text


def bowl(part: Results) -> tuple[bool, str]:
    """Down to one least value and up again, where neighbours may differ by chance: two of their standard errors."""
    line = line_of(part, "5", "1-way")
    values, errors = line["y"], line["se"]
    least = values.index(min(values))
    wrong = sum(
        (later - earlier if place < least else earlier - later) > 2 * (errors[place] + errors[place + 1])
        for place, (earlier, later) in enumerate(pairwise(values))
    )
    text = f"{values[0]:.3g} at {line['x'][0]:g}, least {min(values):.3g} at {line['x'][least]:g}, {values[-1]:.3g} at "
    return wrong == 0 and 0 < least < len(values) - 1, f"{text}{line['x'][-1]:g}"


def sweet_spot(kind: str, share: float) -> Check:
    """Whether the paper's share has the least error, as far as chance can tell."""

    def check(part: Results) -> tuple[bool, str]:
        line = line_of(part, "5", kind)
        theirs, best = line["x"].index(share), line["y"].index(min(line["y"]))
        above = line["y"][theirs] - line["y"][best]
        chance = 2 * math.hypot(line["se"][theirs], line["se"][best])
        text = f"least at {line['x'][best]:g}; at {share:g} it is {100 * above / line['y'][best]:.0f} % above"
        return above <= chance, text

    return check


def smallest(figure: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        others = [min(values) for values in zip(*(values_in(part, figure, name) for name in METHODS[2:]), strict=True)]
        best = [max(values) for values in zip(*(values_in(part, figure, name) for name in METHODS[:2]), strict=True)]
        found = [worse / other for worse, other in zip(best, others, strict=True)]
        return max(found) < 1, f"the worse of oracle and ireduct / the best of the others: {spread(found)}"

    return check


def follows_error(part: Results) -> tuple[bool, str]:
    """Of two methods whose errors differ by a tenth or more, the better one's classifier should be right more often."""
    agree = total = 0
    for one, other in combinations(METHODS, 2):
        pairs = zip(ratios(part, "10", one, other), ratios(part, "11", one, other), strict=True)
        for error, accuracy in pairs:
            if not 1 / ALMOST < error < ALMOST:
                total, agree = total + 1, agree + ((error < 1) == (accuracy > 1))
    return agree >= 0.9 * total, f"in {agree} of {total} pairs of methods whose errors differ by a tenth or more"


def gap_closes(part: Results) -> tuple[bool, str]:
    """ireduct should lose less of the noiseless accuracy than equal does."""
    lost = {}
    for name in ("ireduct", "equal"):
        pairs = zip(values_in(part, "11", "noiseless"), values_in(part, "11", name), strict=True)
        lost[name] = [100 * (full - mine) for full, mine in pairs]
    better = all(mine < other for mine, other in zip(lost["ireduct"], lost["equal"], strict=True))
    text = ", ".join(f"{name} {spread(values)}" for name, values in lost.items())
    return better, f"points of accuracy lost to noise: {text}"
