"""What a release leaves out, as kinds with facts; sentences are made from them at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from discreet.privacy import Unit
from discreet.schema import Schema

RULES = "rows that the declared rules drop"

#: kind -> what happens, and what follows from it; the second part is left out where there is little room
TEXTS = {
    "period": ("only rows of {period} are counted, and none without a readable {attribute}", ""),
    "outside": ("rows with a value outside the declared domain of {attributes} are not counted", ""),
    "null": ("rows with no value of {attributes} are not counted", ""),
    "clamped": ("values beyond the declared ends of {attributes} count in the first or last bin", ""),
    "rows": ("at most {rows} rows of one {unit} are counted, chosen at random", ""),
    "rows-in-cell": ("at most {rows} rows of one {unit} are counted, and {in_cell} in one cell, chosen at random", ""),
    "no-unit": ("rows without a {unit} are not counted", ""),
    "below-theta": (
        "{entry}s whose noisy {value} is below {theta} are not in the release",
        "; the intervals allow for what they may hold",
    ),
    "below-missing": (
        "nodes below a missing one are not in the release either",
        "; the intervals allow for what the missing one may hold",
    ),
    "one-sided": (
        "negative noisy counts are left out (one-sided)",
        ", so sums over many {entry}s come out too high; the intervals allow for that",
    ),
    "shrunk": (
        "coefficients that do not stand out from the noise count as zero",
        ", which biases answers; the intervals are those of all coefficients, as wide as it takes to hold the answer",
    ),
    "pulled-together": (
        "tables are made to agree, with no number below zero, and noisy numbers are pulled to what their margins say",
        ", which biases answers; the intervals are those of the measurements, as wide as it takes to hold the answer; "
        "attributes that were not measured together have bounds, what the tables that were measured leave possible",
    ),
    "median": (
        "each cell's estimate is a median, which is centred on the truth as far as the cells that share its buckets "
        "push it up as often as down",
        "; the hash functions make that so on average, not exactly",
    ),
    "user-bound": ("at most {bound} {what} of one user are counted", "; what the others may hold is in the interval"),
    "rescaled": (
        "at most {bound} records of one user are counted, and counts are multiplied to make up for the others",
        "; that is right on average only if the others are like those that count",
    ),
    "popular-first": (
        "records of popular items are kept first",
        ", so nothing can be said of how many others there are",
    ),
    "selected": (
        "where {top} items are selected, of the others it is known only that they lost",
        "; in the summary, the shape selected-counts says that they were, shared-counts that all were counted",
    ),
    "groups": ("items of a group share one count", "; an interval reaches from nothing to what the whole group holds"),
    "frequencies": (
        "all but the first coefficients are cut off",
        "; an interval reaches from nothing to what all items hold",
    ),
}
_OF_RULES = ("outside", "null", "clamped", "no-unit", "rows", "rows-in-cell")


@dataclass(frozen=True)
class LeftOut:
    """One thing that is left out. A release of a version that knew no kinds has its sentence, as `text`."""

    kind: str
    facts: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    @property
    def by_rule(self) -> bool:
        """Whether the declared rules leave it out, whatever the method and the bound."""
        return self.kind in _OF_RULES

    @property
    def sentence(self) -> str:
        return "".join(self._said())

    @property
    def short(self) -> str:
        """Without what follows from it."""
        return self._said()[0]

    def _said(self) -> list[str]:
        if self.kind not in TEXTS:
            return [self.text]
        facts = {name: ", ".join(fact) if isinstance(fact, list) else fact for name, fact in self.facts.items()}
        return [part.format(**facts) for part in TEXTS[self.kind]]

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "facts": self.facts, "text": self.sentence}

    @classmethod
    def from_dict(cls, said: Any) -> LeftOut:
        """What a release says; a ValueError if it cannot be read."""
        if isinstance(said, str):
            return cls("", text=said)
        kinds = {"kind": str, "facts": dict, "text": str}
        if not isinstance(said, dict) or not all(isinstance(said.get(name), kind) for name, kind in kinds.items()):
            raise ValueError("leaves_out holds something that is neither a sentence nor a kind with facts and text")
        found = cls(said["kind"], said["facts"], said["text"])
        try:
            _ = found.sentence
        except (LookupError, ValueError, TypeError, AttributeError):
            raise ValueError(f"leaves_out: {found.kind} lacks a fact") from None
        if not found.sentence:
            raise ValueError(f"leaves_out: {found.kind} has no text")
        return found


def noted(left_out: list[LeftOut]) -> str:
    """What every answer carries of it, in one short line."""
    said = [f"only rows of {one.facts['period']}" for one in left_out if one.kind == "period"]
    return "; ".join([*said, *([f"{RULES} are not counted"] if any(one.by_rule for one in left_out) else [])])


def by_the_schema(schema: Schema) -> Iterator[LeftOut]:
    """What its rules for values keep out of the counts."""
    for kind, rule, choice in (
        ("outside", "outside", "drop"),
        ("null", "null", "drop"),
        ("clamped", "outside", "clamp"),
    ):
        if names := [name for name in schema if getattr(schema[name], rule) == choice]:
            yield LeftOut(kind, {"attributes": names})


def by_the_unit(unit: Unit) -> Iterator[LeftOut]:
    """What bounding a user's rows keeps out, when any rows are as good as others."""
    if not unit.is_row:
        facts = {"rows": unit.most, "unit": unit.column}
        in_cell = {} if unit.max_rows_per_cell is None else {"in_cell": unit.max_rows_per_cell}
        yield LeftOut("rows-in-cell" if in_cell else "rows", {**facts, **in_cell})
        yield LeftOut("no-unit", {"unit": unit.column})
