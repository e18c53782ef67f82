"""Tests of what sparse-summaries, section 4, says of its figures: each gives a verdict and the numbers behind it."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from experiments.shared.curves import curve, line_of, ratios_of, spread
from experiments.shared.findings import Check, Results
from experiments.sparse_summaries.trials.absent_cells import HALF, NOTHING, PART
from experiments.sparse_summaries.trials.figures import DENSE
from experiments.sparse_summaries.trials.guessed_records import NO_GUESS

OCCUPIED = 100_000


def _percent(value: float) -> str:
    return f"{100 * value:.2g} %"


def _span(values: list[float]) -> str:
    return f"{_percent(min(values))} to {_percent(max(values))}"


def two_sides(results: Results) -> tuple[bool, str]:
    two, one = (line_of(results, "3a", f"{side}-sided") for side in ("two", "one"))
    better = [a <= b for a, b in zip(two["y"], one["y"], strict=True)]
    lost = [str(theta) for theta, won in zip(two["theta"], better, strict=True) if not won]
    text = f"two-sided is better at {sum(better)} of {len(better)} thetas, not at theta {', '.join(lost) or 'none'}"
    return sum(better) > len(better) / 2, text


def one_percent(results: Results) -> tuple[bool, str]:
    two = line_of(results, "3a", "two-sided")
    errors = [error for theta, error in zip(two["theta"], two["relative"], strict=True) if theta <= 50]
    return min(errors) >= 0.005 and max(errors) <= 0.02, f"relative error {_span(errors)} for theta up to 50"


def small_alike(results: Results) -> tuple[bool, str]:
    two, one = (line_of(results, "3a", f"{side}-sided")["y"][-1] for side in ("two", "one"))
    return abs(two / one - 1) < 0.1, f"at the largest theta two-sided / one-sided = {two / one:.3f}"


def least_error(results: Results) -> tuple[bool, str]:
    two = line_of(results, "3a", "two-sided")
    best = int(np.argmin(two["y"]))
    kept = two["x"][best]
    text = f"least at theta {two['theta'][best]}, with {kept:,.0f} cells kept where {OCCUPIED:,} are occupied"
    return 0.9 * OCCUPIED <= kept <= 1.25 * OCCUPIED, text


def alike(results: Results) -> tuple[bool, str]:
    threshold, priority = curve(results, "3b", "threshold"), curve(results, "3b", "priority")
    sizes, errors = list(priority), list(priority.values())
    ratios = [value / float(np.interp(size, sizes, errors)) for size, value in threshold.items() if size >= sizes[0]]
    text = f"threshold / priority at equal size: {spread(ratios)}"
    return min(ratios) > 0.85 and max(ratios) < 1.15, text


def sampling_range(results: Results) -> tuple[bool, str]:
    line = line_of(results, "3b", "priority")
    inside = [size for size, error in zip(line["x"], line["relative"], strict=True) if 0.01 <= error <= 0.07]
    text = f"{_span(line['relative'])}; between 1 % and 7 % from a size of {min(inside, default=0):,.0f} on"
    return len(inside) == len(line["x"]), text


def _best_theta(results: Results, size: int) -> float:
    errors = curve(results, "3c", f"subsets of {size}")
    return min(errors, key=lambda theta: errors[theta])


def _best_thetas(results: Results) -> str:
    sizes = (100, 5000, 100_000)
    return ", ".join(f"{_best_theta(results, size):g} for subsets of {size:,}" for size in sizes)


def forty(results: Results) -> tuple[bool, str]:
    errors = curve(results, "3c", "subsets of 5000")
    near = errors[40.0] / min(errors.values())
    text = f"best: {_best_thetas(results)}; at 40 the error for subsets of 5,000 is {near:.2f} times the least"
    return near <= 1.1, text


def half_the_mean(results: Results) -> tuple[bool, str]:
    best = [_best_theta(results, size) for size in (100, 5000, 100_000)]
    return all(30 <= theta <= 60 for theta in best), f"best: {_best_thetas(results)}; the mean is 100"


def filtered_range(results: Results) -> tuple[bool, str]:
    errors = [error for size in (5000, 100_000) for error in curve(results, "3c", f"subsets of {size}").values()]
    return min(errors) >= 0.003 and max(errors) <= 0.06, f"{_span(errors)} for subsets of 5,000 and 100,000"


def smaller_theta(results: Results) -> tuple[bool, str]:
    best = [_best_theta(results, size) for size in (100, 5000, 100_000)]
    return best == sorted(best, reverse=True) and best[-1] < best[0], f"best: {_best_thetas(results)}"


def _summaries(results: Results) -> list[str]:
    """The methods of figure 4 that do not make a number for every cell."""
    return [line["name"] for line in results["figures"]["4"]["lines"] if line["name"] not in DENSE]


def filter_fastest(results: Results) -> tuple[bool, str]:
    taken = {name: line_of(results, "4", name)["y"] for name in _summaries(results)}
    rival = [min(values) for values in zip(*(v for name, v in taken.items() if name != "filter"), strict=True)]
    ratios = [mine / other for mine, other in zip(taken["filter"], rival, strict=True)]
    return max(ratios) <= 1, f"filter / fastest other: {', '.join(f'{ratio:.2f}' for ratio in ratios)}"


def priority_dearer(results: Results) -> tuple[bool, str]:
    ratios = {name: list(ratios_of(results, "4", name, "filter").values()) for name in ("priority", "filter-priority")}
    text = "; ".join(f"{name} / filter: {spread(r, 1)}" for name, r in ratios.items())
    return all(min(values) > 1 for values in ratios.values()), text


def same_when_dense(results: Results) -> tuple[bool, str]:
    names = [*_summaries(results), "wavelet"]
    ratios = {name: next(iter(ratios_of(results, "4", name, "geometric").values())) for name in names}
    text = "time / geometric: " + ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
    return all(0.5 <= ratio <= 2 for ratio in ratios.values()), text


def orders_faster(results: Results) -> tuple[bool, str]:
    last = [1 / list(ratios_of(results, "4", name, "geometric").values())[-1] for name in _summaries(results)]
    return min(last) >= 100, f"at density 1e-5, {min(last):,.0f} to {max(last):,.0f} times as fast as geometric"


def wavelet_fails_to_scale(results: Results) -> tuple[bool, str]:
    """Ten times the cells take about ten times as long, where both were measured; and the summaries do not."""
    taken = list(curve(results, "4", "wavelet").values())
    last = [list(ratios_of(results, "4", "wavelet", name).values())[-1] for name in _summaries(results)]
    text = f"ten times the cells take the wavelet {taken[1] / taken[0]:.1f} times as long; at density 1e-5 it takes "
    return taken[1] / taken[0] >= 5 and min(last) >= 100, text + f"{min(last):,.0f} times as long as a summary or more"


def half_of_theta(results: Results) -> tuple[bool, str]:
    ratios = ratios_of(results, "3.2", HALF, NOTHING)
    text = ", ".join(f"{ratio:.3g} where {100 * density:g} % are occupied" for density, ratio in ratios.items())
    return max(ratios.values()) < 1, f"error with theta / 2 / error with zero: {text}"


def calibrated(results: Results) -> tuple[bool, str]:
    ratios = ratios_of(results, "3.2", PART, NOTHING)
    text = ", ".join(f"{ratio:.3g} where {100 * density:g} % are occupied" for density, ratio in ratios.items())
    return max(ratios.values()) <= 1, f"error by a noisy total / error with zero: {text}"


def wanted_size(results: Results) -> tuple[bool, str]:
    kept = {line["name"]: curve(results, "3.3-size", line["name"]) for line in results["figures"]["3.3-size"]["lines"]}
    exact = [places[1.0] for places in kept.values()]
    blind = [places[NO_GUESS] for places in kept.values()]
    text = f"cells kept / wanted: {spread(exact)} with the true number, {spread(blind)} with no guess"
    return min(exact) >= 0.85 and max(exact) <= 1.15, text


def off_by_two(results: Results) -> tuple[bool, str]:
    kept = {line["name"]: curve(results, "3.3-size", line["name"]) for line in results["figures"]["3.3-size"]["lines"]}
    half, twice = ([places[guess] for places in kept.values()] for guess in (0.5, 2.0))
    text = f"cells kept / wanted: {spread(half)} with half of the records guessed, {spread(twice)} with twice as many"
    return min(twice) >= 0.5 and max(half) <= 2, text


def five_to_ten(results: Results) -> tuple[bool, str]:
    errors = {name: curve(results, "5a", name)[100] for name in ("geometric", "filter", "filter-priority")}
    text = ", ".join(f"{name} {_percent(error)}" for name, error in errors.items())
    return all(0.05 <= error <= 0.1 for error in errors.values()), f"subsets of 100: {text}"


def falling(results: Results) -> tuple[bool, str]:
    lines = results["figures"]["5a"]["lines"]
    ends = [f"{line['name']} {_percent(line['y'][0])} to {_percent(line['y'][-1])}" for line in lines]
    falls = all(after < 1.05 * before for line in lines for before, after in pairwise(line["y"]))
    return falls, "from subsets of 10 to 100,000: " + ", ".join(ends)


def filter_best(results: Results) -> tuple[bool, str]:
    names = [line["name"] for line in results["figures"]["5a"]["lines"]]
    curves = {name: curve(results, "5a", name) for name in names}
    best = {size: min(names, key=lambda name: curves[name][size]) for size in curves["filter"]}
    until = max((size for size, name in best.items() if name == "filter"), default=0)
    return all(best[size] == "filter" for size in best if size <= 5000), f"filter is best up to {until:,.0f} cells"


def priority_beyond(figure: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        ratios = ratios_of(results, figure, "priority", "filter")
        beyond = {size: ratio for size, ratio in ratios.items() if size > 10_000}
        text = ", ".join(f"{ratio:.2f} at {size:,.0f}" for size, ratio in beyond.items())
        return all(ratio < 1 for ratio in beyond.values()), f"priority / filter: {text}"

    return check


def slightly_better(results: Results) -> tuple[bool, str]:
    """At most sizes, and at no size worse by more than chance, which is two standard errors."""
    one, other = line_of(results, "5a", "filter-priority"), line_of(results, "5a", "geometric")
    ratios = [a / b for a, b in zip(one["y"], other["y"], strict=True)]
    chances = [2 * math.hypot(a, b) for a, b in zip(one["se"], other["se"], strict=True)]
    worse = [a - b > chance for a, b, chance in zip(one["y"], other["y"], chances, strict=True)]
    better = sum(ratio < 1 for ratio in ratios)
    text = f"filter-priority / geometric: {spread(ratios)}, below 1 at {better} of {len(ratios)} "
    text += f"sizes, above 1 by more than two standard errors at {sum(worse) or 'none'}"
    return not any(worse) and better > len(ratios) / 2, text


def better_everywhere(results: Results) -> tuple[bool, str]:
    ratios = ratios_of(results, "5c", "filter-priority", "geometric").values()
    better = sum(ratio < 1 for ratio in ratios)
    text = f"filter-priority / geometric: {spread(ratios)}, below 1 at {better} of {len(ratios)} sizes"
    return better == len(ratios), text


def filter_suffers(results: Results) -> tuple[bool, str]:
    before, after = curve(results, "5a", "filter"), curve(results, "5b", "filter")
    ratios = [after[size] / before[size] for size in before]
    return min(ratios) > 1, f"error at sigma 40 / at sigma 20: {spread(ratios)}"


def less_accurate(results: Results) -> tuple[bool, str]:
    worse, pairs, last = 0, 0, []
    for name in ("filter", "priority", "filter-priority"):
        ratios = ratios_of(results, "5b", name, "geometric")
        worse, pairs = worse + sum(ratio > 1 for ratio in ratios.values()), pairs + len(ratios)
        until = max((size for size, ratio in ratios.items() if ratio <= 1), default=0)
        last.append(f"{name} better up to {until:,.0f} cells" if until else f"{name} at no size better")
    return worse > pairs / 2, f"worse in {worse} of {pairs} cases: {', '.join(last)}"


def twice(results: Results) -> tuple[bool, str]:
    ratios = ratios_of(results, "5b", "filter-priority, size 2n", "geometric")
    kept = line_of(results, "5b", "filter-priority, size 2n")["kept"]
    close = [size for size, ratio in ratios.items() if ratio <= 1.25]
    text = (
        f"comparable up to subsets of {max(close, default=0):,.0f}, then up to {max(ratios.values()):.1f} times worse"
    )
    return len(close) == len(ratios), f"{text}; the sample of 200,000 holds {kept:,.0f} cells"


def filter_leads(results: Results) -> tuple[bool, str]:
    wins = []
    for name in ("priority", "filter-priority"):
        ratios = ratios_of(results, "5c", "filter", name)
        wins.append((name, sum(ratio < 1 for ratio in ratios.values()), len(ratios)))
    text = ", ".join(f"better than {name} at {won} of {of} sizes" for name, won, of in wins)
    return all(won > of / 2 for _, won, of in wins), f"filter is {text}"


def faster(figure: str, least: float) -> Check:
    return _cheaper(figure, "seconds", least, "times as fast as geometric")


def smaller(figure: str, least: float) -> Check:
    return _cheaper(figure, "cells", least, "times as few cells as geometric")


def _cheaper(figure: str, column: str, least: float, words: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        dense, *others = results["costs"][figure]["rows"]
        ratios = [dense[column] / row[column] for row in others]
        return min(ratios) >= least, f"{min(ratios):,.0f} to {max(ratios):,.0f} {words}"

    return check


def filter_turns(results: Results) -> tuple[bool, str]:
    ratios = list(ratios_of(results, "6c", "filter", "geometric").values())
    text = f"filter / geometric: {ratios[0]:.2f} for the smallest subsets, {ratios[-1]:.2f} for the largest"
    return ratios[0] <= 1 and ratios[-1] >= 2, text


def comparable(results: Results) -> tuple[bool, str]:
    texts, most = [], True
    for name in ("priority", "filter-priority"):
        ratios = list(ratios_of(results, "6c", name, "geometric").values())
        most = most and sum(ratio <= 1.25 for ratio in ratios) > len(ratios) / 2
        texts.append(f"{name} / geometric: {spread(ratios)}")
    return most, "; ".join(texts)


def large_subsets(results: Results) -> tuple[bool, str]:
    errors = {}
    for name in ("geometric", "priority", "filter-priority"):
        line = curve(results, "6c", name)
        errors[name] = max(error for size, error in line.items() if size >= 0.05 * results["parameters"]["6c"]["cells"])
    text = ", ".join(f"{name} {_percent(error)}" for name, error in errors.items())
    return all(error < 0.008 for error in errors.values()), f"at most: {text}"


def late_accuracy(results: Results) -> tuple[bool, str]:
    best = [min(values) for values in zip(*(line["y"] for line in results["figures"]["7c"]["lines"]), strict=True)]
    sizes = results["figures"]["7c"]["lines"][0]["x"]
    good = min((size for size, error in zip(sizes, best, strict=True) if error < 1), default=None)
    reached = f"first at subsets of {good:,.0f}" if good else "at no size"
    return good is None or good >= 1000, f"the best method has a relative error below 100 % {reached}"


def filters_win(results: Results) -> tuple[bool, str]:
    texts, holds = [], True
    for name in ("filter", "filter-priority"):
        ratios = ratios_of(results, "7c", name, "geometric")
        won = sum(ratio < 0.8 for ratio in ratios.values())
        holds = holds and won >= 0.8 * len(ratios)
        texts.append(f"{name} / geometric: {spread(ratios.values())}, below 0.8 at {won} of {len(ratios)} sizes")
    return holds, "; ".join(texts)
