"""How numbers are recorded: means over runs with their standard errors, curves and figures, all as plain JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Json = dict[str, Any]


def short(value: float, digits: int = 4) -> float:
    """A number in few digits."""
    return float(f"{value:.{digits}g}")


@dataclass
class Runs:
    """Numbers from repeated runs, for their mean and its standard error."""

    values: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def error(self) -> float:
        # the mean of equal numbers is rounded, and would seem to differ from them
        if min(self.values) == max(self.values):
            return 0.0
        return float(np.std(self.values, ddof=1) / np.sqrt(len(self.values)))

    def pair(self, digits: int, error_digits: int) -> list[float]:
        """The mean and its standard error as they are recorded."""
        return [short(self.mean, digits), short(self.error, error_digits)]


def line(name: str, x: list[Any], runs: Sequence[Runs], digits: tuple[int, int] = (4, 4), **more: Any) -> Json:
    """One curve: where, the means, and their standard errors."""
    pairs = [one.pair(*digits) for one in runs]
    return {"name": name, "x": x, "y": [mean for mean, _ in pairs], "se": [error for _, error in pairs], **more}


def figure(title: str, x: str, y: str, lines: list[Json], *, log_x: bool = True, log_y: bool = True) -> Json:
    return {"title": title, "x": x, "y": y, "log_x": log_x, "log_y": log_y, "lines": lines}
