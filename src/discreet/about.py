"""Who stands behind a release, and why it was made as it was: words of the custodian, which no program can check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.errors import BadParameter
from discreet.naming import unknown_keys

#: key of the table [about] -> what a reader sees
ABOUT = {
    "organisation": "Organisation",
    "contact": "Contact",
    "period": "Period of the data",
    "purpose": "Purpose",
    "reason": "Why this epsilon",
    "approval": "Approval",
    "domains": "Source of the domains",
    "licence": "Licence",
}
LONGEST = 2000


def about_problems(given: Any) -> list[str]:
    """What is wrong with a table [about], each with its key and its fix."""
    if not isinstance(given, Mapping):
        return [f'must be a table such as organisation = "Town of Example"; known keys: {", ".join(ABOUT)}']
    found = unknown_keys([str(key) for key in given], ABOUT)
    for key, value in given.items():
        if key in ABOUT and (not isinstance(value, str) or not value.strip()):
            found.append(f"{key}: must be text in quotes; leave it out if there is nothing to say")
        elif isinstance(value, str) and len(value) > LONGEST:
            found.append(f"{key}: has {len(value):,} characters; say it in {LONGEST:,}, and refer to a document")
    return found


def read_about(given: Any) -> dict[str, str]:
    """The table as it goes into a release; BadParameter names every mistake."""
    if found := about_problems(given):
        raise BadParameter("\n".join(f"about: {problem}" for problem in found))
    return {key: given[key] for key in ABOUT if key in given}
