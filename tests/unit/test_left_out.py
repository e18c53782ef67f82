"""What intervals do not cover: every kind makes its sentence, survives a release, and is used somewhere."""

from __future__ import annotations

import ast
import json
import string
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.left_out import RULES, TEXTS, LeftOut, by_the_schema, by_the_unit, noted
from discreet.privacy import Unit
from discreet.schema import Nominal, Ordinal, Schema

PACKAGE = Path(discreet.__file__).parent
FACTS: dict[str, Any] = {
    "attribute": "day",
    "period": "2026-10",
    "attributes": ["age", "place"],
    "rows": 7,
    "unit": "person",
    "in_cell": 2,
    "entry": "node",
    "value": "count",
    "theta": 30,
    "bound": "10",
    "what": "records",
    "top": 10,
}


def example(kind: str) -> LeftOut:
    """One thing of this kind, with exactly the facts that its texts name."""
    named = {name for text in TEXTS[kind] for _, name, _, _ in string.Formatter().parse(text) if name}
    return LeftOut(kind, {name: FACTS[name] for name in sorted(named)})


@pytest.mark.parametrize("kind", TEXTS)
def test_a_kind_makes_its_sentence(kind: str) -> None:
    one = example(kind)
    assert one.sentence.startswith(one.short)
    assert "{" not in one.sentence
    for name, fact in one.facts.items():
        shown = "age, place" if name == "attributes" else str(fact)
        assert shown in one.sentence
    assert not one.sentence.endswith(".")
    assert one.sentence[len(one.short) :][:2] in ("", ", ", "; ")


@pytest.mark.parametrize("kind", TEXTS)
def test_a_kind_survives_a_release(kind: str) -> None:
    one = example(kind)
    read = LeftOut.from_dict(json.loads(json.dumps(one.to_dict())))
    assert (read.kind, read.facts, read.sentence, read.short) == (one.kind, one.facts, one.sentence, one.short)
    assert read.to_dict() == one.to_dict()


def test_known_sentences() -> None:
    said = "nodes whose noisy count is below 30 are not in the release; the intervals allow for what they may hold"
    assert example("below-theta").sentence == said
    assert example("null").sentence == "rows with no value of age, place are not counted"


def test_unknown_kinds_and_old_sentences_are_shown_as_they_are() -> None:
    """Of a newer version, which knows more kinds; and of the first format, which had none."""
    newer = LeftOut.from_dict({"kind": "new-kind", "facts": {"odd": [1]}, "text": "something {new} is left out"})
    assert newer.sentence == newer.short == "something {new} is left out"
    assert newer.to_dict() == {"kind": "new-kind", "facts": {"odd": [1]}, "text": "something {new} is left out"}
    old = LeftOut.from_dict("rows {older} are not counted")
    assert (old.kind, old.sentence, old.short) == ("", *["rows {older} are not counted"] * 2)


@pytest.mark.parametrize(
    "odd",
    [
        None,
        5,
        ["null"],
        {},
        {"kind": "null"},
        {"kind": "null", "facts": None},
        {"kind": "null", "facts": ["age"]},
        {"kind": "null", "facts": {}, "text": "rows"},
        {"kind": "rows", "facts": {"rows": 3}},
        {"kind": "null", "facts": {"attributes": [5]}},
        {"kind": "null", "facts": {"attributes": [5]}, "text": "rows"},
        {"kind": "new-kind", "facts": {}},
        {"kind": "new-kind", "facts": {}, "text": ""},
        {"kind": "new-kind", "facts": {}, "text": None},
        {"kind": ["null"], "facts": {}, "text": "rows"},
        {"facts": {}, "text": "rows"},
    ],
)
def test_odd_entries_are_refused(odd: Any) -> None:
    with pytest.raises(ValueError, match="leaves_out"):
        LeftOut.from_dict(odd)


def test_every_kind_is_used_by_some_method_or_rule() -> None:
    """Kinds are made as LeftOut("kind", ...), or named in a method's `always_leaves_out`; and no others are."""
    made: set[str] = {"outside", "null", "clamped", "rows", "rows-in-cell"}  # by the rules, which are tried below
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "LeftOut" and node.args:
                first = node.args[0]
                made |= {str(first.value)} if isinstance(first, ast.Constant) else set()
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "always_leaves_out":
                made |= set(ast.literal_eval(node.value))
    assert made == set(TEXTS)


def test_what_the_rules_of_a_schema_leave_out() -> None:
    schema = Schema(
        age=Ordinal(0, 9, outside="clamp", null="other"),
        sex=Nominal(["f", "m"], outside="drop", null="drop"),
        place=Nominal(["a", "b"], outside="other", null="drop"),
    )
    assert [(one.kind, one.facts) for one in by_the_schema(schema)] == [
        ("outside", {"attributes": ["sex"]}),
        ("null", {"attributes": ["sex", "place"]}),
        ("clamped", {"attributes": ["age"]}),
    ]


def test_what_a_unit_leaves_out() -> None:
    assert list(by_the_unit(Unit())) == []
    found = list(by_the_unit(Unit("person", max_rows=5)))
    assert [one.kind for one in found] == ["rows", "no-unit"]
    assert found[0].sentence == "at most 5 rows of one person are counted, chosen at random"
    both = list(by_the_unit(Unit("person", max_rows=5, max_rows_per_cell=2)))
    assert both[0].sentence == "at most 5 rows of one person are counted, and 2 in one cell, chosen at random"
    assert both[1] == LeftOut("no-unit", {"unit": "person"})


def test_the_note_of_an_answer() -> None:
    rule, method = example("null"), example("below-theta")
    assert noted([]) == ""
    assert noted([rule]) == f"{RULES} are not counted"
    assert noted([method]) == ""
    assert noted([rule, method]) == f"{RULES} are not counted"


def test_sentences_of_format_1_are_shown_as_they_are() -> None:
    """Nobody reads English to shorten it: what an old release says, its notes say in full."""
    said = ["rows with no value of age are not counted", "cells below 9 count as zero; `bias` bounds what that hides"]
    old = [LeftOut.from_dict(one) for one in said]
    assert [one.sentence for one in old] == [one.short for one in old] == said
    assert noted(old) == ""


def test_every_answer_says_its_period() -> None:
    period = LeftOut("period", {"period": "2026-10", "attribute": "day"})
    assert noted([period]) == "only rows of 2026-10"
    assert noted([period, LeftOut("null", {"attributes": ["age"]})]).startswith("only rows of 2026-10; rows that")
