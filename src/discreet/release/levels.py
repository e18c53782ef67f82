"""Levels of intervals, as people give them."""

from __future__ import annotations

from discreet.errors import BadParameter

LEVEL = 0.95
ALL_TOGETHER = "all of these intervals hold together with that probability"


def checked_level(level: float) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise BadParameter(f"level must lie strictly between 0 and 1 (0.95 means 95 %), not {level!r}")
    return float(level)


def simultaneous_level(level: float, answers: int) -> float:
    """At which each of so many intervals is taken, so that all of them hold together with probability `level`."""
    return 1 - (1 - level) / max(answers, 1)
