"""Answers as the columns of a table, with what is to be said below it."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.summaries import Answers

BOUNDS = (
    "no measured table holds all that is asked: the number is an estimate from tables that hold parts of it, and low "
    "to high are bounds of what these leave possible, not an interval"
)


def columns_of(found: Answers) -> tuple[dict[str, Any], list[str]]:
    """Answers as columns, and what to say below them."""
    columns = {"count": found.value, "stderr": found.stderr, "low": found.low, "high": found.high}
    if found.bounds is not None and found.bounds.any():
        ends = np.where(found.bounds, "bounds", "interval")
        return {**columns, "ends": ends}, [f"where `ends` is bounds, {BOUNDS}"]
    if found.besides is None:
        return columns, []
    other = found.besides
    kept = {"kept": other.value, "kept_low": other.low, "kept_high": other.high}
    return {**columns, **kept}, [f"kept: {other.name}"]
