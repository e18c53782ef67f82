"""Tests of what sparse-summaries, section 5.3, says of figure 8; a KeyError where a method was not run."""

from __future__ import annotations

from itertools import pairwise

from experiments.privelet.trials.dyadic import CHECKED
from experiments.shared.curves import comparable, curve, ratios_of, spread
from experiments.shared.findings import Check, Results

FILTERED = ("dyadic-filter", "dyadic-filter-priority")


def _ratios(results: Results, figure: str, name: str, to: str) -> list[float]:
    """Of the errors of two methods, by the size of the range."""
    return list(ratios_of(results["dyadic"], figure, name, to).values())


def priority_worst(results: Results) -> tuple[bool, str]:
    texts, worst = [], True
    for name in FILTERED:
        ratios = _ratios(results, "8a", "dyadic-priority", name)
        worst = worst and min(ratios) > 1
        texts.append(f"dyadic-priority / {name}: {spread(ratios, 1)}")
    return worst, "; ".join(texts)


def much_better(results: Results) -> tuple[bool, str]:
    texts, better = [], True
    for name in FILTERED:
        ratios = _ratios(results, "8a", name, "dyadic-priority")
        better = better and max(ratios) < 0.5
        texts.append(f"{name} / dyadic-priority: {spread(ratios)}")
    return better, "; ".join(texts)


def far_better(results: Results) -> tuple[bool, str]:
    ratios = ratios_of(results["dyadic"], "8a", "geometric", "dyadic")
    large = {size: ratio for size, ratio in ratios.items() if size >= 10_000}
    crossing = min((size for size, ratio in ratios.items() if ratio > 1), default=float("inf"))
    text = ", ".join(f"{ratio:.1f} at {size:,.0f}" for size, ratio in large.items())
    return min(large.values()) > 2, f"geometric / dyadic: {text}; dyadic is better from {crossing:,.0f} cells on"


def stable(results: Results) -> tuple[bool, str]:
    errors = list(curve(results["dyadic"], "8a", "dyadic").values())
    step = max(after / before for before, after in pairwise(errors))
    growth = max(errors) / min(errors)
    text = f"largest / smallest error over ranges of 100 to 500,000 cells: {growth:.2f}; at most {step:.2f} per step"
    return growth <= 2, text


def filter_beats_dense(results: Results) -> tuple[bool, str]:
    ratios = _ratios(results, "8b", "dyadic-filter", "dyadic")
    won = sum(ratio < 1 for ratio in ratios)
    text = f"dyadic-filter / dyadic: {spread(ratios)}, below 1 at {won} of {len(ratios)} sizes"
    return won == len(ratios), text


def good_wavelet(results: Results) -> tuple[bool, str]:
    texts, good = [], True
    for figure, data in (("8a", "uniform"), ("8b", "clustered")):
        ratios = _ratios(results, figure, "privelet", "dyadic")
        good = good and max(ratios) < 1
        texts.append(f"{data} {spread(ratios)}")
    return good, f"privelet / dyadic: {', '.join(texts)}"


def similar(name: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        ratios = [ratio for key in ("8a", "8b") for ratio in _ratios(results, key, name, "privelet")]
        return comparable(ratios), f"{name} / privelet: {spread(ratios)}"

    return check


def check_helps(figure: str, least: float, most: float) -> Check:
    """The check of ancestors lowers the error by between `least` and `most`, for most ranges."""

    def check(results: Results) -> tuple[bool, str]:
        texts, inside, of = [], 0, 0
        for name in FILTERED:
            saved = [1 - ratio for ratio in _ratios(results, f"{figure}-checked", name + CHECKED, name)]
            inside, of = inside + sum(least <= part <= most for part in saved), of + len(saved)
            texts.append(f"{name} {100 * min(saved):.0f} % to {100 * max(saved):.0f} %")
        return inside > of / 2, f"error lowered: {', '.join(texts)}; as said at {inside} of {of} points"

    return check


def wavelets_degrade(results: Results) -> tuple[bool, str]:
    texts, ratios = [], []
    for name in ("wavelet-filter", "wavelet-filter-priority", "wavelet-priority"):
        mine = [ratio for key in ("8a", "8b") for ratio in _ratios(results, f"{key}-wavelets", name, "privelet")]
        ratios.append(mine)
        texts.append(f"{name} {spread(mine)}")
    return all(min(mine) > 1.25 for mine in ratios), f"error / that of privelet: {', '.join(texts)}"


def wavelets_lose(results: Results) -> tuple[bool, str]:
    ratios = [
        ratio
        for key in ("8a", "8b")
        for ratio in _ratios(results, f"{key}-wavelets", "wavelet-filter", "dyadic-filter")
    ]
    return min(ratios) > 1, f"wavelet-filter / dyadic-filter: {spread(ratios)}"


def faster(results: Results) -> tuple[bool, str]:
    texts, always = [], True
    for dense in ("dyadic", "privelet"):
        for name in (*FILTERED, "dyadic-priority"):
            ratios = _ratios(results, "8-seconds", dense, name)
            always = always and min(ratios) > 1.5
            texts.append(f"{dense} / {name}: {spread(ratios, 1)}")
    return always, "; ".join(texts)


def little_when_dense(results: Results) -> tuple[bool, str]:
    ratios = {name: _ratios(results, "8-seconds", "dyadic", name)[0] for name in FILTERED}
    text = ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
    return all(1.5 <= ratio < 4.5 for ratio in ratios.values()), f"at density 0.1, time of dyadic / time of: {text}"
