"""Rows of the report: a mean over data sets with its limit, and in words both halves, the worst and the intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.shapes import half
from benchmarks.accuracy.trials import Found
from benchmarks.measure import Report


@dataclass(frozen=True)
class Compared:
    """One method beside its baseline, by data set, in one class of questions."""

    found: Mapping[str, Found]
    baseline: Mapping[str, Found]

    @property
    def ratios(self) -> dict[str, float]:
        return {name: found.error / self.baseline[name].error for name, found in self.found.items()}

    @property
    def mean(self) -> float:
        return float(np.mean(list(self.ratios.values())))

    def words(self) -> str:
        ratios = self.ratios
        worst = max(ratios, key=lambda name: ratios[name])
        return f"{self._halves()}; worst {ratios[worst]:.3g} ({worst}); {intervals(self.found, self.baseline)}"

    def _halves(self) -> str:
        parts = []
        for which in "AB":
            inside = [ratio for name, ratio in self.ratios.items() if half(name) == which]
            parts.append(f"half {which} {np.mean(inside):.3g}" if inside else f"half {which} none")
        return ", ".join(parts)


def intervals(found: Mapping[str, Found], baseline: Mapping[str, Found] | None = None) -> str:
    """How often they hold the truth, and how wide they are: in records, or over the baseline's."""
    held = f"intervals hold {np.mean([one.held for one in found.values()]):.1%}"
    worst = f"at worst {min(one.held for one in found.values()):.1%}"
    endless = float(np.mean([one.endless for one in found.values()]))
    if endless == 1:
        width = "no upper ends"
    elif baseline is None:
        width = f"mean width {np.mean([one.width for one in found.values() if one.endless < 1]):,.4g}"
    else:
        ratios = [one.width / baseline[name].width for name, one in found.items() if one.endless < 1]
        width = f"width {np.mean(ratios):.3g} of the baseline's"
    return ", ".join([held, worst, width, *([f"{endless:.0%} without upper end"] if 0 < endless < 1 else [])])


def compare(report: Report, what: str, compared: Compared, limit: float | None) -> None:
    if limit is None:
        report.note(what, compared.mean)
    else:
        report.at_most(what, compared.mean, limit)
    report.note(f"{what}, in parts", compared.words())


def baseline(report: Report, what: str, found: Mapping[str, Found]) -> None:
    report.note(what, float(np.mean([one.error for one in found.values()])))
    report.note(f"{what}, intervals", intervals(found))
