"""Tests of what grouping-smoothing, section 5, says of its figures, on one data set: a verdict and its numbers each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from experiments.grouping_smoothing.trials.figures import BEST_RHO, FOUND, GIVEN, MIDDLE, PAPER
from experiments.shared.curves import COMPARABLE, comparable, line_of, ratios_of
from experiments.shared.findings import Check, Results

#: what finding out the mean may cost, in error
LITTLE = 1.1


def shown(value: float) -> str:
    """Three digits, no exponent that a reader has to work out, and more digits next to 1: many are ratios."""
    if 0.9 < value < 1.1:
        return f"{value:.3f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def spread(values: Sequence[float]) -> str:
    """From the least to the most."""
    low, high = shown(min(values)), shown(max(values))
    return low if low == high else f"{low} to {high}"


def ratios(part: Results, figure: str, name: str, to: str) -> list[float]:
    """Of the errors of two methods, by epsilon."""
    return list(ratios_of(part, figure, name, to).values())


def below(part: Results, figure: str, name: str, to: str) -> bool:
    """Whether a curve lies below another one everywhere, by more than two standard errors of their ratio."""
    mine, other = line_of(part, figure, name), line_of(part, figure, to)
    apart = []
    for a, error_a, b, error_b in zip(mine["y"], mine["se"], other["y"], other["se"], strict=True):
        apart.append(a / b * (1 + 2 * math.hypot(error_a / a, error_b / b)) < 1)
    return all(apart)


def tuning(part: Results, method: str) -> list[Results]:
    """How a variant of gs did, by epsilon."""
    return [row for row in part["tuning"] if row["method"] == method]


def above_best(row: Results) -> float:
    """By which part the error is above that of the best size."""
    return float(row["error"][0] / row["best error"][0] - 1)


def columns_best(part: Results) -> tuple[bool, str]:
    rows, none = (ratios(part, "7", "columns", other) for other in ("rows", "none"))
    holds = all(below(part, "7", "columns", other) for other in ("rows", "none"))
    return holds, f"columns / rows: {spread(rows)}; columns / none: {spread(none)}"


def one_group(part: Results) -> tuple[bool, str]:
    """Fewer than two groups of Delta items; so nothing that is sampled can matter."""
    items, bound = part["facts"]["items"], part["facts"]["bound"]
    rows, none = (ratios(part, "7", "columns", other) for other in ("rows", "none"))
    text = f"{items:,} items, Delta {bound:,}; columns / rows: {spread(rows)}; columns / none: {spread(none)}"
    return items < 2 * bound, text


def rows_gain_little(part: Results) -> tuple[bool, str]:
    found = ratios(part, "7", "rows", "none")
    return min(found) >= COMPARABLE[0], f"rows / none: {spread(found)}"


def saving(least: float) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        saved = [1 - ratios(part, "7", "columns", other)[0] for other in ("rows", "none")]
        return saved[0] >= least, f"{100 * saved[0]:.0f} % less than rows, {100 * saved[1]:.0f} % less than none"

    return check


def tuned(method: str, within: float) -> Check:
    """At the epsilon of figure 8."""

    def check(part: Results) -> tuple[bool, str]:
        row = next(row for row in tuning(part, method) if row["epsilon"] == float(MIDDLE))
        above = above_best(row)
        groups = f"groups of {row['groups'][0]:,} (median), best {row['best group']:,}"
        return above <= within, f"{100 * above:.1f} % above the best size; {groups}"

    return check


def beats(method: str, *others: str) -> Check:
    """In both errors, at every epsilon."""

    def check(part: Results) -> tuple[bool, str]:
        found = {
            (what, other): ratios(part, figure, method, other)
            for figure, what in (("9", "absolute"), ("10", "relative"))
            for other in others
        }
        text = "; ".join(f"{what} error / that of {other}: {spread(some)}" for (what, other), some in found.items())
        return all(below(part, figure, method, other) for figure in ("9", "10") for other in others), text

    return check


def worse(method: str, other: str) -> Check:
    """At some epsilon."""

    def check(part: Results) -> tuple[bool, str]:
        found = ratios(part, "9", method, other)
        return max(found) > 1, f"{method} / {other}: {spread(found)}"

    return check


def alike(one: str, other: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        both = {what: ratios(part, figure, one, other) for figure, what in (("9", "absolute"), ("10", "relative"))}
        values = [value for some in both.values() for value in some]
        text = "; ".join(f"{what} errors, {one} / {other}: {spread(some)}" for what, some in both.items())
        return comparable(values), text

    return check


def gains(method: str, over: str, times: float) -> Check:
    """At the epsilon where the gain is largest, by both errors."""

    def check(part: Results) -> tuple[bool, str]:
        most = [max(ratios(part, figure, over, method)) for figure in ("9", "10")]
        text = f"at most {shown(most[0])} times less absolute error than {over}, {shown(most[1])} times less relative"
        return min(most) >= times, text

    return check


def gains_at_largest(method: str, over: str, times: float) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = [ratios(part, figure, over, method)[-1] for figure in ("9", "10")]
        text = f"at epsilon 1.099 {shown(found[0])} times less absolute error, {shown(found[1])} times less relative"
        return min(found) >= times, text

    return check


def gain_falls(method: str, over: str) -> Check:
    """With epsilon."""

    def check(part: Results) -> tuple[bool, str]:
        found = ratios(part, "9", over, method)
        return all(later < earlier for earlier, later in pairwise(found)), _by_epsilon(f"{over} / {method}", found)

    return check


def gain_grows(method: str, over: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = ratios(part, "9", over, method)
        return all(later > earlier for earlier, later in pairwise(found)), _by_epsilon(f"{over} / {method}", found)

    return check


def _by_epsilon(what: str, values: Sequence[float]) -> str:
    return f"{what} with growing epsilon: {', '.join(shown(value) for value in values)}"


def mean_beats_paper(part: Results) -> tuple[bool, str]:
    rows = zip(tuning(part, GIVEN), tuning(part, PAPER), strict=True)
    found = [mine["error"][0] / other["error"][0] for mine, other in rows]
    return max(found) < 1, _by_epsilon("absolute error, scale by the mean / by Delta", found)


def finding_is_cheap(part: Results) -> tuple[bool, str]:
    pairs = list(zip(tuning(part, FOUND), tuning(part, GIVEN), strict=True))
    found = [mine["error"][0] / other["error"][0] for mine, other in pairs]
    means = ", ".join(shown(mine["stands for"]) for mine, _ in pairs)
    text = _by_epsilon("absolute error, mean found / given", found)
    return max(found) <= LITTLE, f"{text}; means found (medians): {means}, given: {shown(pairs[0][1]['stands for'])}"


def best_rho_matters(part: Results) -> tuple[bool, str]:
    found = ratios(part, "9", "fpa", BEST_RHO)
    return max(found) <= LITTLE, _by_epsilon("fpa, private / best rho", found)
