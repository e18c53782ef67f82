"""How an attribute finds its values in the data: in which column, how dates are written, and which part of it counts.

Declared in public, like the domain, and applied to one row at a time. What cannot be read so is outside of the domain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any

from discreet.errors import BadSpec, OutsideDomain
from discreet.naming import did_you_mean
from discreet.schema.hierarchy import label_text

#: the parts of a date, each with the directives of a format that say it, any of these sets
_WHOLE_DATE = ("Ymd", "Ybd", "YBd", "ymd", "ybd", "yBd", "Yj", "yj")
_NEEDED = {
    "weekday": _WHOLE_DATE,
    "month": ("m", "b", "B", *_WHOLE_DATE),
    "hour": ("H", "Ip"),
    "year": ("Y", "y"),
}
#: what each part is called as a label; hours and years are their digits
PART_LABELS = {
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "month": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
}
#: the least and the largest number that each part can be; Monday is 1
PART_NUMBERS = {"weekday": (1, 7), "month": (1, 12), "hour": (0, 23)}
_EXAMPLES = {"month": "%m", "hour": "%H", "year": "%Y"}
_DIRECTIVES = "YymdbBjHIpMSfaA%"
_LONGEST_FORMAT = 100
_LONGEST_START = 1_000
MOST_MAPPED = 1_000


def _format_problems(written: object, part: str | None) -> list[str]:
    if not isinstance(written, str) or not written.isprintable() or not 1 < len(written) <= _LONGEST_FORMAT:
        return [f'format: must say how dates are written, such as "%m/%d/%Y %H:%M", not {written!r:.80}']
    found = re.findall("%(.?)", written)
    if "-" in found:
        return ["format: %- is not needed, because single digits are read anyway; write %d in place of %-d"]
    if unknown := [letter for letter in found if not letter or letter not in _DIRECTIVES]:
        known = " ".join(f"%{letter}" for letter in _DIRECTIVES)
        return [f"format: %{unknown[0]} is unknown; use {known}"]
    if not any(set(needed) <= set(found) for needed in _NEEDED.get(part or "", _WHOLE_DATE)):
        what, example = ("a date", "%Y, %m and %d") if part in (None, "weekday") else (f"the {part}", _EXAMPLES[part])
        return [f"format: {written!r} does not say {what}; it needs {example}"]
    return []


def _checked_map(declared: object, problems: list[str]) -> dict[str, Any] | None:
    if declared is None:
        return None
    if not isinstance(declared, Mapping) or not declared:
        problems.append('map: must go from values of the data to those of the domain, such as { F = "Female" }')
        return None
    if len(declared) > MOST_MAPPED:
        problems.append(f"map: {len(declared):,} values are more than {MOST_MAPPED:,}; rename them in the data")
        return None
    checked: dict[str, Any] = {}
    for written, value in declared.items():
        key = label_text(written, "map", problems)
        if isinstance(value, bool) or not isinstance(value, str | int | float | date):
            problems.append(f"map: {written!r} must stand for a label, a number or a date, not {value!r}")
        elif key is not None:
            checked[key] = value.isoformat() if isinstance(value, date) else value
    return checked


@dataclass(frozen=True)
class Reading:
    """How the values of an attribute are read; without it, as they are, from the column of the attribute's name.

    `Reading("InvoiceDate", format="%m/%d/%Y %H:%M", part="hour")`: the hour of dates that are written so; also
    "weekday", "month" or "year".
    `Reading("postcode", first=3)`: the first three letters.
    `Reading(map={"F": "Female", "M": "Male"}, ignore_case=True)`: values by other names, in upper or lower case.
    """

    column: str | None = None
    format: str | None = field(default=None, kw_only=True)
    part: str | None = field(default=None, kw_only=True)
    first: int | None = field(default=None, kw_only=True)
    map: Mapping[Any, Any] | None = field(default=None, kw_only=True, hash=False)
    ignore_case: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        problems = []
        if self.column is not None and not (isinstance(self.column, str) and self.column):
            problems.append(f"column: must be the name of a column, not {self.column!r}")
        if self.part is not None and (not isinstance(self.part, str) or self.part not in _NEEDED):
            hint = did_you_mean(self.part, _NEEDED)
            problems.append(f"part: {self.part!r} is unknown; use one of {', '.join(_NEEDED)}.{hint}")
        elif self.format is not None:
            problems += _format_problems(self.format, self.part)
        if self.first is not None:
            if type(self.first) is not int or not 1 <= self.first <= _LONGEST_START:
                problems.append(f"first: must be a number of letters from 1 to {_LONGEST_START:,}, not {self.first!r}")
            if self.format is not None or self.part is not None:
                problems.append("first: a date has parts, not letters; give either first, or format and part")
        if type(self.ignore_case) is not bool:
            problems.append(f"ignore_case: must be true or false, not {self.ignore_case!r}")
        object.__setattr__(self, "map", _checked_map(self.map, problems))
        if problems:
            raise BadSpec(problems)

    def to_dict(self) -> dict[str, Any]:
        """What was declared, and nothing of what was not."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name))}


PLAIN = Reading()
READING_KEYS = tuple(one.name for one in fields(Reading))


def folded(text: str) -> str:
    """The text in small letters, character by character, as engines do it: the same for all ways to write a label."""
    return "".join(character.lower()[0] for character in text)


def reading_problems(reading: object, *, needs_part: bool) -> list[str]:
    """What is wrong with how an attribute is read; of labels, dates are read by a part of theirs only."""
    if not isinstance(reading, Reading):
        return [f"reading: must be a Reading, such as Reading(first=3), not {reading!r}"]
    if needs_part and reading.format is not None and reading.part is None:
        known = ", ".join(_NEEDED)
        return [f"format: labels are no dates; say which part of the date is the label, such as part = one of {known}"]
    return []


def mapped_codes(reading: Reading, code: Callable[[object], int]) -> dict[str, int]:
    """The codes of the values that the map renames. Mistakes are raised as BadSpec: "key: mistake; fix"."""
    found, problems = {}, []
    for written, value in (reading.map or {}).items():
        try:
            found[written] = code(value)
        except OutsideDomain as error:
            problems.append(f"map: {written!r} stands for what the domain does not have; {error}")
    if problems:
        raise BadSpec(problems)
    return found


def label_codes(labels: Sequence[str], reading: Reading, code: Callable[[object], int]) -> dict[str, int]:
    """The code of every way in which the data may write a label; mistakes as above."""
    spelt = folded if reading.ignore_case else str
    found: dict[str, int] = {}
    problems = []
    for place, label in enumerate(labels):
        if (twin := found.setdefault(spelt(label), place)) != place:
            problems.append(f"ignore_case: {labels[twin]!r} and {label!r} would be one label; rename one of them")
    for written, place in mapped_codes(reading, code).items():
        if (twin := found.setdefault(spelt(written), place)) != place:
            problems.append(f"map: {written!r} is already a way to write {labels[twin]!r}; remove one of the two")
    if reading.part in PART_LABELS:
        names = PART_LABELS[reading.part]
        reached = {found.get(spelt(name)) for name in names}
        unread = [label for place, label in enumerate(labels) if place not in reached]
        problems += [
            f"values: no {reading.part} is read as {label!r}; use {', '.join(names)}, or map these to it"
            for label in unread
        ]
    if problems:
        raise BadSpec(problems)
    return found
