"""Declared labels that a value of the data probably means: written with another case, with spaces, or shortened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import normalize

#: more labels than these are not compared one by one with the beginnings of values
_MOST_COMPARED = 2_000
#: United States, United-States and united_states are one
_BETWEEN = re.compile(r"(?<=\w)[\s_-]+(?=\w)|\s+")


def same_but_for_writing(values: Iterable[str], labels: Iterable[str]) -> dict[str, str]:
    """value -> the one label that differs from it by case, space or leading zeros only."""
    folded: dict[str, list[str]] = {}
    for label in labels:
        folded.setdefault(_folded(label), []).append(label)
    pairs = {value: folded.get(_folded(value), []) for value in values}
    return {value: found[0] for value, found in pairs.items() if len(found) == 1}


def shortened(values: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """value -> the one label that begins with it, as Female with F, or that it begins with; if no two share a label."""
    if len(labels) > _MOST_COMPARED:
        return {}
    found = {}
    for value in values:
        text = _folded(value)
        near = [label for label in labels if _begins(text, _folded(label))]
        if len(near) == 1 and text and not text.isdigit():
            found[value] = near[0]
    return found if len(set(found.values())) == len(found) else {}


def _begins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _folded(text: str) -> str:
    bare = _BETWEEN.sub("", normalize("NFKC", text).casefold().strip())
    return bare.lstrip("0") or "0" if bare.isdigit() else bare
