"""`discreet.combine`: several releases of the same data, asked as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from discreet.errors import BadParameter
from discreet.left_out import LeftOut
from discreet.privacy import as_text
from discreet.queries import Boxes, Estimate, Questions, Where
from discreet.release.data_sets import difference_of
from discreet.release.expressions import key
from discreet.release.frame import Frame
from discreet.release.levels import LEVEL, checked_level
from discreet.release.release import Release
from discreet.release.together import Together, Voice
from discreet.schema import Schema

#: rules by which each release takes its own choice of rows
_BY_CHANCE = ("rows", "rows-in-cell")
#: a rule that drops nothing
_CLAMPED = "clamped"


class CombinedRelease(Release):
    """Answers from all of its releases together; `opinions` says which release said what."""

    summary: Together

    def __init__(self, releases: Sequence[Release], summary: Together, manifest: dict[str, Any]) -> None:
        super().__init__(summary, manifest)
        self.releases = list(releases)

    def opinions(self, where: Where = None, *, level: float = LEVEL) -> Frame:
        """The same question to each release that can answer it, and how much of the joint number it gives."""
        boxes = self._selected(where)
        asked = Questions(boxes.first, boxes.last, 1, np.zeros(len(boxes.first), np.int64))
        found = self.summary.opinions(asked, checked_level(level))
        answers = [one.answers.of_counts() for one in found]
        columns = {
            "release": [one.voice.name for one in found],
            "weight": [float(one.share[0]) for one in found],
            **{
                name: [float(getattr(one, field)[0]) for one in answers]
                for name, field in (("count", "value"), ("stderr", "stderr"), ("low", "low"), ("high", "high"))
            },
        }
        return Frame(columns)

    def counted(
        self, boxes: Boxes, level: float, *, measured: bool = False, whole: bool = False, reliable: Any = None
    ) -> Estimate:
        found = super().counted(boxes, level, measured=measured, whole=whole, reliable=reliable)
        asked = Questions(boxes.first, boxes.last, 1, np.zeros(len(boxes.first), np.int64))
        said = [f"{one.voice.name} ({100 * one.share[0]:.0f} %)" for one in self.summary.opinions(asked, level)]
        note = "; ".join(filter(None, [f"from {', '.join(said)}", found.note])) if said else found.note
        return replace(found, note=note)

    def save(self, path: str | Path, *, overwrite: bool = False) -> NoReturn:
        """Refused: each release is saved by itself."""
        raise BadParameter("releases put together cannot be saved: save each of them, and combine them again")

    def __repr__(self) -> str:
        mark = "" if self.publishable else "NOT PRIVATE, for tests only: "
        return (
            f"<{mark}{len(self.releases)} releases together: {', '.join(voice.name for voice in self.summary.voices)}>"
        )


def combine(releases: Sequence[Release], *, same_records: bool = False) -> CombinedRelease:
    """Several releases of one data set as one: each question is answered by all of them that can.

    They must be about the same data set (its name and ledger), and attributes that they share must be declared alike.
    Releases whose rules may drop different rows count different records: that is refused, unless you know that no rows
    were dropped and say `same_records=True`.
    """
    parts = list(releases) if isinstance(releases, Sequence) and not isinstance(releases, str) else []
    if len(parts) < 2 or not all(isinstance(one, Release) for one in parts):
        raise BadParameter("combine: give a list of two or more releases, such as combine([load('a'), load('b')])")
    if any(isinstance(one, CombinedRelease) for one in parts):
        parts = [inner for one in parts for inner in (one.releases if isinstance(one, CombinedRelease) else [one])]
    if len({key(one) for one in parts}) < len(parts):
        raise BadParameter("combine: a release is given twice; its noise is the same, so it says nothing more")
    for other in parts[1:]:
        _check(parts[0], other, same_records)
    schema = _joint_schema(parts)
    names = _names(parts)
    voices = [
        Voice(
            name,
            one.summary,
            float(Fraction(one.manifest["epsilon"])),
            [schema.names.index(attribute) for attribute in one.schema],
        )
        for name, one in zip(names, parts, strict=True)
    ]
    return CombinedRelease(parts, Together(schema, voices), _manifest(parts, schema))


def _check(one: Release, other: Release, same_records: bool) -> None:
    if (why := difference_of(one.manifest, other.manifest)) is not None:
        raise BadParameter(f"combine: {why}; only releases of the same data can be put together")
    if one.manifest["unit"] != other.manifest["unit"]:
        raise BadParameter("combine: these releases protect different units, or bound their rows differently")
    if any(release.manifest["task"]["task"] == "items" for release in (one, other)):
        raise BadParameter("combine: releases of `Items` count in ways of their own; ask them by themselves")
    rules = [_rules(release) for release in (one, other)]
    by_chance = any(rule.kind in _BY_CHANCE for rule in rules[0])
    if same_records or (_alike(*rules) and not by_chance):
        return
    said = "; ".join(dict.fromkeys(rule.sentence for some in rules for rule in some))
    raise BadParameter(
        f"combine: these releases may count different records ({said}); if you know that no row was left out, say "
        "same_records=True, or on the command line --same-records"
    )


def _rules(release: Release) -> list[LeftOut]:
    """What may leave rows out before anything is measured; a version that knew no kinds may mean anything."""
    found = [LeftOut.from_dict(said) for said in release.manifest["leaves_out"]]
    return [one for one in found if (one.by_rule or not one.kind) and one.kind != _CLAMPED]


def _alike(one: Sequence[LeftOut], other: Sequence[LeftOut]) -> bool:
    """The same rules, in whatever order they name attributes."""
    said = [
        sorted((rule.kind, rule.text, sorted(map(str, rule.facts.get("attributes", [rule.facts])))) for rule in some)
        for some in ([replace(rule, text="" if rule.kind else rule.text) for rule in rules] for rules in (one, other))
    ]
    return said[0] == said[1]


def _joint_schema(releases: Sequence[Release]) -> Schema:
    attributes: dict[str, Any] = {}
    for release in releases:
        for name in release.schema:
            if attributes.setdefault(name, release.schema[name]) != release.schema[name]:
                raise BadParameter(
                    f"combine: {name} is not declared alike in these releases; its values must be the same"
                )
    return Schema(attributes)


def _names(releases: Sequence[Release]) -> list[str]:
    """What they are called; those of one name are told apart."""
    plain = [f"{one.manifest['id']}" for one in releases]
    return [name if plain.count(name) == 1 else f"{name} #{place + 1}" for place, name in enumerate(plain)]


def _manifest(releases: Sequence[Release], schema: Schema) -> dict[str, Any]:
    """As far as answers and descriptions need one."""
    said = [release.manifest for release in releases]
    left = {repr(one): one for manifest in said for one in manifest["leaves_out"]}
    methods = dict.fromkeys(manifest["method"] for manifest in said)
    laws = dict.fromkeys(manifest["noise"]["law"] for manifest in said)
    noise = {"law": "; ".join(laws), "publishable": all(manifest["noise"]["publishable"] for manifest in said)}
    return {
        **{name: value for name, value in said[0].items() if name != "auto"},
        "id": " + ".join(manifest["id"] for manifest in said),
        "method": " + ".join(methods),
        "task": {"task": "combined"},
        "epsilon": as_text(sum((Fraction(manifest["epsilon"]) for manifest in said), Fraction(0))),
        "parameters": [],
        "schema": schema.to_dict(),
        "data_attributes": list(dict.fromkeys(name for manifest in said for name in manifest["data_attributes"])),
        "leaves_out": list(left.values()),
        "noise": {**said[0]["noise"], **noise},
        "ledger": {**said[0]["ledger"], "head": " ".join(manifest["ledger"]["head"] for manifest in said)},
        "members": [key(release) for release in releases],
    }
