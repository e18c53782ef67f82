"""Answers as the columns of a table, with what is to be said below it."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.summaries import Answers


def columns_of(found: Answers, why_bounds: str) -> tuple[dict[str, Any], list[str]]:
    """Answers as columns, and what to say below them; `why_bounds` where some are bounds."""
    columns = {"count": found.value, "stderr": found.stderr, "low": found.low, "high": found.high}
    if found.bounds is not None and found.bounds.any():
        ends = np.where(found.bounds, "bounds", "interval")
        return {**columns, "ends": ends}, [f"where `ends` is bounds, {why_bounds}"]
    if found.besides is None:
        return columns, []
    other = found.besides
    kept = {"kept": other.value, "kept_low": other.low, "kept_high": other.high}
    return {**columns, **kept}, [f"kept: {other.name}"]
