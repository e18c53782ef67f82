"""Answers as the columns of a table, with what is to be said below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.queries.reliability import FLAG
from discreet.release.flagged import Flagged
from discreet.summaries import Answers

KNOWN = "the count was given to this release as a public total, or follows from such totals"


def columns_of(found: Answers, why_bounds: str, flagged: Flagged | None = None) -> tuple[dict[str, Any], list[str]]:
    """Answers as columns, and what to say below them; `why_bounds` where some are bounds."""
    columns, notes = _plain_columns(found, why_bounds)
    return (columns, notes) if flagged is None else ({**columns, FLAG: flagged.flags}, [*notes, flagged.said])


def _plain_columns(found: Answers, why_bounds: str) -> tuple[dict[str, Any], list[str]]:
    columns = {"count": found.value, "stderr": found.stderr, "low": found.low, "high": found.high}
    nowhere = np.zeros(found.value.shape, np.bool_)
    bounds, known = (nowhere if one is None else one for one in (found.bounds, found.known))
    if bounds.any() or known.any():
        ends = np.where(bounds, "bounds", np.where(known, "known", "interval"))
        said = {"bounds": f"where `ends` is bounds, {why_bounds}", "known": f"where `ends` is known, {KNOWN}"}
        return {**columns, "ends": ends}, [said[kind] for kind in said if np.any(ends == kind)]
    if found.besides is None:
        return columns, []
    other = found.besides
    kept = {"kept": other.value, "kept_low": other.low, "kept_high": other.high}
    return {**columns, **kept}, [f"kept: {other.name}"]


def known_note(manifest: Mapping[str, Any]) -> str:
    """That answers agree with public totals, if a release was given any."""
    many = len(manifest["task"].get("known", ()))
    return f"made to agree with {many:,} publicly known total{'s' if many > 1 else ''}" if many else ""
