"""How much one request may ask for. Beyond it, it is refused before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl

from discreet.errors import BadParameter

#: bytes of an address, and of a form
LONGEST_ADDRESS = 16_384
LARGEST_FORM = 2_000_000
MOST_FIELDS = 5_000
#: letters of a predicate, a statement, or any other field of an address
LONGEST_TEXT = 4_000
#: groups of one table, and those of them on one page
MOST_GROUPS = 200_000
ROWS_OF_A_PAGE = 200
#: items of a list of the top
MOST_ITEMS = 1_000
#: questions at the same time; others wait
AT_ONCE = 4
#: releases that are published at the same time
JOBS_AT_ONCE = 2
#: bytes of release.json, and of all files of a release
LARGEST_MANIFEST = 64 * 2**20
LARGEST_RELEASE = 4 * 2**30
#: bytes of a spec
LARGEST_SPEC = 1_000_000
#: names that a workspace lists of each kind
MOST_LISTED = 1_000

#: of an address or of a form, in their order
Fields = Sequence[tuple[str, str]]


def fields_of(text: str) -> list[tuple[str, str]]:
    """The fields of an address or of a form."""
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:
        raise BadParameter(f"a form has at most {MOST_FIELDS:,} fields, in UTF-8; send fewer") from None


def texts(fields: Fields, name: str) -> list[str]:
    """All that were given under a name, without blanks; refused if one is too long."""
    found = [value.strip() for key, value in fields if key == name and value.strip()]
    for value in found:
        if len(value) > LONGEST_TEXT:
            raise BadParameter(f"{name}: {len(value):,} letters are more than {LONGEST_TEXT:,}; ask in parts")
    return found


def text(fields: Fields, name: str) -> str:
    """The last that was given under a name, or nothing."""
    found = texts(fields, name)
    return found[-1] if found else ""


def number(fields: Fields, name: str, default: float) -> float:
    said = text(fields, name)
    try:
        return float(said) if said else default
    except ValueError:
        raise BadParameter(f"{name}: {said!r:.60} is not a number; write one such as {default:g}") from None


def whole(fields: Fields, name: str, default: int, most: int) -> int:
    said = text(fields, name)
    if said and not (said.isdecimal() and len(said) < 10 and 1 <= int(said) <= most):
        raise BadParameter(f"{name}: must be a whole number from 1 to {most:,}, not {said!r:.60}")
    return int(said) if said else default


def among(fields: Fields, name: str, known: Mapping[str, object] | Sequence[str], default: str) -> str:
    said = text(fields, name) or default
    if said not in known:
        raise BadParameter(f"{name}: {said!r:.60} is unknown; use one of {', '.join(filter(None, known))}")
    return said
