"""Tests of what privelet, section 8.2, says of the time its methods take; a KeyError where it was not recorded."""

from __future__ import annotations

import numpy as np

from experiments.privelet.trials.computing import METHODS
from experiments.shared.curves import curve, ratios_of, spread
from experiments.shared.findings import Check, Results

#: a time may lie so far from a straight line, as a part of itself
STRAIGHT = 0.2


def _bend(points: dict[float, float]) -> float:
    """The largest distance from the line of least squares, as a part of the value there."""
    x, y = np.array(list(points)), np.array(list(points.values()))
    slope, start = np.polyfit(x, y, 1)
    return float(np.max(np.abs(y - start - slope * x) / y))


def straight(figure: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        bends = {name: _bend(curve(results["computing"], figure, name)) for name in METHODS}
        text = ", ".join(f"{name} {100 * bend:.0f} %" for name, bend in bends.items())
        return max(bends.values()) <= STRAIGHT, f"farthest from a straight line: {text}"

    return check


def in_order(results: Results) -> tuple[bool, str]:
    """Privelet* takes longer than Privelet+, and that longer than Basic, everywhere."""
    texts, least = [], []
    for slow, quick in (("privelet*", "privelet+"), ("privelet+", "geometric")):
        ratios = [ratio for key in ("13", "14") for ratio in ratios_of(results["computing"], key, slow, quick).values()]
        least.append(min(ratios))
        texts.append(f"{slow} / {quick}: {spread(ratios)}")
    return min(least) > 1, "; ".join(texts)
