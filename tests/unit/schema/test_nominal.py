"""Nominal domains: labels, groups and levels, from a spec or a CSV, and every way to declare them wrongly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BadSpec, CannotAnswer, OutsideDomain
from discreet.schema import Nominal, attribute_from_dict
from discreet.schema.special import MOST_SPECIAL

ODD_LABELS = [
    "a,b",
    'say "hi"',
    "two\nlines",
    "=1+1",
    "-- x",
    "'",
    "é",
    "日本",
    "",
    " ",
    "\x7f",
    "\t",
    "a > b",
]
WORLD = {"Americas": ["USA", "Canada"], "Europe": {"West": ["France", "Spain"], "East": ["Poland"]}}

rules = st.sampled_from(["drop", "other"])


@st.composite
def nominals(draw: st.DrawFn) -> Nominal:
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6).filter(lambda label: label != "other")
    names = draw(st.lists(st.one_of(text, st.sampled_from(ODD_LABELS)), min_size=1, max_size=25, unique=True))
    chosen: dict[str, Any] = {"outside": draw(rules), "null": draw(rules)}

    def with_special(plain: Nominal) -> Nominal:
        special = draw(st.lists(st.sampled_from(plain.labels), max_size=MOST_SPECIAL, unique=True))
        return replace(plain, special=special)

    if draw(st.booleans()):
        return with_special(Nominal(names, **chosen))

    def grow(pool: list[str], depth: int) -> list[Any]:
        found: list[Any] = []
        while pool:
            if depth < 4 and len(pool) > 1 and draw(st.booleans()):
                size = draw(st.integers(1, len(pool) - 1))
                group, members, pool = pool[0], pool[1 : size + 1], pool[size + 1 :]
                found.append({group: grow(members, depth + 1)})
            else:
                found.append(pool.pop(0))
        return found

    return with_special(Nominal(hierarchy=grow(names, 0), **chosen))


@given(nominals())
def test_codes_and_labels_are_bijective(nominal: Nominal) -> None:
    assert len(nominal.labels) == len(set(nominal.labels)) == nominal.size
    assert [nominal.code(label) for label in nominal.labels] == list(range(nominal.size))
    assert [nominal.label(code) for code in range(nominal.size)] == list(nominal.labels)


@given(nominals())
def test_dictionary_round_trip_even_through_sorted_json(nominal: Nominal) -> None:
    plain = json.loads(json.dumps(nominal.to_dict(), sort_keys=True))
    again = attribute_from_dict(plain)
    assert again == nominal
    assert hash(again) == hash(nominal)
    assert again.labels == nominal.labels
    assert again.special_codes == nominal.special_codes


@given(nominals())
def test_special_values_are_labels_in_the_order_of_their_codes(nominal: Nominal) -> None:
    assert nominal.special == tuple(nominal.labels[code] for code in nominal.special_codes)
    assert list(nominal.special_codes) == sorted(set(nominal.special_codes))
    assert nominal == replace(nominal, special=nominal.special[::-1])
    plain = replace(nominal, special=None)
    assert (plain == nominal) == (not nominal.special_codes)
    assert {key: value for key, value in nominal.to_dict().items() if key != "special"} == plain.to_dict()


@given(nominals())
def test_every_node_is_contiguous_and_every_level_covers_all_codes_once(nominal: Nominal) -> None:
    for depth in range(nominal.depth):
        parts = nominal.level(depth)
        assert [first for _, first, _ in parts] == [0, *(last + 1 for _, _, last in parts[:-1])]
        assert parts[-1][2] == nominal.size - 1
        assert all(nominal.node(name) == (first, last) for name, first, last in parts)
    assert nominal.level(nominal.depth - 1) == [(label, i, i) for i, label in enumerate(nominal.labels)]


def test_a_hierarchy_may_be_ragged() -> None:
    world = Nominal(hierarchy=[WORLD, "Antarctica"], null="other")
    assert world.labels == ("USA", "Canada", "France", "Spain", "Poland", "Antarctica", "other")
    assert (world.depth, world.node("Europe"), world.node("East"), world.node("USA")) == (
        3,
        (2, 4),
        (4, 4),
        (0, 0),
    )
    assert world.level(0) == [("Americas", 0, 1), ("Europe", 2, 4), ("Antarctica", 5, 5), ("other", 6, 6)]
    assert [name for name, _, _ in world.level(1)] == ["USA", "Canada", "West", "East", "Antarctica", "other"]


def test_levels_may_have_names() -> None:
    world = Nominal(hierarchy=WORLD, levels=["continent", "part", "country"])
    assert world.level("continent") == world.level(0)
    with pytest.raises(CannotAnswer, match="Did you mean 'country'"):
        world.level("county")
    for wrong in (3, -1, True):
        with pytest.raises(CannotAnswer, match="to 2"):
            world.level(wrong)
    with pytest.raises(BadSpec, match="3 deep"):
        Nominal(hierarchy=WORLD, levels=["continent", "country"])


def test_whole_numbers_become_labels() -> None:
    codes = Nominal([1, 2, 10])
    assert codes.labels == ("1", "2", "10")
    assert codes.code(10) == codes.code("10") == 2


def test_special_values_are_labels_that_questions_may_name(tmp_path: Path) -> None:
    world = Nominal(hierarchy=WORLD, null="other", special=["other", "Spain"])
    assert (world.special, world.special_codes) == (("Spain", "other"), (3, 5))
    assert world.to_dict()["special"] == ["Spain", "other"]
    assert world != Nominal(hierarchy=WORLD, null="other")
    assert Nominal([1, 2], special=[2]) == Nominal(["1", "2"], special=["2"])
    assert Nominal(["a"], special=[]) == Nominal(["a"])
    path = write(tmp_path, "b,t\nb1,t1\nb2,t1\n")
    assert Nominal.from_csv(path, special=["b2"]).special_codes == (1,)
    assert Nominal.from_values_csv(path, special=["b2"]).special_codes == (1,)


def test_without_special_values_a_nominal_is_written_as_before() -> None:
    plain = {"kind": "nominal", "values": ["a"], "outside": "drop", "null": "drop"}
    assert Nominal(["a"]).to_dict() == plain
    assert list(Nominal(["a"]).to_dict()) == list(plain)


def test_unknown_labels_get_a_hint() -> None:
    world = Nominal(hierarchy=WORLD)
    with pytest.raises(OutsideDomain, match="Did you mean 'Poland'"):
        world.code("poland")
    with pytest.raises(OutsideDomain, match="'Europe' is a group"):
        world.code("Europe")
    with pytest.raises(OutsideDomain, match="Did you mean 'Europe'"):
        world.node("Europa")
    with pytest.raises(OutsideDomain, match="missing value"):
        world.code(None)


def looped() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["a"] = {"b": loop}
    return loop


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({}, ["either values or hierarchy"]),
        ({"values": ["a"], "hierarchy": {"b": ["c"]}}, ["either values or hierarchy"]),
        ({"values": []}, ["values: is empty"]),
        ({"values": "Male"}, ["values: must be a list"]),
        ({"values": ["a", "b", "a"]}, ["values[2]: 'a' is listed twice"]),
        (
            {"values": [1, "1", True, 0.5]},
            ["values[1]: '1' is listed twice", "values[2]: True", "values[3]: 0.5"],
        ),
        ({"values": ["\ud800"]}, ["values[0]:", "UTF-8"]),
        ({"values": ["a"], "outside": "clamp"}, ["outside: labels have no order"]),
        ({"values": ["a", "other"], "null": "other"}, ["named 'other'"]),
        ({"values": ["a"], "levels": "a"}, ["levels: must be a list"]),
        ({"hierarchy": {"A": ["x"], "B": ["x"]}}, ["hierarchy > B: 'x' is listed twice", "two parents"]),
        ({"hierarchy": {"A": ["B"], "B": ["A"]}}, ["'B' is already a leaf"]),
        ({"hierarchy": {"A": {"B": {"A": ["x"]}}}}, ["'A' lies inside itself, a cycle"]),
        ({"hierarchy": looped()}, ["'a' lies inside itself, a cycle"]),
        ({"hierarchy": {"A": ["A"]}}, ["'A' lies inside itself"]),
        ({"hierarchy": {"A": []}}, ["hierarchy > A: has no children"]),
        ({"hierarchy": {"A": "x"}}, ["hierarchy > A: 'x' must be a list"]),
        ({"hierarchy": 5}, ["hierarchy: 5 must be a list"]),
        (
            {"hierarchy": {"A": [["x"]], "B": [None]}},
            ["hierarchy > A: ['x'] is not text", "hierarchy > B: None"],
        ),
        ({"values": ["a"], "special": "a"}, ["special: must be a list of values of the domain, such as ['a']"]),
        ({"values": ["a"], "special": {"a"}}, ["special: must be a list"]),
        (
            {"values": ["none", "some"], "special": ["non", None, "other", "none"]},
            [
                "special[0]: must be one value of the domain; 'non' is not among",
                "Did you mean 'none'?",
                "special[1]: must be one value of the domain; a missing value has no label",
                "special[2]: must be one value of the domain; 'other'",
            ],
        ),
        ({"hierarchy": WORLD, "special": ["Europe"]}, ["special[0]:", "'Europe' is a group of the hierarchy"]),
        ({"values": [1, 2], "special": [1, "1"]}, ["special[1]: is the cell '1', as special[0] is; keep one"]),
        ({"values": range(17), "special": range(17)}, ["special: 17 values are more than 16"]),
    ],
)
def test_every_mistake_of_a_nominal_is_named(declared: dict[str, Any], says: list[str]) -> None:
    with pytest.raises(BadSpec) as caught:
        Nominal(**declared)
    for words in says:
        assert words in str(caught.value)


def test_a_hierarchy_deeper_than_reason_is_refused() -> None:
    deep: Any = ["leaf"]
    for depth in range(5000):
        deep = {str(depth): deep}
    with pytest.raises(BadSpec, match="more than 100 deep"):
        Nominal(hierarchy=deep)


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "blocks.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_csv_gives_blocks_tracts_and_counties(tmp_path: Path) -> None:
    rows = 'block,tract,county\nb1,t1,c1\nb3,t2,c2\n"b,2 ""x"" \n",t1,c1\nb4,,c2\nb5,,\n'
    blocks = Nominal.from_csv(write(tmp_path, "\ufeff" + rows), outside="other")
    assert blocks.levels == ("county", "tract", "block")
    assert blocks.labels == ("b1", 'b,2 "x" \n', "b3", "b4", "b5", "other")
    assert blocks.level("county") == [("c1", 0, 1), ("c2", 2, 3), ("b5", 4, 4), ("other", 5, 5)]
    assert [name for name, _, _ in blocks.level("tract")] == ["t1", "t2", "b4", "b5", "other"]
    counties = Nominal.from_csv(write(tmp_path, rows), ["county", "block"])
    assert (counties.depth, counties.levels) == (2, ("county", "block"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ["is empty"]),
        ("block,tract\n", ["no rows"]),
        ("block;tract\nb1;t1\n", ["1 columns", "commas"]),
        ("block,block\nb1,t1\n", ["same name"]),
        ("block,tract\nb1,t1,c1\nb2\n", ["line 2: has 3 cells", "line 3: has 1 cells"]),
        (
            "block,tract\nb1,t1\nb1,t2\n",
            ["line 3: leaf 'b1' is already in line 2", "two parents, 't1' and 't2'"],
        ),
        ("block,tract\nb1,t1\nb1,t1\n", ["line 3: leaf 'b1' is already in line 2; keep one"]),
        ("b,t,c\nb1,t1,c1\nb2,t1,c2\n", ["line 3: 't1' has two parents, 'c1' and 'c2'"]),
        ("b,t\nA,B\nB,A\n", ["'B' would lie inside itself through 'A', a cycle"]),
        ("b,t,c\nb1,t1,b1\n", ["line 2: b1 > t1 > b1 is a cycle"]),
        ("b,t,c\nb1,t1,c1\nt1,t2,c2\n", ["'t1' is both a leaf and a group"]),
        ("b,t,c\nb1,t1,\n,t1,c1\n", ["line 2: only cells right after", "line 3: only cells right after"]),
        ("b,t,c\nb1,,c1\n", ["column 't' is empty in every row"]),
        ('b,t\n"b1,t1\n', ["not valid CSV"]),
        (b"b,t\n\xe9,t1\n", ["not UTF-8"]),
    ],
)
def test_every_mistake_of_a_hierarchy_csv_is_named(tmp_path: Path, text: str | bytes, says: list[str]) -> None:
    with pytest.raises(BadSpec) as caught:
        Nominal.from_csv(write(tmp_path, text))
    assert "blocks.csv" in str(caught.value)
    for words in says:
        assert words in str(caught.value)


def test_a_csv_with_many_mistakes_is_not_quoted_in_full(tmp_path: Path) -> None:
    path = write(tmp_path, "b,t\n" + "x\n" * 1000)
    with pytest.raises(BadSpec, match="and 980 more mistakes"):
        Nominal.from_csv(path)


def test_a_missing_csv_or_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSpec, match="cannot be read"):
        Nominal.from_csv(tmp_path / "none.csv")
    with pytest.raises(BadSpec, match="no column 'state'"):
        Nominal.from_csv(write(tmp_path, "b,t\nb1,t1\n"), ["state", "b"])
