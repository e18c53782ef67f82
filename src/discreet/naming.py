"""Names and words for checking what a custodian declared."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from discreet.errors import BadParameter

OTHER = "other"
_LONGEST_NAME = 255
#: columns that releases and answers have of their own, whatever the task
RESERVED = ("count", "stderr", "low", "high", "bias", "weighted_count", "marginal", "consistent_count")
#: columns of `top`, so of every release of items; below, those of some methods only
TOP_COLUMNS = ("rank", "certainty")
GROUP_COLUMNS = ("group", "group_count")
SAMPLE_COLUMN = "sample"
FOURIER_COLUMNS = ("coefficient",)
ENDS_COLUMNS = ("ends",)
RESCALED_COLUMNS = ("rescaled_count",)
SHARED_COLUMNS = ("shared_count",)


def reserved_problem(name: str) -> str | None:
    """Why an attribute cannot have this name, if it cannot."""
    if name.lower() not in RESERVED:
        return None
    return f"{name!r} is the name of a column that releases have; rename the attribute, and add column = {name!r}"


def refuse_columns(names: Iterable[str], columns: Iterable[str], method: str) -> None:
    """Refuses attributes that would share their name with a column of this method's releases."""
    taken = set(columns)
    for name in names:
        if name.lower() in taken:
            raise BadParameter(
                f"attribute {name!r} is the name of a column that releases by {method} have; rename the "
                f"attribute, and say what the data calls it: column = {name!r}"
            )


def did_you_mean(wrong: object, known: Iterable[str]) -> str:
    """' Did you mean 'age'?', or '' when no known name is close. Ready to append to a sentence."""
    names = list(known)
    if not isinstance(wrong, str) or len(names) > 10_000:  # comparing is slow, and this may be a nation's blocks
        return ""
    near = get_close_matches(wrong, names, n=1, cutoff=0.6)
    folded = [name for name in names if name.casefold() == wrong.casefold()]
    best = (folded or near)[:1]
    return f" Did you mean {best[0]!r}?" if best else ""


def unknown_keys(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """One problem per unknown key: a misspelt key must not silently become a default."""
    allowed = list(known)
    return [
        f"{key}: unknown key.{did_you_mean(key, allowed)} Known here: {', '.join(allowed)}"
        for key in given
        if key not in allowed
    ]


def rule_problems(outside: object, null: object, outside_choices: tuple[str, ...]) -> list[str]:
    """Problems with the declared rules for values outside the domain and for nulls."""
    return [
        f"{key}: {rule!r} is not a rule; use one of {', '.join(map(repr, choices))}"
        for key, rule, choices in (("outside", outside, outside_choices), ("null", null, ("drop", OTHER)))
        if rule not in choices
    ]


def usable_path(given: object, what: str) -> Path:
    """A path that the system can be asked about: text without NUL, no part of it longer than a name may be."""
    if not isinstance(given, str | os.PathLike):
        raise BadParameter(f"{what} must be a path such as 'people', not {given!r:.80}")
    try:
        path = Path(given)
        parts = [os.fsencode(part) for part in path.parts]
    except (TypeError, ValueError):
        parts = [b"\0"]
    if any(b"\0" in part or len(part) > _LONGEST_NAME for part in parts):
        shown = ascii(os.fspath(given))
        raise BadParameter(f"{what}: {shown:.80} cannot be a path; name it without NUL, and in fewer characters")
    return path
