"""Tests of what sampled-analytics, section 6, says, on one data set: each gives a verdict and its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from experiments.sampled_analytics.trials.releases import METHODS, SAMPLING
from experiments.shared.curves import curve
from experiments.shared.findings import Check, Results
from experiments.shared.records import short

NEW = SAMPLING
OLD = tuple(method for method in METHODS if method not in NEW)
#: Friday to Sunday, where Monday is 0
WEEKEND = (4, 5, 6)
#: a quarter of the top ten at most is a failure to find it
LOST = 0.25
COMPARABLE = 1.5
NEAR = 1.1
#: a share of the week that a chart would show
VISIBLE = 0.005


def value(part: Results, kind: str, measure: str, method: str) -> float:
    return float(part["methods"][kind][method][measure][0])


def values(part: Results, kind: str, measure: str, methods: Sequence[str] = METHODS) -> dict[str, float]:
    return {method: value(part, kind, measure, method) for method in methods}


def said(found: Mapping[str, float], digits: int = 3) -> str:
    return ", ".join(f"{name} {short(number, digits):g}" for name, number in found.items())


def percent(found: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {100 * number:.1f} %" for name, number in found.items())


def popular(many: int, share: float) -> Check:
    """Figure 5: whether the noisy popularity finds more than this share of the true top."""

    def check(part: Results) -> tuple[bool, str]:
        found = curve(part, "5", "hpa")[many]
        return found > share, f"{100 * found:.0f} % of the top {many}"

    return check


def bowl(kind: str) -> Check:
    """Figure 6: down to a least value inside and up again, up to two standard errors, for both methods."""

    def check(part: Results) -> tuple[bool, str]:
        holds, texts = True, []
        for one in part["figures"][f"6-{kind}"]["lines"]:
            means, errors = one["y"], one["se"]
            least = means.index(min(means))
            wrong = any(
                (later - earlier if place < least else earlier - later) > 2 * (errors[place] + errors[place + 1])
                for place, (earlier, later) in enumerate(pairwise(means))
            )
            holds = holds and not wrong and 0 < least < len(means) - 1
            ends = f"{short(means[0], 3):g} at {one['x'][0]}, {short(means[least], 3):g} at {one['x'][least]}"
            texts.append(f"{one['name']} {ends}, {short(means[-1], 3):g} at {one['x'][-1]}")
        return holds, "; ".join(texts)

    return check


def best_bounds(part: Results, kind: str) -> dict[str, float]:
    found = {}
    for method in NEW:
        errors = curve(part, f"6-{kind}", method)
        found[method] = min(errors, key=lambda bound: errors[bound])
    return found


def best_at(kind: str, bound: int) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = best_bounds(part, kind)
        return set(found.values()) == {bound}, f"least error at l: {said(found)}"

    return check


def edges_want_fewer(part: Results) -> tuple[bool, str]:
    items, edges = best_bounds(part, "items"), best_bounds(part, "edges")
    holds = all(edges[method] < items[method] for method in NEW)
    return holds, f"best l for items: {said(items)}; for edges: {said(edges)}"


def worst(kind: str, measure: str) -> Check:
    """lpa is further off than every other method."""

    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, measure)
        return found["lpa"] > max(found[method] for method in METHODS[1:]), said(found)

    return check


def lowest(kind: str, *, turned: bool = False) -> Check:
    """sra and hpa have both a lower squared error than the others; turned: not both of them."""

    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, "mse")
        holds = max(found[method] for method in NEW) < min(found[method] for method in OLD)
        return holds != turned, said(found)

    return check


def grouping_wins(kind: str, *, turned: bool = False) -> Check:
    """gs is no worse than fpa; turned: it is."""

    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, "mse", ("fpa", "gs"))
        return (found["gs"] <= found["fpa"]) != turned, said(found)

    return check


def comparable(kind: str, measure: str) -> Check:
    """The divergence of sra and of hpa is not much above the least of the others."""

    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, measure)
        return max(found[method] for method in NEW) <= COMPARABLE * min(found[method] for method in OLD), said(found)

    return check


def random_nearer(kind: str, measure: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, measure, NEW)
        return found["sra"] < found["hpa"], said(found)

    return check


def beats_the_mean(kind: str) -> Check:
    """sra and hpa have a smaller squared error than a table with the mean count everywhere."""

    def check(part: Results) -> tuple[bool, str]:
        found, alone = values(part, kind, "mse", NEW), part["facts"]["mean alone"][kind]
        return max(found.values()) < alone, f"{said(found)}; the mean alone {short(alone, 3):g}"

    return check


def best_divergence(kind: str, measure: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, measure)
        return found["sra"] == min(found.values()), said(found)

    return check


def old_fail(kind: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, "top", OLD)
        return max(found.values()) <= LOST, percent(found)

    return check


def best_top(kind: str) -> Check:
    """sra and hpa both find more of the top ten than the others."""

    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, "top")
        return min(found[method] for method in NEW) > max(found[method] for method in OLD), percent(found)

    return check


def picked_ahead(kind: str, *, turned: bool = False) -> Check:
    """hpa finds more of the top ten than sra; turned: fewer."""

    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, "top", NEW)
        ahead = found["sra"] > found["hpa"] if turned else found["hpa"] > found["sra"]
        rows = ((method, part["methods"][kind][method]["top"]) for method in NEW)
        return ahead, ", ".join(f"{name} {100 * mean:.1f} ± {100 * error:.1f} %" for name, (mean, error) in rows)

    return check


def picked_best(kind: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = values(part, kind, "top")
        return found["hpa"] == max(found.values()), percent(found)

    return check


def all_found(part: Results) -> tuple[bool, str]:
    found = value(part, "items", "top", "hpa")
    return found == 1, f"{100 * found:.1f} %"


def first_found(part: Results) -> tuple[bool, str]:
    found = curve(part, "9", "hpa")[1]
    return found == 1, f"{100 * found:.0f} %"


def first_missed(part: Results) -> tuple[bool, str]:
    found = {method: curve(part, "9", method)[1] for method in OLD}
    return max(found.values()) < 0.01, percent(found)


def _ends(part: Results, methods: Sequence[str]) -> dict[str, tuple[float, float]]:
    curves = {method: curve(part, "9", method) for method in methods}
    return {method: (curve[min(curve)], curve[max(curve)]) for method, curve in curves.items()}


def _from_to(ends: Mapping[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} {100 * first:.0f} % to {100 * last:.0f} %" for name, (first, last) in ends.items())


def falls(part: Results) -> tuple[bool, str]:
    ends = _ends(part, NEW)
    return all(last < first for first, last in ends.values()), _from_to(ends)


def rises(part: Results) -> tuple[bool, str]:
    ends = _ends(part, OLD)
    return all(last > first for first, last in ends.values()), _from_to(ends)


def slower(part: Results) -> tuple[bool, str]:
    ends = _ends(part, NEW)
    lost = {method: first - last for method, (first, last) in ends.items()}
    return lost["sra"] < lost["hpa"], _from_to(ends)


def ahead_to_hundred(part: Results) -> tuple[bool, str]:
    """At every K up to 100 both find more than the others; the numbers are those at 100."""
    curves = {method: curve(part, "9", method) for method in METHODS}
    points = [many for many in curves["sra"] if many <= 100]
    holds = all(min(curves[m][many] for m in NEW) > max(curves[m][many] for m in OLD) for many in points)
    return holds, "at 100: " + percent({method: curve[100] for method, curve in curves.items()})


def kept_below(share: float) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = {method: part["kept"][method][0] for method in NEW}
        return max(found.values()) < share, percent(found)

    return check


def weekend_grows(part: Results) -> tuple[bool, str]:
    found = {name: sum(days[day] for day in WEEKEND) for name, days in part["contexts"].items()}
    return min(found[method] for method in NEW) > found["raw"] + VISIBLE, f"Friday to Sunday: {percent(found)}"


def random_week_nearer(part: Results) -> tuple[bool, str]:
    raw = part["contexts"]["raw"]
    moved = {method: sum(abs(a - b) for a, b in zip(part["contexts"][method], raw, strict=True)) / 2 for method in NEW}
    return moved["sra"] < moved["hpa"], f"share of records that are moved to other days: {percent(moved)}"


def list_agrees(part: Results) -> tuple[bool, str]:
    found = {method: part["lists"]["agree"][method][0] for method in NEW}
    return found["hpa"] > found["sra"], f"of ten agree on average: {said(found, 2)}"


def consistency_helps(kind: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        found = {method: row["gain"][0] for method, row in part["consistent"][kind].items()}
        return max(found.values()) < 1, f"error with consistency / without: {said(found, 5)}"

    return check


def rescaling_helps(kind: str) -> Check:
    def check(part: Results) -> tuple[bool, str]:
        rows = {method: part["rescaled"][method][kind] for method in NEW}
        found = {method: row["rescaled"][0] / row["plain"][0] for method, row in rows.items()}
        return max(found.values()) < 1, f"error rescaled / plain: {said(found)}"

    return check


def guess_is_near(part: Results) -> tuple[bool, str]:
    """Equation 22 with the root mean square popularity, against the least error of sra's items in figure 6."""
    row = next(one for one in part["guessed"] if one["popularity"] == "root mean square")
    errors = curve(part, "6-items", "sra")
    best = min(errors, key=lambda bound: errors[bound])
    ratio = row["mse"][0] / errors[best]
    return ratio <= NEAR, f"l = {row['bound']} against {best}; error {ratio:.2f} times the least"
