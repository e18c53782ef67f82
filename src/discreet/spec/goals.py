"""What a release says for `plan` alone: `like`, a public file to rehearse on, and `within`, the wanted error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import BadParameter

PLANNING_KEYS = ("like", "within")
_EXAMPLE = "{ error = 50, share = 0.95 }"

Goals = dict[str, tuple[float, float | None]]


def read_goals(given: Any) -> Goals:
    """Error and share, by class of questions; one goal for all classes stands under ""."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not given:
        raise BadParameter(f"must be such as {_EXAMPLE}, or one of these for each class of questions, not {given!r}")
    if "error" in given:
        return {"": _goal(given)}
    return {str(name): _goal(inner) for name, inner in given.items()}


def _goal(given: Any) -> tuple[float, float | None]:
    if not isinstance(given, Mapping) or not {"error"} <= set(given) <= {"error", "share"}:
        raise BadParameter(f"a goal is such as {_EXAMPLE}, not {given!r}")
    error, share = given["error"], given.get("share")
    if not _is_number(error) or not error > 0:
        raise BadParameter(f"error must be a number above 0, not {error!r}")
    if share is not None and not (_is_number(share) and 0 < share < 1):
        raise BadParameter(f"share must be a number between 0 and 1, not {share!r}")
    return float(error), None if share is None else float(share)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
