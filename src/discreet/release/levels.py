"""Levels of intervals, as people give them."""

from __future__ import annotations

from discreet.errors import BadParameter

LEVEL = 0.95
#: an interval may miss with this probability at least
_LEAST_MISS = 1e-12
ALL_TOGETHER = "all of these intervals hold together with that probability"


def checked_level(level: float) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise BadParameter(f"level must lie strictly between 0 and 1 (0.95 means 95 %), not {level!r}")
    if level > 1 - _LEAST_MISS:
        raise BadParameter(f"level must be at most 1 - {_LEAST_MISS:g}, not {level!r}; beyond it floats end")
    return float(level)


def simultaneous_level(level: float, answers: int) -> float:
    """At which each of so many intervals is taken, so that all of them hold together with probability `level`."""
    return 1 - (1 - level) / max(answers, 1)
